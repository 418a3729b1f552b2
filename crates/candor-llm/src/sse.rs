//! Cuts a stream of bytes into frames: server-sent events, or one JSON value a line.
//!
//! This is the inner loop of every answer. A line that arrives whole is read where it lies; only one that is spread over
//! several reads is copied together first, so the cost is linear however the bytes are cut. Text is decoded a line at a
//! time, so a code point that is spread over reads is whole by then; bytes that are no UTF-8 become U+FFFD, because one
//! broken character is no reason to lose an answer.

#[cfg(test)]
mod tests;

use std::mem;

use crate::Error;
use crate::draft::ANSWER_BYTES_MAX;
use crate::wire::{Flow, Framing};

/// The longest line, and the longest data of one event: the last event of a Responses stream repeats the whole answer, and
/// has some more around it. A server that never ends its line must not fill the memory.
pub(crate) const LINE_BYTES_MAX: usize = ANSWER_BYTES_MAX + 1024 * 1024;

/// A buffer keeps this much between lines; more is given back once the long line is over.
const LINE_BYTES_KEPT: usize = 64 * 1024;

/// What a stream may begin with, and what means nothing.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Receives a frame: the event's name (empty where there is none) and its data.
pub(crate) type OnFrame<'a> = dyn FnMut(&str, &str) -> Result<Flow, Error> + 'a;

/// Cuts one stream into frames.
#[derive(Debug)]
pub(crate) struct Frames {
    framing: Framing,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// The last read ended in `\r`: a `\n` at the beginning of the next belongs to the same end of a line.
    after_return: bool,
    /// No line has been read yet.
    first: bool,
    event: String,
    data: String,
    has_data: bool,
}

impl Frames {
    /// A stream of this kind.
    pub(crate) fn new(framing: Framing) -> Self {
        Self {
            framing,
            partial: Vec::new(),
            after_return: false,
            first: true,
            event: String::new(),
            data: String::new(),
            has_data: false,
        }
    }

    /// Reads more of the stream. Stops at the frame that ends the answer, or at the first error.
    pub(crate) fn feed(&mut self, bytes: &[u8], on: &mut OnFrame<'_>) -> Result<Flow, Error> {
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            let line = &rest[..end];
            let is_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if is_return {
                self.after_return = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            if self.whole_line(line, on)? == Flow::End {
                return Ok(Flow::End);
            }
        }
        self.keep(rest)?;
        Ok(Flow::More)
    }

    /// The stream has ended: a last line without its end, and a last event without its blank line, count all the same.
    pub(crate) fn finish(&mut self, on: &mut OnFrame<'_>) -> Result<Flow, Error> {
        if !self.partial.is_empty() && self.whole_line(b"", on)? == Flow::End {
            return Ok(Flow::End);
        }
        self.dispatch(on)
    }

    /// Keeps the beginning of a line.
    fn keep(&mut self, bytes: &[u8]) -> Result<(), Error> {
        within_limit(self.partial.len() + bytes.len())?;
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// Reads a line, of which `tail` is what has just come.
    fn whole_line(&mut self, tail: &[u8], on: &mut OnFrame<'_>) -> Result<Flow, Error> {
        if self.partial.is_empty() {
            within_limit(tail.len())?;
            return self.line(tail, on);
        }
        self.keep(tail)?;
        let mut line = mem::take(&mut self.partial);
        let flow = self.line(&line, on);
        line.clear();
        line.shrink_to(LINE_BYTES_KEPT);
        self.partial = line;
        flow
    }

    fn line(&mut self, line: &[u8], on: &mut OnFrame<'_>) -> Result<Flow, Error> {
        let line = if mem::take(&mut self.first) {
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        } else {
            line
        };
        match self.framing {
            Framing::Events => self.field(line, on),
            Framing::Lines => {
                let line = line.trim_ascii();
                if line.is_empty() { Ok(Flow::More) } else { on("", &String::from_utf8_lossy(line)) }
            }
        }
    }

    /// One line of an event. Comments, `id`, `retry` and unknown fields mean nothing here.
    fn field(&mut self, line: &[u8], on: &mut OnFrame<'_>) -> Result<Flow, Error> {
        if line.is_empty() {
            return self.dispatch(on);
        }
        if let Some(value) = value_of(line, b"data") {
            within_limit(self.data.len() + value.len())?;
            if mem::replace(&mut self.has_data, true) {
                self.data.push('\n');
            }
            push_lossy(&mut self.data, value);
        } else if let Some(value) = value_of(line, b"event") {
            self.event.clear();
            push_lossy(&mut self.event, value);
        }
        Ok(Flow::More)
    }

    /// The end of an event. One without data is skipped, as the standard says.
    fn dispatch(&mut self, on: &mut OnFrame<'_>) -> Result<Flow, Error> {
        let flow = if mem::take(&mut self.has_data) { on(&self.event, &self.data) } else { Ok(Flow::More) };
        self.event.clear();
        self.data.clear();
        self.data.shrink_to(LINE_BYTES_KEPT);
        flow
    }
}

/// The value, if the line is this field. One space after the colon belongs to the syntax.
fn value_of<'l>(line: &'l [u8], field: &[u8]) -> Option<&'l [u8]> {
    let rest = line.strip_prefix(field)?;
    match rest.strip_prefix(b":") {
        Some(value) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        None => rest.is_empty().then_some(rest),
    }
}

fn push_lossy(text: &mut String, bytes: &[u8]) {
    match str::from_utf8(bytes) {
        Ok(valid) => text.push_str(valid),
        Err(_) => text.push_str(&String::from_utf8_lossy(bytes)),
    }
}

fn within_limit(bytes: usize) -> Result<(), Error> {
    if bytes > LINE_BYTES_MAX {
        return Err(Error::TooLarge { what: format!("{} MiB in one line", LINE_BYTES_MAX >> 20) });
    }
    Ok(())
}
