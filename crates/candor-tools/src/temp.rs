//! Temporary directories of a session, which are gone after it, also when the program was killed.
//!
//! Who uses one holds a lock on it. Whoever makes the next one removes those that nobody holds any more.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::process::geteuid;
use tempfile::TempDir;

/// What their names begin with.
const PREFIX: &str = "candor-session-";

/// A younger one may be about to be locked by whoever has just made it.
const AGE_MIN: Duration = Duration::from_secs(60);

/// A temporary directory.
#[derive(Debug)]
pub(crate) struct Temp {
    directory: TempDir,
    _lock: File,
}

impl Temp {
    pub(crate) fn new() -> io::Result<Self> {
        let place = std::env::temp_dir();
        remove_left_over(&place, AGE_MIN);
        // What commands put there is nobody else's, as little as what they do in a home.
        let owner = fs::Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new().prefix(PREFIX).permissions(owner).tempdir_in(place)?;
        let lock = held(directory.path())?;
        flock(&lock, FlockOperation::NonBlockingLockShared)?;
        Ok(Self { directory, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes files that lie in it, the oldest first, until the rest is not larger than this.
    pub(crate) fn make_room(&self, bytes_max: u64) {
        let entries = fs::read_dir(self.path()).into_iter().flatten().flatten();
        let found = |entry: fs::DirEntry| Some((entry.metadata().ok()?, entry.path()));
        let mut files: Vec<(fs::Metadata, PathBuf)> =
            entries.filter_map(found).filter(|(found, _)| found.is_file()).collect();
        let mut bytes: u64 = files.iter().map(|(found, _)| found.len()).sum();
        files.sort_by_key(|(found, _)| found.modified().ok());
        for (found, path) in files {
            if bytes <= bytes_max {
                return;
            }
            // What cannot be removed is left to the end of the session.
            let _ = fs::remove_file(path);
            bytes -= found.len();
        }
    }
}

fn held(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

/// Removes the directories of killed programs. What cannot be removed is left to the next one.
fn remove_left_over(place: &Path, age_min: Duration) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let Ok(directory) = held(&entry.path()) else { continue };
        let is_ours = |found: &fs::Metadata| {
            let is_old = found.modified().is_ok_and(|then| then.elapsed().is_ok_and(|age| age >= age_min));
            found.uid() == geteuid().as_raw() && is_old
        };
        let is_left = flock(&directory, FlockOperation::NonBlockingLockExclusive).is_ok();
        if directory.metadata().is_ok_and(|found| is_ours(&found)) && is_left {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[path = "temp_tests.rs"]
mod tests;
