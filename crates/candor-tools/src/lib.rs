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
//! Start reading at [`Tool`], then [`dispatch()`], then `file_write.rs`, the tool with the most to get wrong.

mod approval;
mod arguments;
mod ask_user;
mod beneath;
mod context;
mod dispatch;
mod error;
mod file_read;
mod file_write;
mod groups;
mod output;
mod paths;
mod registry;
mod shell_exec;
mod tool;

pub use approval::{Approval, Approver, Grants, Judgement, Question, Reply};
pub use context::{Permission, Rules, ToolContext};
pub use dispatch::dispatch;
pub use error::Error;
pub use groups::groups;
pub use output::ToolOutput;
pub use registry::Registry;
pub use tool::{BoxFuture, Effect, Tool};
