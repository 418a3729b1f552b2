//! Takes back what tools changed, and shows what they changed in all.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io;
use std::path::Path;

use candor_protocol::Change;

use crate::access::Access;
use crate::diffs::unified;
use crate::notes::Place;
use crate::snapshots::{SNAPSHOT_BYTES_MAX, Snapshots};
use crate::target::{Content, LastLink, NewMode, Target};
use crate::{Error, ToolContext};

const NAME: &str = "undo";

/// What happens to a file that somebody else has changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedSince {
    /// It stays.
    Skip,
    /// It is put back nevertheless.
    Overwrite,
}

/// What became of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The file.
    pub path: String,
    /// What was done to it.
    pub what: UndoneWhat,
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoneWhat {
    /// It holds again what it held before.
    Restored,
    /// It is gone, as it was not there before.
    Removed,
    /// Nothing, for this reason.
    Skipped(String),
}

/// Takes changes back, the last first; they are given in the order in which they happened, and the answer is in the
/// order in which they were taken back. The rules of the context hold as for a tool that writes.
///
/// This waits for the disk.
pub fn undo(
    changes: &[Change],
    snapshots: &Snapshots,
    context: &ToolContext,
    changed_since: ChangedSince,
) -> Vec<Undone> {
    let access = Access::new(NAME, context);
    let undone = once(changes).into_iter().rev().map(|change| {
        let what = undo_one(&access, change, snapshots, changed_since);
        let what = what.unwrap_or_else(|error| UndoneWhat::Skipped(error.to_string()));
        Undone { path: change.path.clone(), what }
    });
    undone.collect()
}

/// The changes without what is only left as it is and was told before: each command of a session says so anew.
fn once(changes: &[Change]) -> Vec<&Change> {
    let mut told: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut all = Vec::with_capacity(changes.len());
    for change in changes {
        if change.left.as_ref().is_none_or(|why| told.insert((&change.path, why))) {
            all.push(change);
        }
    }
    all
}

fn undo_one(
    access: &Access,
    change: &Change,
    snapshots: &Snapshots,
    changed_since: ChangedSince,
) -> Result<UndoneWhat, Error> {
    let skipped = |reason: &str| Ok(UndoneWhat::Skipped(reason.to_owned()));
    if let Some(why) = &change.left {
        return skipped(why);
    }
    if !change.kept {
        return skipped("what it held before was not kept");
    }
    let failed = |error: io::Error| Error::file(&change.path, error);
    let target = target(access, &change.path)?;
    let present = target.read(SNAPSHOT_BYTES_MAX as u64).map_err(failed)?;
    let name = match &present {
        Some(Content::Bytes(bytes)) => Some(Snapshots::name(bytes)),
        Some(Content::TooLong) => Some(String::new()),
        None => None,
    };
    // Whoever put it back before us did the same.
    let is_back = name == change.before;
    if name != change.after && !is_back && changed_since == ChangedSince::Skip {
        return skipped("it was changed since");
    }
    match &change.before {
        None => {
            if present.is_some() {
                target.remove(change.folders).map_err(failed)?;
            }
            Ok(UndoneWhat::Removed)
        }
        Some(before) => {
            let content = snapshots.content(before).map_err(failed)?;
            let mode = change.mode.map_or(NewMode::Usual, NewMode::Exactly);
            target.replace(&content, mode).map_err(failed)?;
            Ok(UndoneWhat::Restored)
        }
    }
}

/// The file that was changed: where tools write, or a note.
fn target(access: &Access, path: &str) -> Result<Target, Error> {
    match Place::of(Path::new(path), &access.context) {
        Some(note) => access.note(&note),
        None => access.target_at(path, Path::new(path), LastLink::Refuse),
    }
}

/// What changes come to in all, in unified form: for each file, what it held before the first of them against what it
/// holds now. They are given in the order in which they happened.
///
/// This waits for the disk.
pub fn diff(changes: &[Change], snapshots: &Snapshots, context: &ToolContext) -> String {
    let access = Access::new(NAME, context);
    let mut text = String::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for change in once(changes) {
        if let Some(why) = &change.left {
            // Writing into a string cannot fail, here and below.
            let _ = writeln!(text, "{}: {why}", change.path);
            continue;
        }
        if !seen.insert(&change.path) {
            continue;
        }
        match diff_one(&access, change, snapshots) {
            Ok(diff) => text.push_str(&diff),
            Err(error) => drop(writeln!(text, "{}: {error}", change.path)),
        }
    }
    text
}

fn diff_one(access: &Access, first: &Change, snapshots: &Snapshots) -> Result<String, Error> {
    let failed = |error: io::Error| Error::file(&first.path, error);
    let target = target(access, &first.path)?;
    let present = target.read(SNAPSHOT_BYTES_MAX as u64).map_err(failed)?;
    if !first.kept || present == Some(Content::TooLong) {
        return Ok(format!("{} was changed, and is too long to be compared\n", target.shown.display()));
    }
    let before = first.before.as_ref().map(|name| snapshots.content(name)).transpose().map_err(failed)?;
    Ok(unified(&target.shown, before.as_deref(), present.as_ref().and_then(Content::bytes)))
}
