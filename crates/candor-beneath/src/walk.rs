//! Resolves a path one component at a time, where the kernel does not do it at once.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::Errno;

use crate::{Links, PLACE};

/// As many links as the kernel follows.
const LINKS_MAX: usize = 40;

/// As long as the kernel takes a path. One that is longer could be gone here, and would make folders that nobody else can reach.
const PATH_BYTES_MAX: usize = if cfg!(target_os = "macos") { 1024 } else { 4096 };

/// One part of a path that is still to be gone.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Up,
    Down(OsString),
    /// At the end, `.` and a slash say that it must be a folder.
    Stay,
}

/// Where the way through a folder has come to. No folder is entered by a link: what a link says is put before the rest of the
/// way, and so is gone from here, below the root.
struct Way<'r> {
    root: BorrowedFd<'r>,
    /// Where we are; nothing at the root.
    at: Option<OwnedFd>,
    /// The names of the folders from the root to here.
    names: Vec<OsString>,
    left: VecDeque<Part>,
    links: usize,
}

/// Opens what a path below a folder means.
pub(crate) fn walk(
    root: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    links: Links,
) -> Result<OwnedFd, Errno> {
    if path.as_os_str().is_empty() {
        return Err(Errno::NOENT);
    }
    if path.as_os_str().len() >= PATH_BYTES_MAX {
        return Err(Errno::NAMETOOLONG);
    }
    let mut way = Way { root, at: None, names: Vec::new(), left: VecDeque::from(parts(path)?), links: 0 };
    while let Some(part) = way.left.pop_front() {
        let name = match part {
            Part::Down(name) => name,
            Part::Up => {
                way.up()?;
                continue;
            }
            Part::Stay => continue,
        };
        let is_last = way.left.is_empty();
        let opened = if is_last {
            openat(way.here(), &name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mode).and_then(no_link)
        } else {
            openat(way.here(), &name, PLACE | OFlags::NOFOLLOW, Mode::empty())
        };
        match opened {
            Ok(opened) if is_last => return Ok(opened),
            Ok(folder) => way.down(folder, name),
            // What is no folder and what is a link are told by the same error on some systems.
            Err(error @ (Errno::LOOP | Errno::NOTDIR | Errno::MLINK)) => {
                let may_follow = links == Links::Inside && !(is_last && flags.contains(OFlags::NOFOLLOW));
                way.follow(&name, may_follow, error)?;
            }
            Err(error) => return Err(error),
        }
    }
    openat(way.here(), ".", flags | OFlags::CLOEXEC, mode)
}

impl Way<'_> {
    fn here(&self) -> BorrowedFd<'_> {
        self.at.as_ref().map_or(self.root, AsFd::as_fd)
    }

    fn down(&mut self, folder: OwnedFd, name: OsString) {
        self.at = Some(folder);
        self.names.push(name);
    }

    /// Back to the folder that we came from, which may be another one than the parent by now: gone again from the root, so that it
    /// is below it.
    fn up(&mut self) -> Result<(), Errno> {
        self.names.pop().ok_or(Errno::XDEV)?;
        self.at = None;
        for name in &self.names {
            let folder = openat(self.here(), name, PLACE | OFlags::NOFOLLOW, Mode::empty())?;
            self.at = Some(folder);
        }
        Ok(())
    }

    /// Puts what a link says before the rest of the way; what it is not is told by the error that made us look.
    fn follow(&mut self, name: &OsStr, may_follow: bool, error: Errno) -> Result<(), Errno> {
        let target = match readlinkat(self.here(), name, Vec::new()) {
            Ok(target) => OsString::from_vec(target.into_bytes()),
            Err(Errno::INVAL) => return Err(error),
            Err(other) => return Err(other),
        };
        self.links += 1;
        if !may_follow || self.links > LINKS_MAX {
            return Err(Errno::LOOP);
        }
        for part in parts(Path::new(&target))?.into_iter().rev() {
            self.left.push_front(part);
        }
        Ok(())
    }
}

/// The parts of a path that begins here.
fn parts(path: &Path) -> Result<Vec<Part>, Errno> {
    if path.is_absolute() {
        return Err(Errno::XDEV);
    }
    // Not by the library, which drops what stands at the end.
    let parts = path.as_os_str().as_bytes().split(|byte| *byte == b'/').map(|part| match part {
        b"" | b"." => Part::Stay,
        b".." => Part::Up,
        name => Part::Down(OsStr::from_bytes(name).to_owned()),
    });
    Ok(parts.collect())
}

/// To take hold of a link without following it is no error to the kernel.
fn no_link(opened: OwnedFd) -> Result<OwnedFd, Errno> {
    let kind = FileType::from_raw_mode(fstat(&opened)?.st_mode);
    if kind == FileType::Symlink { Err(Errno::LOOP) } else { Ok(opened) }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
