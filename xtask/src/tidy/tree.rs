//! The files under version control, read once, and what is found in them.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::invocation::Invocation;

/// Every file that is tracked, or new and not ignored: what the next commit could hold.
#[derive(Debug, Default)]
pub struct Tree {
    /// The files, by path.
    pub files: Vec<File>,
}

/// One file.
#[derive(Debug)]
pub struct File {
    /// Its path from the root, with forward slashes.
    pub path: String,
    /// What is in it.
    pub content: Content,
    /// How large it is.
    pub bytes: u64,
}

/// What is in a file.
#[derive(Debug)]
pub enum Content {
    /// UTF-8 without a zero byte.
    Text(String),
    /// Anything else.
    Binary,
}

/// Something a check has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, from the root.
    pub path: String,
    /// The line, from one.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
    /// Whether it fails the check.
    pub severity: Severity,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It must go.
    Problem,
    /// It should be talked about.
    Warning,
}

impl Tree {
    /// Reads them all.
    pub fn read(root: &Path) -> Result<Self> {
        let list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
        let names =
            Invocation::new("git", root).args(list).stdout().context("tidy needs git to list the files")?;
        let mut files = Vec::new();
        for name in names.split_terminator('\0') {
            let path = root.join(name);
            // A file deleted but not yet committed is still listed; a link is checked where it points to.
            if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
                continue;
            }
            let content = fs::read(&path).with_context(|| format!("cannot read {name}"))?;
            files.push(File::new(name, content));
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Ok(Self { files })
    }

    /// The text of one file, if it is there.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).and_then(File::text)
    }

    /// Every text file with its text.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| Some((file.path.as_str(), file.text()?)))
    }

    /// Every Rust file with its text.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts()
            .filter(|(path, _)| Path::new(path).extension().is_some_and(|extension| extension == "rs"))
    }
}

impl File {
    /// A file of this path and content.
    pub fn new(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        let content = content.into();
        let bytes = content.len() as u64;
        let content = match String::from_utf8(content) {
            Ok(text) if !text.contains('\0') => Content::Text(text),
            _ => Content::Binary,
        };
        Self { path: path.into(), content, bytes }
    }

    fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Binary => None,
        }
    }
}

impl Finding {
    /// Something that must go.
    pub fn problem(path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into(), severity: Severity::Problem }
    }

    /// Something to talk about.
    pub fn warning(path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into(), severity: Severity::Warning }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, message, severity } = self;
        let prefix = match severity {
            Severity::Problem => "",
            Severity::Warning => "warning: ",
        };
        write!(f, "{prefix}{path}:{line}: {message}")
    }
}

/// Whether a path is a test's: what is allowed there is sometimes not elsewhere.
pub(crate) fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.starts_with("tests/") || path.ends_with("_tests.rs")
}
