//! The mounts of a process: a list of steps, made before the first process and taken in it.

use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, RawFd};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags};

use super::sys::{self, Answer};

/// One step.
#[derive(Debug)]
pub(crate) enum Step {
    /// From here on nothing that is mounted here or there is seen by the other.
    Private,
    /// Keeps a tree as it is now, for later.
    Keep { path: CString, slot: usize },
    /// Nothing in a kept tree raises privileges or is a device; where `read_only`, nothing can be written either.
    Tame { slot: usize, read_only: bool },
    /// Puts a kept tree somewhere.
    Put { slot: usize, path: CString },
    /// Puts a kept tree over something that somebody else may take away at any moment; then there is nothing to cover.
    Cover { slot: usize, path: CString },
    /// Nothing of what is there can be written, where `read_only`; nothing of it raises privileges or is a device.
    Lock { path: CString, read_only: bool },
    /// Makes a directory, if it is not there.
    Directory { path: CString },
    /// An empty file system in memory.
    Memory { path: CString, options: &'static CStr },
    /// Terminals of its own.
    Terminals,
    /// An unreadable file and an unreadable directory, to be put over others. They stand where processes will.
    Veil,
    /// The processes of its own namespace; this many at a time.
    Processes { limit: Option<CString> },
}

/// Where the veil is until processes cover it.
pub(crate) const VEIL_FILE: &CStr = c"/proc/file";
/// The same for a directory.
pub(crate) const VEIL_DIRECTORY: &CStr = c"/proc/directory";

const SAFE: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Takes all steps; where one fails, nothing of the process has run. `slots` has room for every kept tree.
pub(crate) fn take(steps: &[Step], slots: &[Cell<RawFd>]) -> Result<(), (usize, Errno)> {
    for (index, step) in steps.iter().enumerate() {
        step.take(slots).map_err(|error| (index, error))?;
    }
    Ok(())
}

impl Step {
    /// What it does, for the one who reads that it failed.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Private => "separate the mounts",
            Self::Keep { .. } => "open a directory",
            Self::Tame { .. } => "limit a directory",
            Self::Put { .. } => "mount a directory",
            Self::Cover { .. } => "hide a path",
            Self::Lock { .. } => "make everything read-only",
            Self::Directory { .. } => "make a mount point",
            Self::Memory { .. } => "mount an empty directory",
            Self::Terminals => "mount terminals",
            Self::Veil => "mount what hides",
            Self::Processes { .. } => "mount the process table",
        }
    }

    /// The path it is about.
    pub(crate) fn path(&self) -> Option<&CStr> {
        match self {
            Self::Keep { path, .. }
            | Self::Put { path, .. }
            | Self::Cover { path, .. }
            | Self::Directory { path }
            | Self::Memory { path, .. } => Some(path),
            _ => None,
        }
    }

    fn take(&self, slots: &[Cell<RawFd>]) -> Answer<()> {
        match self {
            Self::Private => {
                let root = open(c"/")?;
                sys::set_attributes(root.as_fd(), 0, libc::MS_PRIVATE)
            }
            Self::Keep { path, slot } => {
                slots[*slot].set(keep(path)?);
                Ok(())
            }
            Self::Tame { slot, read_only } => tame(borrow(slots[*slot].get()), *read_only),
            Self::Put { slot, path } => put(borrow(slots[*slot].get()), path),
            Self::Cover { slot, path } => match put(borrow(slots[*slot].get()), path) {
                Err(Errno::NOENT) => Ok(()),
                covered => covered,
            },
            Self::Lock { path, read_only } => tame(open(path)?.as_fd(), *read_only),
            Self::Directory { path } => {
                match rustix::fs::mkdir(path.as_c_str(), Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    Err(error) => Err(error),
                }
            }
            Self::Memory { path, options } => {
                rustix::mount::mount(c"tmpfs", path.as_c_str(), c"tmpfs", SAFE, *options)
            }
            Self::Terminals => {
                let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
                let options = c"newinstance,ptmxmode=0666,mode=0620";
                rustix::mount::mount(c"devpts", c"/dev/pts", c"devpts", flags, options)
            }
            Self::Veil => veil(),
            Self::Processes { limit } => processes(limit.as_deref()),
        }
    }
}

fn tame(tree: BorrowedFd<'_>, read_only: bool) -> Answer<()> {
    let read_only = if read_only { sys::ATTRIBUTE_READ_ONLY } else { 0 };
    sys::set_attributes(tree, sys::ATTRIBUTE_NO_SUID | sys::ATTRIBUTE_NO_DEVICES | read_only, 0)
}

/// Opens a path that must hold no link: it was resolved before, and a link now means that somebody swapped it.
fn open(path: &CStr) -> Answer<rustix::fd::OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
}

fn keep(path: &CStr) -> Answer<RawFd> {
    let fd = open(path)?;
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(rustix::mount::open_tree(fd, c"", flags)?.into_raw_fd())
}

fn put(tree: BorrowedFd<'_>, path: &CStr) -> Answer<()> {
    let target = open(path)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(tree, c"", target, c"", flags)
}

fn veil() -> Answer<()> {
    let target = c"/proc";
    rustix::mount::mount(c"tmpfs", target, c"tmpfs", SAFE | MountFlags::NOEXEC, c"mode=0755,size=64k")?;
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    drop(rustix::fs::open(VEIL_FILE, flags, Mode::empty())?);
    rustix::fs::mkdir(VEIL_DIRECTORY, Mode::empty())?;
    // All copies of it are read-only from now on, so that nobody can give it another mode.
    rustix::mount::mount_remount(target, SAFE | MountFlags::NOEXEC | MountFlags::RDONLY, c"")
}

fn processes(limit: Option<&CStr>) -> Answer<()> {
    let (target, flags) = (c"/proc", SAFE | MountFlags::NOEXEC);
    rustix::mount::mount(c"proc", target, c"proc", flags, c"")?;
    if let Some(limit) = limit {
        // The kernel's limit on processes does not hold for the machine's root. The highest number that this namespace
        // gives out does; older kernels do not let it be set here.
        let path = c"/proc/sys/kernel/pid_max";
        if let Ok(fd) = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) {
            let _ = rustix::io::write(&fd, limit.to_bytes());
        }
    }
    let root = open(target)?;
    sys::set_attributes(root.as_fd(), sys::ATTRIBUTE_READ_ONLY, 0)
}

#[allow(unsafe_code, reason = "a slot holds a number so that the list can be made before the process")]
fn borrow<'fd>(fd: RawFd) -> BorrowedFd<'fd> {
    // SAFETY: a slot is filled by `Keep` before any step uses it (`plan` makes the list so), and never closed before
    // the process ends.
    unsafe { BorrowedFd::borrow_raw(fd) }
}
