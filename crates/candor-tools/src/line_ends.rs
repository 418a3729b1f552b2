//! Texts whose lines end in CR LF, for models that write LF only.
//!
//! A text is matched without its CRs and changed with them: what is not touched keeps every byte, also in a file that
//! mixes both.

use std::ops::Range;

/// A text without the CR of its line ends.
pub(crate) struct Unified {
    pub(crate) text: String,
    /// Where in it a CR was: at the line break that stays.
    dropped: Vec<usize>,
}

impl Unified {
    pub(crate) fn new(raw: &str) -> Self {
        let mut text = String::with_capacity(raw.len());
        let mut dropped = Vec::new();
        for (index, line) in raw.split("\r\n").enumerate() {
            if index > 0 {
                dropped.push(text.len());
                text.push('\n');
            }
            text.push_str(line);
        }
        Self { text, dropped }
    }

    /// What ends most of its lines.
    pub(crate) fn line_end(&self) -> &'static str {
        let lines = memchr::memchr_iter(b'\n', self.text.as_bytes()).count();
        if self.dropped.len() * 2 > lines { "\r\n" } else { "\n" }
    }

    /// The place in the text with its CRs of a place in the one without.
    pub(crate) fn raw(&self, range: &Range<usize>) -> Range<usize> {
        let place = |place: usize| place + self.dropped.partition_point(|dropped| *dropped < place);
        place(range.start)..place(range.end)
    }
}

/// A model's text without CRs at its line ends.
pub(crate) fn without_cr(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A model's text with the line ends of the file that it goes into.
pub(crate) fn with_line_end(text: &str, line_end: &str) -> String {
    if line_end == "\n" { text.to_owned() } else { text.replace('\n', line_end) }
}
