//! The home: `~/.candor`, or `$CANDOR_HOME`.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::error::Error;

/// The directory that holds everything of Candor's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
}

impl Home {
    /// Where the home is. It need not exist: it is made on first use.
    pub fn find(env: &Env, cwd: &Path) -> Result<Self, Error> {
        let path = env.candor_home().or_else(|| env.user_home().map(|home| home.join(".candor")));
        path.map(|path| Self { path: cwd.join(path) }).ok_or(Error::NoHome)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file or directory in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes the directory if it is not there, for its owner alone.
    pub fn make(&self) -> Result<(), Error> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.path)
            .map_err(|source| Error::Home { path: self.path.clone(), source })
    }
}
