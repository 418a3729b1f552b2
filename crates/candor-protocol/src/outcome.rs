//! The words for how a run ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a run ended. `Done` is written by the runtime alone; no text of a model can produce it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Finished; verified, or nothing to verify.
    Done,
    /// Finished, but verification did not fully pass.
    DonePartial,
    /// An error; a card says which.
    Failed,
    /// A budget, a limit or a missing precondition stopped it.
    AbortedConstraint,
    /// The same failure kept repeating.
    AbortedStuck,
    /// An approval was needed and nobody could answer.
    NeedsApproval,
    /// The user stopped it.
    Stopped,
}

impl Status {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::DonePartial => "done_partial",
            Self::Failed => "failed",
            Self::AbortedConstraint => "aborted_constraint",
            Self::AbortedStuck => "aborted_stuck",
            Self::NeedsApproval => "needs_approval",
            Self::Stopped => "stopped",
        }
    }

    /// What the process exits with.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::DonePartial => 3,
            Self::AbortedConstraint => 4,
            Self::AbortedStuck => 5,
            Self::NeedsApproval => 6,
            Self::Stopped => 130,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
