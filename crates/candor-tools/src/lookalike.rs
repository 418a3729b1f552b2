//! What makes git take a folder for a repository, whatever that is called.
//!
//! Git looks for a `HEAD`, and for `objects` and `refs` beside it or where a `commondir` leads. Where it finds them, it believes the
//! `config` there, which may name programs to run and another folder to work on. Whoever stands in such a folder need not know of it.
//! What git asks is asked here more generously: what git does not believe may be called a repository, never the other way round.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;

use candor_beneath::{PLACE, open_anywhere};
use rustix::fs::{AtFlags, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use crate::Error;
use crate::access::Access;
use crate::changing::Step;
use crate::target::Target;

const HEAD: &str = "HEAD";
/// The shorter one of both lengths that a hash of git has in digits.
const HASH_CHARS: usize = 40;

/// What makes a folder a repository, and what git believes in one.
const NAMES: &[&str] = &[
    HEAD,
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "hooks",
    "modules",
    "objects",
    "refs",
    "worktrees",
];

const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

const KEPT_BY_GIT: &str = "what git keeps is not written by tools; git itself is the tool for it";
const TAKEN_FOR_GITS: &str = "git takes the folder for a repository, or would then, and believes what is in it; git itself is the tool for that";

impl Access {
    /// Refuses to write what is git's, be it below a `.git` or in a folder that has a `HEAD` of its own. To take back what was
    /// done there is another matter.
    pub(crate) fn check_not_gits(&self, asked: &str, target: &Target) -> Result<(), Error> {
        let is_kept = target.shown.components().any(|part| is(part.as_os_str(), ".git"));
        if is_kept {
            return Err(self.blocked(asked, KEPT_BY_GIT));
        }
        // What is above the workspace has its name from the person.
        let depth = if target.shown.is_relative() { target.shown.components().count() } else { usize::MAX };
        if target.real.ancestors().take(depth).any(is_believed) {
            return Err(self.blocked(asked, TAKEN_FOR_GITS));
        }
        Ok(())
    }

    /// Refuses to make a `HEAD`: without one no folder is a repository, whatever several calls at once put beside it.
    pub(crate) fn check_no_head(&self, step: &Step) -> Result<(), Error> {
        let is_named = step.target.real.file_name().is_some_and(|name| is(name, HEAD));
        if is_named && step.is_change() && step.after.as_deref().is_some_and(is_head) {
            return Err(self.blocked(&step.target.shown.display().to_string(), TAKEN_FOR_GITS));
        }
        Ok(())
    }
}

/// Whether git may take a folder for a repository.
pub(crate) fn is_repository(folder: impl AsFd) -> bool {
    let has = |name: &str| statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
    (has("commondir") || has("objects") && has("refs")) && has_head(&folder)
}

/// The same by its path.
pub(crate) fn is_repository_at(folder: &Path) -> bool {
    open_anywhere(folder, PLACE).is_ok_and(is_repository)
}

/// Whether it is what git believes in its folder, or would with what is there already.
fn is_believed(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
    NAMES.iter().any(|known| is(name, known)) && open_anywhere(folder, PLACE).is_ok_and(has_head)
}

/// Not every file system tells large letters from small ones.
fn is(name: &OsStr, known: &str) -> bool {
    name.eq_ignore_ascii_case(known)
}

fn has_head(folder: impl AsFd) -> bool {
    let file = match openat(folder, HEAD, READ, Mode::empty()) {
        Ok(file) => File::from(file),
        // Old repositories have a link there, which git does not follow.
        Err(Errno::LOOP) => return true,
        Err(_) => return false,
    };
    let mut start = Vec::new();
    file.take(HASH_CHARS as u64).read_to_end(&mut start).is_ok() && is_head(&start)
}

/// Whether this is the beginning of what git takes for a `HEAD`: a reference, or a hash.
fn is_head(bytes: &[u8]) -> bool {
    let is_hash = |hash: &[u8]| hash.iter().all(u8::is_ascii_hexdigit);
    bytes.starts_with(b"ref:") || bytes.get(..HASH_CHARS).is_some_and(is_hash)
}
