//! What the caller decides about all that is done with a segment.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another process is waited for: a first sync of ten thousand files takes a few seconds.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// What the caller decides.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is neither packed nor handed out, besides files that are secret by their names.
    pub hidden: Vec<PathBuf>,
    /// What alone is handed out. Empty: anything else.
    pub allowed: Vec<PathBuf>,
    /// How long another process that works on the same segment is waited for.
    pub lock_wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { hidden: Vec::new(), allowed: Vec::new(), lock_wait: LOCK_WAIT }
    }
}

impl Options {
    /// The hidden places, with and without their links.
    pub(crate) fn places(&self) -> Places {
        Places { hidden: with_real(&self.hidden), allowed: with_real(&self.allowed) }
    }
}

/// A path by itself, and without its links.
fn with_real(paths: &[PathBuf]) -> Vec<PathBuf> {
    let real = paths.iter().filter_map(|path| path.canonicalize().ok());
    paths.iter().cloned().chain(real).collect()
}

/// Places that are hidden, or alone are not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    hidden: Vec<PathBuf>,
    allowed: Vec<PathBuf>,
}

impl Places {
    /// Whether a file is not for those who ask.
    pub(crate) fn hide(&self, path: &Path) -> bool {
        let holds = |places: &[PathBuf]| places.iter().any(|place| path.starts_with(place));
        holds(&self.hidden) || (!self.allowed.is_empty() && !holds(&self.allowed))
    }

    /// Whether a folder has nothing for those who ask.
    pub(crate) fn hide_all_of(&self, path: &Path) -> bool {
        self.hidden.iter().any(|place| path.starts_with(place))
    }
}
