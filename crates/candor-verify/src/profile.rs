//! How strictly work is checked, and what that may take.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How strictly work is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each is the word that people write")]
pub enum Profile {
    Strict,
    #[default]
    Fast,
    Smoke,
    Yolo,
}

/// What one verification may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many commands are started, services among them.
    pub commands: usize,
    /// How many of them may be tests, those that are run once more among them.
    pub tests: usize,
    /// How long it may take.
    pub wall: Duration,
    /// Whether dependencies may be installed.
    pub installs: bool,
    /// How often the model may repair what failed.
    pub repairs: u32,
}

impl Profile {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Fast => "fast",
            Self::Smoke => "smoke",
            Self::Yolo => "yolo",
        }
    }

    /// What one verification may take.
    pub const fn limits(self) -> Limits {
        match self {
            Self::Strict => Limits { commands: 20, tests: 5, wall: MINUTES_30, installs: true, repairs: 5 },
            Self::Fast => Limits { commands: 8, tests: 3, wall: MINUTES_10, installs: false, repairs: 3 },
            Self::Smoke => Limits { commands: 3, tests: 1, wall: MINUTES_2, installs: false, repairs: 1 },
            Self::Yolo => Limits { commands: 15, tests: 4, wall: MINUTES_10, installs: true, repairs: 2 },
        }
    }
}

const MINUTES_2: Duration = Duration::from_secs(2 * 60);
const MINUTES_10: Duration = Duration::from_secs(10 * 60);
const MINUTES_30: Duration = Duration::from_secs(30 * 60);

/// A word that is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no profile {0}; there are strict, fast, smoke and yolo")]
pub struct UnknownProfile(pub String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(word: &str) -> Result<Self, UnknownProfile> {
        let all = [Self::Strict, Self::Fast, Self::Smoke, Self::Yolo];
        all.into_iter()
            .find(|profile| profile.as_str() == word)
            .ok_or_else(|| UnknownProfile(word.to_owned()))
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
