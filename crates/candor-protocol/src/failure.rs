//! A failure before it is a card.

use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::Code;

/// What went wrong, as a code and the facts that fill its card.
///
/// Crates report failures in this form because they cannot see the catalogue, and must not: how a failure is worded
/// is decided in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which failure.
    pub code: Code,
    /// Named values for the card's text, in the order they were given.
    pub facts: Vec<(&'static str, String)>,
}

impl Failure {
    /// A failure with no facts yet.
    pub const fn new(code: Code) -> Self {
        Self { code, facts: Vec::new() }
    }

    /// Adds one fact.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass displays made on the spot")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.facts.push((name, value.to_string()));
        self
    }

    /// The value of a fact, if it was given.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// The failure behind an input/output error on a path.
    ///
    /// It lives here so that "no permission" is the same card whichever crate met it.
    pub fn file(path: &Path, error: &Error) -> Self {
        let code = match error.kind() {
            ErrorKind::NotFound => Code::FileNotFound,
            ErrorKind::PermissionDenied => Code::FilePermission,
            ErrorKind::IsADirectory => Code::FileIsDirectory,
            ErrorKind::InvalidData => Code::FileNotUtf8,
            ErrorKind::FileTooLarge => Code::FileTooLarge,
            ErrorKind::AlreadyExists => Code::FileExists,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::DiskFull,
            ErrorKind::ReadOnlyFilesystem => Code::DiskReadOnly,
            _ => Code::FileIo,
        };
        Self::new(code).with("path", path.display()).with("reason", error)
    }
}
