//! Why a call did not do what it was asked.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use candor_protocol::{Code, Failure};

use crate::hooks::Block;

/// The most of a command that a refusal repeats: the model knows what it wrote.
pub(crate) const COMMAND_CHARS_MAX: usize = 200;

/// Why a call did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// There is no such tool.
    #[error("there is no tool called {tool}")]
    Unknown { tool: String, tools: String },
    /// The arguments are not what the tool takes.
    #[error("{tool} was not run: {reason}")]
    Arguments { tool: String, reason: String },
    /// A rule forbids it.
    #[error("{tool} is not allowed to do this: {reason}")]
    Blocked { tool: String, command: String, reason: String },
    /// A person said no.
    #[error("{tool} was not run: the person who was asked said no: {reason}")]
    Denied { tool: String, command: String, reason: String },
    /// Nobody was there to be asked.
    #[error("{tool} was not run: it needs a person's yes, and nobody was there to give it")]
    Unapproved { tool: String, command: String, reason: String },
    /// A hook stands in the way.
    #[error("{tool} was not run: {block}")]
    Hook { tool: String, block: Block },
    /// It ended with a failure of its own.
    #[error("{tool} ended with status {status}")]
    Failed { tool: String, status: String, output: String },
    /// It had not ended when its time was over.
    #[error("{tool} had not ended after {}", seconds(*limit))]
    TimedOut { tool: String, limit: Duration },
    /// It was cancelled.
    #[error("{tool} was interrupted")]
    Interrupted { tool: String },
    /// It met a defect of its own.
    #[error("{tool} met a defect: {message}")]
    Panicked { tool: String, message: String },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A device, a pipe or a socket where a file is needed.
    #[error("{} is {kind}, not a file", path.display())]
    NotAFile { path: PathBuf, kind: &'static str },
    /// A process did not start.
    #[error(transparent)]
    Sandbox(#[from] candor_sandbox::Error),
}

impl Error {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Unknown { tool, tools } => {
                Failure::new(Code::ToolUnknown).with("tool", tool).with("tools", tools)
            }
            Self::Arguments { tool, reason } => {
                Failure::new(Code::ToolArguments).with("tool", tool).with("reason", reason)
            }
            Self::Blocked { tool, command, reason } => Failure::new(Code::ToolBlocked)
                .with("tool", tool)
                .with("command", command)
                .with("reason", reason),
            Self::Denied { tool, command, reason } => Failure::new(Code::ToolDenied)
                .with("tool", tool)
                .with("command", command)
                .with("reason", reason),
            Self::Unapproved { tool, command, reason } => Failure::new(Code::ToolUnapproved)
                .with("tool", tool)
                .with("command", command)
                .with("reason", reason),
            Self::Hook { block, .. } => block.failure(),
            Self::Failed { tool, status, output } => Failure::new(Code::ToolFailed)
                .with("tool", tool)
                .with("status", status)
                .with("output", output),
            Self::TimedOut { tool, limit } => {
                Failure::new(Code::ToolTimeout).with("tool", tool).with("limit", seconds(*limit))
            }
            Self::Interrupted { tool } => Failure::new(Code::ToolInterrupted).with("tool", tool),
            Self::Panicked { tool, message } => Failure::new(Code::InternalPanic)
                .with("message", message)
                .with("location", format!("the tool {tool}")),
            Self::File { path, source } => Failure::file(path, source),
            Self::NotAFile { path, kind } => Failure::new(Code::FileIo)
                .with("path", path.display())
                .with("reason", format!("it is {kind}, not a file")),
            Self::Sandbox(error) => error.failure(),
        }
    }

    pub(crate) fn arguments(tool: &str, reason: impl Into<String>) -> Self {
        Self::Arguments { tool: tool.to_owned(), reason: reason.into() }
    }

    pub(crate) fn blocked(tool: &str, command: &str, reason: impl Into<String>) -> Self {
        let command = command.chars().take(COMMAND_CHARS_MAX).collect();
        Self::Blocked { tool: tool.to_owned(), command, reason: reason.into() }
    }

    pub(crate) fn file(path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        Self::File { path: path.into(), source: source.into() }
    }
}

/// `1 second`, `0.5 seconds`.
fn seconds(limit: Duration) -> String {
    let count = limit.as_secs_f64();
    if limit == Duration::from_secs(1) { "1 second".to_owned() } else { format!("{count} seconds") }
}
