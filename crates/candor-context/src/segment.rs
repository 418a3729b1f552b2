//! A segment: which folder it is, and in what state.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::error::{Error, Remedy};
use crate::hash::sha256;
use crate::pack::Pack;

/// The configuration of a segment, from its folder. A folder that has it is a segment.
pub const CONFIG_PATH: &str = "_ctx/candor_config.json";

/// The folder of a segment for all that belongs to it.
pub(crate) const CTX: &str = "_ctx";

/// How much of a folder's name is in its id.
const SLUG_CHARS_MAX: usize = 40;
/// How much of the hash of a folder's path is in its id: enough to tell the folders of one person apart.
const FINGERPRINT_CHARS: usize = 8;
/// The longest id that is taken from a file.
const ID_BYTES_MAX: usize = 100;

/// A folder that is, or may become, a segment.
#[derive(Debug, Clone)]
pub struct Segment {
    root: PathBuf,
    shown: String,
    own_id: String,
}

/// A segment that was found initialized, with its prime file in place.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) config: Config,
}

impl Segment {
    /// Finds the folder. It is never made.
    pub fn locate(dir: &Path) -> Result<Self, Error> {
        let invalid = |path: &Path, remedy, reason: &str| Error::InvalidPath {
            path: path.to_owned(),
            reason: reason.to_owned(),
            remedy,
        };
        let wrong = |reason: &str| invalid(dir, Remedy::NameAnother, reason);
        let absolute = std::path::absolute(dir).map_err(Error::io(dir))?;
        let root = match absolute.canonicalize() {
            Ok(root) => root,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(invalid(&absolute, Remedy::Make, "there is no such folder"));
            }
            Err(source) => return Err(invalid(&absolute, Remedy::NameAnother, &source.to_string())),
        };
        if !root.is_dir() {
            return Err(invalid(&root, Remedy::NameAnother, "it is not a folder"));
        }
        let Some(name) = root.file_name() else {
            return Err(wrong("it is the root of the file system, not the folder of a project"));
        };
        let Some(shown) = root.to_str() else {
            return Err(wrong("its path is not UTF-8, which a pack cannot hold"));
        };
        let fingerprint = sha256(shown.as_bytes());
        let own_id = format!("{}_{}", slug(&name.to_string_lossy()), &fingerprint[..FINGERPRINT_CHARS]);
        fs::read_dir(&root).map_err(Error::io(&root))?;
        Ok(Self { shown: shown.to_owned(), own_id, root })
    }

    /// The folder, absolute and without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The id that a segment in this folder gets when it is created: the folder's name, and which folder it is.
    pub fn own_id(&self) -> &str {
        &self.own_id
    }

    /// The folder's path, as it is shown.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    pub(crate) fn ctx(&self) -> PathBuf {
        self.root.join(CTX)
    }

    pub(crate) fn config_path(&self) -> PathBuf {
        self.root.join(CONFIG_PATH)
    }

    pub(crate) fn pack_path(&self) -> PathBuf {
        self.ctx().join("context_pack.json")
    }

    pub(crate) fn index_path(&self) -> PathBuf {
        self.ctx().join("index.db")
    }

    pub(crate) fn lock_path(&self) -> PathBuf {
        self.ctx().join("lock")
    }

    pub(crate) fn prime_path(&self, id: &str) -> PathBuf {
        self.ctx().join(prime_name(id))
    }

    /// Finds out in what state it is. Every command asks here, so that the same state is the same card everywhere.
    pub(crate) fn open(&self) -> Result<Opened, Error> {
        self.check_ctx()?;
        let config = Config::read(self)?.ok_or_else(|| Error::NotInitialized { path: self.root.clone() })?;
        let prime = self.prime_path(&config.segment);
        match fs::symlink_metadata(&prime) {
            Ok(found) if found.is_file() => Ok(Opened { config }),
            Ok(_) => Err(Error::Io { path: prime, source: ErrorKind::IsADirectory.into() }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(Error::PrimeMissing { path: self.root.clone(), segment: config.segment })
            }
            Err(source) => Err(Error::Io { path: prime, source }),
        }
    }

    /// The pack of a segment that is in order.
    pub(crate) fn packed(&self) -> Result<(Opened, Pack), Error> {
        let opened = self.open()?;
        let pack = Pack::read(self)?.ok_or_else(|| Error::PackMissing { path: self.root.clone() })?;
        Ok((opened, pack))
    }

    /// Whether `_ctx` is a folder of this segment, or not there.
    pub(crate) fn check_ctx(&self) -> Result<(), Error> {
        let path = self.ctx();
        let reason = match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => return Ok(()),
            Ok(found) if found.is_symlink() => "it is a link, which may lead out of the segment",
            Ok(_) => "it is not a folder",
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(Error::Io { path, source }),
        };
        Err(Error::InvalidPath { path, reason: reason.to_owned(), remedy: Remedy::MoveAway })
    }
}

/// The name of the reading list of a segment.
pub(crate) fn prime_name(id: &str) -> String {
    format!("prime_{id}.md")
}

/// Whether a text from a file can be a segment's id: it becomes a part of a file's name.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !text.is_empty() && text.len() <= ID_BYTES_MAX && text.bytes().all(plain)
}

/// A folder's name in small letters, digits and underscores.
fn slug(name: &str) -> String {
    let words: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug: String = words.join("_").to_ascii_lowercase().chars().take(SLUG_CHARS_MAX).collect();
    if slug.is_empty() { "segment".to_owned() } else { slug }
}
