//! Which repositories the index of a repository names: git goes into them by itself.
//!
//! The file lies where commands write, so nothing in it is believed: a length leads nowhere outside of it, and what makes no
//! sense ends the look. Where git can be made to read it in another way than from front to back, that is read, too: a name too
//! many costs a look, and one too few is a trap.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use memchr::{memchr, memmem};
use rustix::fs::{Dir, Mode, OFlags, openat};

/// More of an index is not read: that is a million files.
pub(crate) const INDEX_BYTES_MAX: u64 = 64 << 20;
/// No more names are remembered.
const PATHS_MAX: usize = 200_000;
/// Git removes those of them that are older than two weeks.
const SHARED_MAX: usize = 64;
/// A reader that is led in circles ends.
const ENTRIES_MAX: usize = 4 << 20;

/// The bytes of a hash, in both kinds of repositories. Nothing in an index says which it is, and a wrong guess names nothing
/// that is there.
const HASH_BYTES: [usize; 2] = [20, 32];
/// Times, numbers, mode, owner and size, which stand before the hash.
const STAT_BYTES: usize = 40;
/// Where the mode is among them.
const MODE_AT: usize = 24;
const KIND: u32 = 0o170_000;
const GITLINK: u32 = 0o160_000;
const EXTENDED: u16 = 0x4000;
const NAME_BYTES: u16 = 0x0fff;

const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// What an index names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Gitlinks {
    /// Below the folder that the repository is of.
    pub(crate) paths: Vec<PathBuf>,
    /// Whether a part of it is in other files, which may change by themselves.
    pub(crate) is_split: bool,
}

/// Reads the index in an open folder of git's.
pub(crate) fn gitlinks(git: impl AsFd) -> Gitlinks {
    let Some(bytes) = read(&git, "index") else { return Gitlinks::default() };
    let mut found = Names::default();
    found.take(&bytes, Wanted::Gitlinks);
    let is_split = HASH_BYTES.iter().any(|hash| names_another(&bytes, *hash));
    if is_split {
        // An entry without a name stands for one of the other file, of which only git knows which.
        let wanted = if found.any_nameless { Wanted::All } else { Wanted::Gitlinks };
        for name in shared(&git) {
            found.take(&read(&git, &name).unwrap_or_default(), wanted);
        }
    }
    Gitlinks { paths: found.paths.into_iter().collect(), is_split }
}

/// Follows links, as git does.
fn read(git: impl AsFd, name: &str) -> Option<Vec<u8>> {
    let file = File::from(openat(git, name, READ, Mode::empty()).ok()?);
    let mut bytes = Vec::new();
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    file.take(INDEX_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The files that a part of an index may be in.
fn shared(git: impl AsFd) -> Vec<String> {
    let entries = Dir::read_from(git).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
    names.filter(|name| name.starts_with("sharedindex.")).take(SHARED_MAX).collect()
}

/// Whether it says that a part of it is elsewhere, wherever it does.
fn names_another(bytes: &[u8], hash: usize) -> bool {
    let is_one = |at: usize| {
        let mut rest = Rest(bytes.get(at + 4..).unwrap_or_default());
        rest.number().is_some_and(|size| size as usize >= hash && size as usize <= rest.0.len())
    };
    memmem::find_iter(bytes, b"link").any(is_one)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Gitlinks,
    All,
}

#[derive(Default)]
struct Names {
    paths: BTreeSet<PathBuf>,
    any_nameless: bool,
    entries: usize,
}

impl Names {
    fn take(&mut self, bytes: &[u8], wanted: Wanted) {
        for hash in HASH_BYTES {
            self.take_all(bytes, hash, wanted);
        }
    }

    /// From front to back, and in the blocks that git reads side by side.
    fn take_all(&mut self, bytes: &[u8], hash: usize, wanted: Wanted) -> Option<()> {
        let mut rest = Rest(bytes);
        let (mark, version, count) = (rest.take(4)?, rest.number()?, rest.number()?);
        if mark != b"DIRC" {
            return None;
        }
        let shape = Shape { hash, is_packed: version == 4 };
        self.block(rest, count, shape, wanted);
        for at in memmem::find_iter(bytes, b"IEOT") {
            let mut table = Rest(bytes.get(at + 4..)?);
            let size = table.number()? as usize;
            let Some(mut table) = table.take(size).map(Rest) else { continue };
            table.number();
            while let (Some(offset), Some(count)) = (table.number(), table.number()) {
                let block = bytes.get(offset as usize..).unwrap_or_default();
                self.block(Rest(block), count, shape, wanted);
            }
        }
        Some(())
    }

    fn block(&mut self, mut rest: Rest<'_>, count: u32, shape: Shape, wanted: Wanted) {
        let mut name = Vec::new();
        for _ in 0..count {
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                return;
            }
            let Some(mode) = rest.entry(shape, &mut name) else { return };
            let is_gitlink = mode & KIND == GITLINK;
            if !is_gitlink && wanted == Wanted::Gitlinks {
                continue;
            }
            self.any_nameless |= is_gitlink && name.is_empty();
            if let Some(path) = below(&name).filter(|_| self.paths.len() < PATHS_MAX) {
                self.paths.insert(path);
            }
        }
    }
}

/// How entries are written.
#[derive(Clone, Copy)]
struct Shape {
    hash: usize,
    /// Whether a name says only in what it differs from the one before.
    is_packed: bool,
}

/// What is left to read.
#[derive(Clone, Copy)]
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn flags(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// One entry: its mode, and its name in place of the one before.
    fn entry(&mut self, shape: Shape, name: &mut Vec<u8>) -> Option<u32> {
        let all = self.0.len();
        let stat = self.take(STAT_BYTES)?;
        let mode = Rest(&stat[MODE_AT..]).number()?;
        self.take(shape.hash)?;
        let flags = self.flags()?;
        if flags & EXTENDED != 0 {
            self.flags()?;
        }
        let kept = if shape.is_packed { name.len().checked_sub(self.packed_number()?)? } else { 0 };
        name.truncate(kept);
        // A longer one ends where it ends.
        let told = usize::from(flags & NAME_BYTES);
        let is_long = told == usize::from(NAME_BYTES);
        let length = if is_long { memchr(0, self.0)? } else { told.checked_sub(kept)? };
        name.extend_from_slice(self.take(length)?);
        let used = all - self.0.len();
        let padding = if shape.is_packed { 1 } else { 8 - used % 8 };
        self.take(padding)?;
        Some(mode)
    }

    /// A number in as few bytes as it needs.
    fn packed_number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        for at in 0.. {
            let byte = *self.take(1)?.first()?;
            if at > 0 {
                number = number.checked_add(1)?;
            }
            number = number.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
            if byte & 128 == 0 {
                break;
            }
        }
        Some(number)
    }
}

/// The name as a path that stays below where it begins.
fn below(name: &[u8]) -> Option<PathBuf> {
    // As whoever opens it reads it.
    let name = name.split(|byte| *byte == 0).next()?;
    let path = Path::new(OsStr::from_bytes(name));
    let stays = path.components().all(|part| matches!(part, Component::Normal(_)));
    (stays && !name.is_empty()).then(|| path.components().collect())
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
