//! Finds and opens log files below a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use candor_beneath::Links;
use globset::{GlobBuilder, GlobMatcher};
use rustix::fs::{Mode, OFlags};

/// How deep `**` goes.
const DEPTH_MAX: usize = 12;
/// How many entries of folders one look goes through. A glob that needs more is none for logs.
const LOOKED_AT_MAX: usize = 20_000;
/// Folders that `**` passes over: large, and without logs of the project.
const PASSED_OVER: &[&str] =
    &[".git", ".hg", "node_modules", "target", ".venv", "venv", "__pycache__", ".tox"];

/// Which file it is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self { device: metadata.dev(), inode: metadata.ino() })
    }
}

/// A folder and the globs of files in it.
#[derive(Debug)]
pub(super) struct Globs {
    root: PathBuf,
    globs: Vec<OneGlob>,
}

#[derive(Debug)]
struct OneGlob {
    /// The folders before the first part with a wildcard.
    base: PathBuf,
    depth_max: usize,
    matcher: GlobMatcher,
}

impl Globs {
    /// The globs that are some; others match nothing.
    pub(super) fn new(root: &Path, globs: &[String]) -> Self {
        let globs = globs.iter().filter_map(|glob| OneGlob::new(glob)).collect();
        Self { root: root.to_owned(), globs }
    }

    /// The files that match, as paths below the root with when they were written to, those written last first.
    pub(super) fn matching(&self) -> Vec<(std::time::SystemTime, PathBuf)> {
        let mut found = Vec::new();
        let mut left = LOOKED_AT_MAX;
        for glob in &self.globs {
            self.look(glob, &glob.base, glob.depth_max, &mut left, &mut found);
        }
        found.sort_by(|(time, path), (other_time, other)| other_time.cmp(time).then_with(|| path.cmp(other)));
        found.dedup_by(|(_, path), (_, other)| path == other);
        found
    }

    /// Opens a file below the root, if it is a regular one that no link puts outside.
    pub(super) fn open(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let root = OpenOptions::new().read(true).custom_flags(bits(OFlags::DIRECTORY)).open(&self.root)?;
        regular(candor_beneath::open(&root, path, flags, Mode::empty(), Links::Inside)?)
    }

    fn look(
        &self,
        glob: &OneGlob,
        folder: &Path,
        depth: usize,
        left: &mut usize,
        found: &mut Vec<(std::time::SystemTime, PathBuf)>,
    ) {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return };
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            let path = folder.join(entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                let is_passed_over = PASSED_OVER.iter().any(|name| entry.file_name() == *name);
                if depth > 1 && !is_passed_over {
                    folders.push(path);
                }
            } else if (kind.is_file() || kind.is_symlink()) && glob.matcher.is_match(&path) {
                let written = entry.metadata().and_then(|metadata| metadata.modified());
                found.push((written.unwrap_or(std::time::UNIX_EPOCH), path));
            }
        }
        for folder in folders {
            self.look(glob, &folder, depth - 1, left, found);
        }
    }
}

impl OneGlob {
    fn new(glob: &str) -> Option<Self> {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if glob.is_empty() || !Path::new(glob).components().all(is_below) {
            return None;
        }
        let matcher = GlobBuilder::new(glob).literal_separator(true).build().ok()?.compile_matcher();
        let parts: Vec<&str> = glob.split('/').collect();
        let plain = parts
            .iter()
            .take(parts.len() - 1)
            .take_while(|part| !part.contains(['*', '?', '[', '{']))
            .count();
        let base = parts.iter().take(plain).collect();
        let depth_max = if glob.contains("**") { DEPTH_MAX } else { parts.len() - plain };
        Some(Self { base, depth_max, matcher })
    }
}

/// Opens a regular file that is no link. A pipe does not make it wait.
pub(super) fn open_plain(path: &Path) -> io::Result<File> {
    let flags = bits(OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    regular(file.into())
}

fn regular(file: OwnedFd) -> io::Result<File> {
    let file = File::from(file);
    if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) }
}

fn bits(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or(0)
}
