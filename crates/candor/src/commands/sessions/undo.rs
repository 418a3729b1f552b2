//! `candor sessions diff` and `undo`.

use candor_protocol::RunId;
use candor_runtime::{Looked, Which};
use candor_tools::{ChangedSince, Undone, UndoneWhat};

use super::Desk;
use crate::fail::{Exit, Fail};
use crate::printer::tame;
use crate::screen::Screen;

pub(super) async fn diff(session: &str, run: Option<RunId>, desk: &Desk<'_>) -> Result<Exit, Fail> {
    let session = desk.find(session).await?;
    let diff = desk.runtime.diff(session, which(run)).await?;
    show_diff(&diff, desk.context.screen)?;
    Ok(Exit::Good)
}

pub(super) async fn undo(
    session: &str,
    run: Option<RunId>,
    force: bool,
    desk: &Desk<'_>,
) -> Result<Exit, Fail> {
    let session = desk.find(session).await?;
    let since = if force { ChangedSince::Overwrite } else { ChangedSince::Skip };
    let undone = desk.runtime.undo(session, which(run), since).await?;
    show_undone(&undone, desk.context.screen)?;
    let is_skipped = |undone: &Undone| matches!(undone.what, UndoneWhat::Skipped(_));
    Ok(if undone.at.iter().any(is_skipped) { Exit::Bad } else { Exit::Good })
}

/// What nobody looks at before and after a command. It can be anything, so that it is told where one ran at all.
const UNWATCHED: &str = "commands ran as well: what they changed in files that git ignores, or outside of the workspace, is not watched, and is left as it is";

/// Prints what tools changed.
pub(crate) fn show_diff(diff: &Looked<String>, screen: &Screen) -> Result<(), Fail> {
    if diff.at.is_empty() {
        screen.note(format_args!("no file is other than it was before, as far as it was kept"));
    } else {
        screen.say(format_args!("{}", tame(diff.at.trim_end())))?;
    }
    if diff.is_part {
        screen.note(format_args!("{UNWATCHED}"));
    }
    Ok(())
}

/// Prints what became of each file.
pub(crate) fn show_undone(looked: &Looked<Vec<Undone>>, screen: &Screen) -> Result<(), Fail> {
    let undone = &looked.at;
    if undone.is_empty() {
        screen.note(format_args!("no change was kept that could be taken back"));
    } else if undone.iter().all(|undone| undone.what == UndoneWhat::AsBefore) {
        screen
            .note(format_args!("nothing is left to take back: every file that was kept is as it was before"));
    }
    for Undone { path, what } in undone {
        let path = tame(path);
        match what {
            UndoneWhat::Restored => screen.say(format_args!("restored {path}"))?,
            UndoneWhat::Removed => screen.say(format_args!("removed  {path}"))?,
            // It was taken back before, or came back by itself: there is nothing to tell of it.
            UndoneWhat::AsBefore => {}
            UndoneWhat::Skipped(reason) => screen.say(format_args!("left     {path}: {}", tame(reason)))?,
        }
    }
    if looked.is_part {
        screen.note(format_args!("{UNWATCHED}"));
    }
    Ok(())
}

fn which(run: Option<RunId>) -> Which {
    run.map_or(Which::All, Which::Run)
}
