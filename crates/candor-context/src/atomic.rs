//! Files that are whole or not there, whatever happens while they are written.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::Error;

/// What a file is called that is not finished. One that is left over is from a process that died.
const UNFINISHED: &str = ".candor-unfinished-";

/// Like any file that a person writes; what is secret is not written here.
const MODE: u32 = 0o644;

/// Writes a file in the place of the one that is there.
pub(crate) fn replace(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let written = write(path, content).and_then(|file| file.persist(path).map_err(Into::into));
    written.and_then(|_| sync_folder(path)).map_err(Error::io(path))
}

/// Writes a file where none is; one that is there stays as it is.
pub(crate) fn create(path: &Path, content: &[u8]) -> Result<(), Error> {
    let written = write(path, |file| file.write_all(content));
    let written = written.and_then(|file| file.persist_noclobber(path).map_err(Into::into));
    written.and_then(|_| sync_folder(path)).map_err(Error::io(path))
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let file =
        Builder::new().prefix(UNFINISHED).permissions(Permissions::from_mode(MODE)).tempfile_in(folder)?;
    let mut buffer = BufWriter::with_capacity(1 << 16, file.as_file());
    content(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    file.as_file().sync_all()?;
    Ok(file)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Removes what processes that died have left. Only with the segment's lock.
pub(crate) fn remove_left_over(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // What cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}
