//! One login, from the address that a person opens to the token in its file.

use std::time::Duration;

use rmcp::transport::{AuthError, AuthorizationRequest, AuthorizationSession};

use super::callback::Callback;
use super::{Tokens, authorization};
use crate::config::Client;
use crate::error::Challenge;
use crate::http::innermost;

/// What a login needs.
pub(crate) struct Login<'a> {
    /// The server's address.
    pub(crate) url: &'a str,
    /// Where the login is kept.
    pub(crate) tokens: Tokens,
    /// How long a person may take.
    pub(crate) time_max: Duration,
    /// The address of a document about us, for servers that take that for a registration.
    pub(crate) client_metadata_url: Option<String>,
    /// Who we are to the login server, where that was agreed on before.
    pub(crate) client: Option<&'a Client>,
    /// What the server said about the login that it wants.
    pub(crate) challenge: Challenge,
}

/// Logs in. `open` is told the address that a person has to open in a browser.
pub(crate) async fn login(asked: Login<'_>, open: impl FnOnce(&str)) -> Result<(), String> {
    let told = |error: AuthError| innermost(&error);
    let callback = Callback::open().await.map_err(|error| error.to_string())?;
    let granted = asked.tokens.granted_scopes();
    let mut manager = authorization(asked.url, asked.tokens).await?;
    let found = match &asked.challenge.0 {
        Some(challenge) => manager.resolve_metadata_from_challenge(Some(challenge)).await,
        None => manager.resolve_metadata().await,
    };
    let found = found.map_err(told)?;
    manager.set_metadata(found.metadata);
    let mut request = AuthorizationRequest::new(&callback.address).with_client_name("Candor");
    if let Some(url) = asked.client_metadata_url {
        request = request.with_client_metadata_url(url);
    }
    if asked.challenge.0.is_some() && !granted.is_empty() {
        // It wants more than it granted before, which must not be lost over that.
        let mut scopes = manager.select_scopes(None, &[]);
        scopes.extend(granted);
        scopes.sort();
        scopes.dedup();
        request = request.with_scopes(scopes);
    }
    if let Some(client) = asked.client {
        request = request.with_preregistered_client(&client.id);
        if let Some(secret) = &client.secret {
            request = request.with_client_secret(secret);
        }
    }
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| told(error))?;
    open(session.get_authorization_url());
    let address = match tokio::time::timeout(asked.time_max, callback.came_back()).await {
        Ok(address) => address.map_err(|error| error.to_string())?,
        Err(_) => return Err(format!("nobody had logged in after {} seconds", asked.time_max.as_secs())),
    };
    refused(&address)?;
    session.handle_callback_url(&address).await.map_err(told)?;
    Ok(())
}

/// What the login server says instead of granting it.
fn refused(address: &str) -> Result<(), String> {
    let Ok(address) = url::Url::parse(address) else { return Ok(()) };
    let of =
        |name: &str| address.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    match (of("error"), of("error_description")) {
        (Some(error), Some(description)) => Err(format!("it was not granted: {error}: {description}")),
        (Some(error), None) => Err(format!("it was not granted: {error}")),
        (None, _) => Ok(()),
    }
}
