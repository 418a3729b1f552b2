//! Skills: instructions that a model takes up when it needs them (agentskills.io).
//!
//! A skill is a folder with a `SKILL.md`. What it is for stands in the prompt; its words are read when it is taken up, by
//! the model, or by a person who writes `$name`; its other files on demand. `reading.rs` knows the format, `tool.rs` is how
//! a model takes one up. What a folder brings along needs a person's trust.

mod reading;
mod tool;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use candor_protocol::{Code, Failure};

pub use self::reading::Skill;
pub use self::tool::SkillTool;
use crate::trust::{Brought, Kind, Trust};

/// The most skills of one place.
const SKILLS_MAX: usize = 256;
/// How far up from the workspace skills are looked for.
const PARENTS_MAX: usize = 32;
/// What can mean nothing but a skill.
const ORDER: &str = "/skill:";
/// Where a folder keeps its skills.
const FOLDERS: &[&str] = &[".agents/skills", ".claude/skills"];

/// Where skills are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder of skills.
    pub path: PathBuf,
    /// The folder that brings them along; nothing, where they are the person's own.
    pub folder: Option<PathBuf>,
}

/// A skill that was found, and what stands in its way.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its folder.
    pub path: PathBuf,
    /// What it is; or why it cannot be used.
    pub skill: Result<Arc<Skill>, Failure>,
    /// What a person would have to trust; nothing, where it is the person's own.
    pub brought: Option<Brought>,
    /// Whether it may be used.
    pub trusted: bool,
}

/// The skills that there are.
pub struct Skills {
    places: Vec<Place>,
    trust: Arc<Trust>,
    /// What was read, by folder. A plain lock: it is held for a look, or while small files are read.
    read: Mutex<BTreeMap<PathBuf, Read>>,
}

/// One folder as it was read.
#[derive(Clone)]
struct Read {
    stamp: Stamp,
    skill: Result<Arc<Skill>, Failure>,
    hash: String,
}

type Stamp = Option<(SystemTime, u64)>;

impl Default for Skills {
    fn default() -> Self {
        Self::new(Vec::new(), Arc::new(Trust::new(PathBuf::new())))
    }
}

impl Skills {
    /// Those in these places. Of two with the same name the later one counts.
    pub fn new(places: Vec<Place>, trust: Arc<Trust>) -> Self {
        Self { places, trust, read: Mutex::default() }
    }

    /// The places of a workspace: the person's own first, then those of the folders from the root of the repository down.
    pub fn places(own: Vec<PathBuf>, workspace: &Path) -> Vec<Place> {
        let mut above: Vec<&Path> = Vec::new();
        for folder in workspace.ancestors().take(PARENTS_MAX) {
            above.push(folder);
            if folder.join(".git").exists() {
                break;
            }
        }
        // Without a repository only the folder itself counts: what stands above it is somebody else's.
        if !above.last().is_some_and(|root| root.join(".git").exists()) {
            above.truncate(1);
        }
        let own = own.into_iter().map(|path| Place { path, folder: None });
        let brought = above.iter().rev().flat_map(|folder| {
            FOLDERS.iter().map(|name| Place { path: folder.join(name), folder: Some(folder.to_path_buf()) })
        });
        own.chain(brought).collect()
    }

    /// All that were found, good or not, in the order of their places and names.
    pub fn found(&self) -> Vec<Found> {
        self.places
            .iter()
            .flat_map(|place| folders(&place.path).into_iter().map(|path| self.look(place, path)))
            .collect()
    }

    /// The one in this folder, as the first place would have it.
    pub fn at(&self, folder: PathBuf) -> Found {
        let place = self.places.first().cloned().unwrap_or(Place { path: PathBuf::new(), folder: None });
        self.look(&place, folder)
    }

    /// Those that can be used, by name.
    pub fn usable(&self) -> Vec<Arc<Skill>> {
        let usable =
            self.found().into_iter().filter(|found| found.trusted).filter_map(|found| found.skill.ok());
        let by_name: BTreeMap<String, Arc<Skill>> = usable.map(|skill| (skill.name.clone(), skill)).collect();
        by_name.into_values().collect()
    }

    /// A skill as it is at this moment, all its files included: one that has changed since it was trusted is not.
    pub fn take_up(&self, name: &str) -> Result<Arc<Skill>, Failure> {
        let named = |found: &Found| found.skill.as_ref().is_ok_and(|skill| skill.name == name);
        let found: Vec<Found> = self.found().into_iter().filter(named).collect();
        let found = found.iter().rfind(|found| found.trusted).or(found.last());
        let Some(found) = found else { return Err(self.unknown(name)) };
        let (skill, hash) = reading::load(&found.path);
        let now = found.brought.clone().map(|brought| Brought { hash: hash.unwrap_or_default(), ..brought });
        if now.is_some_and(|now| !self.trust.has(&now)) {
            let failure = Failure::new(Code::SkillUntrusted).with("skill", name);
            return Err(failure.with("path", found.path.display()));
        }
        skill.map(Arc::new)
    }

    /// The skills that a text asks for: `$name`, or `/skill:name`.
    pub fn asked_for(&self, text: &str) -> Vec<Arc<Skill>> {
        let words: Vec<&str> = text.split_whitespace().filter_map(asked_by).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let usable = self.usable();
        usable.into_iter().filter(|skill| words.contains(&skill.name.as_str())).collect()
    }

    /// Why skills that a text asks for are not taken up. `/skill:name` always means one; `$name` may mean anything, so it counts
    /// only where there is such a skill, which nobody has trusted or which has a mistake.
    pub fn missed(&self, text: &str) -> Vec<Failure> {
        let mut asked: Vec<(&str, bool)> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(name) = asked_by(word).filter(|name| !asked.iter().any(|(known, _)| known == name)) {
                asked.push((name, word.starts_with(ORDER)));
            }
        }
        if asked.is_empty() {
            return Vec::new();
        }
        let (found, usable) = (self.found(), self.usable());
        asked.retain(|(name, _)| !usable.iter().any(|skill| skill.name == *name));
        let why = |(name, is_order): (&str, bool)| {
            let named =
                found.iter().rfind(|found| found.path.file_name().is_some_and(|folder| folder == name));
            match named.map(|found| &found.skill) {
                Some(Err(failure)) => Some(failure.clone()),
                Some(Ok(_)) => self.take_up(name).err(),
                None if is_order => Some(self.unknown(name)),
                None => None,
            }
        };
        asked.into_iter().filter_map(why).collect()
    }

    fn look(&self, place: &Place, path: PathBuf) -> Found {
        let read = self.read(&path);
        let brought = place.folder.as_ref().map(|folder| Brought {
            kind: Kind::Skill,
            folder: folder.clone(),
            name: path.strip_prefix(folder).unwrap_or(&path).display().to_string(),
            hash: read.hash.clone(),
        });
        let trusted = brought.as_ref().is_none_or(|brought| self.trust.has(brought));
        Found { path, skill: read.skill, brought, trusted }
    }

    fn read(&self, path: &Path) -> Read {
        let metadata = fs::metadata(path.join(reading::FILE)).ok();
        let stamp: Stamp = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(path).filter(|known| known.stamp == stamp) {
            return known.clone();
        }
        let (skill, hash) = reading::load(path);
        // What cannot be told apart from something else cannot be trusted.
        let now = Read { stamp, skill: skill.map(Arc::new), hash: hash.unwrap_or_default() };
        read.insert(path.to_owned(), now.clone());
        now
    }

    fn unknown(&self, name: &str) -> Failure {
        let names: Vec<String> = self.usable().iter().map(|skill| skill.name.clone()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Failure::new(Code::SkillUnknown).with("skill", name).with("skills", names)
    }
}

/// The folders in which there is a skill. What is only linked here is somewhere else's.
fn folders(place: &Path) -> Vec<PathBuf> {
    let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> =
        entries.filter(is_folder).filter(|path| path.join(reading::FILE).exists()).collect();
    folders.sort();
    folders.truncate(SKILLS_MAX);
    folders
}

/// The skill that a word asks for.
fn asked_by(word: &str) -> Option<&str> {
    let name = word.strip_prefix('$').or_else(|| word.strip_prefix(ORDER))?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
    Some(&name[..end]).filter(|name| !name.is_empty())
}
