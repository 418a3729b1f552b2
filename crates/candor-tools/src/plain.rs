//! Small files of the workspace that the program reads for itself, where a command may have put something else.
//!
//! A pipe of that name would be waited for without end, and a device read without end: so nothing is waited for, and only a
//! file is read. What tools read for a model goes through `held.rs`, which also asks whether that may be read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Opens what is a file, also through links.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let file = File::from(openat(CWD, path, READ, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
}

/// The beginning of such a file: so many bytes at most.
pub fn read_plain(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// All of such a file, where it is text and no longer than this.
pub fn read_plain_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    // One more than is allowed tells whether there is more, also where it grows meanwhile.
    let bytes = read_plain(path, bytes_max.saturating_add(1))?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::other(format!("it is larger than {bytes_max} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is no text"))
}

/// What a file of words for a model says; none where it says nothing. What is no text is told as that: to leave it out without
/// a word would hide from everybody that it does not work.
pub fn words(bytes: &[u8]) -> Option<String> {
    if bytes.contains(&0) {
        return Some("[left out: the file is not UTF-8 text]".to_owned());
    }
    let text = String::from_utf8_lossy(bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
