//! The forms in which a known value may turn up: as it is, and in every encoding that programs put around it.

use std::{collections::BTreeSet, fmt::Write as _};

/// Shorter encoded pieces would match by chance.
const FORM_BYTES_MIN: usize = 8;

/// All forms of `value`, each once.
pub(crate) fn of(value: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeSet::new();
    base64(value, &mut forms);
    forms.insert(hex(value, "0123456789abcdef"));
    forms.insert(hex(value, "0123456789ABCDEF"));
    percent(value, &mut forms);
    json(value, &mut forms);
    forms.insert(html(value));
    forms.insert(shell(value));
    forms.retain(|form| form.len() >= FORM_BYTES_MIN);
    forms.insert(value.to_vec());
    forms
}

/// The characters that `value` alone decides, at each of the three places where it can start in a longer text.
fn base64(value: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    for (lead, undecided) in [(0, 0), (1, 2), (2, 3)] {
        let mut padded = vec![0; lead];
        padded.extend_from_slice(value);
        let decided = padded.len() * 8 / 6;
        let standard = encode_base64(&padded);
        let Some(core) = standard.get(undecided..decided) else { continue };
        forms.insert(core.iter().map(|&byte| url_safe(byte)).collect());
        forms.insert(core.to_vec());
    }
}

fn url_safe(byte: u8) -> u8 {
    match byte {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    }
}

fn encode_base64(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::with_capacity(bytes.len() * 4 / 3 + 4);
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or_default()));
        let bits = a << 16 | b << 8 | c;
        for shift in [18, 12, 6, 0].into_iter().take(chunk.len() + 1) {
            out.push(DIGITS[(bits >> shift & 63) as usize]);
        }
    }
    out
}

fn hex(value: &[u8], digits: &str) -> Vec<u8> {
    let digits = digits.as_bytes();
    value.iter().flat_map(|&byte| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]).collect()
}

/// What percent-encoders leave as it is: RFC 3986, `encodeURIComponent`, form fields, `encodeURI`, nothing.
fn percent(value: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    const KEPT: [&[u8]; 5] = [b"-_.~", b"-_.!~*'()", b"*-._+", b";,/?:@&=+$-_.!~*'()#", b""];
    for kept in KEPT {
        for digits in ["0123456789ABCDEF", "0123456789abcdef"] {
            forms.insert(percent_with(value, digits, |byte| {
                byte.is_ascii_alphanumeric() || kept.contains(&byte)
            }));
        }
    }
    for digits in ["0123456789ABCDEF", "0123456789abcdef"] {
        forms.insert(percent_with(value, digits, |_| false));
        let spaced =
            percent_with(value, digits, |byte| byte.is_ascii_alphanumeric() || b"*-._ ".contains(&byte));
        forms.insert(spaced.into_iter().map(|byte| if byte == b' ' { b'+' } else { byte }).collect());
    }
}

fn percent_with(value: &[u8], digits: &str, keeps: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() * 3);
    for &byte in value {
        if keeps(byte) {
            out.push(byte);
        } else {
            out.push(b'%');
            out.extend(hex(&[byte], digits));
        }
    }
    out
}

/// What JSON writers escape besides quotes, backslashes and control characters, as bits.
type Writer = u8;
const SLASH: Writer = 1;
const NON_ASCII: Writer = 2;
const HTML: Writer = 4;
const CAPITALS: Writer = 8;

/// Every combination, as writers in use produce many of them, and each once more inside a JSON string.
fn json(value: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    let Ok(text) = std::str::from_utf8(value) else { return };
    for writer in 0..=SLASH + NON_ASCII + HTML + CAPITALS {
        let once = json_with(text, writer);
        forms.insert(json_with(&once, writer).into_bytes());
        forms.insert(once.into_bytes());
    }
}

fn json_with(text: &str, writer: Writer) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '/' if writer & SLASH != 0 => out.push_str("\\/"),
            '<' | '>' | '&' | '\'' if writer & HTML != 0 => unicode(character, writer, &mut out),
            control if control < ' ' || control == '\u{7f}' && writer & NON_ASCII != 0 => {
                unicode(control, writer, &mut out);
            }
            other if writer & NON_ASCII != 0 && !other.is_ascii() => unicode(other, writer, &mut out),
            other => out.push(other),
        }
    }
    out
}

fn unicode(character: char, writer: Writer, out: &mut String) {
    let mut units = [0; 2];
    for unit in character.encode_utf16(&mut units) {
        // Writing to a string cannot fail.
        let _ =
            if writer & CAPITALS != 0 { write!(out, "\\u{unit:04X}") } else { write!(out, "\\u{unit:04x}") };
    }
}

fn html(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    for &byte in value {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A single quote inside single quotes, as shells want it.
fn shell(value: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = value.split(|&byte| byte == b'\'').collect();
    parts.join(&b"'\\''"[..])
}
