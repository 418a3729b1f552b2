//! The files of hooks, read again when they change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use candor_log::event;
use candor_protocol::Failure;

use super::file::{self, Content, Hook, Place};
use crate::trust::{Brought, Kind, Trust};

/// The person's own file, in the home, and one of a workspace's.
const OWN: &str = "hooks.json";
/// Where a workspace has hooks. Of those in other programs' settings nothing else is looked at.
const OF_WORKSPACE: &[&str] = &[".candor/hooks.json", ".claude/settings.json", ".claude/settings.local.json"];

/// A file that was found, and what stands in its way.
#[derive(Debug, Clone)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// Its hooks, in their order.
    pub hooks: Vec<Arc<Hook>>,
    /// What of it is left out, and why.
    pub problems: Vec<Failure>,
    /// What a person would have to trust; nothing, where it is the person's own.
    pub brought: Option<Brought>,
    /// Whether it counts.
    pub trusted: bool,
}

/// The files of hooks that there are.
#[derive(Debug)]
pub struct HookFiles {
    places: Vec<Place>,
    trust: Arc<Trust>,
    /// What was read, by path. A plain lock: it is held for a look, or while small files are read.
    read: Mutex<BTreeMap<PathBuf, (Stamp, Content)>>,
}

type Stamp = (SystemTime, u64);

impl Default for HookFiles {
    fn default() -> Self {
        Self::new(Vec::new(), Arc::new(Trust::new(PathBuf::new())))
    }
}

impl HookFiles {
    /// Those in these places, which need not be there.
    pub fn new(places: Vec<Place>, trust: Arc<Trust>) -> Self {
        Self { places, trust, read: Mutex::default() }
    }

    /// The places of a workspace: the person's own first.
    pub fn places(home: &Path, workspace: &Path) -> Vec<Place> {
        let own = Place { path: home.join(OWN), folder: None };
        let brought = OF_WORKSPACE.iter().map(|name| workspace.join(name));
        let brought = brought.map(|path| Place { path, folder: Some(workspace.to_owned()) });
        std::iter::once(own).chain(brought).collect()
    }

    /// All that were found, good or not. A file without hooks is none.
    pub fn found(&self) -> Vec<Found> {
        self.places.iter().filter_map(|place| self.look(place)).collect()
    }

    /// The hooks that count now, in the order of their files. A run keeps them to its end: whoever works in it could take
    /// away what it is guarded by.
    pub fn now(&self) -> Arc<[Arc<Hook>]> {
        self.found().into_iter().filter(|found| found.trusted).flat_map(|found| found.hooks).collect()
    }

    fn look(&self, place: &Place) -> Option<Found> {
        let Content { hooks, problems, hash } = self.read(place)?;
        if hooks.is_empty() && problems.is_empty() {
            return None;
        }
        let brought = place.folder.as_ref().map(|folder| Brought {
            kind: Kind::Hooks,
            folder: folder.clone(),
            name: place.path.strip_prefix(folder).unwrap_or(&place.path).display().to_string(),
            // What holds no hooks has nothing that could be trusted.
            hash: hash.unwrap_or_default(),
        });
        let trusted = brought.as_ref().is_none_or(|brought| self.trust.has(brought));
        Some(Found { path: place.path.clone(), hooks, problems, brought, trusted })
    }

    fn read(&self, place: &Place) -> Option<Content> {
        let metadata = fs::metadata(&place.path).ok()?;
        let stamp: Stamp = (metadata.modified().ok()?, metadata.len());
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, content)) = read.get(&place.path).filter(|(known, _)| *known == stamp) {
            return Some(content.clone());
        }
        let content = file::read(&place.path, place.folder.is_none());
        content.problems.iter().for_each(log);
        read.insert(place.path.clone(), (stamp, content.clone()));
        Some(content)
    }
}

fn log(failure: &Failure) {
    let fact = |name| failure.fact(name).unwrap_or_default();
    let error = format!("{}: {}", fact("entry"), fact("reason"));
    event::HookFileInvalid { code: failure.code.as_str(), path: fact("path"), error: &error }.log();
}
