//! What a session still owes: work of earlier runs that nobody has seen work.

use candor_protocol::{Change, Outcome, Status, VerdictStatus};
use serde::{Deserialize, Serialize};

/// Whether work of earlier runs still has to be shown to work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Owed {
    /// No: it was verified, or the user was told that it could not be.
    #[default]
    Nothing,
    /// Files were changed, and the run ended before anybody looked.
    Unchecked,
    /// It was looked at, and it failed.
    Failed,
}

impl Owed {
    pub(crate) fn after_call(&mut self, changes: &[Change]) {
        if !changes.is_empty() {
            *self = Self::Unchecked;
        }
    }

    /// A run that was stopped, cut short or killed settles nothing. One that came to its end does, and so does a user who
    /// waived the checks.
    pub(crate) fn after_run(&mut self, outcome: &Outcome) {
        match (outcome.verdict.status, outcome.status) {
            (VerdictStatus::Failed, _) => *self = Self::Failed,
            (VerdictStatus::Verified, _) | (VerdictStatus::Unverifiable, Status::DonePartial) => {
                *self = Self::Nothing;
            }
            // What failed before stays so when nothing was changed since.
            (VerdictStatus::NotApplicable, Status::Done) if *self == Self::Unchecked => *self = Self::Nothing,
            _ => {}
        }
    }
}
