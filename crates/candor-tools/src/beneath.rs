//! Opens paths that cannot lead out of a directory, and paths that may lead anywhere but through the kernel's own links.
//!
//! The kernel resolves the whole path at once and refuses a step out of the directory, be it `..`, an absolute link or
//! a link that was put there a moment ago. Where it cannot, on an old kernel or behind a filter that does not know the
//! call, the path is walked one component at a time and no link is followed at all.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// How often the kernel is asked again when somebody renamed a directory under its eyes.
const RETRIES_MAX: usize = 32;

/// Which links may be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Those that stay inside.
    Inside,
    /// None.
    Never,
}

/// Opens what a relative path means. `EXDEV` and `ELOOP` say that it leads out, or over a link that may not be followed.
pub(crate) fn open(
    root: impl AsFd,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    links: Links,
) -> Result<OwnedFd, Errno> {
    let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    if links == Links::Never {
        resolve |= ResolveFlags::NO_SYMLINKS;
    }
    resolved(&root, path, flags, mode, resolve).unwrap_or_else(|| walk(root, path, flags, mode))
}

/// Opens what an absolute path means, wherever that is. Links such as `/proc/self/root` and `/dev/stdin` give `ELOOP`:
/// they lead to files that have nothing to do with the path.
pub(crate) fn open_anywhere(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let opened = resolved(CWD, path, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
    opened.unwrap_or_else(|| openat(CWD, path, flags | OFlags::CLOEXEC, Mode::empty()))
}

/// Asks the kernel. Nothing: it does not know how.
fn resolved(
    root: impl AsFd,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    resolve: ResolveFlags,
) -> Option<Result<OwnedFd, Errno>> {
    for _ in 0..RETRIES_MAX {
        match openat2(&root, path, flags | OFlags::CLOEXEC, mode, resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::PERM) => return None,
            opened => return Some(opened),
        }
    }
    Some(Err(Errno::AGAIN))
}

/// The same without the help of the kernel, and without any link.
pub(crate) fn walk(root: impl AsFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut directory = openat(root, ".", step, Mode::empty())?;
    let mut components = path.components().filter(|component| *component != Component::CurDir).peekable();
    while let Some(component) = components.next() {
        let Component::Normal(name) = component else { return Err(Errno::XDEV) };
        if components.peek().is_none() {
            let last = openat(&directory, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mode)?;
            return refuse_link(last);
        }
        directory = openat(&directory, name, step, Mode::empty())?;
    }
    Ok(directory)
}

/// With `O_PATH`, `O_NOFOLLOW` opens the link itself.
fn refuse_link(file: OwnedFd) -> Result<OwnedFd, Errno> {
    let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    if kind == rustix::fs::FileType::Symlink { Err(Errno::LOOP) } else { Ok(file) }
}

#[cfg(test)]
#[path = "beneath_tests.rs"]
mod tests;
