//! `file_write`: a file in the workspace, as a whole.
//!
//! The workspace is held open, and every path is resolved beneath it by the kernel, so that no link, `..` or rename
//! leads out. The text goes into a new file next to the old one, which then takes its name: a reader sees the old text
//! or the new one, and another name that was linked to the old file keeps the old text.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use candor_protocol::ToolSpec;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, fchmod, fchown, fstat, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::beneath::{Links, open};
use crate::paths::{Rules, real_path, refuse_special};
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "file_write";

/// The most that one call writes. A model's answer is far smaller; this is for a caller that is no model.
const CONTENT_BYTES_MAX: usize = 16 << 20;

/// What a new file may be, before the user's own mask.
const NEW_FILE_MODE: u32 = 0o666;
const NEW_DIRECTORY_MODE: u32 = 0o777;
/// What is kept of the mode of a file that is written anew: not the bits that lend its owner's rights.
const KEPT_MODE: u32 = 0o777;

/// A file in the workspace, as a whole.
pub(crate) struct FileWrite {
    spec: ToolSpec,
}

impl FileWrite {
    pub(crate) fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "content": { "type": "string" } },
            "required": ["path", "content"],
        });
        let description =
            "Write a whole file in the workspace.\nMakes missing folders; replaces what is there.";
        Self { spec: ToolSpec { name: NAME.to_owned(), description: description.to_owned(), parameters } }
    }

    async fn write(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let asked = arguments::text(args, "path").unwrap_or_default();
        let text = arguments::text(args, "content").unwrap_or_default().to_owned();
        let rules = Rules::new(NAME, asked, context)?;
        if text.len() > CONTENT_BYTES_MAX {
            return Err(Error::arguments(
                NAME,
                format!("`content` is longer than {CONTENT_BYTES_MAX} bytes"),
            ));
        }
        let workspace = context.workspace.clone();
        let bytes = text.len();
        let written = spawn_blocking(move || write(&rules, &workspace, text.as_bytes()));
        let path = written.await.map_err(|_| Error::Interrupted { tool: NAME.to_owned() })??;
        let path = path.display().to_string();
        let for_people = format!("{bytes} bytes to {path}");
        Ok(ToolOutput::success(json!({ "written_bytes": bytes, "path": path }).to_string(), for_people))
    }
}

impl Tool for FileWrite {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["write"]
    }

    fn effect(&self, args: &Value, context: &ToolContext) -> Effect {
        let path = context.workspace.join(arguments::text(args, "path").unwrap_or_default());
        // Two spellings of one file must not look like two files.
        if path.components().any(|component| component == Component::ParentDir) {
            Effect::Acts
        } else {
            Effect::Writes(path.components().collect())
        }
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::write(args, context).await, context) })
    }
}

/// The workspace, held open.
struct Workspace {
    directory: OwnedFd,
    /// The path under which the kernel knows it.
    real: PathBuf,
}

/// Where the text will be.
struct Target {
    directory: OwnedFd,
    name: OsString,
    /// The file that is there already.
    old: Option<Stat>,
    /// From the workspace.
    path: PathBuf,
}

/// Writes, and says where, from the workspace.
fn write(rules: &Rules, workspace: &Path, content: &[u8]) -> Result<PathBuf, Error> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let failed = |errno| Error::file(workspace, errno);
    let directory = openat(CWD, workspace, flags, Mode::empty()).map_err(failed)?;
    let real = real_path(&directory).map_err(failed)?;
    let root = Workspace { directory, real };
    let relative = relative(rules, workspace, &root.real)?;
    refuse_protected(rules, &relative)?;
    let target = root.target(rules, &relative)?;
    refuse_protected(rules, &target.path)?;
    rules.check(&root.real.join(&target.path), target.old.as_ref())?;
    if let Some(stat) = &target.old {
        refuse_special(Path::new(rules.asked()), stat)?;
    }
    target.replace(content).map_err(|source| Error::file(rules.asked(), source))?;
    Ok(target.path)
}

/// The path from the workspace, by its words alone; what they really mean is found out beneath the workspace.
fn relative(rules: &Rules, workspace: &Path, real: &Path) -> Result<PathBuf, Error> {
    let asked = Path::new(rules.asked());
    let outside = || rules.blocked("files are written in the workspace only");
    let relative = if asked.is_absolute() {
        let inside = asked.strip_prefix(workspace).or_else(|_| asked.strip_prefix(real));
        inside.map_err(|_| outside())?
    } else {
        asked
    };
    let mut depth = 0_usize;
    for component in relative.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth = depth.checked_sub(1).ok_or_else(outside)?,
            _ => {}
        }
    }
    if relative.file_name().is_none() || rules.asked().ends_with('/') {
        return Err(Error::file(asked, Errno::ISDIR));
    }
    Ok(relative.to_owned())
}

/// Files that make git or Candor itself run or trust something else: writing one is more than writing a file.
fn refuse_protected(rules: &Rules, path: &Path) -> Result<(), Error> {
    let names: Vec<String> =
        path.components().map(|component| component.as_os_str().to_string_lossy().to_lowercase()).collect();
    if names.iter().any(|name| name == ".candor") {
        return Err(rules.blocked("the files of Candor are not written by tools"));
    }
    let Some(git) = names.iter().position(|name| name == ".git") else { return Ok(()) };
    let below = &names[git + 1..];
    let is_protected = |name: &String| ["hooks", "config", "config.worktree"].contains(&name.as_str());
    if below.is_empty() || below.iter().any(is_protected) {
        return Err(rules.blocked("the configuration and the hooks of git are not written by tools"));
    }
    Ok(())
}

impl Workspace {
    /// Finds the file, making the folders that it needs.
    fn target(&self, rules: &Rules, path: &Path) -> Result<Target, Error> {
        let failed = |errno: Errno| match errno {
            Errno::XDEV | Errno::LOOP => rules.blocked("the path leads out of the workspace"),
            errno => Error::file(rules.asked(), errno),
        };
        let name = path.file_name().unwrap_or_default();
        let parent = path.parent().unwrap_or(Path::new(""));
        let directory = self.make_folders(parent).map_err(failed)?;
        let link_flags = AtFlags::SYMLINK_NOFOLLOW;
        match statat(&directory, name, link_flags) {
            Err(Errno::NOENT) => self.located(directory, name, None).map_err(failed),
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                self.behind_link(path).map_err(failed)
            }
            Ok(stat) => self.located(directory, name, Some(stat)).map_err(failed),
            Err(errno) => Err(failed(errno)),
        }
    }

    fn make_folders(&self, path: &Path) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut so_far = PathBuf::from(".");
        let mut directory = open(&self.directory, &so_far, flags, Mode::empty(), Links::Inside)?;
        for component in path.components() {
            so_far.push(component);
            directory = match open(&self.directory, &so_far, flags, Mode::empty(), Links::Inside) {
                Err(Errno::NOENT) => {
                    match mkdirat(&directory, component.as_os_str(), Mode::from_raw_mode(NEW_DIRECTORY_MODE))
                    {
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(errno) => return Err(errno),
                    }
                    open(&self.directory, &so_far, flags, Mode::empty(), Links::Inside)?
                }
                opened => opened?,
            };
        }
        Ok(directory)
    }

    /// The file that a link inside means. The file is written and the link stays; what a link means is made if it is
    /// not there, as for any program that writes through a link.
    fn behind_link(&self, path: &Path) -> Result<Target, Errno> {
        let file = match open(&self.directory, path, OFlags::PATH, Mode::empty(), Links::Inside) {
            Err(Errno::NOENT) => {
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::NOCTTY;
                open(&self.directory, path, flags, Mode::from_raw_mode(NEW_FILE_MODE), Links::Inside)?
            }
            opened => opened?,
        };
        let stat = fstat(&file)?;
        let real = real_path(&file)?;
        let relative = real.strip_prefix(&self.real).map_err(|_| Errno::XDEV)?;
        let parent = Path::new(".").join(relative.parent().unwrap_or(Path::new("")));
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        // From here on there are no links: a path without any that is beneath the workspace cannot be led astray.
        let directory = open(&self.directory, &parent, flags, Mode::empty(), Links::Never)?;
        self.located(directory, relative.file_name().ok_or(Errno::ISDIR)?, Some(stat))
    }

    fn located(&self, directory: OwnedFd, name: &OsStr, old: Option<Stat>) -> Result<Target, Errno> {
        let real = real_path(&directory)?;
        let path = real.strip_prefix(&self.real).map_err(|_| Errno::XDEV)?.join(name);
        Ok(Target { directory, name: name.to_owned(), old, path })
    }
}

impl Target {
    /// Puts a new file in the place of the old one.
    fn replace(&self, content: &[u8]) -> std::io::Result<()> {
        // A name that cannot be guessed, and that must not be there: nobody can have put a link in its place.
        let temporary = format!(".candor-{}", Uuid::now_v7().simple());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.directory, &temporary, flags, Mode::from_raw_mode(NEW_FILE_MODE))?;
        let written = self.fill(file, content).and_then(|()| {
            renameat(&self.directory, &temporary, &self.directory, &self.name).map_err(Into::into)
        });
        if written.is_err() {
            let _ = unlinkat(&self.directory, &temporary, AtFlags::empty());
        }
        written
    }

    fn fill(&self, file: OwnedFd, content: &[u8]) -> std::io::Result<()> {
        if let Some(old) = &self.old {
            // Only root can give a file away, and only root needs to: another's file stays another's.
            let _ = fchown(&file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
            fchmod(&file, Mode::from_raw_mode(old.st_mode & KEPT_MODE))?;
        }
        File::from(file).write_all(content)
    }
}
