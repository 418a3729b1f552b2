//! Nothing secret leaves the machine in an address or a question.
//!
//! A model never reads a secret; it knows placeholders. A page can ask it to fetch an address with one in it, and where placeholders
//! are put back into secrets before a tool is run, the secret would be in somebody's log. For a call that sends they are not put back, and
//! are refused here; what a model knows by other ways is found by whoever knows the session's secrets.

use candor_protocol::SessionId;

use crate::{Error, Secrets};

/// How every placeholder begins.
const PLACEHOLDER: &str = "[redacted";

/// How often a text is decoded: whoever encodes it more often has to know how to decode it, too.
const DECODED_MAX: usize = 3;

/// Refuses a text that holds a secret, or what stands for one, in plain or percent-encoded.
pub(crate) fn stays(
    secrets: Option<&Secrets>,
    session: SessionId,
    what: &'static str,
    text: &str,
) -> Result<(), Error> {
    let mut text = text.to_owned();
    for _ in 0..=DECODED_MAX {
        let is_known = secrets.is_some_and(|secrets| secrets(session, &text));
        if is_known || text.to_ascii_lowercase().contains(PLACEHOLDER) {
            return Err(Error::Secret { what });
        }
        let decoded = decoded(&text);
        if decoded == text {
            break;
        }
        text = decoded;
    }
    Ok(())
}

/// The same text with `%41` as `A` and `+` as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = digits.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        plain.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}
