//! Lines, and what is read from them.

use std::borrow::Cow;

use crate::found::Diagnostic;

/// How much of an output is read: its end, where test runners sum up.
const OUTPUT_BYTES_MAX: usize = 4 << 20;
/// How much of a line.
const LINE_BYTES_MAX: usize = 4 * 1024;
/// How much of a message is kept.
const MESSAGE_CHARS_MAX: usize = 500;

/// Lines from some place on.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a>(&'a [&'a str]);

impl<'a> Lines<'a> {
    pub(super) fn new(lines: &'a [&'a str]) -> Self {
        Self(lines)
    }

    pub(super) fn first(&self) -> &'a str {
        self.get(0)
    }

    /// The line so many after the first; an empty one behind the end.
    pub(super) fn get(&self, at: usize) -> &'a str {
        self.0.get(at).copied().unwrap_or_default()
    }

    /// So many lines after the first, with their places.
    pub(super) fn after(&self, count: usize) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        self.0.iter().copied().enumerate().skip(1).take(count)
    }
}

/// What one pattern captures, compiled once. A pattern that is none never matches, which every test of it shows.
macro_rules! captures {
    ($text:expr, $pattern:literal) => {{
        static PATTERN: std::sync::LazyLock<Option<regex::Regex>> =
            std::sync::LazyLock::new(|| regex::Regex::new($pattern).ok());
        PATTERN.as_ref().and_then(|pattern| pattern.captures($text))
    }};
}
pub(super) use captures;

/// The text of a group; empty where it took no part.
pub(super) fn group<'t>(captures: &regex::Captures<'t>, number: usize) -> &'t str {
    captures.get(number).map_or("", |found| found.as_str())
}

/// A diagnostic from the texts of its parts; empty ones are absent.
pub(super) struct Parts<'a> {
    pub(super) file: &'a str,
    pub(super) line: &'a str,
    pub(super) column: &'a str,
    pub(super) severity: &'a str,
    pub(super) code: &'a str,
    pub(super) message: &'a str,
}

impl Parts<'_> {
    pub(super) const fn error() -> Self {
        Self { file: "", line: "", column: "", severity: "error", code: "", message: "" }
    }

    pub(super) fn diagnostic(&self) -> Diagnostic {
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
        let file = self.file.trim();
        let file = file.strip_prefix("file://").unwrap_or(file);
        Diagnostic {
            file: file.strip_prefix("./").unwrap_or(file).to_owned(),
            line: number(self.line),
            column: number(self.column),
            is_error: !self.severity.to_ascii_lowercase().starts_with("warn"),
            code: (!self.code.trim().is_empty()).then(|| self.code.trim().to_owned()),
            message: self.message.trim().chars().take(MESSAGE_CHARS_MAX).collect(),
        }
    }
}

/// Without colours, and with a line end for every line.
pub(super) fn clean(output: &str) -> Cow<'_, str> {
    let from = output.floor_char_boundary(output.len().saturating_sub(OUTPUT_BYTES_MAX));
    let output = output.get(from..).unwrap_or_default();
    if !output.bytes().any(|byte| matches!(byte, 0x1b | b'\r' | 0 | 8)) {
        return Cow::Borrowed(output);
    }
    let mut out = String::with_capacity(output.len());
    for line in output.split('\n') {
        // A progress bar draws its line anew.
        for part in line.strip_suffix('\r').unwrap_or(line).split('\r') {
            out.push_str(&crate::logs::plain(part));
            out.push('\n');
        }
    }
    Cow::Owned(out)
}

pub(super) fn shortened(line: &str) -> &str {
    line.get(..line.floor_char_boundary(line.len().min(LINE_BYTES_MAX))).unwrap_or(line)
}
