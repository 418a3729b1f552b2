//! One line of JSON, written straight into bytes.

use std::fmt::{self, Write as _};

use candor_protocol::Level;
use serde::Serialize;

/// No line is longer. A tool's whole output (200 kB by default) fits with room for escapes; anything beyond is not a
/// log line, and the queue must be able to hold several of the largest.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// Kept free for a note in place of a value that did not fit, and for the end of the line.
const NOTE_BYTES: usize = 512;

/// Who says what, and when.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    pub(crate) stamp: &'a [u8; 24],
    pub(crate) level: Level,
    pub(crate) module: &'a str,
    pub(crate) event: &'a str,
}

/// Appends one line to a buffer. The buffer must be empty.
pub(crate) struct Line<'b> {
    bytes: &'b mut Vec<u8>,
}

impl<'b> Line<'b> {
    pub(crate) fn begin(bytes: &'b mut Vec<u8>, head: Head<'_>) -> Self {
        bytes.extend_from_slice(b"{\"ts\":\"");
        bytes.extend_from_slice(head.stamp);
        bytes.extend_from_slice(b"\",\"level\":\"");
        bytes.extend_from_slice(head.level.as_str().as_bytes());
        bytes.extend_from_slice(b"\",\"module\":\"");
        escape(bytes, head.module);
        bytes.extend_from_slice(b"\",\"event\":\"");
        escape(bytes, head.event);
        bytes.push(b'"');
        Self { bytes }
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) {
        self.field(name, value.len(), |bytes| {
            bytes.push(b'"');
            escape(bytes, value);
            bytes.push(b'"');
            Ok(())
        });
    }

    /// A number, a truth value, or anything else that serialises to few bytes.
    pub(crate) fn value(&mut self, name: &str, value: impl Serialize) {
        self.field(name, 0, |bytes| serde_json::to_writer(bytes, &value).map_err(|_| fmt::Error));
    }

    /// A value whose `Debug` form is JSON already. Only our own events may use it.
    pub(crate) fn json(&mut self, name: &str, value: &dyn fmt::Debug) {
        self.field(name, 0, |bytes| write!(Raw(bytes), "{value:?}"));
    }

    /// A foreign value, as a string that holds its `Debug` form.
    pub(crate) fn debug(&mut self, name: &str, value: &dyn fmt::Debug) {
        self.field(name, 0, |bytes| {
            bytes.push(b'"');
            write!(Escaped(bytes), "{value:?}")?;
            bytes.push(b'"');
            Ok(())
        });
    }

    pub(crate) fn end(self) {
        self.bytes.extend_from_slice(b"}\n");
    }

    /// Writes one field; a value that does not fit is left out whole and its place says so. Cutting it instead could
    /// cut a secret in half, and half a secret is not recognised by the masking that follows.
    fn field(&mut self, name: &str, least_bytes: usize, write: impl FnOnce(&mut Vec<u8>) -> fmt::Result) {
        let start = self.bytes.len();
        if start + name.len() * ESCAPED_BYTES_MAX + NOTE_BYTES > LINE_BYTES_MAX {
            return;
        }
        self.bytes.extend_from_slice(b",\"");
        escape(self.bytes, name);
        self.bytes.extend_from_slice(b"\":");
        let value = self.bytes.len();
        let fits = least_bytes <= LINE_BYTES_MAX && write(self.bytes).is_ok();
        if !fits || self.bytes.len() + NOTE_BYTES > LINE_BYTES_MAX {
            self.bytes.truncate(value);
            self.bytes.extend_from_slice(b"\"[left out: too long for a log line]\"");
        }
    }
}

/// Takes text as it is, until the line would be too long.
struct Raw<'b>(&'b mut Vec<u8>);

impl fmt::Write for Raw<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LINE_BYTES_MAX {
            return Err(fmt::Error);
        }
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// Takes text into the inside of a JSON string, until the line would be too long.
struct Escaped<'b>(&'b mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LINE_BYTES_MAX {
            return Err(fmt::Error);
        }
        escape(self.0, text);
        Ok(())
    }
}

/// How long one byte of text can become.
const ESCAPED_BYTES_MAX: usize = "\\u0000".len();

const C1_LEAD: u8 = 0xC2;

/// Bytes that cannot stand in a JSON string as they are, and the lead byte of the C1 controls.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        special[byte] = true;
        byte += 1;
    }
    special[b'"' as usize] = true;
    special[b'\\' as usize] = true;
    special[0x7f] = true;
    special[C1_LEAD as usize] = true;
    special
};

/// Appends the inside of a JSON string.
///
/// DEL and the C1 controls need no escape in JSON but get one, because the mirror may be a terminal, and a terminal
/// obeys U+009B as it obeys ESC-[.
fn escape(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| SPECIAL[usize::from(byte)]) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let taken = escape_first(out, special);
        rest = special.get(taken..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// Escapes the character at the start, and says how many bytes it took.
fn escape_first(out: &mut Vec<u8>, special: &[u8]) -> usize {
    match *special {
        [b'"', ..] => out.extend_from_slice(b"\\\""),
        [b'\\', ..] => out.extend_from_slice(b"\\\\"),
        [b'\n', ..] => out.extend_from_slice(b"\\n"),
        [b'\r', ..] => out.extend_from_slice(b"\\r"),
        [b'\t', ..] => out.extend_from_slice(b"\\t"),
        [C1_LEAD, control @ 0x80..=0x9f, ..] => {
            escape_unicode(out, control);
            return 2;
        }
        [C1_LEAD, other, ..] => {
            out.extend_from_slice(&[C1_LEAD, other]);
            return 2;
        }
        [control, ..] => escape_unicode(out, control),
        [] => {}
    }
    1
}

fn escape_unicode(out: &mut Vec<u8>, control: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"\\u00");
    out.extend([HEX[usize::from(control >> 4)], HEX[usize::from(control & 0xf)]]);
}
