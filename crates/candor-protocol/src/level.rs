//! How much a log line matters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The level of a log line, most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Cannot be recovered from.
    Error,
    /// Recovered from, but someone should know.
    Warn,
    /// Normal operation.
    #[default]
    Info,
    /// Payloads and details.
    Debug,
}

impl Level {
    /// Every level, most severe first.
    pub const ALL: &[Self] = &[Self::Error, Self::Warn, Self::Info, Self::Debug];

    /// The level as it is written in a log line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is not a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidLevel(pub String);

impl fmt::Display for InvalidLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a level: error, warn, info or debug", self.0)
    }
}

impl std::error::Error for InvalidLevel {}

impl FromStr for Level {
    type Err = InvalidLevel;

    fn from_str(word: &str) -> Result<Self, InvalidLevel> {
        // What half of the world's programs call it.
        let word = if word.eq_ignore_ascii_case("warning") { "warn" } else { word };
        Self::ALL
            .iter()
            .copied()
            .find(|level| level.as_str().eq_ignore_ascii_case(word))
            .ok_or_else(|| InvalidLevel(word.to_owned()))
    }
}
