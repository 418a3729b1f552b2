//! Something that is held: it can be looked at and then opened, and is the same, whatever happens to its path meanwhile.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat, openat};
use rustix::io::Errno;

use crate::system;

/// How an open file is read: without waiting for anybody.
pub(crate) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Something that is held.
#[derive(Debug)]
pub struct Hold {
    /// Nothing, where this system could hold it only with an effect on it.
    pub(crate) fd: Option<OwnedFd>,
    /// What it is.
    pub stat: Stat,
    /// The path under which the kernel knows it.
    pub real: PathBuf,
}

impl Hold {
    /// Takes hold of what an absolute path means, over links; those of the kernel give `ELOOP`.
    pub fn of(path: &Path) -> Result<Self, Errno> {
        system::hold(path)
    }

    /// Opens it to be read from its beginning. Whoever asks has looked what it is: a pipe or a device may be opened, and that
    /// may have an effect.
    pub fn file(&self) -> Result<File, Errno> {
        system::reopen(self.fd()?)
    }

    /// Opens it as a folder.
    pub fn folder(&self) -> Result<OwnedFd, Errno> {
        openat(self.fd()?, ".", READ | OFlags::DIRECTORY, Mode::empty())
    }

    fn fd(&self) -> Result<&OwnedFd, Errno> {
        self.fd.as_ref().ok_or(Errno::INVAL)
    }
}
