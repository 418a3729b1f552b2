//! What the login asks over HTTP.

use std::time::Duration;

use http::{HeaderMap, Response};
use reqwest::Client;
use reqwest::redirect::Policy;
use rmcp::transport::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest};

use crate::http::client_with;

/// The largest answer of a login server.
const BODY_BYTES_MAX: usize = 1 << 20;
/// How long one may take where nothing else is said.
const TIME_MAX: Duration = Duration::from_secs(30);

/// Two clients, as whether a redirect is followed belongs to a client.
pub(super) struct Web {
    following: Client,
    staying: Client,
}

impl Web {
    pub(super) fn new() -> Result<Self, String> {
        let client = |policy| client_with(true, &HeaderMap::new(), policy);
        Ok(Self { following: client(Policy::limited(5))?, staying: client(Policy::none())? })
    }

    async fn ask(&self, asked: OAuthHttpRequest) -> Result<Response<Vec<u8>>, reqwest::Error> {
        let client = match asked.redirect_policy {
            OAuthHttpRedirectPolicy::Stop => &self.staying,
            _ => &self.following,
        };
        let mut request = reqwest::Request::try_from(asked.request)?;
        *request.timeout_mut() = Some(asked.timeout.unwrap_or(TIME_MAX));
        let mut response = client.execute(request).await?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            let room = BODY_BYTES_MAX - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                // What is cut is no JSON any more, and is refused as such.
                break;
            }
        }
        Ok(Response::from(response).map(|_: reqwest::Body| body))
    }
}

impl OAuthHttpClient for Web {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move { self.ask(request).await.map_err(Into::into) })
    }
}
