//! Patches: what a model writes to change several files at once, in either of the two forms that models know.

mod apply;
mod envelope;
mod unified;

use std::path::Path;

pub(crate) use apply::apply;

use crate::diffs::shown;

/// The most files that one patch changes.
const FILES_MAX: usize = 200;

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePatch {
    /// As it is written in the patch.
    pub(crate) path: String,
    pub(crate) action: Action,
    /// Whether the file shall be executable, where the patch says so.
    pub(crate) executable: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// A file that is not there yet, with this text.
    Add(String),
    /// The file goes; what it must hold for that, where the patch says so.
    Delete(Vec<Hunk>),
    /// The file changes, and may get another name.
    Update { hunks: Vec<Hunk>, moved_to: Option<String> },
}

/// A piece of a file that changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The number of its first line, as people count them.
    pub(crate) line: Option<usize>,
    /// Lines that come before it, not necessarily right before it.
    pub(crate) hints: Vec<String>,
    pub(crate) lines: Vec<HunkLine>,
    /// Whether it must be the end of the file.
    pub(crate) is_at_end: bool,
    /// Whether the old and the new text end without a line break.
    pub(crate) old_is_open: bool,
    pub(crate) new_is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HunkLine {
    Stays(String),
    Goes(String),
    Comes(String),
}

impl Hunk {
    pub(crate) fn old(&self) -> Vec<&str> {
        let old = |line: &'_ HunkLine| !matches!(line, HunkLine::Comes(_));
        self.lines.iter().filter(|line| old(line)).map(HunkLine::text).collect()
    }

    pub(crate) fn new_text(&self) -> String {
        let new = self.lines.iter().filter(|line| !matches!(line, HunkLine::Goes(_)));
        let mut text: String = new.flat_map(|line| [line.text(), "\n"]).collect();
        if self.new_is_open && text.ends_with('\n') {
            text.pop();
        }
        text
    }
}

impl HunkLine {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Stays(text) | Self::Goes(text) | Self::Comes(text) => text,
        }
    }

    /// A line with its mark. An empty one is a line that stays, whose mark an editor has taken away.
    fn of(line: &str) -> Option<Self> {
        let mut chars = line.chars();
        match chars.next() {
            None => Some(Self::Stays(String::new())),
            Some(' ') => Some(Self::Stays(chars.as_str().to_owned())),
            Some('-') => Some(Self::Goes(chars.as_str().to_owned())),
            Some('+') => Some(Self::Comes(chars.as_str().to_owned())),
            Some(_) => None,
        }
    }
}

/// What a patch does to which files, in one line; nothing, where it cannot be read.
pub(crate) fn named(patch: &str) -> Option<String> {
    let name = |path: &str| shown(Path::new(path));
    let told = |file: &FilePatch| match &file.action {
        Action::Add(_) => format!("add {}", name(&file.path)),
        Action::Delete(_) => format!("delete {}", name(&file.path)),
        Action::Update { moved_to: None, .. } => format!("change {}", name(&file.path)),
        Action::Update { moved_to: Some(to), .. } => format!("move {} to {}", name(&file.path), name(to)),
    };
    let files = read(patch).ok()?;
    Some(files.iter().map(told).collect::<Vec<_>>().join(", "))
}

/// Reads a patch. What is wrong with it is said in one line.
pub(crate) fn read(patch: &str) -> Result<Vec<FilePatch>, String> {
    let patch = patch.replace("\r\n", "\n");
    let lines: Vec<&str> = patch.lines().collect();
    let files = if lines.iter().any(|line| envelope::is_header(line)) {
        envelope::read(&lines)?
    } else {
        unified::read(&lines)?
    };
    if files.is_empty() {
        return Err("there is no change in it: neither `*** Begin Patch` nor `--- ` and `+++ `".to_owned());
    }
    if files.len() > FILES_MAX {
        return Err(format!("it changes {} files, more than {FILES_MAX}", files.len()));
    }
    Ok(files)
}
