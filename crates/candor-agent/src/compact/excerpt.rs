//! Texts made shorter, each in a way that shows that it was.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::Value;

/// What most arguments take.
const JSON_BYTES: usize = 128;

/// The text without its middle, when it is longer than so many bytes. What is left out is said in its place; a text that
/// this would not make shorter stays whole.
pub(super) fn middle(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let head = text.floor_char_boundary(bytes_max / 2);
    let tail = text.ceil_char_boundary(text.len() - bytes_max / 2);
    let left_out = text[head..tail].chars().count();
    let cut = format!("{}\n[… {left_out} characters left out here …]\n{}", &text[..head], &text[tail..]);
    if cut.len() < text.len() { Cow::Owned(cut) } else { Cow::Borrowed(text) }
}

/// The beginning of a text on one line.
pub(super) fn one_line(text: &str, chars_max: usize) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars >= chars_max {
                line.push('…');
                return line;
            }
            line.push(c);
            chars += 1;
        }
    }
    line
}

/// The beginning of a value as JSON. A large value is not written to its end.
pub(super) fn json(value: &Value, bytes_max: usize) -> String {
    let mut written = Bounded { bytes: Vec::with_capacity(bytes_max.min(JSON_BYTES)), bytes_max };
    let whole = serde_json::to_writer(&mut written, value).is_ok();
    let mut text = String::from_utf8(written.bytes).unwrap_or_else(|cut| {
        // The last character is not all there.
        let there = cut.utf8_error().valid_up_to();
        String::from_utf8_lossy(&cut.as_bytes()[..there]).into_owned()
    });
    if !whole {
        text.push('…');
    }
    text
}

/// The length that the longest of some texts must be cut to, so that all together have at most so many bytes. The shorter
/// ones stay whole.
pub(super) fn longest_for(lengths: impl Iterator<Item = usize>, bytes_max: usize) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    let mut left = bytes_max;
    for (at, length) in lengths.iter().enumerate() {
        let fair = left / (lengths.len() - at);
        if *length > fair {
            return fair;
        }
        left -= length;
    }
    usize::MAX
}

struct Bounded {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.bytes_max - self.bytes.len();
        let taken = bytes.len().min(room);
        self.bytes.extend_from_slice(&bytes[..taken]);
        // Taking nothing is how a writer says that it is full.
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
