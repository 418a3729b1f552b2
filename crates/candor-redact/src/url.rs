//! Credentials in the authority of a URL: only the password is masked, or a token that stands for the user.

use crate::{
    found::Found,
    rule::Hit,
    set::{DIGIT, Set},
    value,
};

/// Longer than any password that people put into a URL; bounds the look for the `@`.
const AUTHORITY_BYTES_MAX: usize = 512;
/// A user without a password is a token when it is at least this long.
const USER_TOKEN_BYTES_MIN: usize = 16;

static STOP: Set = Set::of(" \t\r\n\"'`\\<>?#/,;|{}()");
static USER_TOKEN: Set = Set::of("a-zA-Z0-9_.~%+=-");
/// A password that was not percent-encoded may hold these.
static LOOSE_STOP: Set = Set::of(" \t\r\n\"'`\\<>");

/// `scheme://user:password@host`, at the `://`.
pub(crate) fn credentials(line: &[u8], hit: Hit) -> Option<Found> {
    let window = line.get(hit.end..line.len().min(hit.end + AUTHORITY_BYTES_MAX))?;
    let authority_len = window.iter().position(|&byte| STOP.has(byte)).unwrap_or(window.len());
    let authority = window.get(..authority_len)?;
    let Some(at_sign) = memchr::memrchr(b'@', authority) else {
        return unencoded_password(window, authority, hit.end);
    };
    let user_info = authority.get(..at_sign)?;
    if let Some(colon) = memchr::memchr(b':', user_info) {
        return found(hit.end, colon + 1, at_sign, window);
    }
    let token = user_info.len() >= USER_TOKEN_BYTES_MIN
        && user_info.iter().all(|&byte| USER_TOKEN.has(byte))
        && value::is_opaque(user_info);
    token.then(|| Found::bare("url-password", hit.end..hit.end + at_sign))
}

/// `://user:pa/ss@host`: what stops the authority is part of the password when what stands behind the colon
/// is no port and an `@` follows before the URL ends.
fn unencoded_password(window: &[u8], authority: &[u8], at: usize) -> Option<Found> {
    let colon = memchr::memchr(b':', authority)?;
    let behind = authority.get(colon + 1..)?;
    if behind.iter().all(|&byte| DIGIT.has(byte)) {
        return None;
    }
    let url_len = window.iter().position(|&byte| LOOSE_STOP.has(byte)).unwrap_or(window.len());
    let url = window.get(..url_len)?;
    let next_url = memchr::memmem::find(url, b"://").unwrap_or(url_len);
    let at_sign = memchr::memchr(b'@', url.get(..next_url)?)?;
    found(at, colon + 1, at_sign, window)
}

fn found(at: usize, start: usize, end: usize, window: &[u8]) -> Option<Found> {
    let password = window.get(start..end)?;
    (!value::is_stand_in(password)).then(|| Found::bare("url-password", at + start..at + end))
}
