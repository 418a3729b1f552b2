//! Cuts what is too long where it hurts least: before a line after a blank one, before a line, between characters.

use std::ops::Range;

use super::lines;

/// A part that would end before this share of the most is no better than one that ends in the middle of a paragraph.
const EARLIEST: usize = 4;

/// The parts of a text, none longer than `most` bytes.
pub(super) fn parts(text: &str, most: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while text.len() - start > most {
        let end = start + end(&text[start..], most);
        parts.push(start..end);
        start = end;
    }
    parts.push(start..text.len());
    parts
}

/// Where the first part of a text ends that is longer than `most`.
fn end(text: &str, most: usize) -> usize {
    let window = &text[..text.floor_char_boundary(most)];
    let mut after_blank = None;
    let mut line_start = None;
    let mut was_blank = false;
    for (at, line) in lines(window) {
        if at >= most / EARLIEST {
            line_start = Some(at);
            if was_blank && !line.trim().is_empty() {
                after_blank = Some(at);
            }
        }
        was_blank = line.trim().is_empty();
    }
    after_blank.or(line_start).unwrap_or(window.len()).max(1)
}
