//! What a command would delete.

use crate::call::{Call, UNKNOWN, Word};
use crate::places::Place;
use crate::verdict::Finding;
use crate::walk::State;

/// Tests of `find` that leave most files alone.
const NARROWING: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-size",
    "-empty",
    "-newer",
    "-newermt",
    "-user",
    "-group",
    "-perm",
    "-lname",
    "-samefile",
    "-inum",
    "-links",
    "-nouser",
    "-nogroup",
];

/// `rm` and its like.
pub(super) fn rm(call: &Call<'_>, state: &State) -> Option<Finding> {
    let is_recursive =
        call.has_short("rR") || call.has_long("recursive") || call.name == "rimraf" || call.name == "trash";
    if call.has_long("no-preserve-root") {
        return Some(Finding::deny("delete-root", "it deletes with the protection of / switched off"));
    }
    let unread = call
        .words
        .iter()
        .any(|word| is_recursive && is_unread(word))
        .then(|| Finding::ask("delete-unknown", "it deletes something that is only known when it runs"));
    let targets = call.operands().filter(|word| *word != "--");
    strictest(targets.filter_map(|word| target(word, is_recursive, state)).chain(unread))
}

/// Programs that print names of files that are there, or what is written in one. To delete those is ordinary work.
const LISTING: &[&str] = &[
    "basename", "cat", "cd", "comm", "dirname", "fd", "fdfind", "find", "git", "grep", "head", "ls",
    "mktemp", "pwd", "readlink", "realpath", "rg", "sort", "tail", "uniq", "wc",
];

/// Whether a word is nothing but what another program prints, which may be anything.
fn is_unread(word: &Word) -> bool {
    let is_printed = !word.ran.is_empty() && word.text.chars().all(|c| c == UNKNOWN) && !word.text.is_empty();
    is_printed && !word.ran.iter().all(|program| LISTING.contains(&program.as_str()))
}

fn target(word: &str, is_recursive: bool, state: &State) -> Option<Finding> {
    let place = state.ground.place(word);
    if is_recursive && word.trim_start_matches('/').starts_with(UNKNOWN) && word.starts_with('/') {
        return Some(Finding::ask(
            "delete-unknown",
            "it deletes something under / that is only known when it runs",
        ));
    }
    let is_many = word.contains(['*', '?', '[']);
    if !is_recursive
        && !is_many
        && matches!(place, Place::Outside | Place::Workspace | Place::Repository | Place::Scratch)
    {
        return None;
    }
    gone(word, place)
}

/// What to say when a place is to be gone.
fn gone(word: &str, place: Place) -> Option<Finding> {
    let shown = word.replace(UNKNOWN, "…");
    match place {
        Place::Root => Some(Finding::deny("delete-root", "it deletes everything under /")),
        Place::Top => {
            Some(Finding::deny("delete-system", format!("it deletes the system directory {shown}")))
        }
        Place::System => {
            Some(Finding::deny("delete-system", format!("it deletes {shown}, which belongs to the system")))
        }
        Place::Home => {
            Some(Finding::deny("delete-home", format!("it deletes a whole home directory ({shown})")))
        }
        Place::AboveWorkspace => {
            Some(Finding::deny("delete-above", format!("it deletes {shown}, which holds the workspace")))
        }
        Place::Workspace => Some(Finding::ask("delete-workspace", "it deletes everything in the workspace")),
        Place::Repository => {
            Some(Finding::ask("delete-repository", "it deletes the history of the repository"))
        }
        Place::Scratch => Some(Finding::ask("delete-scratch", format!("it deletes everything in {shown}"))),
        Place::Outside => {
            Some(Finding::ask("delete-outside", format!("it deletes {shown}, outside of the workspace")))
        }
        Place::Unknown => unknown(word),
        Place::Inside => None,
    }
}

/// `$DIR/` and `$DIR/*` are the root when the variable is empty. `$DIR` by itself is then nothing.
fn unknown(word: &str) -> Option<Finding> {
    let rest = word.trim_start_matches(UNKNOWN);
    let is_all = word.starts_with(UNKNOWN) && (rest == "/" || rest == "/*" || rest == "/.*");
    let is_lost = !word.starts_with(UNKNOWN)
        && word.starts_with(['*', '.'])
        && !word.contains(|c: char| c.is_alphanumeric());
    (is_all || is_lost).then(|| {
        Finding::ask("delete-unknown", "it deletes everything in a directory that is only known when it runs")
    })
}

/// `find … -delete`, and `find … -exec rm`.
pub(super) fn find(call: &Call<'_>, state: &State) -> Option<Finding> {
    let runs =
        |word: &&str| matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec");
    let mut args = call.args();
    let deletes = call.has_word(&["-delete"])
        || args.by_ref().find(runs).is_some()
            && args.any(|word| matches!(crate::call::base_name(word), "rm" | "shred" | "unlink"));
    if deletes { found_and_gone(call.words, state) } else { None }
}

/// `find … | xargs rm`.
pub(super) fn xargs(call: &Call<'_>, state: &State) -> Option<Finding> {
    if call.flow.found_by.is_empty()
        || !call.args().any(|word| matches!(crate::call::base_name(word), "rm" | "shred" | "unlink"))
    {
        return None;
    }
    found_and_gone(&call.flow.found_by, state)
}

/// Deleting what a search finds: everything below its roots, or what its tests leave.
fn found_and_gone(words: &[Word], state: &State) -> Option<Finding> {
    let is_search = |word: &&Word| word.text.starts_with(['-', '(', '!', ')']);
    let roots = words.iter().skip(1).skip_while(|word| matches!(word.text.as_str(), "-L" | "-H" | "-P"));
    let roots: Vec<&str> = roots.take_while(|word| !is_search(word)).map(|word| word.text.as_str()).collect();
    let is_narrow = words.iter().any(|word| NARROWING.contains(&word.text.as_str()));
    let roots = if roots.is_empty() { vec!["."] } else { roots };
    strictest(roots.into_iter().filter_map(|root| {
        let finding = gone(root, state.ground.place(root))?;
        match state.ground.place(root) {
            Place::Workspace if is_narrow => None,
            _ if is_narrow => Some(finding.at_most_ask()),
            _ => Some(finding),
        }
    }))
}

/// `mv` takes its sources away.
pub(super) fn mv(call: &Call<'_>, state: &State) -> Option<Finding> {
    let mut operands: Vec<&str> = call.operands().filter(|word| *word != "--").collect();
    if call.values(Some('t'), Some("target-directory")).is_empty() {
        operands.pop();
    }
    let moved = operands.into_iter().filter_map(|word| match state.ground.place(word) {
        place @ (Place::Root | Place::Top | Place::Home | Place::AboveWorkspace | Place::System) => {
            gone(word, place)
        }
        _ => None,
    });
    strictest(moved)
        .map(|finding| Finding { reason: finding.reason.replace("deletes", "moves away"), ..finding })
}

/// `rsync --delete` empties its target.
pub(super) fn rsync(call: &Call<'_>, state: &State) -> Option<Finding> {
    let deletes = call.args().any(|arg| arg.starts_with("--del"));
    let target = call.operands().last().filter(|target| deletes && !target.contains(':'))?;
    gone(target, state.ground.place(target))
}

/// The strictest of several findings; the first among equals.
fn strictest(findings: impl Iterator<Item = Finding>) -> Option<Finding> {
    findings.reduce(|worst, next| if next.verdict > worst.verdict { next } else { worst })
}
