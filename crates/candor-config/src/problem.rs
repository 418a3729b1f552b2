//! One thing that is wrong with a configuration.

use std::fmt;

use candor_protocol::{Code, Failure};

use crate::place::Place;

/// What is wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands.
    pub place: Place,
    /// The dotted path of the key, empty for a syntax error.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place.label())?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)?;
        match self.place.excerpt() {
            excerpt if excerpt.is_empty() => Ok(()),
            excerpt => write!(f, "\n{excerpt}"),
        }
    }
}

/// Something that does not stop the start but should be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What and where.
    pub problem: Problem,
    /// Which kind of warning.
    pub kind: WarningKind,
}

/// The kinds of warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WarningKind {
    /// A key nobody reads.
    UnknownKey {
        /// The nearest known key, if one is near.
        nearest: Option<String>,
    },
    /// A file that others can read holds a secret.
    ExposedSecret {
        /// The file's permission bits.
        mode: u32,
    },
    /// A workspace tried to set what only its owner may set.
    NotForWorkspace,
    /// A spelling of another system that means nothing here.
    NoEffect,
}

impl Warning {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        let on = |code| {
            let origin = &self.problem.place.source.origin;
            Failure::new(code).with("path", origin).with("key", &self.problem.key)
        };
        match &self.kind {
            WarningKind::UnknownKey { nearest } => {
                on(Code::ConfigUnknownKey).with("nearest", nearest.as_deref().unwrap_or_default())
            }
            WarningKind::NoEffect => on(Code::ConfigUnknownKey).with("nearest", ""),
            WarningKind::ExposedSecret { mode } => {
                on(Code::ConfigExposedSecret).with("mode", format!("{mode:03o}"))
            }
            WarningKind::NotForWorkspace => on(Code::ConfigNotForWorkspace),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}
