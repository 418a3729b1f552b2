//! Names every thing that crosses a wire or a disk.
//!
//! Types, their spelling in JSON, and nothing else. There is deliberately no async here, no input or output, and no
//! decision: a crate that needs one of these names can take them without taking anything with them.
//!
//! Start reading at [`Event`], the one vocabulary in which a session tells what happened, and [`Message`], what is
//! said in it; then [`ErrorCard`], the form in which every failure reaches a person, and [`Failure`], the form in which
//! a crate reports one without knowing how it will be shown.

mod card;
mod change;
mod code;
mod event;
mod failure;
mod ids;
mod level;
mod message;
mod moment;
mod outcome;
mod submission;
mod tool;
mod usage;
mod verdict;

pub use card::{Class, ErrorCard, Safety, Step};
pub use change::Change;
pub use code::Code;
pub use event::{
    ChildrenTook, DeltaKind, Event, EventBody, Forked, NamedBy, Origin, Outcome, Parent, Recovered,
    RecoveredBy, StopReason, SummarisedBy,
};
pub use failure::Failure;
pub use ids::{InvalidId, RunId, SessionId};
pub use level::{InvalidLevel, Level};
pub use message::{
    Image, Message, Opaque, Part, Reasoning, Role, ToolCall, ToolResult, is_picture, plain_text,
};
pub use moment::Moment;
pub use outcome::Status;
pub use submission::{Answer, Body, Submission};
pub use tool::ToolSpec;
pub use usage::Usage;
pub use verdict::{Artefact, CheckResult, Evidence, EvidenceKind, LogRange, Verdict, VerdictStatus};
