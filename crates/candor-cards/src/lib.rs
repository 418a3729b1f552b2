//! The closed catalogue of failures.
//!
//! Every code in [`Code`](candor_protocol::Code) has one [`Entry`] here: what it is called, what happened, what to do
//! about it in order, and how to see that it is repaired. [`card()`] fills an entry with the facts of one
//! [`Failure`](candor_protocol::Failure); [`text()`] lays a card out for a terminal; [`reference()`] writes the whole
//! catalogue as a document. The same failure gives the same bytes every time, because people search for them and
//! programs act on them.
//!
//! Deliberately absent: input, output, the environment, the clock and any model. A fact about the world arrives with
//! the failure. Masking secrets is absent too: it happens once, where a card is written or sent.
//!
//! Start reading at [`Entry`], then any table in `catalogue`, then `template.rs` for how `{path}` becomes a path.

mod card;
mod catalogue;
mod clean;
mod command;
mod entry;
mod explain;
mod near;
mod pd_report;
mod record;
mod reference;
mod rules;
mod structured;
mod telling;
mod template;
mod text;

pub use card::{card, outline};
pub use catalogue::{catalogue, entry};
pub use command::Command;
pub use entry::{Entry, StepTemplate, facts};
pub use explain::{
    EXIT_NOT_EXECUTABLE, EXIT_NOT_FOUND, EXIT_TIMED_OUT, Explained, Failed, How, NotStarted, Source, explain,
};
pub use pd_report::pd_report;
pub use record::{Record, RecordCard};
pub use reference::reference;
pub use rules::{
    Checked, Example, Given, Kind, Look, Origin, Patterns, Pick, Prepared, Problem, Rule, RuleBase, RuleFile,
    RuleStep, World, check, load, parse, rule_outline, without_place,
};
pub use template::quote;
pub use text::{one_line, text};
