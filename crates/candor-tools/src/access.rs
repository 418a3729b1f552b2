//! Where the file tools of one call may go.
//!
//! Every rule is applied to the file that is open, by the path the kernel knows it under: between a check of a name
//! and its use the name can come to mean something else.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::Stat;

use crate::places::Places;
use crate::{Error, ToolContext};

/// Files of the kernel that hold the memory or the environment of processes, our own with its secrets among them.
const KERNEL_SECRETS: &[&str] = &["environ", "mem", "kcore"];

/// Of what is below `.git`, what makes git run or trust something else: not even undo writes it, and tools write nothing there at all.
const GIT_TRUSTED: &[&str] = &["hooks", "config", "config.worktree", "commondir", "modules", "worktrees"];

/// The rules of one call, apart from it, so that they can go to another thread.
pub(crate) struct Access {
    pub(crate) tool: &'static str,
    pub(crate) context: ToolContext,
    // Looked for when the first of them matters: there are many, and most calls touch nothing that could be one of them.
    hidden: OnceLock<Places>,
    allowed: OnceLock<Places>,
    protected: OnceLock<Places>,
}

impl Access {
    pub(crate) fn new(tool: &'static str, context: &ToolContext) -> Self {
        let [hidden, allowed, protected] = [(); 3].map(|()| OnceLock::new());
        Self { tool, context: context.clone(), hidden, allowed, protected }
    }

    fn find(&self, paths: &[PathBuf]) -> Places {
        Places::find(paths.iter().map(|path| self.context.workspace.join(path)))
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
        let allowed = &self.context.rules.allowed;
        if !allowed.is_empty() && !self.allowed.get_or_init(|| self.find(allowed)).hold(real) {
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
        let protected = self.protected.get_or_init(|| self.find(&self.context.rules.protected));
        if protected.hold(real) || protected.is_same(stat) {
            return Err(self.blocked(asked, "the path is protected from tools"));
        }
        trusted(relative).map_or(Ok(()), |reason| Err(self.blocked(asked, reason)))
    }

    /// Whether a rule hides it.
    pub(crate) fn is_hidden(&self, real: &Path, stat: Option<&Stat>) -> bool {
        let hidden = self.hidden.get_or_init(|| self.find(&self.context.rules.hidden));
        hidden.hold(real) || hidden.is_same(stat)
    }
}

/// Whether a shell would take it for a path below somebody's home. A folder of that name, once made, invites to remove the
/// home instead of it.
fn is_home(asked: &str) -> bool {
    asked == "~" || asked.split_once('/').is_some_and(|(first, _)| first.starts_with('~'))
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
