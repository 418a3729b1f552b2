//! Bytes in, entries out.

use std::collections::VecDeque;
use std::path::Path;

use super::{Entry, Query};
use crate::Error;
use crate::line::LINE_BYTES_MAX;

/// Longer lines are skipped: the writer makes none, even after masking has made one longer.
const READ_LINE_BYTES_MAX: usize = 4 * LINE_BYTES_MAX;

/// How our lines open. Where a line is glued to the remains of another, the last opening is where it begins.
const OPENING: &[u8] = b"{\"ts\":\"";

/// How many openings in a damaged line are tried; a value may hold something that looks like one.
const OPENINGS_TRIED_MAX: usize = 8;

/// How much of a log was not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines, or parts of lines, that hold no entry.
    pub damaged: u64,
    /// Lines that are too long to be looked at.
    pub too_long: u64,
}

impl Skipped {
    pub(super) fn damage(self, log: &Path) -> Option<Error> {
        let count = self.damaged + self.too_long;
        (count > 0).then(|| Error::Damaged { path: log.to_owned(), count })
    }
}

/// Cuts bytes into lines and lines into wanted entries, whatever the bytes are.
pub(super) struct Intake {
    query: Query,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// The line being read is too long, and its bytes are not kept.
    overlong: bool,
    ready: VecDeque<Entry>,
    skipped: Skipped,
}

impl Intake {
    pub(super) fn new(query: Query) -> Self {
        Self {
            query,
            partial: Vec::new(),
            overlong: false,
            ready: VecDeque::new(),
            skipped: Skipped::default(),
        }
    }

    pub(super) const fn skipped(&self) -> Skipped {
        self.skipped
    }

    pub(super) fn next(&mut self) -> Option<Entry> {
        self.ready.pop_front()
    }

    pub(super) fn take_all(&mut self) -> Vec<Entry> {
        self.ready.drain(..).collect()
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                // The usual case, without a copy.
                Some(line) if self.partial.is_empty() && !self.overlong => self.line(line),
                Some(end) => {
                    self.keep(end);
                    self.finish();
                }
                None => self.keep(piece),
            }
        }
    }

    /// The file ends here, and with it its last line.
    pub(super) fn finish(&mut self) {
        if std::mem::take(&mut self.overlong) {
            self.skipped.too_long += 1;
        }
        let mut line = std::mem::take(&mut self.partial);
        self.line(&line);
        line.clear();
        line.shrink_to(LINE_BYTES_MAX);
        self.partial = line;
    }

    fn keep(&mut self, part: &[u8]) {
        if self.overlong || self.partial.len() + part.len() > READ_LINE_BYTES_MAX {
            self.overlong = true;
            self.partial.clear();
        } else {
            self.partial.extend_from_slice(part);
        }
    }

    fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let entry = Entry::parse(line).or_else(|| {
            self.skipped.damaged += 1;
            recover(line)
        });
        if let Some(entry) = entry
            && self.query.matches(&entry)
        {
            self.ready.push_back(entry);
        }
    }
}

/// The entry at the end of a line whose beginning is the remains of something else: a torn line, a block of zeros.
fn recover(line: &[u8]) -> Option<Entry> {
    let mut before = line;
    for _ in 0..OPENINGS_TRIED_MAX {
        let at = before.windows(OPENING.len()).rposition(|window| window == OPENING)?;
        if let Some(entry) = line.get(at..).and_then(Entry::parse) {
            return Some(entry);
        }
        before = before.get(..at)?;
    }
    None
}
