//! What servers offered when they were last asked, so that nobody is started to find out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::file::{read_to_string, replace};
use crate::offer::Offer;

/// The form of the file. Another one is not read.
const VERSION: u32 = 1;

/// What is known, by what each entry runs.
pub(crate) struct Cache {
    file: Option<PathBuf>,
    /// Read when it is first asked. A plain lock: it is held for a look, and while a small file is read or written.
    known: Mutex<Option<BTreeMap<String, Known>>>,
}

/// What is known of one server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Known {
    pub(crate) offer: Arc<Offer>,
    /// Whether it speaks the protocol without sessions; one that does not is not asked again.
    pub(crate) is_stateless: bool,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    servers: BTreeMap<String, Known>,
}

impl Cache {
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        Self { file, known: Mutex::new(None) }
    }

    /// What is known of the server with this hash.
    pub(crate) fn get(&self, hash: &str) -> Option<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| self.read()).get(hash).cloned()
    }

    /// Keeps this. A file that cannot be written costs a start the next time, and nothing else.
    pub(crate) fn put(&self, hash: &str, now: Known) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &self.file else {
            known.get_or_insert_default().insert(hash.to_owned(), now);
            return;
        };
        // Another process may have learned something meanwhile.
        let mut servers = self.read();
        servers.insert(hash.to_owned(), now);
        let content = File { version: VERSION, servers };
        if let Ok(text) = serde_json::to_vec(&content) {
            let _ = replace(file, &text);
        }
        *known = Some(content.servers);
    }

    fn read(&self) -> BTreeMap<String, Known> {
        let text = self.file.as_ref().and_then(|file| read_to_string(file).ok().flatten());
        let file = text.and_then(|text| serde_json::from_str::<File>(&text).ok());
        file.filter(|file| file.version == VERSION).map(|file| file.servers).unwrap_or_default()
    }
}
