//! Where notes are, and what is in them.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use candor_beneath::{self as beneath, Links, open_anywhere};
use rustix::fs::{FileType, FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::{NOTE_BYTES_MAX, NOTES_MAX};
use crate::ToolContext;
use crate::held::open_in;
use crate::walk::entries;

/// Below a workspace, and below Candor's home.
const IN_WORKSPACE: &str = ".candor/notes";
const IN_HOME: &str = "notes";
const ENDING: &str = ".md";

const NAME_BYTES_MAX: usize = 64;
/// How much of a note's first line is listed.
const HEAD_CHARS_MAX: usize = 80;
const HEAD_BYTES_MAX: u64 = 1024;
/// The most that the prompt says of them: it is paid for with every request.
const LINE_BYTES_MAX: usize = 480;
/// How long another process is waited for, which needs a few milliseconds, and how often is looked.
const LOCK_WAIT: Duration = Duration::from_secs(5);
const LOCK_POLL: Duration = Duration::from_millis(5);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// For whom a note holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// For the work in this folder.
    Workspace,
    /// For everything that the person does.
    Home,
}

impl Scope {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Home => "home",
        }
    }
}

/// The notes of a workspace, and those of the person.
#[derive(Debug, Clone)]
pub struct Notes {
    workspace: PathBuf,
    home: Option<PathBuf>,
}

/// A note, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its name, without an ending.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// When it was last changed.
    pub modified: Option<SystemTime>,
    /// The start of its first line.
    pub head: String,
}

/// What is in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    /// The text, or as much of it as a note may hold.
    pub text: String,
    /// How long the whole of it is.
    pub bytes: u64,
}

/// Where one note is or will be.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) scope: Scope,
    /// A folder that is there, and the way from it to the note, on which there is no link.
    pub(crate) root: PathBuf,
    pub(crate) below: PathBuf,
}

impl Place {
    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(&self.below)
    }

    /// The place of the note that is this file; nothing, where it is none.
    pub(crate) fn of(path: &Path, context: &ToolContext) -> Option<Self> {
        let name = path.file_name().and_then(note_name)?;
        let notes = Notes::of(context);
        notes.scopes().into_iter().find_map(|scope| {
            let place = notes.place(scope, name)?;
            let real = place.root.canonicalize().ok()?.join(&place.below);
            (real == path).then_some(place)
        })
    }
}

impl Notes {
    /// Those of this workspace and of this home of Candor's.
    pub fn new(workspace: PathBuf, home: Option<PathBuf>) -> Self {
        Self { workspace, home }
    }

    pub(crate) fn of(context: &ToolContext) -> Self {
        Self::new(context.workspace.clone(), context.rules.home.clone())
    }

    /// Where notes can be, nearest first. A workspace that holds Candor's home has the same folder for both.
    pub fn scopes(&self) -> Vec<Scope> {
        let mut scopes = vec![Scope::Workspace];
        let home = self.folder(Scope::Home);
        if home.is_some() && home != self.folder(Scope::Workspace) {
            scopes.push(Scope::Home);
        }
        scopes
    }

    /// The folder, be it there or not.
    pub fn folder(&self, scope: Scope) -> Option<PathBuf> {
        self.root(scope).map(|(root, below)| root.join(below))
    }

    fn root(&self, scope: Scope) -> Option<(&Path, &'static str)> {
        match scope {
            Scope::Workspace => Some((&self.workspace, IN_WORKSPACE)),
            Scope::Home => self.home.as_deref().map(|home| (home, IN_HOME)),
        }
    }

    pub(crate) fn place(&self, scope: Scope, name: &str) -> Option<Place> {
        let (root, below) = self.root(scope)?;
        let below = Path::new(below).join(format!("{name}{ENDING}"));
        Some(Place { scope, root: root.to_owned(), below })
    }

    /// The names of the notes, in their order. What is no note by its name or its kind is left out.
    pub fn names(&self, scope: Scope) -> io::Result<Vec<String>> {
        let folder = self.open(scope)?;
        Ok(folder.as_ref().map(names_in).unwrap_or_default())
    }

    /// The notes, in the order of their names.
    pub fn list(&self, scope: Scope) -> io::Result<Vec<Note>> {
        let Some(folder) = self.open(scope)? else { return Ok(Vec::new()) };
        Ok(names_in(&folder).into_iter().filter_map(|name| listed(&folder, name)).collect())
    }

    /// What a note says; nothing, where there is none of this name.
    pub fn read(&self, scope: Scope, name: &str) -> io::Result<Option<NoteText>> {
        let Some(folder) = self.open(scope)?.filter(|_| is_name(name)) else { return Ok(None) };
        let (file, stat) = match open_in(&folder, OsStr::new(&format!("{name}{ENDING}"))) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(io::Error::other("it is a link, not a note")),
            Err(Errno::INVAL) => return Err(io::Error::other("it is no file")),
            opened => opened?,
        };
        let mut bytes = Vec::new();
        file.take(NOTE_BYTES_MAX as u64).read_to_end(&mut bytes)?;
        let no_text = || io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8");
        if bytes.contains(&0) {
            return Err(no_text());
        }
        // The end of what was read may go through a character.
        let whole = match str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_some() => return Err(no_text()),
            Err(error) => error.valid_up_to(),
            Ok(_) => bytes.len(),
        };
        bytes.truncate(whole);
        let text = String::from_utf8(bytes).map_err(|_| no_text())?;
        let read = text.len() as u64;
        Ok(Some(NoteText { text, bytes: u64::try_from(stat.st_size).unwrap_or(0).max(read) }))
    }

    /// What a model is told of them at first: their names, as many as fit. Nothing where there are none.
    pub fn line(&self) -> Option<String> {
        let mut parts = Vec::new();
        let mut left = LINE_BYTES_MAX;
        for scope in self.scopes() {
            let names = self.names(scope).unwrap_or_default();
            if names.is_empty() {
                continue;
            }
            let mut part = match scope {
                Scope::Workspace => String::new(),
                Scope::Home => "in home: ".to_owned(),
            };
            // Room for the number of those that do not fit, and for the home's after the workspace's.
            let room = left.saturating_sub(part.len() + ", and 200 more; ".len());
            let mut used = 0;
            let fit = names.iter().take_while(|name| {
                used += name.len() + 2;
                used <= room
            });
            let shown: Vec<&str> = fit.map(String::as_str).collect();
            part.push_str(&shown.join(", "));
            if shown.len() < names.len() {
                // Writing into a string cannot fail.
                let _ = write!(part, ", and {} more", names.len() - shown.len());
            }
            left = left.saturating_sub(part.len() + 2);
            parts.push(part);
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The folder, open; nothing where it is not there. No link on the way is followed: it could lead to any folder.
    fn open(&self, scope: Scope) -> io::Result<Option<OwnedFd>> {
        let Some((root, below)) = self.root(scope) else { return Ok(None) };
        let opened = open_anywhere(root, FOLDER)
            .and_then(|root| beneath::open(&root, Path::new(below), FOLDER, Mode::empty(), Links::Never));
        match opened {
            Ok(folder) => Ok(Some(folder)),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::XDEV) => {
                Err(io::Error::other("a link stands on the way to the folder of notes, and is not followed"))
            }
            Err(errno) => Err(errno.into()),
        }
    }

    /// Keeps other processes from changing notes until it is dropped. What is locked is the folder above, which is there
    /// before the first note is.
    pub(crate) fn lock(&self, scope: Scope) -> io::Result<Option<OwnedFd>> {
        let Some((root, _)) = self.root(scope) else { return Ok(None) };
        let root = open_anywhere(root, FOLDER)?;
        let since = Instant::now();
        loop {
            match flock(&root, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(root)),
                Err(Errno::WOULDBLOCK | Errno::INTR) if since.elapsed() < LOCK_WAIT => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    return Err(io::Error::other("another process has been writing notes for too long"));
                }
                // A file system without locks is no reason to have no notes.
                Err(_) => return Ok(None),
            }
        }
    }
}

/// Whether a text can be the name of a note: it becomes the name of a file, and stands in the prompt.
pub(crate) fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.len() <= NAME_BYTES_MAX
        && text.bytes().all(is_plain)
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// The name of the note that a file of this name is.
fn note_name(file: &OsStr) -> Option<&str> {
    file.to_str()?.strip_suffix(ENDING).filter(|name| is_name(name))
}

fn names_in(folder: &OwnedFd) -> Vec<String> {
    let files = entries(folder).into_iter().filter(|(_, kind)| *kind == FileType::RegularFile);
    let mut names: Vec<String> = files.filter_map(|(file, _)| note_name(&file).map(str::to_owned)).collect();
    names.truncate(NOTES_MAX);
    names
}

fn listed(folder: &OwnedFd, name: String) -> Option<Note> {
    let (file, stat) = open_in(folder, OsStr::new(&format!("{name}{ENDING}"))).ok()?;
    let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
    let mut head = Vec::new();
    BufReader::new(file.take(HEAD_BYTES_MAX)).read_until(b'\n', &mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let head = head.trim_start_matches(['#', ' ']).trim().chars().filter(|c| !c.is_control());
    let head = head.take(HEAD_CHARS_MAX).collect();
    Some(Note { name, bytes: u64::try_from(stat.st_size).unwrap_or(0), modified, head })
}
