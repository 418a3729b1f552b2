//! What was found, in the forms that people, build servers and code scanners read.
//!
//! Nothing is judged here: the verdict arrives, and every form says the same.

mod json;
pub mod junit;
mod plan;
mod sarif;
mod text;

use std::time::Duration;

use candor_protocol::Verdict;
use serde::Serialize;

use crate::diagnostics::Seen;
use crate::found::LogEntry;
use crate::plan::Problem;

pub use json::to_json;
pub use junit::to_junit;
pub use plan::{LeftOut, Selection, plan_json, plan_text};
pub use sarif::to_sarif;
pub use text::{Paint, closing_text, item_text, to_text};

/// Everything that a verification has to tell.
#[derive(Debug, Clone)]
pub struct Report {
    /// What it came to.
    pub verdict: Verdict,
    /// The folder that was verified.
    pub workspace: String,
    /// The kinds of project in it.
    pub stacks: Vec<String>,
    /// The commands that were taken for services.
    pub service_commands: Vec<String>,
    /// What logs told of failures.
    pub log_diagnostics: Vec<LogEntry>,
    /// What failed, in the order in which it did.
    pub failure_history: Vec<Failure>,
    /// What compilers, linters and test runners complain about.
    pub diagnostics: Vec<Seen>,
    /// What was declared and could not be read.
    pub problems: Vec<Problem>,
    /// What was seen and left out.
    pub notes: Vec<String>,
    /// How long it all took.
    pub duration: Duration,
}

/// One failure, for the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What failed.
    pub check: String,
    /// Why, in a few words: `runtime log errors detected`.
    pub reason: String,
}
