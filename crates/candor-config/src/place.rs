//! Where a value stands: in which source, on which line.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which layer a value came from, weakest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The config file of the home, or the one named by `--config`.
    Home(PathBuf),
    /// The config file of the workspace.
    Workspace(PathBuf),
    /// A variable of the environment.
    Environment(String),
    /// A flag of the command line.
    Flag(String),
}

impl Origin {
    /// How strong it is: a stronger one wins.
    pub const fn strength(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::Home(_) => 1,
            Self::Workspace(_) => 2,
            Self::Environment(_) => 3,
            Self::Flag(_) => 4,
        }
    }

    /// The file, where the origin is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Home(path) | Self::Workspace(path) => Some(path),
            Self::Default | Self::Environment(_) | Self::Flag(_) => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Home(path) | Self::Workspace(path) => path.display().fmt(f),
            Self::Environment(name) => write!(f, "${name}"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// One text that values were read from.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The layer it belongs to.
    pub origin: Origin,
    /// The text itself, kept for excerpts.
    pub(crate) text: String,
}

/// A position in a source. Lines and columns count from one, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The source.
    pub source: Arc<Source>,
    /// The line.
    pub line: usize,
    /// The column of the first character.
    pub column: usize,
    /// How many characters are meant; none where the line must not be shown.
    pub(crate) width: usize,
}

/// Longest piece of a line that an excerpt shows: a minified file must not flood the screen.
const EXCERPT_CHARS_MAX: usize = 160;

impl Place {
    /// The start of a source; the right place for one-line sources such as a variable.
    pub(crate) fn start(source: &Arc<Source>) -> Self {
        Self { source: source.clone(), line: 1, column: 1, width: source.text.chars().count() }
    }

    /// The same place, without its line in the excerpt.
    pub(crate) fn unseen(&self) -> Self {
        Self { width: 0, ..self.clone() }
    }

    /// `path:line:column`, or the name of the variable or flag.
    pub fn label(&self) -> String {
        match &self.source.origin {
            origin @ (Origin::Home(_) | Origin::Workspace(_)) => {
                format!("{origin}:{}:{}", self.line, self.column)
            }
            origin => origin.to_string(),
        }
    }

    /// The line with a caret under the part that is meant; empty where there is no line to show.
    pub(crate) fn excerpt(&self) -> String {
        let Some(line) = self.source.text.lines().nth(self.line.saturating_sub(1)) else {
            return String::new();
        };
        if self.source.origin.file().is_none() || self.width == 0 || names_secret(line) {
            return String::new();
        }
        // Tabs and other control characters become one space each, so that the caret stands where it should.
        let shown: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let skip = self.column.saturating_sub(EXCERPT_CHARS_MAX / 2).min(shown.chars().count());
        let shown: String = shown.chars().skip(skip).take(EXCERPT_CHARS_MAX).collect();
        let column = self.column.saturating_sub(1).saturating_sub(skip);
        let room = shown.chars().count().saturating_sub(column).max(1);
        let caret = "^".repeat(self.width.clamp(1, room));
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        format!("  {number} | {}\n  {margin} | {}{caret}", shown.trim_end(), " ".repeat(column))
    }
}

/// Whether a line sets a secret, well-formed or not: then it is not shown, whatever is wrong with it.
fn names_secret(line: &str) -> bool {
    let key = line.split(['=', ':']).next().unwrap_or(line).trim().trim_matches(['"', '\'', '-', ' ', '{']);
    let key = key.rsplit('.').next().unwrap_or(key);
    ["api_key", "bot_token", "token", "webhook_secret", "database_url"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
}

/// Turns byte offsets into lines and columns.
pub(crate) struct Lines<'a> {
    source: &'a Arc<Source>,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(source: &'a Arc<Source>) -> Self {
        let newlines = source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
        Self { source, starts }
    }

    pub(crate) fn place(&self, bytes: std::ops::Range<usize>) -> Place {
        let text = self.source.text.as_str();
        let line = self.starts.partition_point(|start| *start <= bytes.start).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let chars = |from: usize, to: usize| text.get(from..to).map_or(0, |part| part.chars().count());
        let first_line_end = self.starts.get(line).map_or(text.len(), |next| next - 1);
        Place {
            source: self.source.clone(),
            line,
            column: chars(start, bytes.start) + 1,
            width: chars(bytes.start, bytes.end.min(first_line_end)).max(1),
        }
    }
}
