//! The one place where a file is put, replaced or removed.
//!
//! The directory that may be written is held open, and every path is resolved beneath it by the kernel, so that no
//! link, `..` or rename leads out. The text goes into a new file next to the old one, which then takes its name: a
//! reader sees the old text or the new one, and another name that was linked to the old file keeps the old text.
//! Finding the place changes nothing: folders that it needs are made when it is written.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use candor_beneath::{Facts, Links, PLACE, open, open_anywhere, real_path};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, fchmod, fchown, mkdirat, openat, readlinkat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};
use uuid::Uuid;

use crate::access::Access;
use crate::held::{no_workspace, open_in, refuse_special};
use crate::notes::{Notes, Place, Scope};
use crate::{Error, Permission};

/// What a new file may be, before the user's own mask.
const NEW_FILE_MODE: u32 = 0o666;
const NEW_EXECUTABLE_MODE: u32 = 0o777;
const NEW_DIRECTORY_MODE: u32 = 0o777;
/// What is kept of the mode of a file that is written anew: not the bits that lend its owner's rights.
const KEPT_MODE: u32 = 0o777;
/// How many links one path may lead over, as in the kernel.
const LINKS_MAX: usize = 40;

/// What becomes of a link in the last place of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLink {
    /// The file that it means is written, and the link stays.
    Follow,
    /// The link is not a file.
    Refuse,
}

/// The mode of what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewMode {
    /// That of the old file, or what is usual.
    Usual,
    /// The same, but executable or not.
    Executable(bool),
    /// This.
    Exactly(u32),
}

/// Where a file is or will be.
pub(crate) struct Target {
    /// The folder that it is in, or the last one on the way that is there.
    directory: OwnedFd,
    /// The path of that under which the kernel knew it.
    directory_path: PathBuf,
    /// The folders below that must be made.
    missing: Vec<OsString>,
    name: OsString,
    /// The file that is there already.
    pub(crate) old: Option<Stat>,
    /// The whole path, without links.
    pub(crate) real: PathBuf,
    /// The path as people know it: from the workspace, where it is inside.
    pub(crate) shown: PathBuf,
}

/// Where paths may lead.
enum Bounds {
    Beneath { root: OwnedFd, real: PathBuf },
    Anywhere,
}

impl Access {
    /// Finds a file that may be written.
    pub(crate) fn target(&self, asked: &str, last: LastLink) -> Result<Target, Error> {
        let path = self.path(asked)?;
        if asked.ends_with('/') {
            return Err(Error::file(asked, Errno::ISDIR));
        }
        self.target_at(asked, &path, last)
    }

    /// The same for a path of the host.
    pub(crate) fn target_at(&self, asked: &str, path: &Path, last: LastLink) -> Result<Target, Error> {
        let (bounds, below) = self.bounds(asked, path)?;
        let found = bounds.find(&below, last).map_err(|errno| match errno {
            Errno::LOOP if rustix::fs::stat(path).is_err_and(|why| why == Errno::LOOP) => {
                Error::file(asked, errno)
            }
            Errno::XDEV | Errno::LOOP => self.blocked(asked, "the path leads out of where files are written"),
            Errno::NOTDIR => {
                let reason = "a file stands on the way, where a folder is needed";
                Error::file(asked, io::Error::new(io::ErrorKind::NotADirectory, reason))
            }
            errno => Error::file(asked, errno),
        })?;
        let (shown, relative) = self.shown(&found.real, &bounds);
        let target = Target { shown, ..found };
        self.check_write(asked, &target.real, &relative, target.old.as_ref())?;
        if let Some(stat) = &target.old {
            refuse_special(Path::new(asked), stat)?;
        }
        Ok(target)
    }

    /// Finds the file of a note. It is below what no file tool may write, and Candor's home is hidden from them: so nothing
    /// but a note can be found here, and only where no link is on the way.
    pub(crate) fn note(&self, place: &Place) -> Result<Target, Error> {
        let asked = place.path();
        let root = open_anywhere(&place.root, PLACE).map_err(|errno| Error::file(&asked, errno))?;
        let real = real_path(&root).map_err(|errno| Error::file(&asked, errno))?;
        let wanted = real.join(&place.below);
        let bounds = Bounds::Beneath { root, real };
        let blocked = || self.blocked(&asked.display().to_string(), "a link is on the way to the note");
        let found = bounds.find(&place.below, LastLink::Refuse).map_err(|errno| match errno {
            Errno::XDEV | Errno::LOOP => blocked(),
            errno => Error::file(&asked, errno),
        })?;
        if found.real != wanted {
            return Err(blocked());
        }
        if place.scope == Scope::Workspace && !self.is_in_home(&found.real) {
            self.check_read(&asked.display().to_string(), &found.real, found.old.as_ref())?;
        }
        if let Some(stat) = &found.old {
            refuse_special(&asked, stat)?;
        }
        let (shown, _) = self.shown(&found.real, &bounds);
        Ok(Target { shown, ..found })
    }

    /// Whether a note of the workspace is one of the home's as well: a person may work where Candor's home is.
    fn is_in_home(&self, note: &Path) -> bool {
        let home = Notes::of(&self.context).folder(Scope::Home);
        home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| note.parent() == Some(&home))
    }

    /// The directory that the path is beneath by its words, and the path from there; what the words really mean is
    /// found out beneath that directory.
    fn bounds(&self, asked: &str, path: &Path) -> Result<(Bounds, PathBuf), Error> {
        if path.file_name().is_none() {
            return Err(Error::file(asked, Errno::ISDIR));
        }
        let workspace = &self.context.workspace;
        if self.context.rules.permission == Permission::Full {
            return Ok((Bounds::Anywhere, path.to_owned()));
        }
        let temp = self.context.walls.temp().map(Path::to_owned);
        for root in std::iter::once(workspace).chain(&self.context.rules.writable).chain(&temp) {
            let directory = match open_anywhere(root, PLACE) {
                Err(Errno::NOENT) if root == workspace => return Err(no_workspace(workspace)),
                Err(_) if root != workspace => continue,
                opened => opened.map_err(|errno| Error::file(root, errno))?,
            };
            let real = real_path(&directory).map_err(|errno| Error::file(root, errno))?;
            let inside = path.strip_prefix(root).or_else(|_| path.strip_prefix(&real)).ok();
            let inside = inside.or_else(|| below_alias(path, &real));
            if let Some(relative) = inside.filter(|relative| goes_down(relative)) {
                return Ok((Bounds::Beneath { root: directory, real }, relative.to_owned()));
            }
        }
        Err(self.blocked(asked, "files are written in the workspace only"))
    }

    /// How people know it, and the path from the directory that holds it.
    fn shown(&self, real: &Path, bounds: &Bounds) -> (PathBuf, PathBuf) {
        let workspace = std::fs::canonicalize(&self.context.workspace).ok();
        let inside = workspace.and_then(|workspace| real.strip_prefix(workspace).ok().map(Path::to_owned));
        match (inside, bounds) {
            (Some(inside), _) => (inside.clone(), inside),
            (None, Bounds::Beneath { real: root, .. }) => {
                (self.context.walls.seen_path(real), real.strip_prefix(root).unwrap_or(real).to_owned())
            }
            (None, Bounds::Anywhere) => (real.to_owned(), real.to_owned()),
        }
    }
}

/// The path from a directory that it names in another way: over links that lead to it from outside. What is below is not
/// looked at here.
pub(crate) fn below_alias<'p>(path: &'p Path, real: &Path) -> Option<&'p Path> {
    let is_it = |above: &&Path| {
        // Not over the kernel's own links, which have nothing to do with the path.
        let opened = open_anywhere(above, PLACE).and_then(|above| real_path(&above));
        opened.is_ok_and(|above| above == real)
    };
    // The outermost name counts: a link inside that leads back to the directory is a part of the rest.
    let named = path.ancestors().filter(is_it).last()?;
    path.strip_prefix(named).ok()
}

/// Whether a path never goes above where it began, by its words.
fn goes_down(path: &Path) -> bool {
    let depth = path.components().try_fold(0_usize, |depth, component| match component {
        Component::Normal(_) => Some(depth + 1),
        Component::ParentDir => depth.checked_sub(1),
        _ => Some(depth),
    });
    depth.is_some()
}

impl Bounds {
    fn directory(&self, path: &Path) -> Result<OwnedFd, Errno> {
        match self {
            Self::Beneath { root, .. } => {
                let path = Path::new(".").join(path);
                open(root, &path, PLACE, Mode::empty(), Links::Inside)
            }
            Self::Anywhere => open_anywhere(path, PLACE),
        }
    }

    /// Finds the place, one link after the other: each is read from the folder that is held, and what it says is
    /// resolved anew from the start.
    fn find(&self, path: &Path, last: LastLink) -> Result<Target, Errno> {
        let mut path = path.to_owned();
        for _ in 0..LINKS_MAX {
            let name = path.file_name().ok_or(Errno::ISDIR)?;
            let (directory, missing) = self.existing(path.parent().unwrap_or(Path::new("")))?;
            let directory_path = real_path(&directory)?;
            let old = match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if missing.is_empty() => Some(stat),
                Ok(_) | Err(Errno::NOENT) => None,
                Err(errno) => return Err(errno),
            };
            let is_link = old.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
            if is_link && last == LastLink::Follow {
                let text = readlinkat(&directory, name, Vec::new())?;
                path = self.linked(&directory_path, Path::new(&OsString::from_vec(text.into_bytes())))?;
                continue;
            }
            self.inside(&directory_path)?;
            let real = missing.iter().fold(directory_path.clone(), |path, name| path.join(name)).join(name);
            let name = name.to_owned();
            return Ok(Target { directory, directory_path, missing, name, old, real, shown: PathBuf::new() });
        }
        Err(Errno::LOOP)
    }

    /// The last folder on the way that is there, and those that are not.
    fn existing(&self, path: &Path) -> Result<(OwnedFd, Vec<OsString>), Errno> {
        let mut missing = Vec::new();
        let mut path = path;
        loop {
            match self.directory(path) {
                Err(Errno::NOENT) => {
                    missing.insert(0, path.file_name().ok_or(Errno::NOENT)?.to_owned());
                    path = path.parent().ok_or(Errno::NOENT)?;
                }
                Err(errno) => return Err(errno),
                Ok(directory) => {
                    // A link that leads nowhere is there, and no folder can be made in its place.
                    let first =
                        missing.first().map(|name| statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW));
                    return match first {
                        None | Some(Err(Errno::NOENT)) => Ok((directory, missing)),
                        Some(Ok(_)) => Err(Errno::NOENT),
                        Some(Err(errno)) => Err(errno),
                    };
                }
            }
        }
    }

    /// The path that a link in this folder means.
    fn linked(&self, directory: &Path, text: &Path) -> Result<PathBuf, Errno> {
        match self {
            Self::Anywhere => Ok(directory.join(text)),
            Self::Beneath { .. } if text.is_absolute() => Err(Errno::XDEV),
            Self::Beneath { .. } => Ok(self.inside(directory)?.join(text)),
        }
    }

    fn inside<'p>(&self, directory: &'p Path) -> Result<&'p Path, Errno> {
        match self {
            Self::Anywhere => Ok(directory),
            Self::Beneath { real, .. } => directory.strip_prefix(real).map_err(|_| Errno::XDEV),
        }
    }
}

impl Target {
    /// What is in the file, where there is one; nothing in its place where that is longer than this.
    pub(crate) fn read(&self, bytes_max: u64) -> io::Result<Option<Content>> {
        if self.old.is_none() {
            return Ok(None);
        }
        let (file, stat) = match open_in(&self.directory, &self.name) {
            Err(Errno::NOENT) => return Ok(None),
            opened => opened?,
        };
        if u64::try_from(stat.st_size).unwrap_or(0) > bytes_max {
            return Ok(Some(Content::TooLong));
        }
        let mut bytes = Vec::new();
        file.take(bytes_max + 1).read_to_end(&mut bytes)?;
        Ok(Some(if bytes.len() as u64 > bytes_max { Content::TooLong } else { Content::Bytes(bytes) }))
    }

    /// Puts a new file in the place of the old one.
    pub(crate) fn replace(&self, content: &[u8], mode: NewMode) -> io::Result<Placed> {
        self.stayed()?;
        let mut directory = self.directory.try_clone()?;
        let mut folders = 0;
        let put = self
            .make_folders(&mut directory, &mut folders)
            .and_then(|()| self.put(&directory, content, mode));
        if put.is_err() {
            let _ = prune(directory, folders);
        }
        put.map(|mode| Placed { folders, mode })
    }

    /// Removes the file, and as many of the folders above it as are empty then.
    pub(crate) fn remove(&self, folders: u32) -> io::Result<()> {
        self.stayed()?;
        let mut directory = self.directory.try_clone()?;
        for name in &self.missing {
            directory = openat(&directory, name, PLACE | OFlags::NOFOLLOW, Mode::empty())?;
        }
        unlinkat(&directory, &self.name, AtFlags::empty())?;
        // A folder that holds something else by now stays.
        let _ = prune(directory, folders);
        Ok(())
    }

    /// Whether the folder is still where it was when the rules were asked about it.
    fn stayed(&self) -> io::Result<()> {
        if real_path(&self.directory)? == self.directory_path {
            return Ok(());
        }
        Err(io::Error::other("its folder was moved at the same moment"))
    }

    /// Goes down to the folder of the file and makes those that are missing, counting them.
    fn make_folders(&self, directory: &mut OwnedFd, made: &mut u32) -> io::Result<()> {
        for name in &self.missing {
            match mkdirat(&*directory, name, candor_beneath::mode(NEW_DIRECTORY_MODE)) {
                Ok(()) => *made += 1,
                Err(Errno::EXIST) => *made = 0,
                Err(errno) => return Err(errno.into()),
            }
            *directory = openat(&*directory, name, PLACE | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Ok(())
    }

    fn put(&self, directory: &OwnedFd, content: &[u8], mode: NewMode) -> io::Result<u32> {
        // A name that cannot be guessed, and that must not be there: nobody can have put a link in its place.
        let temporary = format!(".candor-{}", Uuid::now_v7().simple());
        let new = match mode {
            NewMode::Executable(true) => NEW_EXECUTABLE_MODE,
            _ => NEW_FILE_MODE,
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(directory, &temporary, flags, candor_beneath::mode(new))?;
        let written = self.fill(file, content, mode).and_then(|mode| {
            renameat(directory, &temporary, directory, OsStr::new(&self.name))?;
            Ok(mode)
        });
        if written.is_err() {
            let _ = unlinkat(directory, &temporary, AtFlags::empty());
        }
        written
    }

    /// Fills the new file, and says which mode it has.
    fn fill(&self, file: OwnedFd, content: &[u8], mode: NewMode) -> io::Result<u32> {
        if let Some(old) = &self.old {
            // Only root can give a file away, and only root needs to: another's file stays another's.
            let _ = fchown(&file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
        }
        let old = self.old.map(|old| old.permissions() & KEPT_MODE);
        let wanted = match (mode, old) {
            (NewMode::Exactly(mode), _) => Some(mode & KEPT_MODE),
            (NewMode::Usual, old) => old,
            // Whoever may read it may run it.
            (NewMode::Executable(true), Some(old)) => Some(old | (old & 0o444) >> 2),
            (NewMode::Executable(false), Some(old)) => Some(old & !0o111),
            (NewMode::Executable(_), None) => None,
        };
        if let Some(wanted) = wanted {
            fchmod(&file, candor_beneath::mode(wanted))?;
        }
        let mut file = File::from(file);
        file.write_all(content)?;
        Ok(file.metadata()?.mode() & 0o7777)
    }
}

/// Removes a folder and those above it, so many of them, as long as they are empty.
fn prune(mut directory: OwnedFd, folders: u32) -> io::Result<()> {
    for _ in 0..folders {
        let path = real_path(&directory)?;
        // What is above an open folder is asked of the folder, not of a path.
        let above = openat(&directory, "..", PLACE, Mode::empty())?;
        if path.parent() != Some(real_path(&above)?.as_path()) {
            break;
        }
        unlinkat(&above, path.file_name().unwrap_or_default(), AtFlags::REMOVEDIR)?;
        directory = above;
    }
    Ok(())
}

/// A file that was put in its place.
#[derive(Debug)]
pub(crate) struct Placed {
    /// How many of the folders above it were made for it.
    pub(crate) folders: u32,
    pub(crate) mode: u32,
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Bytes(Vec<u8>),
    /// More than was asked for.
    TooLong,
}
