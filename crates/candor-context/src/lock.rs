//! One process at a time changes a segment.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use crate::{Error, Options, Segment};

/// How often to look whether the other process is done.
const POLL: Duration = Duration::from_millis(20);
/// What is read of who holds it.
const HOLDER_BYTES_MAX: u64 = 64;

/// The right to change a segment, until this is dropped. The kernel takes it back from a process that dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for it.
    pub(crate) async fn take(segment: &Segment, options: &Options) -> Result<Self, Error> {
        let path = segment.lock_path();
        let mut file = open(&path).map_err(Error::io(&path))?;
        let since = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if since.elapsed() < options.lock_wait => {
                    tokio::time::sleep(POLL).await;
                }
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // Who it is only helps; that it is held is what counts.
                    let _ = Read::by_ref(&mut file).take(HOLDER_BYTES_MAX).read_to_string(&mut holder);
                    return Err(Error::Locked {
                        path: segment.root().to_owned(),
                        limit: options.lock_wait,
                        holder: holder.trim().to_owned(),
                    });
                }
                Err(TryLockError::Error(source)) => return Err(Error::Io { path, source }),
            }
        }
        let noted = file.set_len(0).and_then(|()| file.rewind());
        let _ = noted.and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}

/// Opens the lock file itself: a link in its place could lead to any file of the person's, which would be written to.
fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .custom_flags(flags)
        .open(path)?;
    let found = file.metadata()?;
    // A second name for a file of the person's is as good as a link.
    if !found.is_file() || found.nlink() > 1 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a lock file of ours"));
    }
    Ok(file)
}
