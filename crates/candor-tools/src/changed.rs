//! What a run has changed, as far as that can be told.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a run has changed, as far as that can be told.
#[derive(Debug, Default, Clone)]
pub struct Changed {
    /// Whether it changed a file, or may have.
    pub any: bool,
    /// Whether it ran a command.
    pub acted: bool,
    /// The files that are known.
    pub paths: BTreeSet<PathBuf>,
}
