//! What to run, and within which limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What to run, and within which limits.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The program. An absolute path starts faster than a name that is looked for in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The directory it starts in.
    pub cwd: PathBuf,
    /// The whole environment: nothing is inherited.
    pub env: Vec<(String, String)>,
    /// How long it may take.
    pub timeout: Duration,
    /// How much of each stream is kept in memory, half from its head and half from its tail.
    pub output_bytes_max: usize,
    /// The directory for the whole of a stream that is longer than that.
    pub spill: Option<PathBuf>,
}
