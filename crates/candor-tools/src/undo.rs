//! Takes back what tools changed, and shows what they changed in all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io;
use std::path::Path;

use candor_protocol::Change;

use crate::access::Access;
use crate::diffs::{Side, between};
use crate::snapshots::Snapshots;
use crate::spot::{Now, Put, Spot};
use crate::standing::Standing;
use crate::{Error, ToolContext};

const NAME: &str = "undo";

const CHANGED_SINCE: &str = "it was changed since";
const NOT_KEPT: &str = "what it held before was not kept";
const IN_PART: &str = "it was taken back in part: before that it was changed by somebody else";
const IN_PART_NOT_KEPT: &str = "it was taken back in part: what it held at first was not kept";

/// What happens to a file that somebody else has changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedSince {
    /// It stays.
    Skip,
    /// It is put back nevertheless.
    Overwrite,
}

/// What became of the changes of one file.
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
    /// It is again what it was before.
    Restored,
    /// It is gone, as it was not there before.
    Removed,
    /// Nothing: it is what it was before already.
    AsBefore,
    /// Nothing, or not all, for this reason.
    Skipped(String),
}

/// Takes changes back; they are given in the order in which they happened. Each file is answered once, the one that was
/// changed last first. The rules of the context hold as for a tool that writes.
///
/// This waits for the disk.
pub fn undo(
    changes: &[Change],
    snapshots: &Snapshots,
    context: &ToolContext,
    changed_since: ChangedSince,
) -> Vec<Undone> {
    let access = Access::new(NAME, context);
    // By their first change: when it is the turn of a folder's first file, all others have left that folder.
    let all = histories(changes);
    let undone = all.iter().rev().map(|history| {
        let what = history.undo(&all, &access, snapshots, changed_since);
        let what = what.unwrap_or_else(|error| UndoneWhat::Skipped(error.to_string()));
        Undone { path: history.path.to_owned(), what }
    });
    undone.collect()
}

/// All that happened to one path, in this order; or that it is left as it is.
struct History<'c> {
    path: &'c str,
    changes: Vec<&'c Change>,
}

/// What happened to each path, by the first change of each. What is only left as it is and was told before is left out:
/// each command of a session says so anew.
fn histories(changes: &[Change]) -> Vec<History<'_>> {
    let mut told: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all: Vec<History<'_>> = Vec::new();
    for change in changes {
        let path = change.path.as_str();
        match (&change.left, places.get(path)) {
            (Some(why), _) if !told.insert((path, why)) => continue,
            (None, Some(place)) => {
                all[*place].changes.push(change);
                continue;
            }
            (Some(_), _) => {}
            (None, None) => drop(places.insert(path, all.len())),
        }
        all.push(History { path, changes: vec![change] });
    }
    all
}

impl History<'_> {
    fn undo(
        &self,
        all: &[Self],
        access: &Access,
        snapshots: &Snapshots,
        changed_since: ChangedSince,
    ) -> Result<UndoneWhat, Error> {
        let first = self.changes[0];
        if let Some(why) = &first.left {
            return Ok(UndoneWhat::Skipped(why.clone()));
        }
        // Where nothing can be put back, nobody needs to look.
        if self.changes.iter().all(|change| !change.kept) {
            return Ok(UndoneWhat::Skipped(NOT_KEPT.to_owned()));
        }
        let spot = Spot::new(access, self.path)?;
        let now = spot.look()?;
        if let Now::LedAway = now {
            let is_before = Standing::is_before(None, first) && self.is_behind_first_link(all, access);
            return if is_before { Ok(UndoneWhat::AsBefore) } else { Err(spot.led_away()) };
        }
        if Standing::is_before(now.standing(), first) {
            if now.standing().is_none() {
                spot.remove_folders(first.folders);
            }
            return Ok(UndoneWhat::AsBefore);
        }
        let back = match changed_since {
            ChangedSince::Skip => self.back_from(now.standing()),
            ChangedSince::Overwrite => self.changes.iter().position(|change| change.kept).ok_or(NOT_KEPT),
        };
        let back = match back {
            Ok(back) => back,
            Err(why) => return Ok(UndoneWhat::Skipped(why.to_owned())),
        };
        let change = self.changes[back];
        put_back(&spot, &now, change, snapshots)?;
        Ok(match &change.before {
            _ if back > 0 && !first.kept => UndoneWhat::Skipped(IN_PART_NOT_KEPT.to_owned()),
            _ if back > 0 => UndoneWhat::Skipped(IN_PART.to_owned()),
            Some(_) => UndoneWhat::Restored,
            None => UndoneWhat::Removed,
        })
    }

    /// Whether it is behind a link that stood there before all this: then it was behind that from the beginning.
    fn is_behind_first_link(&self, all: &[Self], access: &Access) -> bool {
        let above = Path::new(self.path).ancestors().skip(1);
        let mut histories = above.filter_map(|above| all.iter().find(|other| Path::new(other.path) == above));
        histories.any(|other| {
            let now = Spot::new(access, other.path).and_then(|spot| spot.look());
            let link = now.as_ref().ok().and_then(Now::standing);
            matches!(link, Some(Standing::Link { .. })) && Standing::is_before(link, other.changes[0])
        })
    }

    /// How far back it goes from what stands there now: each change is taken back to what an earlier one left.
    fn back_from(&self, now: Option<&Standing>) -> Result<usize, &'static str> {
        let last = self.changes.iter().rposition(|change| Standing::is_after(now, change));
        let is_kept = self.changes.iter().all(|change| change.kept);
        let mut back = last.ok_or(if is_kept { CHANGED_SINCE } else { NOT_KEPT })?;
        if !self.changes[back].kept {
            return Err(NOT_KEPT);
        }
        loop {
            let was = Standing::before(self.changes[back]);
            // Whoever took it back before may have gone on from there.
            if Standing::is_before(was.as_ref(), self.changes[0]) {
                return Ok(0);
            }
            let mut earlier = self.changes[..back].iter();
            match earlier.rposition(|change| change.kept && Standing::is_after(was.as_ref(), change)) {
                Some(earlier) => back = earlier,
                None => return Ok(back),
            }
        }
    }
}

/// Puts back what stood there before a change.
fn put_back(spot: &Spot<'_>, now: &Now, change: &Change, snapshots: &Snapshots) -> Result<(), Error> {
    let kept = |name: &str| snapshots.content(name).map_err(|error| Error::file(&change.path, error));
    match Standing::before(change) {
        None if now.standing().is_none() => Ok(()),
        None => spot.remove(now, change.folders),
        Some(Standing::File { content, mode }) => {
            spot.put(now, &Put::File { content: &kept(&content)?, mode })
        }
        Some(Standing::Link { text }) => spot.put(now, &Put::Link { text: &kept(&text)? }),
        Some(Standing::Special(special)) => spot.put(now, &Put::Special { special, mode: change.mode }),
    }
}

/// What changes come to in all, in unified form: for each file, what it was before the first of them against what it is
/// now. They are given in the order in which they happened.
///
/// This waits for the disk.
pub fn diff(changes: &[Change], snapshots: &Snapshots, context: &ToolContext) -> String {
    let access = Access::new(NAME, context);
    let mut text = String::new();
    for history in histories(changes) {
        let diff = match &history.changes[0].left {
            Some(why) => Ok(format!("{}: {why}\n", history.path)),
            None => diff_one(&access, history.changes[0], snapshots),
        };
        match diff {
            Ok(diff) => text.push_str(&diff),
            // Writing into a string cannot fail.
            Err(error) => drop(writeln!(text, "{}: {error}", history.path)),
        }
    }
    text
}

fn diff_one(access: &Access, first: &Change, snapshots: &Snapshots) -> Result<String, Error> {
    let failed = |error: io::Error| Error::file(&first.path, error);
    let spot = Spot::new(access, &first.path)?;
    let now = spot.look()?;
    let shown = spot.shown();
    if Standing::is_before(now.standing(), first) {
        return Ok(String::new());
    }
    let is_unknown = matches!(&now, Now::Stands(Standing::File { .. }, None));
    if !first.kept || is_unknown {
        return Ok(format!("{} was changed, and is too long to be compared\n", shown.display()));
    }
    let before = match Standing::before(first) {
        None => None,
        Some(Standing::File { content, mode }) => {
            Some(Side::File { content: snapshots.content(&content).map_err(failed)?, mode })
        }
        Some(Standing::Link { text }) => Some(Side::Link(snapshots.content(&text).map_err(failed)?)),
        Some(Standing::Special(special)) => Some(Side::Special(special)),
    };
    let after = match now {
        Now::Nothing | Now::Folder | Now::LedAway => None,
        Now::Stands(Standing::File { mode, .. }, bytes) => {
            Some(Side::File { content: bytes.unwrap_or_default(), mode })
        }
        Now::Stands(Standing::Link { .. }, text) => Some(Side::Link(text.unwrap_or_default())),
        Now::Stands(Standing::Special(special), _) => Some(Side::Special(special)),
    };
    Ok(between(&shown, before.as_ref(), after.as_ref()))
}
