//! What a call may use.

use std::path::PathBuf;
use std::time::Duration;

use candor_protocol::SessionId;
use tokio_util::sync::CancellationToken;

use crate::Error;

/// What a call may use, as it was decided outside.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// Whose call it is.
    pub session: SessionId,
    /// Where relative paths begin, where commands start, and the only place where files are written.
    pub workspace: PathBuf,
    /// What it may do.
    pub rules: Rules,
    /// Ends the call early.
    pub cancel: CancellationToken,
}

/// What calls may do.
#[derive(Debug, Clone)]
pub struct Rules {
    /// What may be done without asking.
    pub permission: Permission,
    /// The whole environment of commands.
    pub env: Vec<(String, String)>,
    /// How long a call may take.
    pub timeout: Duration,
    /// How much of its output the model gets.
    pub output_bytes_max: usize,
    /// Where no file tool may read or write.
    pub hidden: Vec<PathBuf>,
    /// Where file tools may read and write. Empty: anywhere else.
    pub allowed: Vec<PathBuf>,
    /// The directory for the whole of an output that is longer than that.
    pub spill: Option<PathBuf>,
}

/// What may be done without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Nothing is changed.
    ReadOnly,
    /// Every change is asked about.
    Ask,
    /// The workspace may be changed.
    Workspace,
    /// Anything may.
    Full,
}

impl ToolContext {
    /// Whether a call that changes something may go on; `what` is what it means to do.
    pub(crate) fn may_change(&self, tool: &str, what: &str) -> Result<(), Error> {
        let reason = match self.rules.permission {
            Permission::ReadOnly => "the permission is read-only",
            Permission::Ask => "this needs an approval and nobody is there to give it",
            Permission::Workspace | Permission::Full => return Ok(()),
        };
        Err(Error::blocked(tool, what, reason))
    }
}
