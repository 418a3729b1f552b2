//! Masks the secrets in finished lines.

use std::borrow::Cow;

use candor_redact::Redactor;
use serde::de::IgnoredAny;

/// Lines are searched together in pieces of about this size, which stay in the processor's cache.
const PIECE_BYTES: usize = 64 * 1024;

/// Stands for a line that masking would have made unreadable. It carries nothing of that line.
const UNREADABLE: &[u8] = b"\"event\":\"log_masked\",\"reason\":\"masking left no valid line\"}";

/// Appends whole lines to `out`, masked.
///
/// Most pieces hold no secret and are copied as they are. Where something was found, each line is masked by itself:
/// a rule that looks for the end of a key block must not run on into the lines of others.
pub(crate) fn mask(redactor: &Redactor, lines: &[u8], out: &mut Vec<u8>) {
    let mut rest = lines;
    while !rest.is_empty() {
        let (piece, next) = split_after_line(rest, PIECE_BYTES);
        rest = next;
        match redactor.redact(piece) {
            Cow::Borrowed(clean) => out.extend_from_slice(clean),
            Cow::Owned(_) => {
                for line in piece.split_inclusive(|&byte| byte == b'\n') {
                    mask_line(redactor, line, out);
                }
            }
        }
    }
}

fn mask_line(redactor: &Redactor, line: &[u8], out: &mut Vec<u8>) {
    let body = line.strip_suffix(b"\n").unwrap_or(line);
    match redactor.redact(body) {
        Cow::Borrowed(clean) => out.extend_from_slice(clean),
        Cow::Owned(masked) if is_line(&masked) => out.extend_from_slice(&masked),
        Cow::Owned(_) => {
            out.extend_from_slice(body.get(..STAMPED_BYTES).unwrap_or_default());
            out.extend_from_slice(b"\"level\":\"warn\",\"module\":\"log\",");
            out.extend_from_slice(UNREADABLE);
        }
    }
    out.push(b'\n');
}

/// The part of a line that names its time, up to the next field.
const STAMPED_BYTES: usize = "{\"ts\":\"2025-02-11T10:00:00.000Z\",".len();

fn is_line(bytes: &[u8]) -> bool {
    !bytes.contains(&b'\n') && serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

/// Splits after the last line that ends within the limit, or after the first line if that is longer.
pub(crate) fn split_after_line(lines: &[u8], bytes_max: usize) -> (&[u8], &[u8]) {
    let newline = |byte: &u8| *byte == b'\n';
    let within = lines.get(..bytes_max).unwrap_or(lines);
    let end = match within.iter().rposition(newline) {
        Some(at) => at + 1,
        None => lines.iter().position(newline).map_or(lines.len(), |at| at + 1),
    };
    lines.split_at(end.min(lines.len()))
}
