//! The path that undo looks at and puts something back at, whatever stands there.
//!
//! The file tools know files only; a command leaves links and pipes as well. What is no file is made under a name beside
//! it and then takes the name, as a file does: whoever looks sees the one or the other. The folder is held open, and must
//! be the one that the path says: no link is followed on the way, and none at the end.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use candor_beneath::{Facts, PLACE, open_anywhere, real_path};
use rustix::fs::{AtFlags, FileType, Mode, readlinkat, renameat, statat, symlinkat, unlinkat};
use rustix::io::Errno;
use uuid::Uuid;

use crate::Error;
use crate::access::Access;
use crate::held::open_in;
use crate::notes::Place;
use crate::snapshots::{SNAPSHOT_BYTES_MAX, Snapshots};
use crate::standing::{Special, Standing, not_made_anew};
use crate::target::{Content, LastLink, NewMode, Target};

/// The one name that tools do not write and undo puts back: where it is no folder it leads git elsewhere, and whoever
/// takes back what a command did to it has git trust what it trusted before.
const GIT: &str = ".git";
/// The most folders that are taken away for what stood in their place.
const FOLDERS_MAX: usize = 1_000;
/// The mode of a pipe of which none is known.
const PIPE_MODE: u32 = 0o600;

/// A path.
pub(crate) struct Spot<'a> {
    access: &'a Access,
    path: &'a Path,
    /// The same, as people write it.
    asked: &'a str,
    name: &'a OsStr,
    parent: &'a Path,
    /// A note is found by a way of its own.
    note: Option<Place>,
}

/// What is at it now.
pub(crate) enum Now {
    Nothing,
    /// Folders are not kept: where one stands, there is no file.
    Folder,
    /// A link is on the way. Nothing is at the path, but nothing can be put there either.
    LedAway,
    /// It, and what it holds, unless that is too long or cannot be read.
    Stands(Standing, Option<Vec<u8>>),
}

/// What is above it.
enum Above {
    Open(OwnedFd),
    Nothing,
    LedAway,
}

/// What is put there.
pub(crate) enum Put<'p> {
    File { content: &'p [u8], mode: Option<u32> },
    Link { text: &'p [u8] },
    Special { special: Special, mode: Option<u32> },
}

impl Now {
    pub(crate) fn standing(&self) -> Option<&Standing> {
        match self {
            Self::Stands(standing, _) => Some(standing),
            Self::Nothing | Self::Folder | Self::LedAway => None,
        }
    }

    fn is_file(&self) -> bool {
        matches!(self.standing(), Some(Standing::File { .. }))
    }
}

impl<'a> Spot<'a> {
    pub(crate) fn new(access: &'a Access, asked: &'a str) -> Result<Self, Error> {
        let path = Path::new(asked);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Error::file(asked, Errno::ISDIR));
        };
        Ok(Self { access, path, asked, name, parent, note: Place::of(path, &access.context) })
    }

    /// How people know it: from the workspace, where it is inside.
    pub(crate) fn shown(&self) -> PathBuf {
        let workspace = std::fs::canonicalize(&self.access.context.workspace).ok();
        let inside = workspace.and_then(|workspace| self.path.strip_prefix(workspace).ok());
        inside.unwrap_or(self.path).to_owned()
    }

    /// Looks at it, if it may be written.
    pub(crate) fn look(&self) -> Result<Now, Error> {
        if let Some(note) = &self.note {
            let target = self.access.note(note)?;
            let content = target.read(SNAPSHOT_BYTES_MAX as u64).map_err(|error| self.failed(error))?;
            let mode = target.old.map(|old| old.permissions());
            return Ok(content.map_or(Now::Nothing, |content| file(content, mode)));
        }
        let folder = match self.above()? {
            Above::Open(folder) => folder,
            Above::Nothing => return Ok(Now::Nothing),
            Above::LedAway => return Ok(Now::LedAway),
        };
        self.beside()?;
        let stat = match statat(&folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => None,
            stat => Some(stat.map_err(|errno| self.failed(errno))?),
        };
        // What is above was judged with what is beside it.
        let judged = if self.name == GIT { Path::new("") } else { Path::new(self.name) };
        self.access.check_write(self.asked, self.path, judged, stat.as_ref())?;
        let Some(stat) = stat else { return Ok(Now::Nothing) };
        let now = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Ok(Now::Folder),
            FileType::RegularFile => self.read(&folder, stat.permissions()),
            FileType::Symlink => readlinkat(&folder, self.name, Vec::new()).map(|text| {
                let standing = Standing::Link { text: Snapshots::name(text.as_bytes()) };
                Now::Stands(standing, Some(text.into_bytes()))
            }),
            kind => Special::of(kind)
                .map(|special| Now::Stands(Standing::Special(special), None))
                .ok_or(Errno::INVAL),
        };
        now.map_err(|errno| self.failed(errno))
    }

    fn read(&self, folder: &OwnedFd, mode: u32) -> Result<Now, Errno> {
        let unknown = || file(Content::TooLong, Some(mode));
        let opened = match open_in(folder, self.name) {
            Ok((opened, _)) => opened,
            Err(Errno::ACCESS) => return Ok(unknown()),
            Err(errno) => return Err(errno),
        };
        let mut bytes = Vec::new();
        let read = opened.take(SNAPSHOT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() > SNAPSHOT_BYTES_MAX {
            return Ok(unknown());
        }
        Ok(file(Content::Bytes(bytes), Some(mode)))
    }

    /// Puts something there in the place of what was looked at.
    pub(crate) fn put(&self, now: &Now, put: &Put<'_>) -> Result<(), Error> {
        if let Now::Folder = now {
            self.clear()?;
        }
        if let (Put::File { content, mode }, Some(target)) = (put, self.target(now)?) {
            let put = target.replace(content, new_mode(*mode));
            return put.map(|_| ()).map_err(|error| self.failed(error));
        }
        let (beside, temporary) = self.beside()?;
        let (content, mode) = match put {
            Put::File { content, mode } => (*content, *mode),
            Put::Link { .. } | Put::Special { .. } => (&b""[..], None),
        };
        // This makes the folders, too.
        let placed = beside.replace(content, new_mode(mode)).map_err(|error| self.failed(error))?;
        let taken = self.take_name(&temporary, put);
        if taken.is_err() {
            let _ = beside.remove(placed.folders);
        }
        taken
    }

    /// Makes of the file beside it what is wanted, and gives that its name.
    fn take_name(&self, temporary: &OsStr, put: &Put<'_>) -> Result<(), Error> {
        let folder = self.folder()?.ok_or_else(|| self.failed(Errno::NOENT))?;
        let anew = |make: &dyn Fn() -> Result<(), Errno>| {
            unlinkat(&folder, temporary, AtFlags::empty()).and_then(|()| make()).map_err(io::Error::from)
        };
        let made = match put {
            Put::File { .. } => Ok(()),
            Put::Link { text } => anew(&|| symlinkat(OsStr::from_bytes(text), &folder, temporary)),
            Put::Special { special: Special::Pipe, mode } => {
                let mode = candor_beneath::mode(mode.unwrap_or(PIPE_MODE) & 0o777);
                anew(&|| make_pipe(&folder, temporary, mode))
            }
            Put::Special { special, .. } => Err(not_made_anew(*special)),
        };
        let named = made.and_then(|()| Ok(renameat(&folder, temporary, &folder, self.name)?));
        named.map_err(|error| self.failed(error))
    }

    /// Removes what was looked at, and as many of the folders above it as are empty then.
    pub(crate) fn remove(&self, now: &Now, folders: u32) -> Result<(), Error> {
        if let Some(target) = self.target(now)? {
            return target.remove(folders).map_err(|error| self.failed(error));
        }
        let (beside, temporary) = self.beside()?;
        let Some(folder) = self.folder()? else { return Ok(()) };
        let moved = renameat(&folder, self.name, &folder, &temporary);
        moved.map_err(|errno| self.failed(errno))?;
        let removed = beside.remove(folders);
        if removed.is_err() {
            // It became something else at this moment.
            let _ = renameat(&folder, &temporary, &folder, self.name);
        }
        removed.map_err(|error| self.failed(error))
    }

    /// A folder that holds nothing but such folders is in the way of what stood there. One that holds anything else
    /// stays, and so does all that is in it.
    fn clear(&self) -> Result<(), Error> {
        let mut folders = vec![self.asked.to_owned()];
        let mut looked = 0;
        while let Some(folder) = folders.get(looked) {
            let inside = self.folders_in(folder, FOLDERS_MAX - folders.len())?;
            folders.extend(inside);
            looked += 1;
        }
        folders.iter().rev().try_for_each(|folder| Spot::new(self.access, folder)?.remove_folder())
    }

    /// The folders in one, if nothing else is in it, and no more than so many.
    fn folders_in(&self, folder: &str, count_max: usize) -> Result<Vec<String>, Error> {
        let entries = std::fs::read_dir(folder).map_err(|error| self.failed(error))?;
        let inside = entries.take(count_max + 1).map(|entry| {
            let path = entry.ok()?.path().into_os_string().into_string().ok()?;
            let now = Spot::new(self.access, &path).and_then(|spot| spot.look());
            matches!(now, Ok(Now::Folder)).then_some(path)
        });
        let inside: Option<Vec<String>> = inside.collect();
        let inside = inside.filter(|inside| inside.len() <= count_max);
        inside.ok_or_else(|| self.failed(io::Error::other("a folder stands there that is not empty")))
    }

    fn remove_folder(&self) -> Result<(), Error> {
        let Some(folder) = self.folder()? else { return Ok(()) };
        unlinkat(&folder, self.name, AtFlags::REMOVEDIR).map_err(|errno| self.failed(errno))
    }

    /// Removes as many of the folders above it as are empty: what was made for a file that somebody else removed.
    pub(crate) fn remove_folders(&self, folders: u32) {
        let above = self.path.ancestors().skip(1).take(folders as usize);
        for folder in above.filter_map(Path::to_str) {
            let Ok(folder) = Spot::new(self.access, folder) else { return };
            // One that is gone may be in one that is not; one that holds something stays.
            let is_gone = match folder.look() {
                Ok(Now::Folder) => folder.remove_folder().is_ok(),
                Ok(Now::Nothing) => true,
                _ => false,
            };
            if !is_gone {
                return;
            }
        }
    }

    /// The file as the file tools know it. Nothing: they do not, as it is no file or none that they write.
    fn target(&self, now: &Now) -> Result<Option<Target>, Error> {
        if let Some(note) = &self.note {
            return self.access.note(note).map(Some);
        }
        if self.name == GIT || (now.standing().is_some() && !now.is_file()) {
            return Ok(None);
        }
        self.straight(self.path).map(Some)
    }

    /// A new file in the same folder, and its name, which nobody can guess.
    fn beside(&self) -> Result<(Target, OsString), Error> {
        let name = OsString::from(format!(".candor-{}", Uuid::now_v7().simple()));
        Ok((self.straight(&self.parent.join(&name))?, name))
    }

    /// A file that may be written, if no link is on the way to it, not even one that stays inside.
    fn straight(&self, path: &Path) -> Result<Target, Error> {
        let target = self.access.target_at(self.asked, path, LastLink::Refuse)?;
        if target.real == path { Ok(target) } else { Err(self.led_away()) }
    }

    /// The folder that it is in. Nothing: that is not there.
    fn folder(&self) -> Result<Option<OwnedFd>, Error> {
        match self.above()? {
            Above::Open(folder) => Ok(Some(folder)),
            Above::Nothing => Ok(None),
            Above::LedAway => Err(self.led_away()),
        }
    }

    fn above(&self) -> Result<Above, Error> {
        let folder = match open_anywhere(self.parent, PLACE) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Above::Nothing),
            opened => opened.map_err(|errno| self.failed(errno))?,
        };
        let real = real_path(&folder).map_err(|errno| self.failed(errno))?;
        Ok(if real == self.parent { Above::Open(folder) } else { Above::LedAway })
    }

    /// A refusal of it.
    pub(crate) fn led_away(&self) -> Error {
        self.access.blocked(self.asked, "a link is on the way to it")
    }

    fn failed(&self, error: impl Into<io::Error>) -> Error {
        Error::file(self.path, error)
    }
}

fn file(content: Content, mode: Option<u32>) -> Now {
    match content {
        Content::Bytes(bytes) => {
            Now::Stands(Standing::File { content: Snapshots::name(&bytes), mode }, Some(bytes))
        }
        // No content has this name.
        Content::TooLong => Now::Stands(Standing::File { content: String::new(), mode }, None),
    }
}

fn new_mode(mode: Option<u32>) -> NewMode {
    mode.map_or(NewMode::Usual, NewMode::Exactly)
}

#[cfg(target_os = "linux")]
fn make_pipe(folder: &OwnedFd, name: &OsStr, mode: Mode) -> Result<(), Errno> {
    rustix::fs::mknodat(folder, name, FileType::Fifo, mode, 0)
}

/// Here a pipe is made only by its whole path, which somebody may have changed meanwhile.
#[cfg(not(target_os = "linux"))]
fn make_pipe(_: &OwnedFd, _: &OsStr, _: Mode) -> Result<(), Errno> {
    Err(Errno::NOTSUP)
}
