//! The text of an entry as it grows, in bounded memory.

use std::collections::VecDeque;

/// How much of an entry is kept.
pub(super) const MESSAGE_CHARS_MAX: usize = 2_000;
/// Of that, its beginning.
const HEAD_CHARS: usize = 1_400;
/// Of that, its end.
const END_CHARS: usize = 300;
/// Of that, the line that tells most.
const TELLING_CHARS: usize = 280;

/// The lines of an entry.
#[derive(Debug, Default)]
pub(super) struct Text {
    head: String,
    head_chars: usize,
    /// The last lines, each already cut.
    end: VecDeque<String>,
    end_chars: usize,
    /// The line that says what it was about: the last exception of a chain.
    telling: Option<String>,
    is_cut: bool,
}

impl Text {
    /// Adds a line.
    pub(super) fn add(&mut self, line: &str) {
        if self.is_cut {
            self.add_to_end(line);
            return;
        }
        if !self.head.is_empty() {
            self.head.push('\n');
            self.head_chars += 1;
        }
        let (fits, rest) = split_at_chars(line, HEAD_CHARS.saturating_sub(self.head_chars));
        self.head.push_str(fits);
        self.head_chars += fits.chars().count();
        if !rest.is_empty() {
            self.is_cut = true;
            self.add_to_end(rest);
        }
    }

    /// Adds the line that says what it was about.
    pub(super) fn add_telling(&mut self, line: &str) {
        self.add(line);
        self.telling = self.is_cut.then(|| split_at_chars(line, TELLING_CHARS).0.to_owned());
    }

    /// All of it, shortened where it must be.
    pub(super) fn message(&self) -> String {
        let mut message = self.head.clone();
        if !self.is_cut {
            return message;
        }
        message.push('…');
        if let Some(telling) =
            self.telling.as_ref().filter(|line| !self.end.iter().any(|end| end.starts_with(*line)))
        {
            message.push('\n');
            message.push_str(telling);
            message.push_str("\n…");
        }
        for line in &self.end {
            message.push('\n');
            message.push_str(line);
        }
        split_at_chars(&message, MESSAGE_CHARS_MAX).0.to_owned()
    }

    fn add_to_end(&mut self, line: &str) {
        let chars = line.chars().count();
        let cut = line
            .char_indices()
            .nth(chars.saturating_sub(END_CHARS))
            .map_or("", |(at, _)| line.get(at..).unwrap_or_default());
        self.end_chars += chars.min(END_CHARS) + 1;
        self.end.push_back(cut.to_owned());
        while self.end_chars > END_CHARS
            && self.end.len() > 1
            && let Some(dropped) = self.end.pop_front()
        {
            self.end_chars -= dropped.chars().count() + 1;
        }
    }
}

fn split_at_chars(text: &str, chars: usize) -> (&str, &str) {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(end).unwrap_or((text, ""))
}
