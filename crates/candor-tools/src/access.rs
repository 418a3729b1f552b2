//! Where the file tools of one call may go.
//!
//! Every rule is applied to the file that is open, by the path the kernel knows it under: between a check of a name
//! and its use the name can come to mean something else.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use candor_beneath::Facts;
use rustix::fs::Stat;

use crate::{Error, ToolContext};

/// Files of the kernel that hold the memory or the environment of processes, our own with its secrets among them.
const KERNEL_SECRETS: &[&str] = &["environ", "mem", "kcore"];

/// Of what is below `.git`, what makes git run or trust something else: not even undo writes it, and tools write nothing there at all.
const GIT_TRUSTED: &[&str] = &["hooks", "config", "config.worktree", "commondir", "modules", "worktrees"];

/// The rules of one call, apart from it, so that they can go to another thread.
pub(crate) struct Access {
    pub(crate) tool: &'static str,
    pub(crate) context: ToolContext,
    /// Looked for when the first of them matters: there are many, and most calls touch nothing that could be one of them.
    places: OnceLock<Places>,
}

/// What the rules name, as it is on disk.
struct Places {
    hidden: Vec<Place>,
    allowed: Vec<Place>,
    protected: Vec<Place>,
}

/// A path that a rule names.
struct Place {
    named: PathBuf,
    /// Without links, which a rule may itself have.
    real: PathBuf,
    /// The device and the number of a file.
    file: Option<(u64, u64)>,
}

impl Access {
    pub(crate) fn new(tool: &'static str, context: &ToolContext) -> Self {
        Self { tool, context: context.clone(), places: OnceLock::new() }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| {
            let (rules, workspace) = (&self.context.rules, &self.context.workspace);
            let mut folders = Folders::default();
            let mut find = |paths: &[PathBuf]| -> Vec<Place> {
                paths.iter().map(|path| Place::new(workspace.join(path), &mut folders)).collect()
            };
            Places {
                hidden: find(&rules.hidden),
                allowed: find(&rules.allowed),
                protected: find(&rules.protected),
            }
        })
    }

    /// Where on the host the path is that the model wrote.
    pub(crate) fn path(&self, asked: &str) -> Result<PathBuf, Error> {
        if asked.is_empty() {
            return Err(Error::arguments(self.tool, "`path` is empty"));
        }
        if asked.contains('\0') {
            return Err(Error::arguments(self.tool, "`path` holds a NUL byte"));
        }
        if is_home(asked) {
            let reason = "a `~` at the beginning of a path means nothing here: give the whole path, or begin with `./~` where \
                          a folder of that name is meant";
            return Err(Error::arguments(self.tool, reason));
        }
        Ok(self.context.workspace.join(self.context.host_path(Path::new(asked))))
    }

    /// A refusal of it.
    pub(crate) fn blocked(&self, asked: &str, reason: impl Into<String>) -> Error {
        Error::blocked(self.tool, asked, reason)
    }

    /// Whether the file that the kernel knows under this path may be read.
    pub(crate) fn check_read(&self, asked: &str, real: &Path, stat: Option<&Stat>) -> Result<(), Error> {
        if self.is_hidden(real, stat) {
            return Err(self.blocked(asked, "the path is hidden from tools"));
        }
        if self.context.walls.is_elsewhere(real) {
            return Err(self.blocked(asked, "commands see another directory in its place"));
        }
        let allowed = &self.places().allowed;
        if !allowed.is_empty() && !allowed.iter().any(|allowed| allowed.holds(real)) {
            return Err(self.blocked(asked, "the path is outside of the allowed paths"));
        }
        let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if real.starts_with("/proc") && KERNEL_SECRETS.contains(&name) {
            return Err(self.blocked(asked, "it holds what is in the memory of processes"));
        }
        Ok(())
    }

    /// Whether it may be written; `relative` is the same path from the directory that may be written.
    pub(crate) fn check_write(
        &self,
        asked: &str,
        real: &Path,
        relative: &Path,
        stat: Option<&Stat>,
    ) -> Result<(), Error> {
        self.check_read(asked, real, stat)?;
        if self.places().protected.iter().any(|protected| protected.holds(real) || protected.is_same(stat)) {
            return Err(self.blocked(asked, "the path is protected from tools"));
        }
        trusted(relative).map_or(Ok(()), |reason| Err(self.blocked(asked, reason)))
    }

    /// Whether a rule hides it.
    pub(crate) fn is_hidden(&self, real: &Path, stat: Option<&Stat>) -> bool {
        self.places().hidden.iter().any(|hidden| hidden.holds(real) || hidden.is_same(stat))
    }
}

/// Whether a shell would take it for a path below somebody's home. A folder of that name, once made, invites to remove the
/// home instead of it.
fn is_home(asked: &str) -> bool {
    asked == "~" || asked.split_once('/').is_some_and(|(first, _)| first.starts_with('~'))
}

impl Place {
    fn new(named: PathBuf, folders: &mut Folders) -> Self {
        let (real, found) = folders.find(&named);
        let file = found.filter(fs::Metadata::is_file);
        Self { real, file: file.map(|file| (file.dev(), file.ino())), named }
    }

    /// By whole components, as a rule for `/data` says nothing about `/database`.
    fn holds(&self, real: &Path) -> bool {
        real.starts_with(&self.named) || real.starts_with(&self.real)
    }

    /// Whether it is this very file under another name that was linked to it.
    fn is_same(&self, stat: Option<&Stat>) -> bool {
        let Some(stat) = stat else { return false };
        self.file == Some(stat.file())
    }
}

/// Where folders really are, found out once for all the paths of one call: most rules name what is in the same few. Nothing
/// is remembered for the next call, when a link may lead elsewhere.
#[derive(Default)]
struct Folders {
    /// And whether they are there at all.
    real: HashMap<PathBuf, (PathBuf, bool)>,
}

impl Folders {
    /// The path without links, as far as it is there, and what is there.
    fn find(&mut self, path: &Path) -> (PathBuf, Option<fs::Metadata>) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return (without_links(path), fs::metadata(path).ok());
        };
        let (folder, is_there) = self.folder(parent);
        let real = folder.join(name);
        if !is_there {
            return (real, None);
        }
        match fs::symlink_metadata(&real) {
            Ok(found) if found.is_symlink() => (without_links(path), fs::metadata(path).ok()),
            found => (real, found.ok()),
        }
    }

    fn folder(&mut self, path: &Path) -> (PathBuf, bool) {
        if let Some(known) = self.real.get(path) {
            return known.clone();
        }
        // A path that is not there leads to one that is, in the end to the root.
        let (real, found) = self.find(path);
        let known = (real, found.is_some());
        self.real.insert(path.to_owned(), known.clone());
        known
    }
}

/// The path without links, as far as it is there; a rule also holds for what is not there yet.
fn without_links(path: &Path) -> PathBuf {
    let mut missing: Vec<OsString> = Vec::new();
    for ancestor in path.ancestors() {
        if let Ok(real) = fs::canonicalize(ancestor) {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        missing.extend(ancestor.file_name().map(ToOwned::to_owned));
    }
    path.to_owned()
}

/// Why nobody but its owner writes this file: it makes git or Candor itself run or trust something else.
fn trusted(path: &Path) -> Option<&'static str> {
    let names: Vec<String> =
        path.components().map(|component| component.as_os_str().to_string_lossy().to_lowercase()).collect();
    if names.iter().any(|name| name == ".candor") {
        return Some("the files of Candor are not written by tools");
    }
    let git = names.iter().position(|name| name == ".git")?;
    let below = &names[git + 1..];
    let is_trusted = below.is_empty() || below.iter().any(|name| GIT_TRUSTED.contains(&name.as_str()));
    is_trusted.then_some("the configuration and the hooks of git are not written by tools")
}
