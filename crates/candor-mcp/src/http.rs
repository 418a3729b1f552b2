//! How a server is spoken to over HTTP.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use url::Url;

use crate::stdio::LINE_BYTES_MAX;

/// How long a connection may take to be made.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(15);
/// How often a server may send us on.
const REDIRECTS_MAX: usize = 5;
/// What is said about us.
const USER_AGENT: &str = concat!("candor/", env!("CARGO_PKG_VERSION"));

/// A client for this address. What the configuration adds to requests is part of it, so that it is in no other place.
pub(crate) fn client(url: &str, headers: &HeaderMap) -> Result<Client, String> {
    client_with(url.starts_with("https:"), headers, same_origin())
}

/// A client that goes on as `redirect` says.
pub(crate) fn client_with(is_secure: bool, headers: &HeaderMap, redirect: Policy) -> Result<Client, String> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let told = |error: rustls::Error| error.to_string();
    let builder = builder.with_safe_default_protocol_versions().map_err(told)?;
    // To read the machine's certificates takes some milliseconds.
    let tls = if is_secure {
        builder.with_platform_verifier().map_err(told)?.with_no_client_auth()
    } else {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    };
    Client::builder()
        .user_agent(USER_AGENT)
        .default_headers(headers.clone())
        .connect_timeout(CONNECT_TIME_MAX)
        .redirect(redirect)
        .tcp_nodelay(true)
        .tls_backend_preconfigured(tls)
        .build()
        .map_err(|error| innermost(&error))
}

/// Goes on to the same place only: anywhere else, our headers would be told to whoever is there.
fn same_origin() -> Policy {
    Policy::custom(|attempt| {
        let from = attempt.previous().last().map(Url::origin);
        if attempt.previous().len() > REDIRECTS_MAX {
            attempt.error("it redirects without end")
        } else if from == Some(attempt.url().origin()) {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

/// The headers of a configuration, marked so that nobody prints them.
pub(crate) fn headers<'a>(given: impl IntoIterator<Item = (&'a String, &'a String)>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        // Both were looked at when the configuration was read.
        let (Ok(name), Ok(mut value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        else {
            continue;
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    headers
}

/// The way to this address.
pub(crate) fn transport(url: &str) -> StreamableHttpClientTransportConfig {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.max_sse_event_size = LINE_BYTES_MAX;
    config.custom_headers = HashMap::new();
    config
}

/// The reason below all others: the outer ones say only that a request failed, and repeat its address.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = below(error) {
        error = source;
    }
    // An address may carry a key.
    error.to_string().split(" for url (").next().unwrap_or_default().to_owned()
}

/// What an error comes from. The transport's own does not say so for the client's.
fn below<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(client)) => Some(client),
        _ => error.source(),
    }
}
