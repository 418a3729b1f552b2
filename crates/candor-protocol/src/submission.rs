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
    /// A person's word on a call that waits for it.
    Answer(Answer),
}

/// A person's word on a call that waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The call.
    pub call_id: String,
    /// What was chosen: one of the choices, or any words where there are none.
    pub choice: String,
    /// What else there is to say; the model is told.
    pub reason: Option<String>,
}

impl Answer {
    /// The call may go on.
    pub const ONCE: &'static str = "once";
    /// It may, and so may all like it in this session.
    pub const ALWAYS: &'static str = "always";
    /// It may not.
    pub const NO: &'static str = "no";
    /// Nobody was there to be asked.
    pub const NOBODY: &'static str = "nobody";
}
