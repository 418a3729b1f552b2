//! Workspaces whose `.git` is a file: linked worktrees and submodules, whose repository is elsewhere.

use std::path::{Path, PathBuf};

use crate::plain::read_plain_text;

/// What stands in front of the folder's name in such a file.
const GITDIR: &str = "gitdir:";
/// A longer file was not written by git: it holds one path.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// Where the repository of such a workspace is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// What belongs to this workspace alone.
    pub folder: PathBuf,
    /// What it shares with other worktrees, where that is another folder.
    pub common: Option<PathBuf>,
}

impl Linked {
    /// Nothing: its `.git` is no such file.
    pub fn of(workspace: &Path) -> Option<Self> {
        let text = read_plain_text(&workspace.join(".git"), FILE_BYTES_MAX).ok()?;
        let folder = text.lines().find_map(|line| line.strip_prefix(GITDIR))?.trim();
        let folder = workspace.join(folder);
        let common = read_plain_text(&folder.join("commondir"), FILE_BYTES_MAX).ok();
        Some(Self { common: common.map(|text| folder.join(text.trim())), folder })
    }

    /// The repository itself, without links and detours where it is there.
    pub fn repository(&self) -> PathBuf {
        let repository = self.common.as_ref().unwrap_or(&self.folder);
        repository.canonicalize().unwrap_or_else(|_| repository.clone())
    }
}
