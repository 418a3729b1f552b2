//! Where a command would run.

use std::path::{Path, PathBuf};

/// Where a command would run, as far as paths in it depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The directory it starts in.
    pub cwd: &'a Path,
    /// The directory the agent works on.
    pub workspace: &'a Path,
    /// The user's home, where there is one.
    pub home: Option<&'a Path>,
    /// What else may be written.
    pub writable: &'a [PathBuf],
    /// The variables that it is given beside its text, which go before what is assumed of the environment.
    pub variables: &'a [(String, String)],
}
