//! The places that rules name, as they are on disk at one moment.
//!
//! Nothing of it is remembered for the next call, when a link may lead elsewhere. Most rules name what is in the same few
//! folders, so these are looked for once, and a path is held against a folder and not against each place in it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use candor_beneath::{Facts, PLACE};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, lstat, openat, stat, statat};
use rustix::io::Errno;

/// Some places. A rule holds for a place that is not there yet as well.
#[derive(Default)]
pub(crate) struct Places {
    folders: Vec<Folder>,
    /// Where links lead from some of them, and what is in no folder.
    elsewhere: Vec<PathBuf>,
    /// Those that are files: the device and the number of each.
    files: Vec<(u64, u64)>,
}

/// A folder with places in it, or on the way to one.
struct Folder {
    named: PathBuf,
    /// Without links, which a rule may itself have.
    real: PathBuf,
    is_linked: bool,
    is_there: bool,
    /// Where it could be opened, while it is looked into.
    open: Option<OwnedFd>,
    names: Vec<OsString>,
}

impl Places {
    pub(crate) fn find(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut places = Self::default();
        for path in paths {
            places.add(&path);
        }
        // Whoever keeps the places need not hold the folders: a disk could not be taken out.
        for folder in &mut places.folders {
            folder.open = None;
        }
        places
    }

    /// Whether the path is one of them, or below one. By whole components, as a rule for `/data` says nothing about `/database`.
    pub(crate) fn hold(&self, real: &Path) -> bool {
        self.folders.iter().any(|folder| folder.holds(real))
            || self.elsewhere.iter().any(|place| real.starts_with(place))
    }

    /// Whether it is the very file of one of them, under another name that was linked to it.
    pub(crate) fn is_same(&self, stat: Option<&Stat>) -> bool {
        stat.is_some_and(|stat| self.files.contains(&stat.file()))
    }

    fn add(&mut self, path: &Path) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return self.elsewhere.push(without_links(path));
        };
        let folder = self.folder(parent);
        folder.names.push(name.to_owned());
        match folder.look(name) {
            Some(found) if kind(&found) == FileType::Symlink => {
                self.elsewhere.push(without_links(path));
                self.files.extend(stat(path).ok().as_ref().and_then(file));
            }
            found => self.files.extend(found.as_ref().and_then(file)),
        }
    }

    fn folder(&mut self, named: &Path) -> &mut Folder {
        let known = self.folders.iter().position(|folder| folder.named.as_os_str() == named.as_os_str());
        let at = known.unwrap_or_else(|| {
            let folder = self.find_folder(named);
            self.folders.push(folder);
            self.folders.len() - 1
        });
        &mut self.folders[at]
    }

    /// A folder as it is. One that is not there leads to one that is, in the end to the root.
    fn find_folder(&mut self, named: &Path) -> Folder {
        let (Some(parent), Some(name)) = (named.parent(), named.file_name()) else {
            return Folder::linked(named);
        };
        let above = self.folder(parent);
        let opened =
            above.open.as_ref().map(|above| openat(above, name, PLACE | OFlags::NOFOLLOW, Mode::empty()));
        let (is_there, open) = match opened {
            Some(Ok(open)) => (true, Some(open)),
            Some(Err(Errno::NOENT)) => (false, None),
            // Below what is missing is nothing.
            None if !above.is_there => (false, None),
            // A link, or a folder that cannot be opened.
            _ => return Folder::linked(named),
        };
        let (named, real) = (named.to_owned(), above.real.join(name));
        Folder { is_linked: named != real, named, real, is_there, open, names: Vec::new() }
    }
}

impl Folder {
    /// One that may be reached by links.
    fn linked(named: &Path) -> Self {
        let (named, real) = (named.to_owned(), without_links(named));
        let open = openat(CWD, &real, PLACE, Mode::empty()).ok();
        let is_there = open.is_some() || real.exists();
        Self { is_linked: named != real, named, real, is_there, open, names: Vec::new() }
    }

    /// What is in it under this name. It may be open to those who know a name, and not to those who would list it.
    fn look(&self, name: &OsStr) -> Option<Stat> {
        match &self.open {
            Some(open) => statat(open, name, AtFlags::SYMLINK_NOFOLLOW).ok(),
            None if self.is_there => lstat(self.real.join(name)).ok(),
            None => None,
        }
    }

    fn holds(&self, path: &Path) -> bool {
        let names_it = |rest: &Path| {
            let first = rest.components().next();
            first.is_some_and(|first| self.names.iter().any(|name| name == first.as_os_str()))
        };
        let is_in = |folder: &Path| path.strip_prefix(folder).is_ok_and(names_it);
        !self.names.is_empty() && (is_in(&self.real) || (self.is_linked && is_in(&self.named)))
    }
}

fn kind(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

fn file(found: &Stat) -> Option<(u64, u64)> {
    (kind(found) == FileType::RegularFile).then(|| found.file())
}

/// The path without links, as far as it is there.
fn without_links(path: &Path) -> PathBuf {
    let mut missing: Vec<&OsStr> = Vec::new();
    for ancestor in path.ancestors() {
        if let Ok(real) = fs::canonicalize(ancestor) {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        missing.extend(ancestor.file_name());
    }
    path.to_owned()
}
