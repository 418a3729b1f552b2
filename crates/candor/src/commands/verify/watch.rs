//! Waits until a file of a folder changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// How often is looked.
const LOOK: Duration = Duration::from_millis(500);
/// How much is looked at.
const ENTRIES_MAX: usize = 20_000;
const DEPTH_MAX: usize = 8;
/// What tools make, and nobody writes.
const LEFT_OUT: &[&str] = &[
    ".git",
    ".hg",
    ".venv",
    "__pycache__",
    "_build",
    "bin",
    "build",
    "dist",
    "node_modules",
    "obj",
    "target",
    "vendor",
    ".next",
    ".pytest_cache",
    ".mypy_cache",
    "logs",
];

/// The files of a folder, with what changes when they do.
#[derive(Debug)]
pub(super) struct Seen {
    files: BTreeMap<PathBuf, (Option<SystemTime>, u64)>,
}

impl Seen {
    pub(super) fn of(root: &Path) -> Self {
        let mut seen = Self { files: BTreeMap::new() };
        seen.walk(root, 0);
        seen
    }

    fn walk(&mut self, folder: &Path, depth: usize) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            if self.files.len() >= ENTRIES_MAX || depth > DEPTH_MAX {
                return;
            }
            let name = entry.file_name();
            let is_left_out = LEFT_OUT.iter().any(|left| name == *left) || is_log(Path::new(&name));
            let (Ok(kind), false) = (entry.file_type(), is_left_out) else { continue };
            if kind.is_dir() {
                self.walk(&entry.path(), depth + 1);
            } else if kind.is_file() {
                let Ok(meta) = entry.metadata() else { continue };
                self.files.insert(entry.path(), (meta.modified().ok(), meta.len()));
            }
        }
    }

    /// Waits until somebody changes a file, and says which. What a look itself writes is there before it is waited.
    pub(super) async fn change(&self, root: &Path) -> PathBuf {
        loop {
            sleep(LOOK).await;
            let folder = root.to_owned();
            // It fails only when the program is about to end.
            let Ok(now) = spawn_blocking(move || Self::of(&folder)).await else { return PathBuf::new() };
            if let Some(path) = self.differs(&now) {
                return path.strip_prefix(root).unwrap_or(path).to_owned();
            }
        }
    }

    /// A file that is new, has changed, or is gone.
    fn differs<'a>(&'a self, now: &'a Self) -> Option<&'a Path> {
        let changed = now.files.iter().find(|(path, meta)| self.files.get(*path) != Some(*meta));
        let gone = || self.files.iter().find(|(path, _)| !now.files.contains_key(*path));
        changed.or_else(gone).map(|(path, _)| path.as_path())
    }
}

fn is_log(name: &Path) -> bool {
    name.extension().is_some_and(|extension| extension == "log" || extension == "pyc")
}
