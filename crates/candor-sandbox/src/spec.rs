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
    /// The directory it starts in, as it is called inside.
    pub cwd: PathBuf,
    /// The whole environment: nothing is inherited. What the sandbox needs is added.
    pub env: Vec<(String, String)>,
    /// How long it may take. A process of [`start`](crate::start) may take as long as it is held.
    pub timeout: Duration,
    /// How much of each stream is kept in memory, half from its head and half from its tail.
    pub output_bytes_max: usize,
    /// The directory for the whole of a stream that is longer than that.
    pub spill: Option<PathBuf>,
    /// What it finds on its standard input.
    pub stdin: Stdin,
    /// The rows and columns of a terminal for it, instead of pipes. All it says comes on one stream then.
    pub pty: Option<(u16, u16)>,
}

/// What a process finds on its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Closed,
    /// What is written to it with [`Running::write`](crate::Running::write).
    Piped,
}
