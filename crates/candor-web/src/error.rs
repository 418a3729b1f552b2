//! Why nothing came of a request.

use std::time::Duration;

use candor_protocol::{Code, Failure};

/// How much of an address is shown: enough to recognise it.
const SHOWN_CHARS_MAX: usize = 300;

/// Why nothing came of a request.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// The address is none that may be reached.
    #[error("{url} is not fetched: {reason}")]
    Refused { url: String, reason: String },
    /// A secret would leave the machine.
    #[error("the {what} holds a secret, which would leave this machine")]
    Secret { what: &'static str },
    /// The site does not want robots there.
    #[error("{url} is not for robots, says {robots}")]
    Robots { url: String, robots: String },
    /// Nothing came, or not all of it.
    #[error("{url} could not be fetched: {reason}")]
    Unreachable { url: String, reason: String },
    /// It took too long.
    #[error("{url} was not fetched within {} seconds", limit.as_secs_f32())]
    TimedOut { url: String, limit: Duration },
    /// The server answered that there is nothing to have.
    #[error("{url} answered with status {status}")]
    Status { url: String, status: String },
    /// What came cannot be shown as text.
    #[error("{url} is {kind}, which cannot be shown as text: {reason}")]
    Content { url: String, kind: String, reason: String },
    /// The search engine could not be used this time.
    #[error("{engine} found nothing out: {reason}")]
    Search { engine: &'static str, reason: String },
    /// The search engine does not accept the key.
    #[error("{engine} does not let us in: {reason}")]
    SearchKey { engine: &'static str, reason: String },
}

impl Error {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Refused { url, reason } => {
                Failure::new(Code::WebAddressRefused).with("url", shown(url)).with("reason", reason)
            }
            Self::Secret { what } => Failure::new(Code::WebSecret).with("what", what),
            Self::Robots { url, robots } => {
                Failure::new(Code::WebRobots).with("url", shown(url)).with("robots", shown(robots))
            }
            Self::Unreachable { url, reason } => {
                Failure::new(Code::WebFetchFailed).with("url", shown(url)).with("reason", reason)
            }
            Self::TimedOut { url, limit } => Failure::new(Code::WebFetchFailed)
                .with("url", shown(url))
                .with("reason", format!("it took longer than {} seconds", limit.as_secs_f32())),
            Self::Status { url, status } => {
                Failure::new(Code::WebStatus).with("url", shown(url)).with("status", status)
            }
            Self::Content { url, kind, reason } => Failure::new(Code::WebContent)
                .with("url", shown(url))
                .with("kind", kind)
                .with("reason", reason),
            Self::Search { engine, reason } => {
                Failure::new(Code::WebSearchFailed).with("engine", engine).with("reason", reason)
            }
            Self::SearchKey { engine, reason } => {
                Failure::new(Code::WebSearchKey).with("engine", engine).with("reason", reason)
            }
        }
    }
}

/// As much of an address as a card shows.
pub(crate) fn shown(url: &str) -> String {
    if url.chars().count() <= SHOWN_CHARS_MAX {
        return url.to_owned();
    }
    url.chars().take(SHOWN_CHARS_MAX).chain(['…']).collect()
}

/// What the source at the bottom of an error says; the layers above it only say that there was one.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
