//! Keeps what was in files before they were changed.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The longest content that is kept. A file that is longer is data, not text, and a session may change many.
pub const SNAPSHOT_BYTES_MAX: usize = 16 << 20;

/// The most that is kept of all sessions together. The oldest go first; what they belong to can then not be undone.
const KEPT_BYTES_MAX: u64 = 1 << 30;

/// The length of a name: that of a SHA-256 in hexadecimal digits.
const NAME_CHARS: usize = 64;

/// A directory of contents, each under a name that follows from it: the same content is kept once.
#[derive(Debug, Clone)]
pub struct Snapshots {
    directory: PathBuf,
}

impl Snapshots {
    /// Those in this directory, which is made when something is kept for the first time.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The name of a content.
    pub fn name(content: &[u8]) -> String {
        hex::encode(Sha256::digest(content))
    }

    /// Keeps a content and gives its name. Nobody but the owner can read it.
    pub fn keep(&self, content: &[u8]) -> io::Result<String> {
        if content.len() > SNAPSHOT_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let name = Self::name(content);
        let path = self.directory.join(&name);
        if let Ok(kept) = File::open(&path) {
            // It is wanted again, and among the last to go.
            let _ = kept.set_modified(SystemTime::now());
            return Ok(name);
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        fs::set_permissions(&self.directory, Permissions::from_mode(0o700))?;
        let temporary = self.directory.join(format!(".{}", Uuid::now_v7().simple()));
        let kept = put(&temporary, content).and_then(|()| fs::rename(&temporary, &path));
        if kept.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        // One content in 256 is a reason to look how much there is: often enough, and nobody has to remember when.
        if name.starts_with("00") {
            self.sweep(KEPT_BYTES_MAX);
        }
        kept.map(|()| name)
    }

    /// Removes those that were kept the longest ago, until no more than so many bytes are left.
    fn sweep(&self, bytes_max: u64) {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
                Some((metadata.modified().ok()?, metadata.len(), entry.path()))
            })
            .collect();
        kept.sort();
        let mut bytes: u64 = kept.iter().map(|(_, len, _)| len).sum();
        for (_, len, path) in kept {
            if bytes <= bytes_max {
                break;
            }
            // What cannot be removed now is tried again the next time.
            let _ = fs::remove_file(path);
            bytes -= len;
        }
    }

    /// The content of this name, if it is there and is what its name says.
    pub fn content(&self, name: &str) -> io::Result<Vec<u8>> {
        // The name comes from an event and becomes part of a path.
        if name.len() != NAME_CHARS || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a snapshot"));
        }
        let content = fs::read(self.directory.join(name))?;
        if Self::name(&content) == name {
            return Ok(content);
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "the snapshot is damaged"))
    }
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(content)
}

#[cfg(test)]
#[path = "snapshots_tests.rs"]
mod tests;
