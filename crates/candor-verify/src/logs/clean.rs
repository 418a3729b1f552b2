//! A line as text: without what only a terminal understands.

use std::borrow::Cow;

/// The bytes of one line as text. Colours, NUL and other control characters are taken out; what is no UTF-8 is replaced.
pub(super) fn text(line: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(text) => plain(text),
        Cow::Owned(text) => Cow::Owned(plain(&text).into_owned()),
    }
}

/// One line without what only a terminal understands.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte < b' ' && byte != b'\t' || byte == 0x7f) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut chars),
            '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// `ESC [ … letter`, `ESC ] … BEL`, `ESC ( x`, and `ESC x`.
fn skip_sequence(chars: &mut std::str::Chars<'_>) {
    match chars.next() {
        Some('[') => {
            let _ = chars.find(|c| ('\u{40}'..='\u{7e}').contains(c));
        }
        Some(']' | 'P' | '_' | '^') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next().is_some()) {
                    break;
                }
            }
        }
        Some('(' | ')' | '#') => {
            chars.next();
        }
        _ => {}
    }
}
