//! What servers offered when they were last asked, so that nobody is started to find out.
//!
//! The file has a line with as much of every offer as each run needs, and after it a line for each offer, which nobody reads
//! who does not look at that server.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use candor_protocol::Moment;
use serde::{Deserialize, Serialize};

use crate::file::replace;
use crate::known::{Known, Line, Outline};

/// The form of the file. Another one is not read.
const VERSION: u32 = 2;

/// Room for the first line of most files.
const HEAD_BYTES_USUAL: usize = 64 << 10;

/// What is known, by what each entry runs.
pub(crate) struct Cache {
    file: Option<PathBuf>,
    /// Read when it is first asked. A plain lock: it is held for a look, and while a small file is read or written.
    known: Mutex<Option<Content>>,
}

/// How a server failed when it was last wanted, by whichever process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFailure {
    /// When.
    pub at: Moment,
    /// Why.
    pub reason: String,
}

#[derive(Default)]
struct Content {
    servers: BTreeMap<String, Arc<Known>>,
    failures: BTreeMap<String, LastFailure>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    servers: Vec<Outline>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    failures: BTreeMap<String, LastFailure>,
}

impl Content {
    /// Nothing, where it is of another form or damaged.
    fn read(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        let mut first = Vec::new();
        BufReader::with_capacity(HEAD_BYTES_USUAL, &file).take(size).read_until(b'\n', &mut first).ok()?;
        let head: Head = serde_json::from_slice(&first).ok()?;
        let (file, mut next) = (Arc::new(file), first.len() as u64);
        let known = |outline: Outline| {
            let at = next;
            next = at.checked_add(outline.bytes as u64)?.checked_add(1)?;
            let line = Line::Written(Arc::clone(&file), at);
            Some((outline.hash.clone(), Arc::new(Known::read(outline, line))))
        };
        let servers = head.servers.into_iter().map(known).collect::<Option<_>>()?;
        // No line is longer than the file, so that none is made room for that cannot be there.
        (head.version == VERSION && next <= size).then_some(Self { servers, failures: head.failures })
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let servers = self.servers.values().map(|known| known.outline.clone()).collect();
        let head = Head { version: VERSION, servers, failures: self.failures.clone() };
        let mut content = serde_json::to_vec(&head)?;
        content.push(b'\n');
        for known in self.servers.values() {
            content.extend_from_slice(&known.line()?);
            content.push(b'\n');
        }
        replace(path, &content)
    }
}

impl Cache {
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        Self { file, known: Mutex::new(None) }
    }

    /// What is known of the server with this hash.
    pub(crate) fn get(&self, hash: &str) -> Option<Arc<Known>> {
        self.with(|content| content.servers.get(hash).cloned())
    }

    /// How the server with this hash failed the last time; nothing, where it did not.
    pub(crate) fn failure(&self, hash: &str) -> Option<LastFailure> {
        self.with(|content| content.failures.get(hash).cloned())
    }

    /// Keeps this.
    pub(crate) fn put(&self, now: Known) {
        self.change(|content| drop(content.servers.insert(now.outline.hash.clone(), Arc::new(now))));
    }

    /// Keeps how it failed, or that it did not. Nothing is written when that is no news.
    pub(crate) fn note(&self, hash: &str, failure: Option<String>) {
        match failure {
            Some(reason) => {
                let failure = LastFailure { at: Moment::now(), reason };
                self.change(|content| drop(content.failures.insert(hash.to_owned(), failure)));
            }
            None if self.failure(hash).is_some() => {
                self.change(|content| drop(content.failures.remove(hash)));
            }
            None => {}
        }
    }

    fn with<T>(&self, of: impl FnOnce(&Content) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        of(known.get_or_insert_with(|| self.read()))
    }

    /// A file that cannot be written costs a start the next time, and nothing else.
    fn change(&self, change: impl FnOnce(&mut Content)) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &self.file else {
            change(known.get_or_insert_default());
            return;
        };
        // Another process may have learned something meanwhile.
        let mut content = self.read();
        change(&mut content);
        let _ = content.write(file);
        *known = Some(content);
    }

    fn read(&self) -> Content {
        self.file.as_deref().and_then(Content::read).unwrap_or_default()
    }
}
