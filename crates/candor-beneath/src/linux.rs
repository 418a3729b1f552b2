//! With the kernel's help: it resolves a path at once, and holds a file without opening it.

use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::Errno;

use crate::hold::{Hold, READ};
use crate::{Links, name, real_path, walk};

/// Takes hold of something without opening it.
pub(crate) const HOLD: OFlags = OFlags::PATH;

/// How often the kernel is asked again when somebody renamed a directory under its eyes.
const RETRIES_MAX: usize = 32;

pub(crate) fn open(
    root: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    links: Links,
) -> Result<OwnedFd, Errno> {
    let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    if links == Links::Never {
        resolve |= ResolveFlags::NO_SYMLINKS;
    }
    resolved(root, path, flags, mode, resolve).unwrap_or_else(|| walk::walk(root, path, flags, mode, links))
}

pub(crate) fn open_anywhere(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let opened = resolved(CWD, path, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
    opened.unwrap_or_else(|| openat(CWD, path, flags, Mode::empty()))
}

/// Asks the kernel. Nothing: it does not know how.
fn resolved(
    root: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    resolve: ResolveFlags,
) -> Option<Result<OwnedFd, Errno>> {
    for _ in 0..RETRIES_MAX {
        match openat2(root, path, flags, mode, resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::PERM) => return None,
            opened => return Some(opened),
        }
    }
    Some(Err(Errno::AGAIN))
}

pub(crate) fn hold(path: &Path) -> Result<Hold, Errno> {
    let fd = open_anywhere(path, HOLD | OFlags::CLOEXEC)?;
    Ok(Hold { stat: fstat(&fd)?, real: real_path(&fd)?, fd: Some(fd) })
}

/// Opens what is held, and nothing else.
pub(crate) fn reopen(hold: &OwnedFd) -> Result<File, Errno> {
    openat(CWD, name(hold)?, READ, Mode::empty()).map(File::from)
}
