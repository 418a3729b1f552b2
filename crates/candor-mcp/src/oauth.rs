//! Logging in to a server: OAuth with PKCE, as MCP wants it.

mod callback;
mod login;
mod tokens;
mod web;

use rmcp::transport::{AuthClient, AuthorizationManager};

pub(crate) use login::{Login, login};
pub(crate) use tokens::Tokens;

use crate::http::innermost;
use crate::posting::Bounded;

/// A client that shows the login we have, and renews it; nothing where we have none: then the server says whether it wants one.
pub(crate) async fn authorized(
    url: &str,
    client: Bounded,
    tokens: Option<Tokens>,
) -> Result<Option<AuthClient<Bounded>>, String> {
    let Some(tokens) = tokens.filter(Tokens::are_there) else { return Ok(None) };
    let mut manager = authorization(url, tokens).await?;
    let is_known = manager.initialize_from_store().await.map_err(|error| innermost(&error))?;
    Ok(is_known.then(|| AuthClient::new(client, manager)))
}

async fn authorization(url: &str, tokens: Tokens) -> Result<AuthorizationManager, String> {
    let web = web::Web::new()?;
    let manager = AuthorizationManager::new_with_oauth_http_client(url, std::sync::Arc::new(web)).await;
    let mut manager = manager.map_err(|error| innermost(&error))?;
    manager.set_credential_store(tokens);
    Ok(manager)
}
