//! What is in a folder as it was seen at one look. What has not been touched since the look before is not read again.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::OwnedFd;

use candor_beneath::Facts;
use rustix::fs::{AtFlags, FileType, Stat, readlinkat, statat};
use rustix::io::Errno;

use crate::Snapshots;
use crate::held::open_in;
use crate::standing::{Special, Standing};

/// A longer file is data: it is not kept, and the change says so.
pub(crate) const FILE_BYTES_MAX: u64 = 1 << 20;

/// What is said to have been read where something would have to be, and nothing may.
pub(crate) const UNREAD: u64 = u64::MAX;

/// Something that is no folder, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    stamp: Stamp,
    pub(crate) mode: u32,
    /// Nothing, where it is too long to be kept.
    pub(crate) standing: Option<Standing>,
}

/// What changes when a file does. The kernel sets `ctime`, which nobody can set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    bytes: i64,
    modified: (i64, i64),
    changed: (i64, i64),
    file: (u64, u64),
}

impl Seen {
    /// Whether nothing that can be told apart has changed.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.standing == other.standing && (self.standing.is_some() || self.stamp == other.stamp)
    }
}

impl Stamp {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self { bytes: stat.st_size, modified: stat.modified(), changed: stat.changed(), file: stat.file() }
    }
}

/// Something in an open folder as it is, and how many bytes had to be read for that. Nothing: it is a folder, or gone. No
/// link is followed. Where the kind is not known it is asked for. Without snapshots nothing is read: [`UNREAD`] says that it would
/// have to be.
pub(crate) fn see(
    folder: &OwnedFd,
    name: &OsStr,
    kind: FileType,
    before: Option<&Seen>,
    snapshots: Option<&Snapshots>,
) -> Option<(Seen, u64)> {
    // A file is opened at once: to ask first would be one call more for each.
    if kind == FileType::RegularFile {
        return file(folder, name, before, snapshots);
    }
    if kind == FileType::Directory {
        return None;
    }
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let (stamp, mode) = (Stamp::of(&stat), stat.permissions());
    let known = before.filter(|before| before.stamp == stamp);
    let standing = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return file(folder, name, before, snapshots),
        FileType::Directory => return None,
        FileType::Symlink => match (known, snapshots) {
            (Some(known), _) => known.standing.clone(),
            (None, Some(snapshots)) => link(folder, name, snapshots),
            (None, None) => return Some((Seen { stamp, mode, standing: None }, UNREAD)),
        },
        kind => Special::of(kind).map(Standing::Special),
    };
    Some((Seen { stamp, mode, standing }, 0))
}

/// A link by its text, which is what it holds.
fn link(folder: &OwnedFd, name: &OsStr, snapshots: &Snapshots) -> Option<Standing> {
    let text = readlinkat(folder, name, Vec::new()).ok()?;
    Some(Standing::Link { text: snapshots.keep(text.as_bytes()).ok()? })
}

fn file(
    folder: &OwnedFd,
    name: &OsStr,
    before: Option<&Seen>,
    snapshots: Option<&Snapshots>,
) -> Option<(Seen, u64)> {
    let (file, stat) = match open_in(folder, name) {
        Ok(opened) => opened,
        Err(Errno::ACCESS) => return unreadable(folder, name, before),
        Err(_) => return None,
    };
    let (stamp, mode) = (Stamp::of(&stat), stat.permissions());
    if let Some(before) = before.filter(|before| before.stamp == stamp) {
        return Some((before.clone(), 0));
    }
    let bytes = u64::try_from(stat.st_size).unwrap_or_default();
    if bytes > FILE_BYTES_MAX {
        return Some((Seen { stamp, mode, standing: None }, 0));
    }
    let Some(snapshots) = snapshots else { return Some((Seen { stamp, mode, standing: None }, UNREAD)) };
    let mut content = Vec::new();
    // However long it is by now, no more than this is read of it.
    let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut content);
    let is_whole = read.is_ok() && content.len() as u64 <= FILE_BYTES_MAX;
    let content = is_whole.then(|| snapshots.keep(&content).ok()).flatten();
    let standing = content.map(|content| Standing::File { content, mode: Some(mode) });
    Some((Seen { stamp, mode, standing }, bytes))
}

/// A file that nobody may read any more is not gone. What could never be read cannot be taken back either.
fn unreadable(folder: &OwnedFd, name: &OsStr, before: Option<&Seen>) -> Option<(Seen, u64)> {
    before?;
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some((Seen { stamp: Stamp::of(&stat), mode: stat.permissions(), standing: None }, 0))
}
