//! Stands in for a protected path that does not exist, for as long as a process runs that must not create it.
//!
//! Only what is there can be mounted over. So an empty directory is made where the path would begin, and taken away
//! again when the last process that needs it has ended. Who needs it holds a shared lock on it, whichever program they
//! belong to; who can have the lock alone is the last.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::Policy;
use rustix::fs::{FlockOperation, flock};

/// Tells our directories from a user's own empty ones, which are not ours to remove: nobody makes one by chance that
/// nobody may write to and that has the sticky bit.
const MODE: u32 = 0o1555;
/// The part of a mode that says who may do what.
const MODE_BITS: u32 = 0o7777;

/// How often a directory that vanishes under us is made again.
const ATTEMPTS_MAX: usize = 16;

/// A directory that stands in for a missing path. Dropping it removes it, unless others need it.
#[derive(Debug)]
pub(crate) struct Placeholder {
    path: PathBuf,
    /// Nothing once it is taken away.
    directory: Option<File>,
}

impl Placeholder {
    /// Makes one, or shares the one that is there. Nothing, where we may not make one: then nobody inside may either.
    pub(crate) fn new(path: &Path) -> io::Result<Option<Self>> {
        for _ in 0..ATTEMPTS_MAX {
            let is_new = match fs::DirBuilder::new().mode(MODE).create(path) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                    ) =>
                {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            };
            let directory = match File::open(path) {
                Ok(directory) => directory,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let ours = directory.metadata()?;
            // The mode of a new directory is cut by the umask.
            if is_new && ours.mode() & MODE_BITS != MODE {
                directory.set_permissions(Permissions::from_mode(MODE))?;
            }
            flock(&directory, FlockOperation::LockShared)?;
            // Whoever had it before may have removed it between our look and our lock.
            if fs::symlink_metadata(path).is_ok_and(|now| now.ino() == ours.ino()) {
                return Ok(Some(Self { path: path.to_owned(), directory: Some(directory) }));
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Whether what stands there is one of ours, used or left behind.
    pub(crate) fn is_at(path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|found| is_ours(&found))
            && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
    }

    /// Takes it away, unless others need it, and gives what is still open of it: to close that is what takes a disk long.
    pub(crate) fn take_away(&mut self) -> Option<File> {
        let directory = self.directory.take()?;
        let is_last = flock(&directory, FlockOperation::NonBlockingLockExclusive).is_ok();
        if is_last && fs::symlink_metadata(&self.path).is_ok_and(|found| is_ours(&found)) {
            // A directory that somebody filled meanwhile is not removed: the kernel refuses.
            let _ = fs::remove_dir(&self.path);
        }
        // Whoever waits for the lock finds out now that it is gone.
        let _ = flock(&directory, FlockOperation::Unlock);
        Some(directory)
    }
}

/// Whether it is one that we made.
fn is_ours(found: &fs::Metadata) -> bool {
    found.is_dir() && found.mode() & MODE_BITS == MODE
}

impl Drop for Placeholder {
    fn drop(&mut self) {
        drop(self.take_away());
    }
}

/// Removes the stand-ins that a killed program has left for what this policy protects. Those that are used stay.
pub fn remove_left_over(policy: &Policy) {
    let within = |path: &Path| policy.writable.iter().any(|root| path.starts_with(root) && path != root);
    for path in policy.protected.iter().flat_map(|path| path.ancestors()).filter(|path| within(path)) {
        if Placeholder::is_at(path)
            && let Ok(directory) = File::open(path)
        {
            drop(Placeholder { path: path.to_owned(), directory: Some(directory) });
        }
    }
}
