//! The tools that a model can call, and the one way in which it calls them.
//!
//! A [`Tool`] says what it is and does one thing. [`dispatch()`] is where every call passes: it finds the tool, looks at
//! the arguments, runs it, catches what goes wrong and logs it. It always answers: whatever happens, the model gets
//! a result that it can read and, when that is a failure, the card that says what to do. [`groups()`] says which of
//! several calls may run at once.
//!
//! Whether a call may go on is settled before it runs, in `approval.rs`: the rules say yes, no, or that a person has to
//! be asked, which an [`Approver`] from outside does.
//!
//! Deliberately absent: masking secrets. It happens once, where a result is stored or sent. And no tool spawns a process
//! by itself, only through `candor-sandbox`.
//!
//! Every file tool goes through four places: `access.rs` knows the rules of a call, `held.rs` opens what is read,
//! `target.rs` finds and replaces what is written, `changing.rs` changes several files or none. What was there before is
//! kept by [`Snapshots`] and put back by [`undo()`].
//!
//! Start reading at [`Tool`], then [`dispatch()`], then `target.rs`, the place with the most to get wrong.

mod access;
mod apply_patch;
mod approval;
pub mod arguments;
mod ask_user;
mod carrying;
mod changed;
mod changing;
mod checking;
mod command;
pub mod command_tools;
mod context;
mod diffs;
mod dispatch;
mod error;
mod explaining;
mod file_edit;
mod file_read;
mod file_write;
mod find;
mod first;
mod groups;
mod guides;
mod harmless;
mod held;
pub mod hooks;
mod ignores;
mod index;
mod line_ends;
mod linked;
mod list;
mod logs;
mod lookalike;
mod matching;
mod nested;
pub mod notes;
mod output;
mod patch;
mod picture;
mod places;
mod plain;
mod process;
mod processes;
mod ready;
mod recipes;
mod registry;
mod repositories;
mod repository;
mod search;
mod seen;
mod shell_exec;
mod shortened;
pub mod skills;
mod sleep;
mod snapshots;
mod sought;
mod spot;
mod standing;
mod stranger;
mod surroundings;
mod target;
mod temp;
mod todo;
mod tool;
mod tracking;
pub mod trust;
mod undo;
mod walk;
mod walls;

pub use approval::{Approval, Approver, Grants, Judgement, Question, Reply};
pub use changed::Changed;
pub use context::{Permission, Rules, ToolContext};
pub use dispatch::dispatch;
pub use error::{Error, Missing, RuleOf};
pub use explaining::how;
pub use groups::groups;
pub use guides::Guides;
pub use linked::Linked;
pub use output::{ToolOutput, ends, json_bytes};
pub use plain::{open_plain, read_plain, read_plain_text, words};
pub use processes::Processes;
pub use ready::{Ready, Starter};
pub use recipes::{RecipePlace, Recipes};
pub use registry::{Registry, ToolSource, Tools};
pub use snapshots::{SNAPSHOT_BYTES_MAX, Snapshots};
pub use sought::{Sought, ToolSearch};
pub use surroundings::Surroundings;
pub use tool::{BoxFuture, Effect, Reach, Tool};
pub use tracking::Tracking;
pub use undo::{ChangedSince, Undone, UndoneWhat, diff, undo};
pub use walls::{Plan, Walls};
