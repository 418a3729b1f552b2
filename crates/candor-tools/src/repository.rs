//! Keeps the workspace the repository that it was.
//!
//! `.git/config` and `.git/hooks` are protected by the walls, but git can be pointed elsewhere: by a `commondir` file, or
//! by taking away `.git/HEAD`, so that git takes the workspace itself for a repository and reads its `config`. Git writes
//! both places in ordinary work, so the walls cannot close them; what a command did to them is put right when it has ended.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};

use crate::ToolContext;

/// A reference or a hash.
const HEAD_BYTES_MAX: u64 = 4096;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// The workspace as it was before a command.
pub(crate) struct Repository {
    /// Its `.git`, held; nothing, where there is none, or where it is no folder.
    git: Option<OwnedFd>,
    head: Option<Vec<u8>>,
    has_commondir: bool,
}

impl Repository {
    /// Looks at it.
    pub(crate) fn before(context: &ToolContext) -> Self {
        let git = open_git(&context.workspace);
        let head = git.as_ref().and_then(|git| read(git, "HEAD"));
        let has_commondir = git.as_ref().is_some_and(|git| exists(git, "commondir"));
        Self { git, head, has_commondir }
    }

    /// Puts right what would have git believe another configuration; what was done.
    pub(crate) fn put_right(&self) -> Vec<&'static str> {
        let Some(git) = &self.git else { return Vec::new() };
        let mut done = Vec::new();
        if !self.has_commondir && exists(git, "commondir") {
            // Git reads no folder of this name.
            let _ = unlinkat(git, "commondir", AtFlags::empty());
            done.push(
                "`.git/commondir` was made, and has been removed: git would have read another configuration",
            );
        }
        if let Some(head) = self.head.as_ref().filter(|_| read(git, "HEAD").is_none())
            && put_back(git, head).is_some()
        {
            done.push("`.git/HEAD` was gone, and has been put back");
        }
        done
    }
}

fn put_back(git: &OwnedFd, head: &[u8]) -> Option<()> {
    let _ = unlinkat(git, "HEAD", AtFlags::empty());
    let made = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(git, "HEAD", made, Mode::from_raw_mode(0o644)).ok()?);
    file.write_all(head).ok()
}

fn open_git(workspace: &Path) -> Option<OwnedFd> {
    let root =
        openat(CWD, workspace, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    openat(&root, ".git", FOLDER, Mode::empty()).ok()
}

fn read(git: &OwnedFd, name: &str) -> Option<Vec<u8>> {
    let file = File::from(openat(git, name, READ, Mode::empty()).ok()?);
    let mut bytes = Vec::new();
    file.take(HEAD_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty()).then_some(bytes)
}

fn exists(git: &OwnedFd, name: &str) -> bool {
    rustix::fs::statat(git, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}
