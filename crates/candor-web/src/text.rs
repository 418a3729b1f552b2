//! Bytes as text, in whatever encoding they are, without what nobody can see.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How much of a page is looked at for the encoding it names, as browsers do.
const HEAD_BYTES: usize = 1 << 10;

/// Decodes a text: a mark at its start counts most, then what the server says, then what the page says, then what it looks like.
pub(crate) fn decode(bytes: &[u8], content_type: &str, is_html: bool) -> String {
    let (encoding, mark) =
        Encoding::for_bom(bytes).unwrap_or_else(|| (declared(bytes, content_type, is_html), 0));
    let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
    visible(&text)
}

fn declared(bytes: &[u8], content_type: &str, is_html: bool) -> &'static Encoding {
    let said = charset(content_type.as_bytes());
    let said = said.or_else(|| {
        let named = charset(&bytes[..bytes.len().min(HEAD_BYTES)]).filter(|_| is_html)?;
        // What could be read to this point is not UTF-16, whatever it says.
        Some(named.output_encoding())
    });
    said.unwrap_or_else(|| if looks_like_utf8(bytes) { UTF_8 } else { WINDOWS_1252 })
}

/// What stands behind the first `charset=`.
fn charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let lower = bytes.to_ascii_lowercase();
    let at = lower.windows(8).position(|window| window == b"charset=")? + 8;
    let rest = lower.get(at..)?;
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"-_:.".contains(byte)));
    Encoding::for_label(&rest[..end.unwrap_or(rest.len())])
}

fn looks_like_utf8(bytes: &[u8]) -> bool {
    // A limit may have cut through the last character, of which there were others before.
    str::from_utf8(bytes).map_or_else(
        |error| error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii(),
        |_| true,
    )
}

/// A text without what only a machine reads: orders to models are hidden in such characters.
pub(crate) fn visible(text: &str) -> String {
    if text.bytes().all(|byte| byte == b'\n' || byte == b'\t' || (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    text.chars().filter(|character| is_visible(*character)).collect()
}

fn is_visible(character: char) -> bool {
    match character {
        '\n' | '\t' => true,
        _ if character.is_control() => false,
        // Nothing wide, soft hyphens, marks of direction, and the letters that no font has. Joiners stay: languages need them.
        '\u{200b}'
        | '\u{ad}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{e0000}'..='\u{e0fff}' => false,
        _ => true,
    }
}

/// How much of a text, from `start` on, takes no more than this many bytes as a JSON string. Both ends are between characters.
pub(crate) fn piece(text: &str, start: usize, bytes_max: usize) -> &str {
    let start = text.floor_char_boundary(start.min(text.len()));
    let rest = &text[start..];
    let mut taken = 0;
    for (at, character) in rest.char_indices() {
        taken += match character {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            character if character.is_control() => 6,
            character => character.len_utf8(),
        };
        if taken > bytes_max {
            return &rest[..at];
        }
    }
    rest
}
