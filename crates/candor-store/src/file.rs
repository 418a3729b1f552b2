//! The database file: made for its owner alone before SQLite sees it, and watched so that it stays the same file.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::Error;

/// Read and written by its owner; SQLite gives the files beside it the same mode.
const FILE_MODE: u32 = 0o600;
/// Entered by its owner.
const DIRECTORY_MODE: u32 = 0o700;
/// What nobody else may have.
const OTHERS_MASK: u32 = 0o077;

/// One file on one disk, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

/// Makes the file if it is missing, or closes it to others, and says which one it is.
pub(crate) fn prepare(path: &Path) -> Result<Identity, Error> {
    let unusable = |error: io::Error| Error::unavailable(&path.display().to_string(), error);
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create(path).map_err(unusable)?;
            fs::metadata(path).map_err(unusable)?
        }
        Err(error) => return Err(unusable(error)),
    };
    if metadata.is_dir() {
        return Err(Error::unavailable(&path.display().to_string(), "it is a directory"));
    }
    // A pipe would be waited for, and a device written to.
    if !metadata.is_file() {
        return Err(Error::unavailable(&path.display().to_string(), "it is not a file"));
    }
    if metadata.mode() & OTHERS_MASK != 0 {
        fs::set_permissions(path, Permissions::from_mode(FILE_MODE)).map_err(unusable)?;
    }
    Ok(Identity { device: metadata.dev(), inode: metadata.ino() })
}

/// Tells whether the path still leads to the file that was opened. SQLite goes on writing to a file that was moved away
/// or removed, and what it acknowledges then is lost.
pub(crate) fn still_there(path: &Path, opened: Identity) -> Result<(), Error> {
    let metadata =
        fs::metadata(path).map_err(|error| Error::unavailable(&path.display().to_string(), error))?;
    if (Identity { device: metadata.dev(), inode: metadata.ino() }) == opened {
        Ok(())
    } else {
        Err(Error::unavailable(
            &path.display().to_string(),
            "another file was put in its place while it was in use",
        ))
    }
}

fn create(path: &Path) -> io::Result<()> {
    let made = make_directories(path)?;
    make(path)
        .or_else(|error| if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })?;
    // SQLite syncs the folder of the file, not those above it.
    made.iter()
        .filter_map(|directory| directory.parent())
        .try_for_each(|parent| File::open(parent)?.sync_all())
}

/// Makes it without opening it: to close it would take away the locks that another thread of this process may have on it by
/// then.
#[cfg(target_os = "linux")]
fn make(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    Ok(mknodat(CWD, path, FileType::RegularFile, Mode::from_raw_mode(FILE_MODE), 0)?)
}

#[cfg(not(target_os = "linux"))]
use make_named as make;

/// Where only who opens a file can make one, it gets its name when it is closed again, for the same reason.
#[cfg(any(test, not(target_os = "linux")))]
fn make_named(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut unnamed = path.as_os_str().to_owned();
    unnamed.push(format!(".{}", candor_protocol::SessionId::now()));
    fs::OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&unnamed)?;
    let named = fs::hard_link(&unnamed, path);
    let _ = fs::remove_file(&unnamed);
    named
}

/// Makes the missing folders above the file, and says which they were.
fn make_directories(path: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(parent) = path.parent() else { return Ok(Vec::new()) };
    let missing: Vec<PathBuf> =
        parent.ancestors().take_while(|directory| !directory.exists()).map(Path::to_owned).collect();
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(parent)?;
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn of_many_who_make_a_file_one_does_and_the_others_find_it() {
        let directory = tempfile::tempdir().unwrap();
        for round in 0..100 {
            let path = directory.path().join(round.to_string());
            let made = thread::scope(|scope| {
                let all: Vec<_> = (0..4).map(|_| scope.spawn(|| make_named(&path))).collect();
                let made: Vec<_> = all.into_iter().map(|one| one.join().unwrap()).collect();
                let is_late = |one: &io::Result<()>| {
                    one.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
                };
                assert!(made.iter().all(|one| one.is_ok() || is_late(one)), "{made:?}");
                made.iter().filter(|one| one.is_ok()).count()
            });
            assert_eq!(made, 1);
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, FILE_MODE);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 100, "nothing else is left");
    }
}
