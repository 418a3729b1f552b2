//! The rules in force: ours, and the person's own, read anew when their files change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use candor_cards::{Prepared, RuleBase};
use candor_log::event;
use candor_protocol::{Code, Failure};

use crate::plain::read_plain_text;

/// The most files of one directory.
const FILES_MAX: usize = 64;
/// The largest file.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// How many problems of one file a card names.
const PROBLEMS_MAX: usize = 5;

/// Where recipes are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipePlace {
    /// The person's own.
    Own(PathBuf),
    /// A workspace's. It may name steps, but not call them safe: whoever wrote them is not known.
    Workspace(PathBuf),
}

/// The rules in force.
#[derive(Debug)]
pub struct Recipes {
    places: Vec<RecipePlace>,
    read: Mutex<Option<Read>>,
}

#[derive(Debug)]
struct Read {
    stamps: Vec<Stamp>,
    rules: Arc<RuleBase>,
    broken: Vec<Failure>,
}

/// What changes when a file changes.
type Stamp = (PathBuf, Option<SystemTime>, u64);

impl Default for Recipes {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Recipes {
    /// Ours, with those in these places.
    pub fn new(places: Vec<RecipePlace>) -> Self {
        Self { places, read: Mutex::new(None) }
    }

    /// The rules as the files are now.
    pub fn rules(&self) -> Arc<RuleBase> {
        self.read(|read| Arc::clone(&read.rules))
    }

    /// The files that are left out, and why.
    pub fn broken(&self) -> Vec<Failure> {
        // Most people have none, and then nothing has to be read for this.
        if self.places.iter().all(|place| stamps(place.path()).is_empty()) {
            return Vec::new();
        }
        self.read(|read| read.broken.clone())
    }

    fn read<T>(&self, of: impl FnOnce(&Read) -> T) -> T {
        let stamps: Vec<Stamp> = self.places.iter().flat_map(|place| stamps(place.path())).collect();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match &*read {
            Some(known) if known.stamps == stamps => of(known),
            _ => of(read.insert(self.read_anew(stamps))),
        }
    }

    fn read_anew(&self, stamps: Vec<Stamp>) -> Read {
        let (mut prepared, mut broken) = (Vec::new(), Vec::new());
        for (path, _, bytes) in &stamps {
            match load(path, *bytes) {
                Ok(file) if self.is_foreign(path) => prepared.push(file.without_safe_steps()),
                Ok(file) => prepared.push(file),
                Err(failure) => {
                    let fact = |name| failure.fact(name).unwrap_or_default();
                    event::RecipeInvalid {
                        code: failure.code.as_str(),
                        path: fact("path"),
                        error: fact("problems"),
                    }
                    .log();
                    broken.push(failure);
                }
            }
        }
        Read { stamps, rules: Arc::new(RuleBase::with(prepared)), broken }
    }

    fn is_foreign(&self, path: &Path) -> bool {
        self.places
            .iter()
            .any(|place| matches!(place, RecipePlace::Workspace(directory) if path.starts_with(directory)))
    }
}

impl RecipePlace {
    fn path(&self) -> &Path {
        match self {
            Self::Own(path) | Self::Workspace(path) => path,
        }
    }
}

/// The files of a directory in the order of their names.
fn stamps(directory: &Path) -> Vec<Stamp> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut stamps: Vec<Stamp> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml"))
        .filter_map(|path| {
            let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            Some((path, metadata.modified().ok(), metadata.len()))
        })
        .collect();
    stamps.sort();
    stamps.truncate(FILES_MAX);
    stamps
}

/// Reads one file. Its examples are not tried here: that is for whoever writes it.
fn load(path: &Path, bytes: u64) -> Result<Prepared, Failure> {
    if bytes > FILE_BYTES_MAX {
        return Err(unusable(path, &format!("it is larger than {FILE_BYTES_MAX} bytes")));
    }
    let text = read_plain_text(path, FILE_BYTES_MAX).map_err(|error| unusable(path, &error))?;
    candor_cards::load(&text).map_err(|problems| {
        let shown = problems
            .iter()
            .take(PROBLEMS_MAX)
            .map(|problem| format!("line {}: {}", problem.line, problem.text));
        unusable(path, &shown.collect::<Vec<_>>().join("\n"))
    })
}

fn unusable(path: &Path, problems: &dyn ToString) -> Failure {
    Failure::new(Code::RecipeInvalid).with("path", path.display()).with("problems", problems.to_string())
}
