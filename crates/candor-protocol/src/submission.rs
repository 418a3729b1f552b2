//! What a surface asks of a session.

use crate::{Origin, Part, RunId, SessionId};

/// One thing asked of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// The session.
    pub session: SessionId,
    /// The surface it came from; nothing else about a submission depends on the surface.
    pub origin: Origin,
    /// What is asked.
    pub body: Body,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A message: a run begins.
    Say(Vec<Part>),
    /// A message for the run that goes on: it is taken between two turns.
    Steer(Vec<Part>),
    /// The run that goes on is to stop: whichever it is, or only if it is this one.
    Stop(Option<RunId>),
    /// The conversation is to be shortened now: a run without a message.
    Compact,
    /// The session gets this name.
    Rename(String),
}
