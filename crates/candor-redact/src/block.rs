//! Private-key blocks. The end of a block is found by walking forward only: a block that was cut off ends
//! where its lines stop looking like a key, so an END marker is never searched for and no input is read twice.

use crate::{
    check::skip_blanks,
    found::{Found, Tail},
    rule::Hit,
    set::{BASE64_PAD, Set},
};

/// How far into a block the walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Before the first line of the key.
    Head,
    /// In a line of the key, so many bytes long up to now.
    Line { len: usize },
    /// After the last line: only an END marker belongs to the block.
    Last,
}

/// A label or an END marker is shorter than this.
const MARKER_BYTES_MAX: usize = 80;
/// Between two lines there is at most indentation, an escaped newline and a string joint.
const GAP_BYTES_MAX: usize = 64;
/// Full lines of a key have 64 to 76 characters; a shorter one is the last.
const FULL_LINE_BYTES_MIN: usize = 40;
/// On the same line as the marker, a shorter run of letters is a word of a sentence about keys.
const SAME_LINE_BYTES_MIN: usize = 16;

static LABEL: Set = Set::of("A-Z0-9 ");
static HEADER_NAME: Set = Set::of("a-zA-Z0-9-");
static HEADER_STOP: Set = Set::of("\n\\\"'");

/// `-----BEGIN … PRIVATE KEY-----` and what follows.
pub(crate) fn pem(text: &[u8], hit: Hit) -> Option<Found> {
    let label_end = LABEL.run_end(text, hit.end);
    let label = text.get(hit.end..label_end)?;
    let marker_end = label_end + 5;
    let known = label.len() <= MARKER_BYTES_MAX && memchr::memmem::find(label, b"PRIVATE KEY").is_some();
    if !known || text.get(label_end..marker_end) != Some(b"-----") {
        return None;
    }
    Some(found("private-key-block", text, hit.start, marker_end))
}

/// `Private-Lines: n` of a `PuTTY` key file and the lines it announces.
pub(crate) fn putty(text: &[u8], hit: Hit) -> Option<Found> {
    let count_start = hit.end + usize::from(text.get(hit.end) == Some(&b' '));
    let count_end = crate::set::DIGIT.run_end(text, count_start);
    (count_end > count_start).then(|| found("putty-private-key", text, count_start, count_end))
}

fn found(rule: &'static str, text: &[u8], start: usize, body_at: usize) -> Found {
    let (end, open) = walk(text, body_at, Body::Head);
    Found::bare(rule, start..end).tail(open.map_or(Tail::Closed, Tail::Block))
}

/// Walks from `at` to the end of the block. The second value says how to go on when the text ended first.
pub(crate) fn walk(text: &[u8], mut at: usize, mut body: Body) -> (usize, Option<Body>) {
    loop {
        let gap = match body {
            Body::Line { .. } if BASE64_PAD.run_end(text, at) > at => Gap { end: at, newline: false },
            _ => gap(text, at),
        };
        let rest = text.get(gap.end..).unwrap_or_default();
        if rest.is_empty() {
            return (at, Some(body));
        }
        if rest.starts_with(b"-----") {
            return end_marker(text, at, gap.end, body);
        }
        if body == Body::Head
            && gap.newline
            && let Some(header_end) = header(text, gap.end)
        {
            at = header_end;
            continue;
        }
        let unit_end = BASE64_PAD.run_end(text, gap.end);
        let carried = match body {
            Body::Line { len } if gap.end == at => len,
            _ => 0,
        };
        let unit = carried + unit_end - gap.end;
        let word_of_a_sentence = body == Body::Head && !gap.newline && unit < SAME_LINE_BYTES_MIN;
        let short = unit < FULL_LINE_BYTES_MIN && !ends_line(text, unit_end);
        if unit_end == gap.end || body == Body::Last || word_of_a_sentence || short {
            return (at, None);
        }
        at = unit_end;
        body = if unit_end == text.len() {
            return (at, Some(Body::Line { len: unit }));
        } else if unit >= FULL_LINE_BYTES_MIN {
            Body::Line { len: unit }
        } else {
            Body::Last
        };
    }
}

/// Whether a line of the key may end at `at`. A short one that does not is the first word of a sentence.
fn ends_line(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let after_blanks = skip_blanks(text, at, GAP_BYTES_MAX);
    let marker = text.get(after_blanks..).unwrap_or_default().starts_with(b"-----");
    marker
        || rest.first().is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'\'' | b'`' | b'<'))
}

fn end_marker(text: &[u8], at: usize, marker: usize, body: Body) -> (usize, Option<Body>) {
    let label_start = marker + 5;
    let window_end = text.len().min(label_start + MARKER_BYTES_MAX);
    let window = text.get(label_start..window_end).unwrap_or_default();
    // A marker stands in one line; what was cut off in the middle of it does not reach into the next.
    let line = memchr::memchr(b'\n', window).and_then(|newline| window.get(..newline));
    match memchr::memmem::find(line.unwrap_or(window), b"-----") {
        Some(len) if window.starts_with(b"END") => (label_start + len + 5, None),
        None if line.is_none()
            && window_end == text.len()
            && (b"END".starts_with(window) || window.starts_with(b"END")) =>
        {
            (at, Some(body))
        }
        _ => (at, None),
    }
}

/// `Proc-Type: 4,ENCRYPTED` and the like: the end of the line when one stands at `at`.
fn header(text: &[u8], at: usize) -> Option<usize> {
    let name_end = HEADER_NAME.run_end(text, at);
    let colon = text.get(name_end) == Some(&b':') && name_end - at < GAP_BYTES_MAX;
    if name_end == at || !colon {
        return None;
    }
    Some(HEADER_STOP.find(text, name_end))
}

struct Gap {
    end: usize,
    newline: bool,
}

/// Skips what may stand between two lines: white space, escaped newlines, the joint of two string literals.
fn gap(text: &[u8], from: usize) -> Gap {
    let mut gap = Gap { end: from, newline: false };
    let mut joint = false;
    while gap.end - from < GAP_BYTES_MAX {
        let next = text.get(gap.end + 1).copied();
        match text.get(gap.end) {
            Some(b'\n') => gap.newline = true,
            Some(b' ' | b'\t' | b'\r') => {}
            Some(b'\\') if matches!(next, Some(b'n' | b'r' | b't')) => {
                gap.newline |= next == Some(b'n');
                gap.end += 1;
            }
            Some(b'\\') if next.is_none_or(|byte| matches!(byte, b'\\' | b'\n' | b'"')) => {}
            Some(b'"' | b'\'' | b',' | b'|' | b'>' | b'#') => joint = true,
            Some(b'+') if matches!(next, Some(b' ' | b'\n' | b'"')) => joint = true,
            _ => break,
        }
        gap.end += 1;
    }
    if joint && gap.end < text.len() && !goes_on(text, gap.end) {
        // The quote closes the value: nothing from here on belongs to the block.
        gap.end = from;
    }
    gap
}

/// Whether the block clearly goes on behind a joint, so that crossing its quotes is safe.
fn goes_on(text: &[u8], at: usize) -> bool {
    let full_line = BASE64_PAD.run_end(text, at) - at >= FULL_LINE_BYTES_MIN;
    full_line || text.get(at..).unwrap_or_default().starts_with(b"-----END")
}
