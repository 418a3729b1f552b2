//! What `.gitignore` and its relatives leave out.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_beneath::{Links, PLACE, open, open_anywhere};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::Mode;

use crate::access::Access;
use crate::held::open_in;

/// The longest list that is read.
const LIST_BYTES_MAX: u64 = 1 << 20;
/// How far up the root of a repository is sought.
const FOLDERS_UP_MAX: usize = 64;

/// Lists of a folder, the one that counts most first.
const LISTS: &[&str] = &[".ignore", ".gitignore"];

/// The lists that hold for a folder: its own and those above.
#[derive(Default)]
pub(crate) struct Ignores {
    lists: Vec<Gitignore>,
    above: Option<Arc<Ignores>>,
}

impl Ignores {
    /// Those of the folders above one in a repository.
    pub(crate) fn above(access: &Access, real: &Path) -> Arc<Self> {
        let mut folders: Vec<(PathBuf, OwnedFd)> = Vec::new();
        let mut is_repository = has_git(real);
        for folder in real.ancestors().skip(1).take(FOLDERS_UP_MAX) {
            if is_repository || access.check_read("", folder, None).is_err() {
                break;
            }
            let Ok(open) = open_anywhere(folder, PLACE) else { break };
            is_repository = has_git(folder);
            folders.push((folder.to_owned(), open));
        }
        if !is_repository {
            return Arc::default();
        }
        let names: Vec<&OsStr> = [".ignore", ".gitignore", ".git"].into_iter().map(OsStr::new).collect();
        folders
            .iter()
            .rev()
            .fold(Arc::default(), |above: Arc<Self>, (path, open)| above.below(open, path, &names))
    }

    /// Those that hold for a folder below, which holds these names.
    pub(crate) fn below(self: &Arc<Self>, folder: &OwnedFd, real: &Path, names: &[&OsStr]) -> Arc<Self> {
        let mut lists: Vec<Gitignore> = Vec::new();
        for name in LISTS.iter().map(OsStr::new).filter(|name| names.contains(name)) {
            lists.extend(open_in(folder, name).ok().and_then(|(file, _)| list(file, real)));
        }
        if names.contains(&OsStr::new(".git")) {
            let exclude = open(folder, Path::new(".git/info"), PLACE, Mode::empty(), Links::Never);
            let exclude = exclude.and_then(|info| open_in(&info, OsStr::new("exclude")));
            lists.extend(exclude.ok().and_then(|(file, _)| list(file, real)));
        }
        if lists.is_empty() {
            Arc::clone(self)
        } else {
            Arc::new(Self { lists, above: Some(Arc::clone(self)) })
        }
    }

    /// Whether a path is left out: the nearest list that says anything about it decides.
    pub(crate) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        for list in &self.lists {
            match list.matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        self.above.as_ref().is_some_and(|above| above.ignores(path, is_folder))
    }
}

fn has_git(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

fn list(file: std::fs::File, folder: &Path) -> Option<Gitignore> {
    let mut bytes = Vec::new();
    file.take(LIST_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // A line that cannot be understood says nothing, as with git.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
