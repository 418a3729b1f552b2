//! Notices what a command changed in the workspace, so that it can be taken back.
//!
//! A tool that writes a file knows what it is about to change; a command may change anything. So the files of the
//! workspace are looked at before and after it, and what they hold is kept once; a symbolic link holds its text. Most looks
//! are at times and sizes only: a file that has not been touched is not read again. A workspace with too much in it is not
//! tracked at all, and what git ignores never is: it can be made anew. What git keeps itself is only noticed, as git has
//! ways of its own to take it back; a `.git` that is no folder is a file like any other. What cannot be undone is told as a
//! change, too, so that nobody takes a part for the whole.
//!
//! What runs beside may change names while they are looked at. So everything is opened in the open folder above it, as
//! the file tools do it, and no link is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_beneath::PLACE;
use candor_protocol::Change;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::seen::{FILE_BYTES_MAX, Seen, Stamp, UNREAD, see};
use crate::standing::Standing;
use crate::walk::{DotNames, Entry, Visitor, walk};
use crate::{Permission, Snapshots, ToolContext};

const NAME: &str = "shell_exec";

/// More files and folders take longer to look at than most commands take.
const ENTRIES_MAX: usize = 5_000;
/// The most that is read at one look.
const BYTES_MAX: u64 = 64 << 20;
/// So many are looked at in less time than it takes to have another thread do it.
const GLANCE_ENTRIES_MAX: usize = 100;

const GIT: OFlags = PLACE.union(OFlags::NOFOLLOW);

/// What people are told of a workspace that is not tracked.
const TOO_MUCH: &str =
    "there is too much in this folder to be looked at: what commands changed in it was not kept";
/// The same of what git keeps.
const MADE: &str = "a repository was made; remove it if nobody wants it";
const MOVED: &str = "git made a commit or moved a branch; `git reflog` shows how to take that back";
const GONE: &str = "the repository is gone, and what git kept in it was not kept here";

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
    Tree(Tree),
    /// There is too much.
    TooMuch,
}

/// A workspace at one moment.
#[derive(Debug, Default)]
struct Tree {
    files: Files,
    folders: BTreeSet<PathBuf>,
    /// By their `.git`.
    repositories: BTreeMap<PathBuf, Repository>,
}

type Files = BTreeMap<PathBuf, Seen>;

/// A repository as it was seen: where its `HEAD` points, and what has moved it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Repository {
    head: Stamp,
    log: Option<Stamp>,
}

/// How much one look may take.
#[derive(Clone, Copy)]
enum Effort<'s> {
    /// A few entries, by their times and sizes.
    Glance,
    /// All that is ever looked at, and what was touched is kept.
    Whole(&'s Snapshots),
}

impl<'s> Effort<'s> {
    fn entries_max(self) -> usize {
        match self {
            Self::Glance => GLANCE_ENTRIES_MAX,
            Self::Whole(_) => ENTRIES_MAX,
        }
    }

    fn snapshots(self) -> Option<&'s Snapshots> {
        match self {
            Self::Glance => None,
            Self::Whole(snapshots) => Some(snapshots),
        }
    }
}

/// A workspace that was looked at before a command. It is looked at after it by the places that rules named then: what is hidden no
/// more, because a link to it is gone, has not been made by the command.
pub(crate) struct Watching {
    /// Nothing, where changes cannot be taken back.
    means: Option<Arc<(Access, Snapshots)>>,
}

/// Looks at the workspace before a command runs.
pub(crate) async fn before(context: &ToolContext) -> Watching {
    let watching = Watching::new(context);
    watching.look(Tracking::before).await;
    watching
}

impl Watching {
    fn new(context: &ToolContext) -> Self {
        let snapshots = context.rules.snapshots.clone().map(Snapshots::new);
        let snapshots = snapshots.filter(|_| context.rules.permission != Permission::ReadOnly);
        let means = snapshots.map(|snapshots| {
            let mut access = Access::new(NAME, context);
            // Whoever stops a command wants to take back what it did.
            access.context.cancel = CancellationToken::new();
            Arc::new((access, snapshots))
        });
        Self { means }
    }

    /// What the command has changed.
    pub(crate) async fn after(self) -> Vec<Change> {
        self.look(Tracking::after).await
    }

    /// Looks, and where a glance is not enough, where that cannot hold up the runtime.
    async fn look<T: Default + Send + 'static>(
        &self,
        look: fn(&Tracking, &Access, Effort<'_>) -> Option<T>,
    ) -> T {
        let Some(means) = &self.means else { return T::default() };
        if let Some(seen) = look(&means.0.context.tracking, &means.0, Effort::Glance) {
            return seen;
        }
        let means = Arc::clone(means);
        let seen = spawn_blocking(move || {
            let (access, snapshots) = &*means;
            look(&access.context.tracking, access, Effort::Whole(snapshots))
        });
        // It fails only when the program is about to end.
        seen.await.ok().flatten().unwrap_or_default()
    }
}

impl Tracking {
    /// Whether what commands change is noticed: not where there is too much, and not before the first command.
    pub fn is_on(&self) -> bool {
        matches!(*self.known(), Known::Tree(_))
    }

    /// Nothing: it takes more than this effort.
    fn before(&self, access: &Access, effort: Effort<'_>) -> Option<()> {
        let mut known = self.known_for(effort)?;
        let nothing = Files::new();
        let files = match &*known {
            Known::TooMuch => return Some(()),
            Known::Nothing => &nothing,
            Known::Tree(tree) => &tree.files,
        };
        *known = look(access, files, effort)?;
        Some(())
    }

    /// Nothing: it takes more than this effort.
    fn after(&self, access: &Access, effort: Effort<'_>) -> Option<Vec<Change>> {
        let mut known = self.known_for(effort)?;
        let too_much = || vec![Change::left(access.context.workspace.display().to_string(), TOO_MUCH)];
        let Known::Tree(before) = &*known else { return Some(too_much()) };
        let Known::Tree(mut after) = look(access, &before.files, effort)? else {
            *known = Known::TooMuch;
            return Some(too_much());
        };
        // A command may have git ignore what it changed.
        for (path, seen) in &before.files {
            if !after.files.contains_key(path)
                && let Some((now, read_bytes)) = again(access, path, seen, effort)
            {
                if read_bytes == UNREAD {
                    return None;
                }
                after.files.insert(path.clone(), now);
            }
        }
        let mut changes = changes(before, &after, &access.context.workspace);
        changes.extend(moved(&before.repositories, &after.repositories));
        *known = Known::Tree(after);
        Some(changes)
    }

    /// What is known, unless it takes more than this effort to be told.
    fn known_for(&self, effort: Effort<'_>) -> Option<MutexGuard<'_, Known>> {
        match effort {
            Effort::Whole(_) => Some(self.known()),
            Effort::Glance => {
                let known = self.known.try_lock().ok()?;
                let is_small = !matches!(&*known, Known::Tree(tree) if tree.files.len() > GLANCE_ENTRIES_MAX);
                is_small.then_some(known)
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One look at the workspace.
struct Look<'l> {
    access: &'l Access,
    before: &'l Files,
    effort: Effort<'l>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    tree: Tree,
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
        found.too_much |= found.entries > self.effort.entries_max() || found.read_bytes > BYTES_MAX;
        !found.too_much
    }

    /// Looks at what is no folder.
    fn keep(&self, folder: &OwnedFd, name: &OsStr, real: &Path, kind: FileType) {
        let snapshots = self.effort.snapshots();
        let Some((seen, read_bytes)) = see(folder, name, kind, self.before.get(real), snapshots) else {
            return;
        };
        let mut found = self.found();
        found.too_much |= read_bytes == UNREAD;
        found.read_bytes += read_bytes.min(FILE_BYTES_MAX);
        found.tree.files.insert(real.to_owned(), seen);
    }

    /// Looks at a `.git` that is no folder, as that of a submodule: a file like any other, which leads git elsewhere.
    fn elsewhere(&self, folder: &OwnedFd, git: &Path) {
        if !self.access.is_hidden(git, None) && self.count() {
            self.keep(folder, OsStr::new(".git"), git, FileType::Unknown);
        }
    }
}

impl Visitor for &Look<'_> {
    fn wants(&self, path: &Path) -> bool {
        !path.starts_with(".git") && !self.found().too_much
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        if !self.count() {
            return;
        }
        if entry.kind == FileType::Directory {
            self.found().tree.folders.insert(entry.real.to_owned());
        } else {
            self.keep(entry.folder, entry.name, entry.real, entry.kind);
        }
    }

    /// A folder without a `HEAD` is no repository yet, such as the one that the walls put where none is to be made.
    fn repository(&mut self, folder: &OwnedFd, git: &Path) {
        let open = match openat(folder, ".git", GIT, Mode::empty()) {
            Ok(open) => open,
            Err(Errno::NOTDIR | Errno::LOOP) => return self.elsewhere(folder, git),
            Err(_) => return,
        };
        let stamp =
            |name: &str| statat(&open, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| Stamp::of(&stat));
        if let Some(head) = stamp("HEAD") {
            let seen = Repository { head, log: stamp("logs/HEAD") };
            self.found().tree.repositories.insert(git.to_owned(), seen);
        }
    }
}

/// The workspace as it is now; nothing, where it takes more than this effort. What has not been touched is not read.
fn look(access: &Access, before: &Files, effort: Effort<'_>) -> Option<Known> {
    let look = Look { access, before, effort, found: Mutex::default() };
    let workspace = &access.context.workspace;
    let walked =
        access.hold_at(".", workspace).and_then(|root| walk(access, &root, DotNames::Walk, || &look));
    let found = look.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    match effort {
        _ if walked.is_ok() && !found.too_much => Some(Known::Tree(found.tree)),
        Effort::Glance => None,
        Effort::Whole(_) => Some(Known::TooMuch),
    }
}

/// A file that was there before, wherever git wants to look now, and how many bytes had to be read for it.
fn again(access: &Access, path: &Path, seen: &Seen, effort: Effort<'_>) -> Option<(Seen, u64)> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let held = access.hold_at(".", folder).ok().filter(|held| held.real() == folder)?;
    see(&held.directory().ok()?, name, FileType::Unknown, Some(seen), effort.snapshots())
}

fn changes(before: &Tree, after: &Tree, workspace: &Path) -> Vec<Change> {
    let gone = before.files.iter().filter(|(path, _)| !after.files.contains_key(*path));
    let gone = gone.map(|(path, seen)| change(path, Some(seen), None));
    let other = after.files.iter().filter_map(|(path, seen)| {
        let was = before.files.get(path);
        let is_same = was.is_some_and(|was| was.is_same(seen));
        let folders = if was.is_none() { new_folders(path, before, workspace) } else { 0 };
        (!is_same).then(|| Change { folders, ..change(path, was, Some(seen)) })
    });
    gone.chain(other).collect()
}

/// How many of the folders right above a new file are new, too.
fn new_folders(path: &Path, before: &Tree, workspace: &Path) -> u32 {
    let above = path.ancestors().skip(1).take_while(|folder| *folder != workspace);
    let new = above.take_while(|folder| !before.folders.contains(*folder)).count();
    u32::try_from(new).unwrap_or(0)
}

/// What has become of the repositories.
fn moved(before: &BTreeMap<PathBuf, Repository>, after: &BTreeMap<PathBuf, Repository>) -> Vec<Change> {
    let left = |path: &Path, why: &str| Change::left(path.display().to_string(), why);
    let gone = before.keys().filter(|path| !after.contains_key(*path)).map(|path| left(path, GONE));
    let other = after.iter().filter_map(|(path, now)| match before.get(path) {
        None => Some(left(path, MADE)),
        Some(was) if was != now => Some(left(path, MOVED)),
        Some(_) => None,
    });
    gone.chain(other).collect()
}

/// What a process may change that goes on after its call: nobody looks before and after it.
pub(crate) fn unkept(number: u64, context: &ToolContext) -> Vec<Change> {
    if context.rules.snapshots.is_none() || context.rules.permission == Permission::ReadOnly {
        return Vec::new();
    }
    let why = format!("what process {number} changed in it while it ran was not kept");
    vec![Change::left(context.workspace.display().to_string(), why)]
}

fn change(path: &Path, before: Option<&Seen>, after: Option<&Seen>) -> Change {
    let is_kept = |seen: &Seen| seen.standing.is_some();
    // The mode has a place of its own there, which says it of what was not kept, too.
    let was = before.and_then(|seen| match seen.standing.as_ref()? {
        Standing::File { content, .. } => Some(content.clone()),
        other => Some(other.name()),
    });
    Change {
        path: path.display().to_string(),
        before: was,
        after: after.and_then(|seen| seen.standing.as_ref().map(Standing::name)),
        mode: before.map(|seen| seen.mode),
        folders: 0,
        // A name that is no text could not be found again.
        kept: path.to_str().is_some() && before.is_none_or(is_kept) && after.is_none_or(is_kept),
        left: None,
    }
}
