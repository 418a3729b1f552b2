//! Opens paths that cannot lead out of a folder, and takes hold of files without an effect on them.
//!
//! Whoever works in a folder that somebody else can change must not believe a path: between a look and an opening a link can
//! take the place of a folder. [`open()`] resolves and opens in one, and refuses a step out of the folder, be it `..`, an
//! absolute link or a link that was put there a moment ago. [`Hold`] is for what may lie anywhere: it is held first, then
//! looked at, and then opened through that hold.
//!
//! On Linux the kernel does this, if it is asked the right way (`linux.rs`). On other systems, and where a filter does not
//! know the call, a path is walked one component at a time (`walk.rs`, `elsewhere.rs`).
//!
//! Start reading at [`open()`], then `walk.rs`.
//!
//! Deliberately absent: whether a path may be read or written. That is asked of those who know the rules.

#[cfg(elsewhere)]
mod elsewhere;
mod facts;
mod hold;
#[cfg(not(elsewhere))]
mod linux;
mod place;
mod walk;

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

#[cfg(elsewhere)]
use elsewhere as system;
#[cfg(not(elsewhere))]
use linux as system;

pub use facts::{Facts, mode};
pub use hold::Hold;
pub use place::{name, real_path};

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("Candor is made for Linux and macOS; on Windows, run it in WSL");

/// Opens a folder as a place to find things in. Where the kernel knows how, that takes no right to list it.
pub const PLACE: OFlags = system::HOLD.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Which links may be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Those that stay inside.
    Inside,
    /// None.
    Never,
}

/// Opens what a relative path means. `EXDEV` and `ELOOP` say that it leads out, or over a link that may not be followed.
pub fn open(root: impl AsFd, path: &Path, flags: OFlags, mode: Mode, links: Links) -> Result<OwnedFd, Errno> {
    system::open(root.as_fd(), path, flags | OFlags::CLOEXEC, mode, links)
}

/// Opens what an absolute path means, wherever that is. Links such as `/proc/self/root` and `/dev/stdin` give `ELOOP`:
/// they lead to files that have nothing to do with the path.
pub fn open_anywhere(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    system::open_anywhere(path, flags | OFlags::CLOEXEC)
}
