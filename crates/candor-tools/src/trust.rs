//! What a person trusts of what a folder brings along.
//!
//! A repository can name programs to start and words for the model to follow. Neither counts before a person has said so,
//! once, of exactly that content in exactly that folder: after a change it has to be said again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use candor_protocol::Moment;
use serde::{Deserialize, Serialize};

use crate::Snapshots;

/// The largest file of trust that is read: thousands of entries.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// What can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A skill.
    Skill,
    /// An MCP server.
    McpServer,
    /// A file of hooks.
    Hooks,
}

impl Kind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::McpServer => "MCP server",
            Self::Hooks => "hooks",
        }
    }
}

/// Something that a folder brings along.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Brought {
    /// What it is.
    pub kind: Kind,
    /// The folder that brings it: the same words run something else elsewhere.
    pub folder: PathBuf,
    /// What it is called there.
    pub name: String,
    /// What tells its content from any other.
    pub hash: String,
}

/// What was trusted, and when.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Trusted {
    #[serde(flatten)]
    what: Brought,
    at: Moment,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    #[serde(default)]
    trusted: Vec<Trusted>,
}

/// What a person trusts, in a file.
#[derive(Debug)]
pub struct Trust {
    path: PathBuf,
    /// A plain lock: it is held for a look, or while one small file is read.
    read: Mutex<Option<(Stamp, BTreeMap<Brought, Moment>)>>,
}

type Stamp = Option<(SystemTime, u64)>;

impl Trust {
    /// What this file says. One that is missing or broken trusts nothing.
    pub fn new(path: PathBuf) -> Self {
        Self { path, read: Mutex::new(None) }
    }

    /// Whether a person has trusted exactly this.
    pub fn has(&self, what: &Brought) -> bool {
        self.with(|trusted| trusted.contains_key(what))
    }

    /// Trusts it. What was trusted before under the same name is forgotten.
    pub fn add(&self, what: Brought) -> io::Result<()> {
        self.change(|trusted| {
            trusted.retain(|other, _| !is_same(other, &what));
            trusted.insert(what, Moment::now());
        })
    }

    /// Trusts it no longer, whatever its content was.
    pub fn remove(&self, what: &Brought) -> io::Result<()> {
        self.change(|trusted| trusted.retain(|other, _| !is_same(other, what)))
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<Brought, Moment>)) -> io::Result<()> {
        let mut trusted = self.with(Clone::clone);
        change(&mut trusted);
        let trusted = trusted.into_iter().map(|(what, at)| Trusted { what, at }).collect();
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, &File { trusted })?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    fn with<T>(&self, of: impl FnOnce(&BTreeMap<Brought, Moment>) -> T) -> T {
        let metadata = fs::metadata(&self.path).ok().filter(fs::Metadata::is_file);
        let stamp: Stamp = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match &*read {
            Some((known, trusted)) if *known == stamp => of(trusted),
            _ => of(&read.insert((stamp, self.load(stamp))).1),
        }
    }

    fn load(&self, stamp: Stamp) -> BTreeMap<Brought, Moment> {
        let fits = stamp.is_some_and(|(_, bytes)| bytes <= FILE_BYTES_MAX);
        let text = fits.then(|| fs::read_to_string(&self.path).ok()).flatten().unwrap_or_default();
        let file: File = serde_json::from_str(&text).unwrap_or_default();
        file.trusted.into_iter().map(|trusted| (trusted.what, trusted.at)).collect()
    }
}

fn is_same(one: &Brought, other: &Brought) -> bool {
    (one.kind, &one.folder, &one.name) == (other.kind, &other.folder, &other.name)
}

/// What tells a content from any other: of several pieces, each with its length, so that none can be moved into another.
pub fn content_hash<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut all = Vec::new();
    for piece in pieces {
        all.extend((piece.len() as u64).to_le_bytes());
        all.extend(piece);
    }
    Snapshots::name(&all)
}
