//! Why a call did not do what it was asked.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_protocol::{Code, Failure};

use crate::hooks::Block;

/// The most of a command that a refusal repeats: the model knows what it wrote.
pub(crate) const COMMAND_CHARS_MAX: usize = 200;

/// The most of a name that a message repeats, and how much of that is the end of it. The model knows what it wrote, and a
/// card repeats a name in every step.
const NAME_CHARS_MAX: usize = 300;
const NAME_END_CHARS: usize = 100;

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
    Blocked { tool: String, command: String, reason: String, by: RuleOf },
    /// A person said no.
    #[error("{tool} was not run: the person who was asked said no: {reason}")]
    Denied { tool: String, command: String, reason: String },
    /// Nobody was there to be asked.
    #[error("{tool} was not run: it needs a person's {}, and nobody was there to give it", missing.word())]
    Unapproved { tool: String, command: String, reason: String, missing: Missing },
    /// A hook stands in the way.
    #[error("{tool} was not run: {block}")]
    Hook { tool: String, block: Block },
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
    #[error("{}: {source}", bounded_path(path))]
    File { path: PathBuf, source: io::Error },
    /// A device, a pipe or a socket where a file is needed.
    #[error("{} is {kind}, not a file", bounded_path(path))]
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
            Self::Blocked { tool, command, reason, by } => Failure::new(Code::ToolBlocked)
                .with("tool", tool)
                .with("command", command)
                .with("reason", reason)
                .with("remedy", by.remedy()),
            Self::Denied { tool, command, reason } => Failure::new(Code::ToolDenied)
                .with("tool", tool)
                .with("command", command)
                .with("reason", reason),
            Self::Unapproved { tool, command, reason, missing } => Failure::new(Code::ToolUnapproved)
                .with("tool", tool)
                .with("command", command)
                .with("reason", reason)
                .with("needs", missing.word())
                .with("instead", missing.instead())
                .with("otherwise", missing.otherwise()),
            Self::Hook { block, .. } => block.failure(),
            Self::TimedOut { tool, limit } => {
                Failure::new(Code::ToolTimeout).with("tool", tool).with("limit", seconds(*limit))
            }
            Self::Interrupted { tool } => Failure::new(Code::ToolInterrupted).with("tool", tool),
            Self::Panicked { tool, message } => Failure::new(Code::InternalPanic)
                .with("message", message)
                .with("location", format!("the tool {tool}")),
            Self::File { path, source } => Failure::file(Path::new(&bounded_path(path)), source),
            Self::NotAFile { path, kind } => Failure::new(Code::FileIo)
                .with("path", bounded_path(path))
                .with("reason", format!("it is {kind}, not a file; only a command can use it")),
            Self::Sandbox(error) => error.failure(),
        }
    }

    pub(crate) fn arguments(tool: &str, reason: impl Into<String>) -> Self {
        Self::Arguments { tool: tool.to_owned(), reason: reason.into() }
    }

    pub(crate) fn blocked(tool: &str, command: &str, reason: impl Into<String>) -> Self {
        Self::blocked_by(RuleOf::Either, tool, command, reason)
    }

    pub(crate) fn blocked_by(by: RuleOf, tool: &str, command: &str, reason: impl Into<String>) -> Self {
        let command = command.chars().take(COMMAND_CHARS_MAX).collect();
        Self::Blocked { tool: tool.to_owned(), command, reason: reason.into(), by }
    }

    pub(crate) fn file(path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        Self::File { path: path.into(), source: source.into() }
    }
}

/// A name, without its middle where it is long.
pub(crate) fn bounded(name: &str) -> String {
    let count = name.chars().count();
    if count <= NAME_CHARS_MAX {
        return name.to_owned();
    }
    let head = name.chars().take(NAME_CHARS_MAX - NAME_END_CHARS);
    let tail = name.chars().skip(count - NAME_END_CHARS);
    head.chain(['…']).chain(tail).collect()
}

fn bounded_path(path: &Path) -> String {
    bounded(&path.to_string_lossy())
}

/// Whose rule forbids something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleOf {
    /// Built in: no configuration loosens it.
    Candor,
    /// Set in the configuration, or where the run was started.
    Configuration,
    /// One of both.
    Either,
}

impl RuleOf {
    /// What people can do who want it all the same.
    const fn remedy(self) -> &'static str {
        match self {
            Self::Candor => {
                "whoever means it runs it themselves, outside of Candor: the rule is built in, and no configuration loosens it"
            }
            Self::Configuration => {
                "its owner changes what was set; candor config show --origin tells where that is"
            }
            Self::Either => {
                "whoever means it does it themselves, or changes the rule where it is one of their own configuration, \
                 under security or sandbox in candor config show --origin"
            }
        }
    }
}

/// What a person was to give who was not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A yes to a command that a rule doubts.
    YesToCommand,
    /// A yes to anything else, or because everything is asked about.
    Yes,
    /// An answer to a question of the model.
    Answer,
}

impl Missing {
    const fn word(self) -> &'static str {
        match self {
            Self::YesToCommand | Self::Yes => "yes",
            Self::Answer => "answer",
        }
    }

    /// What the model can do without it.
    const fn instead(self) -> &'static str {
        match self {
            Self::YesToCommand | Self::Yes => {
                "do what needs no approval, and say at the end what was left out"
            }
            Self::Answer => {
                "decide it yourself and say at the end what you decided, or end with the question as your answer"
            }
        }
    }

    /// What people can do so that it is not needed.
    const fn otherwise(self) -> &'static str {
        match self {
            Self::YesToCommand => {
                "add the command to security.allow_commands in your own configuration, to allow it for good"
            }
            Self::Yes => {
                "change what asks in your own configuration; candor config show --origin tells where it was set"
            }
            Self::Answer => "say it in the task, so that nobody has to be asked",
        }
    }
}

/// `1 second`, `0.5 seconds`.
fn seconds(limit: Duration) -> String {
    let count = limit.as_secs_f64();
    if limit == Duration::from_secs(1) { "1 second".to_owned() } else { format!("{count} seconds") }
}
