//! Redaction of data that arrives in pieces.
//!
//! Complete lines leave at once. All checks but two look at one line, so lines can be masked one by one; the
//! two are private-key blocks, whose state is carried over, and known values with a newline in them, which
//! hold back the lines they may have begun in. A line that grows past the cap is masked in parts: enough of
//! its end is held back for a secret that is still arriving, and enough of its past is kept as context.

use std::fmt;

use crate::{
    Redactor,
    found::{Found, Tail},
    redactor::{join, write_mask},
    scan::{Start, scan},
};

/// A line may grow this long before parts of it leave. It bounds the memory of a stream.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// How much of the end of such a line stays, at least: longer than any token that is not found by its end.
const HOLD_BYTES_MIN: usize = 4 * 1024;
/// How much of what has left is kept, so that the name before a value is still seen.
const CONTEXT_BYTES_MAX: usize = 512;
/// Chunks are taken in steps of this size, so that a big one does not double the memory.
const STEP_BYTES: usize = 16 * 1024;

/// Masks data that arrives in pieces.
///
/// However the data is cut, the output is that of [`Redactor::redact`] over all of it, as long as no line is
/// longer than 64 KiB. In a longer line, the name of a value is seen when it stands at most 512 bytes before
/// the part that left last, and a value that is still open at the cap is masked to its end.
pub struct Stream {
    redactor: Redactor,
    /// What has not left yet.
    held: Vec<u8>,
    /// The end of what has left of the current line.
    context: Vec<u8>,
    /// Whether a line begins where the context does.
    opens_line: bool,
    /// The secret that the last part ended in.
    open: Option<Tail>,
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not what is held: it has not been masked yet.
        formatter.debug_struct("Stream").field("held_bytes", &self.held.len()).finish_non_exhaustive()
    }
}

/// How much of what is held may leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Release {
    /// All of it: it ends with a line.
    Lines,
    /// What is far enough from the end of a line that is too long.
    Part,
    /// All of it: nothing follows.
    Rest,
}

impl Stream {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { redactor, held: Vec::new(), context: Vec::new(), opens_line: true, open: None }
    }

    /// Takes the next piece and appends to `out` what is safe to show.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        for step in chunk.chunks(STEP_BYTES) {
            self.held.extend_from_slice(step);
            if memchr::memchr(b'\n', step).is_some()
                && let Some(end) = self.lines_end()
            {
                let rest = self.held.split_off(end);
                let lines = std::mem::replace(&mut self.held, rest);
                self.release(&lines, Release::Lines, out);
            }
            if self.held.len() > LINE_BYTES_MAX.max(2 * self.hold_bytes()) {
                let part = std::mem::take(&mut self.held);
                self.release(&part, Release::Part, out);
            }
        }
    }

    /// Appends what was held back.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        let rest = std::mem::take(&mut self.held);
        self.release(&rest, Release::Rest, out);
    }

    fn hold_bytes(&self) -> usize {
        self.redactor.known().map_or(0, |known| known.form_bytes_max).max(HOLD_BYTES_MIN)
    }

    /// The end of the last line that no known value can still cross.
    fn lines_end(&self) -> Option<usize> {
        let mut lines = self.held.as_slice();
        loop {
            let end = memchr::memrchr(b'\n', lines)? + 1;
            lines = lines.get(..end)?;
            let begun = self.redactor.known().map_or(0, |known| known.begun_bytes(lines));
            if begun == 0 {
                return Some(end);
            }
            lines = lines.get(..end - begun)?;
        }
    }

    fn release(&mut self, raw: &[u8], release: Release, out: &mut Vec<u8>) {
        let mut text = std::mem::take(&mut self.context);
        let start = text.len();
        text.extend_from_slice(&self.redactor.mask_known(raw));
        let from = self.resume(&text, start);
        let mut found = Vec::new();
        let resumed = from > start;
        let floor = if resumed { from } else { 0 };
        let opens_line = !resumed && std::mem::replace(&mut self.opens_line, true);
        if from < text.len() {
            // From the floor on, not from where this part begins: a name may stand in the context or across the cut.
            scan(&text, Start { from: floor, floor, opens_line }, &mut found);
        }
        let found: Vec<Found> = join(found).into_iter().filter(|found| found.range.end > from).collect();
        let end = self.release_end(&text, &found, release).max(from);
        let mut at = from;
        for found in found.iter().take_while(|found| found.range.start < end) {
            out.extend_from_slice(text.get(at..found.range.start).unwrap_or_default());
            write_mask(found.cover, out);
            at = found.range.end;
        }
        out.extend_from_slice(text.get(at..end).unwrap_or_default());
        self.keep(&text, end, at.min(end).max(floor));
    }

    /// Steps over the rest of an open secret; the mask for it has left already.
    fn resume(&mut self, text: &[u8], start: usize) -> usize {
        let Some(tail) = self.open.take() else { return start };
        let (end, open) = tail.resume(text, start);
        self.open = open;
        end
    }

    /// How far the text may leave; remembers the secret that reaches past that.
    fn release_end(&mut self, text: &[u8], found: &[Found], release: Release) -> usize {
        let open = found.last().filter(|found| found.tail.is_open(&found.range, text));
        let end = match release {
            Release::Rest => return text.len(),
            Release::Lines => text.len(),
            Release::Part => text.len().saturating_sub(self.hold_bytes()),
        };
        if let Some(open) = open.filter(|open| open.range.start < end) {
            self.open = Some(open.tail);
            return open.tail.settled_end(&open.range, text);
        }
        if self.open.is_some() {
            // Nothing but the open secret was in the text; what it did not settle waits.
            return 0;
        }
        found.iter().find(|found| found.range.contains(&end)).map_or(end, |found| found.range.end)
    }

    /// Keeps what did not leave, and the end of the line that did, from behind the last secret on.
    fn keep(&mut self, text: &[u8], end: usize, floor: usize) {
        let rest = text.get(end..).unwrap_or_default();
        self.held.splice(0..0, rest.iter().copied());
        let left = text.get(floor..end).unwrap_or_default();
        let newline = memchr::memrchr(b'\n', left);
        let line = left.get(newline.map_or(0, |at| at + 1)..).unwrap_or_default();
        let context = line.get(line.len().saturating_sub(CONTEXT_BYTES_MAX)..).unwrap_or_default();
        self.opens_line = newline.is_some() && context.len() == line.len();
        self.context = context.to_vec();
    }
}
