//! What logs and compilers say, read into one shape.

use candor_protocol::LogRange;
use serde::{Deserialize, Serialize};

/// Whose log something stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogSource {
    /// The streams of a service that was started, and the log files declared for it.
    ServiceLog,
    /// Any other log of the project.
    ProjectLog,
}

/// An entry of a log that tells of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// Whose log.
    pub source: LogSource,
    /// Which: a file relative to the workspace, or `stdout`, `stderr`.
    pub file: String,
    /// All of its lines, shortened.
    pub message: String,
    /// When it was written, in milliseconds since 1970, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
    /// Where its first byte stands.
    pub offset: u64,
}

/// What was found in one log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFindings {
    /// The first of the entries, as many as are kept.
    pub entries: Vec<LogEntry>,
    /// How many there were.
    pub count: u64,
    /// What was read.
    pub range: LogRange,
}

/// What a compiler, a linter or a test runner complains about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, as it was named; relative to the workspace where that is known.
    pub file: String,
    /// Its line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Whether it is an error, and not a warning.
    pub is_error: bool,
    /// Its code (`E0308`, `TS2322`, the name of a test).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What it says.
    pub message: String,
}
