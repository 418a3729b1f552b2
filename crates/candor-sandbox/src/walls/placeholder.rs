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

/// How often a directory that vanishes under us is made again.
const ATTEMPTS_MAX: usize = 16;

/// A directory that stands in for a missing path. Dropping it removes it, unless others need it.
#[derive(Debug)]
pub(crate) struct Placeholder {
    path: PathBuf,
    directory: File,
}

impl Placeholder {
    /// Makes one, or shares the one that is there. Nothing, where we may not make one: then nobody inside may either.
    pub(crate) fn new(path: &Path) -> io::Result<Option<Self>> {
        for _ in 0..ATTEMPTS_MAX {
            match fs::DirBuilder::new().mode(MODE).create(path) {
                // The mode of a new directory is cut by the umask.
                Ok(()) => fs::set_permissions(path, Permissions::from_mode(MODE))?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                    ) =>
                {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
            let directory = match File::open(path) {
                Ok(directory) => directory,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            flock(&directory, FlockOperation::LockShared)?;
            // Whoever had it before may have removed it between our look and our lock.
            let is_same = |now: fs::Metadata| directory.metadata().is_ok_and(|ours| ours.ino() == now.ino());
            if fs::symlink_metadata(path).is_ok_and(is_same) {
                return Ok(Some(Self { path: path.to_owned(), directory }));
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Whether what stands there is one of ours, used or left behind.
    pub(crate) fn is_at(path: &Path) -> bool {
        let is_ours = |found: fs::Metadata| found.is_dir() && found.mode() & 0o7777 == MODE;
        fs::symlink_metadata(path).is_ok_and(is_ours)
            && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
    }
}

impl Drop for Placeholder {
    fn drop(&mut self) {
        let is_last = flock(&self.directory, FlockOperation::NonBlockingLockExclusive).is_ok();
        if is_last && Self::is_at(&self.path) {
            // A directory that somebody filled meanwhile is not removed: the kernel refuses.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Removes the stand-ins that a killed program has left for what this policy protects. Those that are used stay.
pub fn remove_left_over(policy: &Policy) {
    let within = |path: &Path| policy.writable.iter().any(|root| path.starts_with(root) && path != root);
    for path in policy.protected.iter().flat_map(|path| path.ancestors()).filter(|path| within(path)) {
        if Placeholder::is_at(path)
            && let Ok(directory) = File::open(path)
        {
            drop(Placeholder { path: path.to_owned(), directory });
        }
    }
}
