//! Changes files: all of those that were planned, or none.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use candor_beneath::Facts;
use candor_protocol::Change;
use rustix::io::Errno;
use tokio::task::spawn_blocking;

use crate::access::Access;
use crate::diffs::{PREVIEW_BYTES_MAX, cut, unified};
use crate::snapshots::{SNAPSHOT_BYTES_MAX, Snapshots};
use crate::standing::Standing;
use crate::target::{Content, LastLink, NewMode, Target};
use crate::{Error, ToolContext};

/// The most that a file may hold to be changed in part: it is held in memory, and kept.
pub(crate) const FILE_BYTES_MAX: usize = SNAPSHOT_BYTES_MAX;

/// One file that is to be changed.
pub(crate) struct Step {
    pub(crate) target: Target,
    before: Option<Content>,
    /// What it will hold. Nothing: it will be gone.
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) mode: NewMode,
}

impl Step {
    /// Looks at a file, which so far stays as it is.
    pub(crate) fn new(access: &Access, asked: &str, last: LastLink) -> Result<Self, Error> {
        let target = access.target(asked, last)?;
        access.check_not_gits(asked, &target)?;
        Self::at(target, asked)
    }

    /// The same for a file that was found.
    pub(crate) fn at(target: Target, asked: &str) -> Result<Self, Error> {
        let before = target.read(FILE_BYTES_MAX as u64).map_err(|error| Error::file(asked, error))?;
        let after = before.as_ref().map(|content| content.bytes().unwrap_or_default().to_vec());
        Ok(Self { target, before, after, mode: NewMode::Usual })
    }

    /// The text of a file that is to be changed in part.
    pub(crate) fn text(&self, asked: &str) -> Result<String, Error> {
        let invalid = |reason| Error::file(asked, io::Error::new(io::ErrorKind::InvalidData, reason));
        if self.before == Some(Content::TooLong) {
            let reason = format!("the file is longer than the {FILE_BYTES_MAX} bytes that can be edited");
            return Err(Error::file(asked, io::Error::new(io::ErrorKind::FileTooLarge, reason)));
        }
        let Some(bytes) = &self.after else { return Err(Error::file(asked, Errno::NOENT)) };
        String::from_utf8(bytes.clone()).map_err(|_| invalid("the file is not text in UTF-8"))
    }

    /// Whether the file was there before.
    pub(crate) fn was_there(&self) -> bool {
        self.before.is_some()
    }

    /// Whether anything will be different.
    pub(crate) fn is_change(&self) -> bool {
        let same_content = match (&self.before, &self.after) {
            (Some(Content::Bytes(before)), Some(after)) => before == after,
            (before, after) => before.is_none() && after.is_none(),
        };
        !(same_content && self.mode == NewMode::Usual)
    }

    /// The difference that it makes.
    pub(crate) fn diff(&self) -> String {
        match &self.before {
            Some(Content::TooLong) => {
                format!("{} is too long to be compared\n", self.target.shown.display())
            }
            before => {
                unified(&self.target.shown, before.as_ref().and_then(Content::bytes), self.after.as_deref())
            }
        }
    }

    /// The change, before it is made: what it leaves is not known yet. What was there is kept, or nothing is changed.
    fn change(&self, snapshots: Option<&Snapshots>) -> io::Result<Change> {
        let kept = match (&self.before, snapshots) {
            (None, _) => Some(None),
            (Some(Content::Bytes(before)), Some(snapshots)) => Some(Some(snapshots.keep(before)?)),
            (Some(Content::Bytes(_)), None) | (Some(Content::TooLong), _) => None,
        };
        // Whoever undoes this must find the same file by its path.
        let path = self.target.real.to_str();
        Ok(Change {
            path: path.map_or_else(|| self.target.real.to_string_lossy().into_owned(), str::to_owned),
            kept: kept.is_some() && path.is_some(),
            before: kept.flatten(),
            after: None,
            mode: self.target.old.map(|old| old.permissions()),
            folders: 0,
            left: None,
        })
    }

    /// Makes the change, and adds what it left.
    fn apply(&self, change: &mut Change) -> io::Result<()> {
        let Some(content) = &self.after else { return self.target.remove(0) };
        let placed = self.target.replace(content, self.mode)?;
        let left = Standing::File { content: Snapshots::name(content), mode: Some(placed.mode) };
        change.after = Some(left.name());
        change.folders = placed.folders;
        Ok(())
    }

    /// Takes it back, as well as that goes, when a later step failed.
    fn revert(&self, folders: u32) -> io::Result<()> {
        match &self.before {
            None => self.target.remove(folders),
            Some(Content::Bytes(before)) => {
                let mode = self.target.old.map_or(NewMode::Usual, |old| NewMode::Exactly(old.permissions()));
                self.target.replace(before, mode).map(|_| ())
            }
            Some(Content::TooLong) => Ok(()),
        }
    }
}

impl Content {
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::TooLong => None,
        }
    }
}

/// What a call means to change.
pub(crate) type Plan = Vec<Step>;

/// Makes a plan and carries it out on a thread that may wait, and gives what `told` makes of it.
pub(crate) async fn carry_out<T: Send + 'static>(
    tool: &'static str,
    context: &ToolContext,
    plan: impl FnOnce(&Access) -> Result<(Plan, T), Error> + Send + 'static,
) -> Result<(Plan, Vec<Change>, T), Error> {
    let access = Access::new(tool, context);
    let done = spawn_blocking(move || {
        let (plan, told) = plan(&access)?;
        plan.iter().try_for_each(|step| access.check_no_head(step))?;
        let changes = commit(&access, &plan)?;
        Ok((plan, changes, told))
    });
    done.await.map_err(|_| Error::Interrupted { tool: tool.to_owned() })?
}

/// The difference that a plan would make. Nothing: the call would fail.
pub(crate) async fn preview<T: Send + 'static>(
    tool: &'static str,
    context: &ToolContext,
    plan: impl FnOnce(&Access) -> Result<(Plan, T), Error> + Send + 'static,
) -> Option<String> {
    let access = Access::new(tool, context);
    let made = spawn_blocking(move || {
        let (plan, _) = plan(&access).ok()?;
        Some(cut(diff(&plan), PREVIEW_BYTES_MAX))
    });
    made.await.ok()?
}

/// The difference that a plan makes.
pub(crate) fn diff(plan: &[Step]) -> String {
    plan.iter().map(Step::diff).collect()
}

/// Changes every file, or none: what was changed before a step failed is put back.
fn commit(access: &Access, plan: &[Step]) -> Result<Vec<Change>, Error> {
    let snapshots = access.context.rules.snapshots.as_ref().map(Snapshots::new);
    let mut changes: Vec<Change> = Vec::new();
    let mut steps: Vec<&Step> = plan.iter().filter(|step| step.is_change()).collect();
    // A file that gets another name is at no moment under neither.
    steps.sort_by_key(|step| step.after.is_none());
    for (index, step) in steps.iter().enumerate() {
        if access.context.cancel.is_cancelled() {
            revert(&steps[..index], &changes);
            return Err(Error::Interrupted { tool: access.tool.to_owned() });
        }
        let made = step.change(snapshots.as_ref()).map_err(|error| unkept(access, step, &error));
        let made = made.and_then(|mut change| match step.apply(&mut change) {
            Ok(()) => Ok(change),
            Err(error) => Err((step.target.shown.clone(), error)),
        });
        match made {
            Ok(change) => changes.push(change),
            Err((path, error)) => {
                let left = revert(&steps[..index], &changes);
                return Err(failed(path, error, &left));
            }
        }
    }
    Ok(changes)
}

/// Nobody could take the change back. It is the place for snapshots that has to be looked at, not the file.
fn unkept(access: &Access, step: &Step, error: &io::Error) -> (PathBuf, io::Error) {
    let kind = match error.kind() {
        // There it is a defect like any other that the path is taken, or leads nowhere.
        ErrorKind::AlreadyExists | ErrorKind::NotFound | ErrorKind::IsADirectory => ErrorKind::Other,
        kind => kind,
    };
    let shown = step.target.shown.display();
    let reason = format!("{shown} was not changed, as what it holds could not be kept there first: {error}");
    (access.context.rules.snapshots.clone().unwrap_or_default(), io::Error::new(kind, reason))
}

/// Takes back what was done, the last first, and says which files could not be put back.
fn revert(steps: &[&Step], changes: &[Change]) -> Vec<PathBuf> {
    let mut left = Vec::new();
    for (step, change) in steps.iter().zip(changes).rev() {
        if step.revert(change.folders).is_err() {
            left.push(step.target.shown.clone());
        }
    }
    left
}

fn failed(path: PathBuf, error: io::Error, left: &[PathBuf]) -> Error {
    if left.is_empty() {
        return Error::file(path, error);
    }
    let left: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
    let reason = format!("{error}; these were changed before and could not be put back: {}", left.join(", "));
    Error::file(path, io::Error::new(error.kind(), reason))
}
