//! What servers offered when they were last asked, so that nobody is started to find out.
//!
//! The file has a line with as much of every offer as each run needs, and after it a line for each offer, which nobody reads
//! who does not look at that server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use candor_protocol::Moment;
use serde::{Deserialize, Serialize};

use crate::file::{read_to_string, replace};
use crate::known::{Known, Line, Outline};

/// The form of the file. Another one is not read.
const VERSION: u32 = 2;

/// What is known, by what each entry runs.
pub(crate) struct Cache {
    file: Option<PathBuf>,
    /// Read when it is first asked. A plain lock: it is held for a look, and while a small file is read or written.
    known: Mutex<Option<File>>,
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
struct File {
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

impl File {
    /// Nothing, where it is of another form or damaged.
    fn parse(text: String) -> Option<Self> {
        let text = Arc::new(text);
        let mut start = 0;
        let mut lines = text.split_inclusive('\n').map(|line| {
            let range = start..start + line.len();
            start = range.end;
            Line { text: Arc::clone(&text), range }
        });
        let head: Head = serde_json::from_str(text.get(lines.next()?.range)?).ok()?;
        if head.version != VERSION {
            return None;
        }
        let known =
            |outline: Outline| Some((outline.hash.clone(), Arc::new(Known::read(outline, lines.next()?))));
        let servers = head.servers.into_iter().map(known).collect::<Option<_>>()?;
        Some(Self { servers, failures: head.failures })
    }

    fn to_text(&self) -> String {
        let servers = self.servers.values().map(|known| known.outline.clone()).collect();
        let head = Head { version: VERSION, servers, failures: self.failures.clone() };
        // It is always JSON.
        let mut text = serde_json::to_string(&head).unwrap_or_default();
        for known in self.servers.values() {
            text.push('\n');
            text.push_str(known.line().trim_end());
        }
        text
    }
}

impl Cache {
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        Self { file, known: Mutex::new(None) }
    }

    /// What is known of the server with this hash.
    pub(crate) fn get(&self, hash: &str) -> Option<Arc<Known>> {
        self.with(|file| file.servers.get(hash).cloned())
    }

    /// How the server with this hash failed the last time; nothing, where it did not.
    pub(crate) fn failure(&self, hash: &str) -> Option<LastFailure> {
        self.with(|file| file.failures.get(hash).cloned())
    }

    /// Keeps this.
    pub(crate) fn put(&self, now: Known) {
        self.change(|file| drop(file.servers.insert(now.outline.hash.clone(), Arc::new(now))));
    }

    /// Keeps how it failed, or that it did not. Nothing is written when that is no news.
    pub(crate) fn note(&self, hash: &str, failure: Option<String>) {
        match failure {
            Some(reason) => {
                let failure = LastFailure { at: Moment::now(), reason };
                self.change(|file| drop(file.failures.insert(hash.to_owned(), failure)));
            }
            None if self.failure(hash).is_some() => self.change(|file| drop(file.failures.remove(hash))),
            None => {}
        }
    }

    fn with<T>(&self, of: impl FnOnce(&File) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        of(known.get_or_insert_with(|| self.read()))
    }

    /// A file that cannot be written costs a start the next time, and nothing else.
    fn change(&self, change: impl FnOnce(&mut File)) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &self.file else {
            change(known.get_or_insert_default());
            return;
        };
        // Another process may have learned something meanwhile.
        let mut content = self.read();
        change(&mut content);
        let _ = replace(file, content.to_text().as_bytes());
        *known = Some(content);
    }

    fn read(&self) -> File {
        let text = self.file.as_ref().and_then(|file| read_to_string(file).ok().flatten());
        text.and_then(File::parse).unwrap_or_default()
    }
}
