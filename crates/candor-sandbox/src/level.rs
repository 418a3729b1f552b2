//! How strong the walls around a process are.

use std::fmt;

/// How strong the walls around a process are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// There are none: it may do what its user may.
    None,
}

/// The level that every process of [`run`](crate::run()) gets.
pub fn level() -> Level {
    Level::None
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
        }
    }
}
