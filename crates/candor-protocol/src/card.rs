//! The error card: one failure, its cause, and the same next steps every time.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A failure as people and programs see it.
///
/// Our own cards come from the catalogue in `candor-cards`; a card found in the output of another program keeps its
/// own code and class, which is why both are open here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorCard {
    /// Stable upper-case name, the key of the catalogue.
    pub code: String,
    /// What kind of failure this is.
    pub class: Class,
    /// The failure in a few words.
    pub title: String,
    /// What happened, with the names of the things it happened to.
    pub cause: String,
    /// What was done since this failure was first met and did not help, one line each. It is there from the second time on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// A shell command that succeeds once the failure is repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// Whether doing the same again, unchanged, can succeed.
    pub retryable: bool,
    /// What the process exits with when this card ends it outside a run.
    pub exit_code: u8,
}

/// One recovery step.
///
/// Commands are shell lines rather than argument lists: people paste them, and some need a glob or a pipe. Whoever
/// fills in an argument quotes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Step {
    /// Run this command.
    Run {
        /// The shell line.
        command: String,
        /// Who may run it.
        #[serde(default, skip_serializing_if = "Safety::is_ask")]
        safety: Safety,
    },
    /// Look whether something holds.
    Check {
        /// What should hold.
        text: String,
        /// A shell line that shows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
    },
    /// Something only a person can do.
    Do {
        /// What to do.
        text: String,
    },
}

impl Step {
    /// A command that whoever was told it may run.
    pub fn run(command: impl Into<String>) -> Self {
        Self::Run { command: command.into(), safety: Safety::Ask }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run { command, safety: Safety::Destructive } => write!(f, "Run (loses data): {command}"),
            Self::Run { command, .. } => write!(f, "Run: {command}"),
            Self::Check { text, command: Some(command) } => write!(f, "{text}: {command}"),
            Self::Check { text, command: None } | Self::Do { text } => f.write_str(text),
        }
    }
}

/// Who may run the command of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// The runtime may, by itself: nothing is lost by it.
    Safe,
    /// Whoever was told the card, after a look at it.
    #[default]
    Ask,
    /// Only somebody who knows what will be lost.
    Destructive,
}

impl Safety {
    /// Whether there is nothing special about it.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    fn is_ask(&self) -> bool {
        *self == Self::Ask
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// The kind of a failure: closed for our own cards, kept as written for those of other programs.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum Class {
            $($(#[$doc])* $name,)*
            /// A class another program wrote, in its own spelling.
            Foreign(String),
        }

        impl Class {
            /// Every class of our own, in the order they are documented.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The class as it is written on a card.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$name => stringify!($name),)*
                    Self::Foreign(name) => name,
                }
            }
        }

        impl From<String> for Class {
            fn from(name: String) -> Self {
                match name.as_str() {
                    $(stringify!($name) => Self::$name,)*
                    _ => Self::Foreign(name),
                }
            }
        }
    };
}

classes! {
    /// The command was called wrongly.
    Usage,
    /// The configuration says something that cannot be followed.
    Config,
    /// Something that must be there first is not.
    Precondition,
    /// The work itself failed.
    Runtime,
    /// A credential is missing, wrong or not allowed to do this.
    Auth,
    /// Too many requests; the same will work later.
    RateLimit,
    /// Nothing answered, or the connection broke.
    Network,
    /// The model provider answered with a failure.
    Provider,
    /// A tool that the model called failed.
    Tool,
    /// A rule forbids it.
    Policy,
    /// Disk, memory, time or another budget ran out.
    Resource,
    /// The work was done but did not pass its checks.
    Verification,
    /// Stored data is not what it should be.
    Integrity,
    /// A defect in Candor.
    Internal,
}

impl From<Class> for String {
    fn from(class: Class) -> Self {
        match class {
            Class::Foreign(name) => name,
            known => known.as_str().to_owned(),
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
