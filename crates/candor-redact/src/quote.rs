//! Quotes at any depth of escaping: `"x"`, `\"x\"` inside a JSON string, `\\\"x\\\"` inside that.

use crate::{check::skip_blanks, steps::spend};

/// The quote that opened a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    mark: u8,
    /// How many JSON strings the value is nested in: its quotes stand behind `2^depth - 1` backslashes.
    depth: u32,
}

/// Where a quoted value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Close {
    /// The end of the value; escapes of the closing quote are not part of it.
    pub(crate) value_end: usize,
    /// Whether a closing quote stands there, rather than the end of the text.
    pub(crate) closed: bool,
}

/// Deeper nesting than this is noise; it also keeps `2^depth` small.
const DEPTH_MAX: u32 = 4;

impl Quote {
    /// The quote that starts at `at`, and where the value behind it begins.
    pub(crate) fn open(text: &[u8], at: usize) -> Option<(Self, usize)> {
        let escapes = backslashes_from(text, at);
        let mark = *text.get(at + escapes)?;
        if !is_mark(mark) {
            return None;
        }
        let depth = depth_of(escapes)?;
        Some((Self { mark, depth }, at + escapes + 1))
    }

    /// Whether it is the quote that JSON has.
    pub(crate) fn is_double(self) -> bool {
        self.mark == b'"'
    }

    /// How many backslashes stand before this quote.
    pub(crate) fn escapes(self) -> usize {
        (1_usize << self.depth) - 1
    }

    /// Looks for the end of the value that begins at `from`.
    pub(crate) fn close(self, text: &[u8], from: usize) -> Close {
        let mut at = from;
        while let Some(next) = memchr::memchr2(self.mark, b'"', text.get(at..).unwrap_or_default()) {
            let quote_at = at + next;
            spend(next + 1);
            let escapes = backslashes_before(text, from, quote_at);
            at = quote_at + 1;
            if text.get(quote_at) != Some(&self.mark) {
                if ends_json_string(text, at) {
                    return Close { value_end: quote_at - escapes, closed: true };
                }
                continue;
            }
            match standing(escapes, self.depth) {
                Standing::Ours => return Close { value_end: quote_at - self.escapes(), closed: true },
                Standing::Outer { escapes } => return Close { value_end: quote_at - escapes, closed: true },
                Standing::Content => {}
            }
        }
        spend(text.len().saturating_sub(at));
        Close { value_end: text.len(), closed: false }
    }
}

/// Whether what stands at `at`, behind a quote, shows that the quote closed a JSON string. In other text a
/// quote may stand inside a single-quoted value, or open one.
pub(crate) fn ends_json_string(text: &[u8], at: usize) -> bool {
    text.get(skip_blanks(text, at, 2)).is_none_or(|byte| matches!(byte, b',' | b'}' | b']' | b':' | b'\r'))
}

/// What a quote behind `escapes` backslashes means to a value at `depth`.
enum Standing {
    Ours,
    /// It closes a string around the value, and has so many backslashes of its own.
    Outer {
        escapes: usize,
    },
    Content,
}

fn standing(mut escapes: usize, mut depth: u32) -> Standing {
    let mut own = 0;
    loop {
        let even = escapes.is_multiple_of(2);
        if depth == 0 {
            return if even { Standing::Ours } else { Standing::Content };
        }
        if even {
            return Standing::Outer { escapes: own };
        }
        own = own * 2 + 1;
        escapes /= 2;
        depth -= 1;
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn depth_of(escapes: usize) -> Option<u32> {
    (0..=DEPTH_MAX).find(|&depth| escapes == (1_usize << depth) - 1)
}

/// How many backslashes start at `at`, looking no further than the deepest nesting needs.
pub(crate) fn backslashes_from(text: &[u8], at: usize) -> usize {
    let limit = 1_usize << (DEPTH_MAX + 1);
    text.get(at..).unwrap_or_default().iter().take(limit).take_while(|&&byte| byte == b'\\').count()
}

/// How many backslashes end at `to`, not looking before `floor`.
pub(crate) fn backslashes_before(text: &[u8], floor: usize, to: usize) -> usize {
    let window = text.get(floor..to).unwrap_or_default();
    let count = window.iter().rev().take_while(|&&byte| byte == b'\\').count();
    spend(count);
    count
}
