//! Where file tools may go.
//!
//! Every rule is applied to the file that is open, by the path the kernel knows it under: between a check of a name
//! and its use the name can come to mean something else.

use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat, readlink};
use rustix::io::Errno;

use crate::{Error, ToolContext};

/// Files of the kernel that hold the memory or the environment of processes, our own with its secrets among them.
const KERNEL_SECRETS: &[&str] = &["environ", "mem", "kcore"];

/// The rules of one call, apart from it, so that they can go to another thread.
pub(crate) struct Rules {
    tool: &'static str,
    /// The path as the model wrote it.
    asked: String,
    hidden: Vec<PathBuf>,
    allowed: Vec<PathBuf>,
}

impl Rules {
    pub(crate) fn new(tool: &'static str, asked: &str, context: &ToolContext) -> Result<Self, Error> {
        if asked.is_empty() {
            return Err(Error::arguments(tool, "`path` is empty"));
        }
        if asked.contains('\0') {
            return Err(Error::arguments(tool, "`path` holds a NUL byte"));
        }
        Ok(Self {
            tool,
            asked: asked.to_owned(),
            hidden: context.rules.hidden.clone(),
            allowed: context.rules.allowed.clone(),
        })
    }

    /// The path as the model wrote it.
    pub(crate) fn asked(&self) -> &str {
        &self.asked
    }

    /// A refusal of it.
    pub(crate) fn blocked(&self, reason: impl Into<String>) -> Error {
        Error::blocked(self.tool, &self.asked, reason)
    }

    /// Whether the file that the kernel knows under this path may be used.
    pub(crate) fn check(&self, real: &Path, stat: Option<&Stat>) -> Result<(), Error> {
        if self.hidden.iter().any(|hidden| is_within(real, hidden) || is_same(stat, hidden)) {
            return Err(self.blocked("the path is hidden from tools"));
        }
        if !self.allowed.is_empty() && !self.allowed.iter().any(|allowed| is_within(real, allowed)) {
            return Err(self.blocked("the path is outside of the allowed paths"));
        }
        let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if real.starts_with("/proc") && KERNEL_SECRETS.contains(&name) {
            return Err(self.blocked("it holds what is in the memory of processes"));
        }
        Ok(())
    }
}

/// The path under which the kernel knows an open file.
pub(crate) fn real_path(file: &OwnedFd) -> Result<PathBuf, Errno> {
    let link = readlink(descriptor_path(file), Vec::new())?;
    Ok(PathBuf::from(OsString::from_vec(link.into_bytes())))
}

/// A name for an open file by which it can be opened again, and by which no other can be.
pub(crate) fn descriptor_path(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// What it is, unless it is a file.
pub(crate) fn refuse_special(path: &Path, stat: &Stat) -> Result<(), Error> {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => return Err(Error::file(path, Errno::ISDIR)),
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    };
    Err(Error::NotAFile { path: path.to_owned(), kind })
}

/// By whole components, as a rule for `/data` says nothing about `/database`. A rule may itself be a link.
fn is_within(real: &Path, rule: &Path) -> bool {
    real.starts_with(rule) || fs::canonicalize(rule).is_ok_and(|rule| real.starts_with(rule))
}

/// Whether a rule names this very file under another name that was linked to it.
fn is_same(stat: Option<&Stat>, rule: &Path) -> bool {
    let (Some(stat), Ok(rule)) = (stat, fs::metadata(rule)) else { return false };
    rule.is_file() && (stat.st_dev, stat.st_ino) == (rule.dev(), rule.ino())
}
