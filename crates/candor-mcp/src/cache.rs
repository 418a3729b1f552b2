//! What servers offered when they were last asked, so that nobody is started to find out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use candor_protocol::Moment;
use serde::{Deserialize, Serialize};

use crate::file::{read_to_string, replace};
use crate::offer::Offer;

/// The form of the file. Another one is not read.
const VERSION: u32 = 1;

/// What is known, by what each entry runs.
pub(crate) struct Cache {
    file: Option<PathBuf>,
    /// Read when it is first asked. A plain lock: it is held for a look, and while a small file is read or written.
    known: Mutex<Option<File>>,
}

/// What is known of one server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Known {
    pub(crate) offer: Arc<Offer>,
    /// Whether it speaks the protocol without sessions; one that does not is not asked again.
    pub(crate) is_stateless: bool,
}

/// How a server failed when it was last wanted, by whichever process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFailure {
    /// When.
    pub at: Moment,
    /// Why.
    pub reason: String,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    servers: BTreeMap<String, Known>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    failures: BTreeMap<String, LastFailure>,
}

impl Default for File {
    fn default() -> Self {
        Self { version: VERSION, servers: BTreeMap::new(), failures: BTreeMap::new() }
    }
}

impl Cache {
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        Self { file, known: Mutex::new(None) }
    }

    /// What is known of the server with this hash.
    pub(crate) fn get(&self, hash: &str) -> Option<Known> {
        self.with(|file| file.servers.get(hash).cloned())
    }

    /// How the server with this hash failed the last time; nothing, where it did not.
    pub(crate) fn failure(&self, hash: &str) -> Option<LastFailure> {
        self.with(|file| file.failures.get(hash).cloned())
    }

    /// Keeps this.
    pub(crate) fn put(&self, hash: &str, now: Known) {
        self.change(|file| drop(file.servers.insert(hash.to_owned(), now)));
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
        if let Ok(text) = serde_json::to_vec(&content) {
            let _ = replace(file, &text);
        }
        *known = Some(content);
    }

    fn read(&self) -> File {
        let text = self.file.as_ref().and_then(|file| read_to_string(file).ok().flatten());
        let file = text.and_then(|text| serde_json::from_str::<File>(&text).ok());
        file.filter(|file| file.version == VERSION).unwrap_or_default()
    }
}
