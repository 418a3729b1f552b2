//! Why a gate cannot be made.

use candor_protocol::{Code, Failure};

/// Why a gate cannot be made: something in the user's lists cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// An entry between slashes that is no regular expression.
    #[error("the {list} entry `{entry}` is no regular expression")]
    Pattern { list: &'static str, entry: String, reason: String },
    /// An entry that matches nothing, because there is nothing in it.
    #[error("the {list} list has an empty entry")]
    Empty { list: &'static str },
}

impl Error {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        let problem = match self {
            Self::Pattern { reason, .. } => format!("{self}: {reason}"),
            Self::Empty { .. } => self.to_string(),
        };
        Failure::new(Code::ConfigInvalid)
            .with("path", "the configuration")
            .with("count", 1)
            .with("problems", problem)
    }
}
