//! The world that the rules for failed commands look at: what the file tools may read, and nothing else.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use candor_cards::{Kind, World};
use rustix::fs::FileType;

use crate::ToolContext;
use crate::access::Access;
use crate::walk::entries;

const NAME: &str = "card";

/// The most names of a folder that a rule sees.
const NAMES_MAX: usize = 2_000;
/// The largest file that a rule reads: a manifest, a makefile, a list of branches.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// What is around a command that failed.
pub struct Surroundings {
    access: Access,
    directory: PathBuf,
    path: String,
}

impl Surroundings {
    /// What a command sees that ran in this directory.
    pub fn new(context: &ToolContext, directory: &Path) -> Self {
        let path = context.rules.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        let directory = context.workspace.join(directory);
        Self { access: Access::new(NAME, context), directory, path: path.unwrap_or_default() }
    }

    fn at(&self, path: &str) -> String {
        self.directory.join(path).to_string_lossy().into_owned()
    }

    fn entries(&self, directory: &str) -> Vec<(String, FileType)> {
        let held = self.access.hold(&self.at(directory)).ok().filter(crate::held::Held::is_directory);
        let Some(opened) = held.and_then(|held| held.directory().ok()) else { return Vec::new() };
        let named = |(name, kind): (OsString, FileType)| name.into_string().ok().map(|name| (name, kind));
        entries(&opened).into_iter().take(NAMES_MAX).filter_map(named).collect()
    }
}

impl World for Surroundings {
    fn kind(&self, path: &str) -> Option<Kind> {
        let held = self.access.hold(&self.at(path)).ok()?;
        Some(if held.is_directory() { Kind::Directory } else { Kind::File })
    }

    fn names(&self, directory: &str) -> Vec<String> {
        self.entries(directory).into_iter().map(|(name, _)| name).collect()
    }

    fn folders(&self, directory: &str) -> Vec<String> {
        let entries = self.entries(directory).into_iter();
        entries.filter(|(_, kind)| *kind == FileType::Directory).map(|(name, _)| name).collect()
    }

    fn read(&self, path: &str) -> Option<String> {
        let file = self.access.hold(&self.at(path)).ok()?.file().ok()?;
        let mut text = String::new();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn programs(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .path
            .split(':')
            .filter(|directory| directory.starts_with('/'))
            .flat_map(|directory| self.names(directory))
            .collect();
        names.sort();
        names.dedup();
        names
    }
}
