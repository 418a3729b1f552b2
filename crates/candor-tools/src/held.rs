//! The one place where a file or a folder is opened to be read.
//!
//! It is taken hold of first, without any effect on it, then looked at, and then opened through that hold: what was
//! looked at and what is read are the same, whatever happens to the path meanwhile.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use candor_beneath::Hold;
use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;

use crate::Error;
use crate::access::Access;

/// How an open file is read: without waiting for anybody.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Something that may be read, and is held.
pub(crate) struct Held {
    hold: Hold,
    /// The path as it was asked for.
    named: PathBuf,
}

impl Access {
    /// Takes hold of what may be read.
    pub(crate) fn hold(&self, asked: &str) -> Result<Held, Error> {
        self.hold_at(asked, &self.path(asked)?)
    }

    /// The same for a path of the host.
    pub(crate) fn hold_at(&self, asked: &str, path: &Path) -> Result<Held, Error> {
        let failed = |errno| self.not_opened(asked, path, errno);
        let hold = Hold::of(path).map_err(failed)?;
        self.check_read(asked, &hold.real, Some(&hold.stat))?;
        Ok(Held { hold, named: path.to_owned() })
    }

    /// Why a path cannot be opened.
    pub(crate) fn not_opened(&self, asked: &str, path: &Path, errno: Errno) -> Error {
        let workspace = &self.context.workspace;
        match errno {
            Errno::NOENT if path.starts_with(workspace) && !workspace.exists() => no_workspace(workspace),
            // A loop of links stays one without our rule against the kernel's own links; whatever else comes of it then, even
            // nothing, was found behind one of those.
            Errno::LOOP if !rustix::fs::stat(path).is_err_and(|why| why == Errno::LOOP) => {
                self.blocked(asked, "the path leads through a link of the kernel")
            }
            errno => Error::file(path, errno),
        }
    }
}

impl Held {
    pub(crate) fn stat(&self) -> &Stat {
        &self.hold.stat
    }

    /// The path under which the kernel knows it.
    pub(crate) fn real(&self) -> &Path {
        &self.hold.real
    }

    pub(crate) fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.stat().st_mode) == FileType::Directory
    }

    /// Opens the file.
    pub(crate) fn file(&self) -> Result<File, Error> {
        refuse_special(&self.named, self.stat())?;
        self.hold.file().map_err(|errno| Error::file(&self.named, errno))
    }

    /// Opens the folder.
    pub(crate) fn directory(&self) -> Result<OwnedFd, Error> {
        let kind = match FileType::from_raw_mode(self.stat().st_mode) {
            FileType::RegularFile => Some("a file, not a folder; file_read reads it"),
            kind => special(kind).map(|_| "neither a file nor a folder"),
        };
        if let Some(kind) = kind {
            let reason = io::Error::new(io::ErrorKind::NotADirectory, format!("it is {kind}"));
            return Err(Error::file(&self.named, reason));
        }
        self.hold.folder().map_err(|errno| Error::file(&self.named, errno))
    }
}

/// Opens a file in an open folder by its own name, if it is a file and no link.
pub(crate) fn open_in(directory: &OwnedFd, name: &std::ffi::OsStr) -> Result<(File, Stat), Errno> {
    let file = openat(directory, name, READ | OFlags::NOFOLLOW, Mode::empty())?;
    let stat = fstat(&file)?;
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    if is_file { Ok((File::from(file), stat)) } else { Err(Errno::INVAL) }
}

/// What it is, unless it is a file.
pub(crate) fn refuse_special(path: &Path, stat: &Stat) -> Result<(), Error> {
    let kind = FileType::from_raw_mode(stat.st_mode);
    match special(kind) {
        Some(kind) => Err(Error::NotAFile { path: path.to_owned(), kind }),
        None if kind == FileType::Directory => {
            let reason = "it is a folder, not a file; list shows what is in it";
            Err(Error::file(path, io::Error::new(io::ErrorKind::IsADirectory, reason)))
        }
        None => Ok(()),
    }
}

/// What is neither a file nor a folder.
fn special(kind: FileType) -> Option<&'static str> {
    match kind {
        FileType::RegularFile | FileType::Directory => None,
        FileType::Fifo => Some("a pipe"),
        FileType::Socket => Some("a socket"),
        FileType::Symlink => Some("a link"),
        FileType::CharacterDevice | FileType::BlockDevice => Some("a device"),
        FileType::Unknown => Some("something else"),
    }
}

/// The folder that everything starts in was removed or renamed.
pub(crate) fn no_workspace(workspace: &Path) -> Error {
    let reason = "the workspace is not there any more";
    Error::file(workspace, io::Error::new(io::ErrorKind::NotFound, reason))
}
