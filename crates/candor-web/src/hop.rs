//! One request to one checked target.

use reqwest::Response;
use reqwest::header::{ACCEPT, LOCATION};
use url::Url;

use crate::client::Clients;
use crate::error::innermost;
use crate::{Error, Target};

/// What we can read, best first.
const ACCEPTED: &str = "text/markdown, text/html, application/xhtml+xml, text/plain, application/json;q=0.9, application/pdf;q=0.9, */*;q=0.5";

/// Asks a target, and makes sure that it was the target that answered.
pub(crate) async fn ask(clients: &Clients, target: &Target) -> Result<Response, Error> {
    let unreachable = |reason: String| Error::Unreachable { url: target.url.to_string(), reason };
    let client = clients.pinned(target).map_err(unreachable)?;
    let sent = client.get(target.url.clone()).header(ACCEPT, ACCEPTED).send().await;
    let response = sent.map_err(|error| {
        let timed_out = error.is_connect() && error.is_timeout();
        unreachable(if timed_out { "no connection in time".to_owned() } else { innermost(&error) })
    })?;
    // The pin cannot fail; if it ever did, nothing of the answer would be shown.
    if let Some(peer) = response.remote_addr()
        && !target.addresses.is_empty()
        && !clients.is_proxied()
        && !target.addresses.contains(&peer)
    {
        let reason = format!("{peer} answered, which is not where its host was found");
        return Err(Error::Refused { url: target.url.to_string(), reason });
    }
    Ok(response)
}

/// Where a response sends us on to, where it does.
pub(crate) fn location(response: &Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    // Browsers read what is not ASCII as UTF-8.
    response.headers().get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The address without what follows its host.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
