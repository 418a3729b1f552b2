//! Opens a file of the workspace that a command may have replaced by something else.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

/// A pipe must not be waited for, and no link is followed.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Opens what is a file, and no longer than this.
pub(crate) fn open_plain(path: &Path, bytes_max: u64) -> io::Result<File> {
    let file = File::from(openat(CWD, path, READ, Mode::empty())?);
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    if found.len() > bytes_max { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(file) }
}
