//! The output of a program as plain lines.

use std::borrow::Cow;

/// Takes terminal sequences out and turns every line end into `\n`.
///
/// A lone carriage return draws a line anew, as progress bars do; what follows it is a line of its own here.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| matches!(byte, b'\r' | 0x1b | 0x08 | 0x07 | 0) || byte == 0x9b) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut chars),
            '\u{9b}' => skip_parameters(&mut chars),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\u{8}' => {
                // Man pages print a letter twice to make it bold.
                if !out.ends_with('\n') {
                    out.pop();
                }
            }
            '\u{7}' | '\0' => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => skip_parameters(chars),
        Some(']' | 'P' | '_' | '^') => {
            // Up to the bell or the string terminator; a line end means that it was never closed.
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
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

fn skip_parameters(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(c) = chars.next_if(|c| !c.is_control()) {
        if ('\u{40}'..='\u{7e}').contains(&c) {
            break;
        }
    }
}
