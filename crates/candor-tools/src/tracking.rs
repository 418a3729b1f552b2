//! Notices what a command changed in the workspace, so that it can be taken back.
//!
//! A tool that writes a file knows what it is about to change; a command may change anything. So the files of the
//! workspace are looked at before and after it, and what they hold is kept once. Most looks are at times and sizes only:
//! a file that has not been touched is not read again. A workspace with too much in it is not tracked at all, and what
//! git ignores never is: it can be made anew.
//!
//! What runs beside may change names while they are looked at. So everything is opened in the open folder above it, as
//! the file tools do it, and no link is followed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_protocol::Change;
use rustix::fs::{FileType, Stat};
use tokio::task::spawn_blocking;

use crate::access::Access;
use crate::held::open_in;
use crate::walk::{DotNames, Entry, Visitor, walk};
use crate::{Permission, Snapshots, ToolContext};

const NAME: &str = "shell_exec";

/// More files and folders take longer to look at than most commands take.
const ENTRIES_MAX: usize = 5_000;
/// A longer file is data: it is not kept, and the change says so.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The most that is read at one look.
const BYTES_MAX: u64 = 64 << 20;

/// What is known of the files of a workspace. It lives as long as the session is in memory.
#[derive(Debug, Default)]
pub struct Tracking {
    /// A plain lock: whoever holds it looks at files, and commands run one at a time anyway.
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
enum Known {
    /// Nothing so far.
    #[default]
    Nothing,
    Files(Files),
    /// There is too much.
    TooMuch,
}

type Files = BTreeMap<PathBuf, Seen>;

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    stamp: Stamp,
    mode: u32,
    /// The name of its content; nothing, where it is too long to be kept.
    content: Option<String>,
}

/// What changes when a file does. The kernel sets `ctime`, which nobody can set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    bytes: i64,
    modified: (i64, i64),
    changed: (i64, i64),
    file: (u64, u64),
}

/// Looks at the workspace before a command runs, where changes can be taken back at all.
pub(crate) async fn before(context: &ToolContext) {
    aside(context, Tracking::before).await;
}

/// What the command has changed.
pub(crate) async fn after(context: &ToolContext) -> Vec<Change> {
    aside(context, Tracking::after).await
}

/// Looks where that cannot hold up the runtime.
async fn aside<T: Default + Send + 'static>(
    context: &ToolContext,
    look: impl FnOnce(&Tracking, &Access, &Snapshots) -> T + Send + 'static,
) -> T {
    let snapshots = context.rules.snapshots.clone().map(Snapshots::new);
    let (Some(snapshots), false) = (snapshots, context.rules.permission == Permission::ReadOnly) else {
        return T::default();
    };
    let (tracking, access) = (Arc::clone(&context.tracking), Access::new(NAME, context));
    // It fails only when the program is about to end.
    spawn_blocking(move || look(&tracking, &access, &snapshots)).await.unwrap_or_default()
}

impl Tracking {
    fn before(&self, access: &Access, snapshots: &Snapshots) {
        let mut known = self.known();
        *known = match std::mem::take(&mut *known) {
            Known::TooMuch => Known::TooMuch,
            Known::Nothing => look(access, &Files::new(), snapshots).map_or(Known::TooMuch, Known::Files),
            Known::Files(files) => look(access, &files, snapshots).map_or(Known::TooMuch, Known::Files),
        };
    }

    fn after(&self, access: &Access, snapshots: &Snapshots) -> Vec<Change> {
        let mut known = self.known();
        let Known::Files(before) = &*known else { return Vec::new() };
        let Some(mut after) = look(access, before, snapshots) else {
            *known = Known::TooMuch;
            return Vec::new();
        };
        // A command may have git ignore what it changed.
        for (path, seen) in before {
            if !after.contains_key(path)
                && let Some(now) = again(access, path, seen, snapshots)
            {
                after.insert(path.clone(), now);
            }
        }
        let changes = changes(before, &after);
        *known = Known::Files(after);
        changes
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One look at the workspace.
struct Look<'l> {
    before: &'l Files,
    snapshots: &'l Snapshots,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    files: Files,
    entries: usize,
    read_bytes: u64,
    too_much: bool,
}

impl Look<'_> {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts something that was met; whether it is still worth going on.
    fn count(&self) -> bool {
        let mut found = self.found();
        found.entries += 1;
        found.too_much |= found.entries > ENTRIES_MAX || found.read_bytes > BYTES_MAX;
        !found.too_much
    }
}

impl Visitor for &Look<'_> {
    fn wants(&self, path: &Path) -> bool {
        !path.starts_with(".git") && !self.found().too_much
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        if !self.count() || entry.kind != FileType::RegularFile {
            return;
        }
        // What cannot be opened cannot be taken back either.
        let Ok((file, stat)) = open_in(entry.folder, entry.name) else { return };
        let seen = see(&file, &stat, self.before.get(entry.real), self.snapshots);
        let mut found = self.found();
        if seen.1 {
            found.read_bytes += u64::try_from(stat.st_size).unwrap_or_default().min(FILE_BYTES_MAX);
        }
        found.files.insert(entry.real.to_owned(), seen.0);
    }
}

/// The files as they are now; nothing, where there are too many. What has not been touched is not read.
fn look(access: &Access, before: &Files, snapshots: &Snapshots) -> Option<Files> {
    let look = Look { before, snapshots, found: Mutex::default() };
    let workspace = &access.context.workspace;
    let root = access.hold_at(".", workspace).ok()?;
    walk(access, &root, DotNames::Walk, || &look).ok()?;
    let found = look.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    (!found.too_much).then_some(found.files)
}

/// A file that was there before, wherever git wants to look now.
fn again(access: &Access, path: &Path, seen: &Seen, snapshots: &Snapshots) -> Option<Seen> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let held = access.hold_at(".", folder).ok().filter(|held| held.real == folder)?;
    let (file, stat) = open(&held.directory().ok()?, name)?;
    Some(see(&file, &stat, Some(seen), snapshots).0)
}

fn open(folder: &OwnedFd, name: &OsStr) -> Option<(File, Stat)> {
    open_in(folder, name).ok()
}

/// A file as it is, and whether it had to be read for that.
fn see(file: &File, stat: &Stat, before: Option<&Seen>, snapshots: &Snapshots) -> (Seen, bool) {
    let (stamp, mode) = (Stamp::of(stat), stat.st_mode & 0o7777);
    if let Some(before) = before.filter(|before| before.stamp == stamp) {
        return (Seen { stamp, mode, content: before.content.clone() }, false);
    }
    if u64::try_from(stat.st_size).is_ok_and(|bytes| bytes > FILE_BYTES_MAX) {
        return (Seen { stamp, mode, content: None }, false);
    }
    let mut content = Vec::new();
    // However long it is by now, no more than this is read of it.
    let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut content);
    let is_whole = read.is_ok() && content.len() as u64 <= FILE_BYTES_MAX;
    let content = is_whole.then(|| snapshots.keep(&content).ok()).flatten();
    (Seen { stamp, mode, content }, true)
}

fn changes(before: &Files, after: &Files) -> Vec<Change> {
    let gone = before.iter().filter(|(path, _)| !after.contains_key(*path));
    let gone = gone.map(|(path, seen)| change(path, Some(seen), None));
    let other = after.iter().filter_map(|(path, seen)| {
        let was = before.get(path);
        let is_same = was.is_some_and(|was| was.content == seen.content && was.mode == seen.mode)
            && (seen.content.is_some() || was.is_some_and(|was| was.stamp == seen.stamp));
        (!is_same).then(|| change(path, was, Some(seen)))
    });
    gone.chain(other).collect()
}

fn change(path: &Path, before: Option<&Seen>, after: Option<&Seen>) -> Change {
    let is_kept = |seen: &Seen| seen.content.is_some();
    Change {
        path: path.display().to_string(),
        before: before.and_then(|seen| seen.content.clone()),
        after: after.and_then(|seen| seen.content.clone()),
        mode: before.map(|seen| seen.mode),
        folders: 0,
        // A name that is no text could not be found again.
        kept: path.to_str().is_some() && before.is_none_or(is_kept) && after.is_none_or(is_kept),
    }
}

impl Stamp {
    fn of(stat: &Stat) -> Self {
        let nanos = |nanos: u64| i64::try_from(nanos).unwrap_or_default();
        Self {
            bytes: stat.st_size,
            modified: (stat.st_mtime, nanos(stat.st_mtime_nsec)),
            changed: (stat.st_ctime, nanos(stat.st_ctime_nsec)),
            file: (stat.st_dev, stat.st_ino),
        }
    }
}
