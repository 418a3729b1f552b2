//! Without the kernel's help: paths are walked, and what is held is open.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, SeekFrom, fstat, openat, seek, stat};
use rustix::io::Errno;

use crate::hold::{Hold, READ};
use crate::{Links, real_path, walk};

/// There is no hold but an open file.
pub(crate) const HOLD: OFlags = OFlags::empty();

/// What the kernel makes of its own open files: what is there has nothing to do with the path.
const OF_THE_KERNEL: [&str; 5] = ["/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc"];

pub(crate) fn open(
    root: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    links: Links,
) -> Result<OwnedFd, Errno> {
    walk::walk(root, path, flags, mode, links)
}

pub(crate) fn open_anywhere(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let real = resolved(path)?;
    let opened = openat(CWD, &real, flags | OFlags::NOFOLLOW, Mode::empty())?;
    Ok(opened)
}

/// What is no file and no folder is not opened: to open a pipe or a device may do something already.
pub(crate) fn hold(path: &Path) -> Result<Hold, Errno> {
    let real = resolved(path)?;
    let before = stat(&real)?;
    if !is_quiet(before.st_mode) {
        return Ok(Hold { fd: None, stat: before, real });
    }
    let fd = openat(CWD, &real, READ | OFlags::NOFOLLOW, Mode::empty())?;
    Ok(Hold { stat: fstat(&fd)?, real: real_path(&fd)?, fd: Some(fd) })
}

fn is_quiet(mode: rustix::fs::RawMode) -> bool {
    matches!(FileType::from_raw_mode(mode), FileType::RegularFile | FileType::Directory)
}

/// A second descriptor for what is held, at its beginning.
pub(crate) fn reopen(hold: &OwnedFd) -> Result<File, Errno> {
    let file = rustix::io::fcntl_dupfd_cloexec(hold, 0)?;
    seek(&file, SeekFrom::Start(0))?;
    Ok(File::from(file))
}

/// Where a path leads, over links; not over the kernel's own.
fn resolved(path: &Path) -> Result<PathBuf, Errno> {
    let real = fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Errno::NOENT,
        _ => Errno::from_io_error(&error).unwrap_or(Errno::IO),
    })?;
    let is_of_the_kernel = |path: &Path| OF_THE_KERNEL.iter().any(|place| path.starts_with(place));
    if is_of_the_kernel(path) || is_of_the_kernel(&real) { Err(Errno::LOOP) } else { Ok(real) }
}

#[cfg(test)]
#[path = "elsewhere_tests.rs"]
mod tests;
