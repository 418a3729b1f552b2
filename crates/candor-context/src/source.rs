//! Reads files, and never through a link.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use candor_beneath::Links;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// The largest file that is packed: what is larger is data, and nobody reads it.
pub(crate) const FILE_BYTES_MAX: u64 = 1 << 20;

/// How much of a file is looked at first: a binary file has a zero byte there.
const HEAD_BYTES: u64 = 8 << 10;

/// A pipe must not be waited for.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// What is at a path.
#[derive(Debug)]
pub(crate) enum Content {
    Text(String),
    /// No text.
    Binary,
    TooLarge,
}

/// A segment's folder, held open.
#[derive(Debug)]
pub(crate) struct Folder {
    open: OwnedFd,
}

impl Folder {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { open: File::open(root)?.into() })
    }

    /// Reads a file below it. A path that leads out of the folder, or over a link, is not found.
    pub(crate) fn read(&self, path: &str) -> io::Result<Content> {
        let opened = match candor_beneath::open(&self.open, path.as_ref(), READ, Mode::empty(), Links::Never)
        {
            Err(Errno::XDEV | Errno::LOOP) => return Err(ErrorKind::NotFound.into()),
            opened => File::from(opened?),
        };
        content(opened)
    }
}

fn content(mut file: File) -> io::Result<Content> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(ErrorKind::NotFound.into());
    }
    if found.len() > FILE_BYTES_MAX {
        return Ok(Content::TooLarge);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0) + 1);
    Read::by_ref(&mut file).take(HEAD_BYTES).read_to_end(&mut bytes)?;
    if bytes.contains(&0) {
        return Ok(Content::Binary);
    }
    // It may have grown meanwhile.
    file.take(FILE_BYTES_MAX + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Ok(Content::TooLarge);
    }
    if bytes.contains(&0) {
        return Ok(Content::Binary);
    }
    Ok(String::from_utf8(bytes).map_or(Content::Binary, Content::Text))
}

/// Opens a file of the segment's own that is no link.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::IsADirectory.into()) }
}
