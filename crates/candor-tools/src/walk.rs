//! Walks a tree of folders with several threads, from one open folder to the next.
//!
//! Every folder and file is opened by its name in the open folder above it, and no link is followed: whatever happens
//! to the tree meanwhile, the walk does not leave it. What `.gitignore` and `.ignore` name is left out, and so are
//! names that begin with a dot, unless they are wanted.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};

use crate::access::Access;
use crate::held::Held;
use crate::ignores::Ignores;
use crate::{Error, diffs};

/// More threads wait for the disk, not for each other.
const THREADS_MAX: usize = 8;
/// From so many jobs on, more threads are worth what it costs to start them.
const JOBS_FOR_THREADS: usize = 8;
/// How many files of a folder one thread takes at once.
const FILES_AT_ONCE: usize = 64;
/// Deeper folders are left out: each one on the way is held open.
const DEPTH_MAX: usize = 100;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Whether names that begin with a dot are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DotNames {
    Skip,
    Walk,
}

/// Something that the walk met.
pub(crate) struct Entry<'a> {
    /// The open folder that it is in.
    pub(crate) folder: &'a OwnedFd,
    pub(crate) name: &'a OsStr,
    /// From where the walk began.
    pub(crate) path: PathBuf,
    /// The whole path.
    pub(crate) real: &'a Path,
    pub(crate) kind: FileType,
}

/// What one thread does with what it meets.
pub(crate) trait Visitor {
    /// Whether anything with this path, or below it, can still be of use.
    fn wants(&self, path: &Path) -> bool;

    /// Looks at it.
    fn meet(&mut self, entry: &Entry<'_>);

    /// Looks at the `.git` in an open folder. Nothing in it is walked.
    fn repository(&mut self, _folder: &OwnedFd, _git: &Path) {}
}

/// Walks everything below a folder; each thread gets a visitor of its own.
pub(crate) fn walk<V: Visitor>(
    access: &Access,
    root: &Held,
    dots: DotNames,
    visitor: impl Fn() -> V + Sync,
) -> Result<(), Error> {
    let walk = Walk { access, root: root.real(), dots, queue: Mutex::default(), changed: Condvar::new() };
    let folder = Folder {
        open: Arc::new(root.directory()?),
        path: PathBuf::new(),
        ignores: Ignores::above(access, root.real()),
        depth: 0,
    };
    walk.push(vec![Job::Folder(folder)]);
    let mut first = visitor();
    if walk.work_alone(&mut first) == Left::Nothing {
        return Ok(());
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| walk.work(&mut visitor()));
        }
        walk.work(&mut first);
    });
    Ok(())
}

struct Walk<'a> {
    access: &'a Access,
    root: &'a Path,
    dots: DotNames,
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// What a walk has left to do.
#[derive(PartialEq, Eq)]
enum Left {
    Nothing,
    Much,
}

#[derive(Default)]
struct Queue {
    /// The next one is the last.
    jobs: Vec<Job>,
    /// How many threads have one in hand, which may give more.
    busy: usize,
}

enum Job {
    /// A folder that is open.
    Folder(Folder),
    /// One that is not, in one that is.
    Below {
        above: Folder,
        name: OsString,
    },
    Files {
        folder: Folder,
        files: Vec<(OsString, FileType)>,
    },
}

#[derive(Clone)]
struct Folder {
    open: Arc<OwnedFd>,
    path: PathBuf,
    ignores: Arc<Ignores>,
    depth: usize,
}

impl Walk<'_> {
    fn push(&self, jobs: Vec<Job>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.jobs.extend(jobs.into_iter().rev());
        self.changed.notify_all();
    }

    /// The next job; none when nobody has one that could give more.
    fn next(&self, was_busy: bool) -> Option<Job> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.busy -= usize::from(was_busy);
        loop {
            if self.access.context.cancel.is_cancelled() {
                queue.jobs.clear();
            }
            if let Some(job) = queue.jobs.pop() {
                queue.busy += 1;
                return Some(job);
            }
            if queue.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Works before there are other threads: a small tree needs none.
    fn work_alone(&self, visitor: &mut impl Visitor) -> Left {
        loop {
            let job = {
                let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                if queue.jobs.len() >= JOBS_FOR_THREADS {
                    return Left::Much;
                }
                queue.jobs.pop()
            };
            let Some(job) = job else { return Left::Nothing };
            self.finish(job, visitor);
        }
    }

    fn work(&self, visitor: &mut impl Visitor) {
        let _unwinding = Unwinding(self);
        let mut was_busy = false;
        while let Some(job) = self.next(was_busy) {
            was_busy = true;
            self.finish(job, visitor);
        }
    }

    fn finish(&self, job: Job, visitor: &mut impl Visitor) {
        match job {
            Job::Folder(folder) => self.enter(folder, visitor),
            Job::Below { above, name } => {
                let path = above.path.join(&name);
                if !visitor.wants(&path) {
                    return;
                }
                if let Ok(open) = openat(&above.open, &name, FOLDER, Mode::empty()) {
                    let Folder { ignores, depth, .. } = above;
                    let folder = Folder { open: Arc::new(open), path, ignores, depth: depth + 1 };
                    self.enter(folder, visitor);
                }
            }
            Job::Files { folder, files } => {
                for (name, kind) in files {
                    self.meet(&folder, &name, kind, visitor);
                }
            }
        }
    }

    /// Reads a folder, in the order of its names: what comes first in the result is met first.
    fn enter(&self, folder: Folder, visitor: &mut impl Visitor) {
        let entries = entries(&folder.open);
        let real = self.root.join(&folder.path);
        let names: Vec<&OsStr> = entries.iter().map(|(name, _)| name.as_os_str()).collect();
        let folder = Folder { ignores: folder.ignores.below(&folder.open, &real, &names), ..folder };
        let mut jobs = Vec::new();
        let mut files = Vec::new();
        for (name, kind) in entries {
            let is_folder = kind == FileType::Directory;
            let path = real.join(&name);
            let is_dot = name.as_bytes().starts_with(b".");
            if name == ".git" {
                visitor.repository(&folder.open, &path);
            }
            if (is_dot && (self.dots == DotNames::Skip || name == ".git"))
                || folder.ignores.ignores(&path, is_folder)
                || self.access.is_hidden(&path, None)
            {
                continue;
            }
            files.push((name.clone(), kind));
            if is_folder && folder.depth < DEPTH_MAX {
                jobs.push(Job::Files { folder: folder.clone(), files: std::mem::take(&mut files) });
                jobs.push(Job::Below { above: folder.clone(), name });
            } else if files.len() == FILES_AT_ONCE {
                jobs.push(Job::Files { folder: folder.clone(), files: std::mem::take(&mut files) });
            }
        }
        if jobs.is_empty() {
            // Most folders hold nothing but a few files.
            for (name, kind) in files {
                self.meet(&folder, &name, kind, visitor);
            }
            return;
        }
        if !files.is_empty() {
            jobs.push(Job::Files { folder, files });
        }
        self.push(jobs);
    }

    fn meet(&self, folder: &Folder, name: &OsStr, kind: FileType, visitor: &mut impl Visitor) {
        let path = folder.path.join(name);
        if self.access.context.cancel.is_cancelled() || !visitor.wants(&path) {
            return;
        }
        let real = self.root.join(&path);
        visitor.meet(&Entry { folder: &folder.open, name, path, real: &real, kind });
    }
}

/// A thread that panics has a job in hand that never ends; the others must not wait for it.
struct Unwinding<'a>(&'a Walk<'a>);

impl Drop for Unwinding<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut queue = self.0.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.jobs.clear();
            queue.busy = queue.busy.saturating_sub(1);
            self.0.changed.notify_all();
        }
    }
}

/// What is in an open folder, in the order of the names. What cannot be read is left out.
pub(crate) fn entries(folder: &OwnedFd) -> Vec<(OsString, FileType)> {
    let Ok(listing) = Dir::read_from(folder) else { return Vec::new() };
    let entries = listing.flatten().filter_map(|entry| {
        let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => {
                let stat = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                FileType::from_raw_mode(stat.st_mode)
            }
            kind => kind,
        };
        (name != "." && name != "..").then_some((name, kind))
    });
    let mut entries: Vec<(OsString, FileType)> = entries.collect();
    entries.sort_unstable_by(|one, two| one.0.cmp(&two.0));
    entries
}

/// How results name what is below a folder that the model asked for: as it would ask for that itself.
pub(crate) fn named(asked: &str, path: &Path) -> String {
    let asked = Path::new(asked);
    let asked = asked.strip_prefix(".").unwrap_or(asked);
    diffs::shown(&if path.as_os_str().is_empty() { asked.to_owned() } else { asked.join(path) })
}
