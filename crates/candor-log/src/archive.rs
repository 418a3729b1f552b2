//! The names of archives, and which of them may stay.
//!
//! A file is ours to rename or remove only if its name is exactly one that this module would have given it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Span;
use jiff::civil::Date;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::Rotation;
use crate::stamp::DAY_BYTES;

/// More archives of one day than this cannot be told apart by name. At a line per file it is still years of lines.
const NUMBER_MAX: u32 = 1_000_000_000;

/// A file on a device: the same file under any name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn of(metadata: &fs::Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// One archive. They sort from the oldest to the newest.
#[derive(Debug, Clone)]
pub(crate) struct Archive {
    pub(crate) day: Date,
    number: u32,
    pub(crate) path: PathBuf,
    pub(crate) id: FileId,
    bytes: u64,
}

/// The archives of one live file: `candor.log` has `candor.2025-02-11.log`, then `candor.2025-02-11.1.log`.
#[derive(Debug, Clone)]
pub(crate) struct Archives {
    directory: PathBuf,
    /// What comes before the day, dot included.
    before: OsString,
    /// What comes after the number, dot included.
    after: OsString,
}

impl Archives {
    /// The archives of a live file, or nothing if the path cannot be that of a file.
    pub(crate) fn of(live: &Path) -> Option<Self> {
        let mut before = live.file_stem()?.to_owned();
        before.push(".");
        let mut after = OsString::new();
        if let Some(extension) = live.extension() {
            after.push(".");
            after.push(extension);
        }
        let directory = match live.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Some(Self { directory, before, after })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Every archive that is there, from the oldest to the newest. A directory or a link with such a name is none.
    pub(crate) fn list(&self) -> io::Result<Vec<Archive>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let Some((day, number)) = self.parse(entry.file_name().as_encoded_bytes()) else { continue };
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                // Another process may be removing old ones at the same time.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if metadata.is_file() {
                let (id, bytes) = (FileId::of(&metadata), metadata.len());
                found.push(Archive { day, number, path: entry.path(), id, bytes });
            }
        }
        found.sort_by_key(|archive| (archive.day, archive.number));
        Ok(found)
    }

    /// Gives the live file the next free name of a day. Never replaces a file, whatever has that name.
    pub(crate) fn keep(&self, live: &Path, day: &str) -> io::Result<()> {
        let last =
            self.list()?.iter().rev().find(|archive| archive.day.to_string() == day).map(|last| last.number);
        let mut number = last.map_or(0, |last| last + 1);
        while number <= NUMBER_MAX {
            match rename_new(live, &self.path(day, number)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                done => return done,
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    /// Removes what is too old, then, oldest first, what is too much.
    pub(crate) fn prune(&self, rotation: &Rotation, today: Date, live_bytes: u64) -> io::Result<()> {
        let archives = self.list()?;
        let oldest_kept = oldest_kept(today, rotation.max_days);
        let cap_bytes = if rotation.total_bytes_max == 0 { u64::MAX } else { rotation.total_bytes_max };
        let mut total_bytes =
            archives.iter().fold(live_bytes, |total, archive| total.saturating_add(archive.bytes));
        for archive in &archives {
            if archive.day >= oldest_kept && total_bytes <= cap_bytes {
                break;
            }
            match fs::remove_file(&archive.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => total_bytes = total_bytes.saturating_sub(archive.bytes),
            }
        }
        Ok(())
    }

    fn path(&self, day: &str, number: u32) -> PathBuf {
        let mut name = self.before.clone();
        name.push(day);
        if number > 0 {
            name.push(format!(".{number}"));
        }
        name.push(&self.after);
        self.directory.join(name)
    }

    fn parse(&self, name: &[u8]) -> Option<(Date, u32)> {
        let middle =
            name.strip_prefix(self.before.as_encoded_bytes())?.strip_suffix(self.after.as_encoded_bytes())?;
        let (day, number) = std::str::from_utf8(middle).ok()?.split_at_checked(DAY_BYTES)?;
        let day: Date = day.parse().ok().filter(|date: &Date| date.to_string() == day)?;
        if number.is_empty() {
            return Some((day, 0));
        }
        let digits = number.strip_prefix('.')?;
        let number: u32 = digits.parse().ok().filter(|&number| number > 0 && number <= NUMBER_MAX)?;
        (number.to_string() == digits).then_some((day, number))
    }
}

/// The first day whose archives stay.
fn oldest_kept(today: Date, max_days: u32) -> Date {
    let span = Span::new().try_days(i64::from(max_days));
    match span.and_then(|span| today.checked_sub(span)) {
        Ok(day) if max_days > 0 => day,
        _ => Date::MIN,
    }
}

/// Renames unless the new name is taken.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some network file systems cannot do both in one step. The caller holds the rotation lock.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            if fs::symlink_metadata(to).is_ok() {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            fs::rename(from, to)
        }
        done => Ok(done?),
    }
}
