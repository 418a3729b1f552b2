//! Why there is no answer, by what can be done about it.

use std::time::Duration;

use candor_protocol::{Code, Failure};

/// What stands for a secret.
const REDACTED: &str = "[REDACTED]";
/// How much of the beginning of a secret gives nothing away: that is the provider's prefix, such as `sk-`.
const SECRET_START_BYTES_MIN: usize = 4;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Too many requests; the same will be answered later.
    #[error("rate limited: {message}")]
    RateLimited {
        /// The status, where the answer had one of its own.
        status: Option<u16>,
        /// How long the provider wants us to wait, where it said so.
        retry_after: Option<Duration>,
        /// What it said.
        message: String,
    },
    /// The account has no money or quota left: waiting does not help.
    #[error("out of quota: {message}")]
    OutOfQuota {
        /// The status.
        status: Option<u16>,
        /// What it said.
        message: String,
    },
    /// The provider is overloaded or out of order.
    #[error("provider out of order: {message}")]
    Unavailable {
        /// The status, where the answer had one of its own.
        status: Option<u16>,
        /// How long the provider wants us to wait, where it said so.
        retry_after: Option<Duration>,
        /// What it said.
        message: String,
    },
    /// Nobody answers at the address.
    #[error("cannot reach {url}: {reason}")]
    Unreachable {
        /// The address.
        url: String,
        /// What the network said.
        reason: String,
    },
    /// Nothing came for too long.
    #[error("silence for {} s", limit.as_secs_f32())]
    Silent {
        /// How long was waited.
        limit: Duration,
    },
    /// The stream ended before the answer did.
    #[error("the stream was cut: {reason}")]
    Cut {
        /// How.
        reason: String,
    },
    /// The key is missing, wrong, or may not do this.
    #[error("key refused with status {status}: {message}")]
    Unauthorized {
        /// The status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// There is no such model.
    #[error("no model {model}: {message}")]
    ModelUnknown {
        /// The model.
        model: String,
        /// What it said.
        message: String,
    },
    /// The conversation is longer than the model can read.
    #[error("context too long: {message}")]
    ContextTooLong {
        /// What it said.
        message: String,
    },
    /// The provider will not take the request as it is.
    #[error("request refused: {message}")]
    BadRequest {
        /// The status, where the answer had one of its own.
        status: Option<u16>,
        /// What it said.
        message: String,
    },
    /// The provider, or the model, does not take a picture in the request.
    #[error("picture refused: {message}")]
    PictureRefused {
        /// The status, where the answer had one of its own.
        status: Option<u16>,
        /// What it said.
        message: String,
    },
    /// Something answered that is no model server: a login page, a proxy, a wrong path.
    #[error("not a model server at {url}: {reason}")]
    NotAProvider {
        /// The address.
        url: String,
        /// What it sent instead.
        reason: String,
    },
    /// The answer broke one of our limits.
    #[error("answer over the limit: {what}")]
    TooLarge {
        /// Which limit.
        what: String,
    },
    /// The script of a scripted provider cannot be played.
    #[error("script {path}: {reason}")]
    Script {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
}

impl Error {
    /// Whether the same request may succeed later. `statuses` are those that the configuration names.
    pub fn is_retryable(&self, statuses: &[u16]) -> bool {
        match self {
            // An answer inside a stream has no status of its own; what it says is what counts.
            Self::RateLimited { status, .. } | Self::Unavailable { status, .. } => {
                status.is_none_or(|status| statuses.contains(&status))
            }
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Cut { .. } => true,
            _ => false,
        }
    }

    /// How long the provider wants us to wait, where it said so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The HTTP status, where there was one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::RateLimited { status, .. }
            | Self::OutOfQuota { status, .. }
            | Self::Unavailable { status, .. }
            | Self::BadRequest { status, .. }
            | Self::PictureRefused { status, .. } => *status,
            Self::Unauthorized { status, .. } => Some(*status),
            Self::ModelUnknown { .. } => Some(404),
            _ => None,
        }
    }

    /// The same without a secret that a server put into its message. Messages are cut to a length, and the cut may go
    /// through the secret: its beginning at the end of the text goes, too.
    pub(crate) fn without(mut self, secret: &str) -> Self {
        let text = match &mut self {
            Self::RateLimited { message, .. }
            | Self::OutOfQuota { message, .. }
            | Self::Unavailable { message, .. }
            | Self::Unauthorized { message, .. }
            | Self::ModelUnknown { message, .. }
            | Self::ContextTooLong { message }
            | Self::BadRequest { message, .. }
            | Self::PictureRefused { message, .. } => message,
            Self::Unreachable { reason, .. }
            | Self::Cut { reason }
            | Self::NotAProvider { reason, .. }
            | Self::Script { reason, .. } => reason,
            Self::TooLarge { what } => what,
            Self::Silent { .. } => return self,
        };
        if text.contains(secret) {
            *text = text.replace(secret, REDACTED);
        }
        let beginnings = (SECRET_START_BYTES_MIN..secret.len()).rev().filter_map(|end| secret.get(..end));
        if let Some(cut) = beginnings.into_iter().find(|start| text.ends_with(start)) {
            text.truncate(text.len() - cut.len());
            text.push_str(REDACTED);
        }
        self
    }

    /// The failure behind it, for its card. `key` says where the key came from.
    pub fn failure(&self, provider: &str, key: &str) -> Failure {
        let status = self.status().map_or_else(|| "none".to_owned(), |status| status.to_string());
        let fail = |code| Failure::new(code).with("provider", provider);
        match self {
            Self::RateLimited { retry_after, .. } => fail(Code::ProviderRateLimited).with(
                "wait",
                retry_after.map_or("not said".to_owned(), |wait| format!("{} s", wait.as_secs_f32())),
            ),
            Self::OutOfQuota { message, .. } => fail(Code::ProviderOutOfQuota).with("reason", message),
            Self::Unavailable { .. } => fail(Code::ProviderUnavailable).with("status", status),
            Self::Unreachable { url, reason } => {
                fail(Code::ProviderUnreachable).with("url", url).with("reason", reason)
            }
            Self::Silent { limit } => {
                fail(Code::ProviderTimeout).with("limit", format!("{} s", limit.as_secs_f32()))
            }
            Self::Cut { reason } => fail(Code::ProviderStreamCut).with("reason", reason),
            Self::Unauthorized { message, .. } => fail(Code::ProviderUnauthorized)
                .with("status", status)
                .with("variable", key)
                .with("reason", message),
            Self::ModelUnknown { model, .. } => fail(Code::ProviderModelUnknown).with("model", model),
            Self::ContextTooLong { message } => fail(Code::ProviderContextTooLong).with("reason", message),
            Self::BadRequest { message, .. } | Self::PictureRefused { message, .. } => {
                fail(Code::ProviderBadRequest).with("status", status).with("reason", message)
            }
            Self::NotAProvider { url, reason } => {
                fail(Code::ProviderNotAServer).with("url", url).with("reason", reason)
            }
            Self::TooLarge { what } => fail(Code::ProviderAnswerTooLarge).with("limit", what),
            Self::Script { path, reason } => {
                Failure::new(Code::ScriptInvalid).with("path", path).with("reason", reason)
            }
        }
    }
}
