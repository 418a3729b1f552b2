//! `Authorization` and `Cookie` values: what is masked is the credential, not the scheme or the cookie's name.
//!
//! Both read forward and stop at the first byte that cannot be part of what they look for, never at the end
//! of the line: a line of nothing but header names would otherwise be read again for each of them.

use std::ops::Range;

use crate::{
    KEY_NAME,
    assign::Name,
    check::{has_texture, skip_blanks},
    found::{Found, Tail},
    rule::Texture,
    set::{CREDENTIALS, Set},
    value,
};

/// Blanks between a scheme and its credentials.
const BLANKS_MAX: usize = 8;
/// Words of a sentence after a scheme are letters only and no longer than this.
const WORD_BYTES_MAX: usize = 12;

/// Masks the credentials of an authorization value that begins at `start` and ends at `end` at the latest.
pub(crate) fn authorization(name: &Name<'_>, start: usize, end: usize, out: &mut Vec<Found>) {
    static SCHEME: Set = Set::of("a-zA-Z0-9-");
    let value = name.line.get(..end).unwrap_or_default();
    let scheme_end = SCHEME.run_end(value, start);
    let after_scheme = skip_blanks(value, scheme_end, BLANKS_MAX);
    if after_scheme == scheme_end || after_scheme >= end {
        let range = start..CREDENTIALS.run_end(value, start);
        push_if(name, range, |bytes| has_texture(bytes, Texture::Mixed), out);
        return;
    }
    let run_end = CREDENTIALS.run_end(value, after_scheme);
    let parameters = value.get(run_end) == Some(&b',') || value.get(run_end) == Some(&b'"');
    // `Digest username="…", …` and the like are masked as a whole.
    let to = if parameters && value.get(after_scheme..run_end).is_some_and(|run| run.contains(&b'=')) {
        list_end(value, run_end)
    } else {
        run_end
    };
    push_if(name, after_scheme..to, is_credential, out);
}

fn push_if(name: &Name<'_>, range: Range<usize>, is_secret: fn(&[u8]) -> bool, out: &mut Vec<Found>) {
    let bytes = name.line.get(range.clone()).unwrap_or_default();
    if !value::is_stand_in(bytes) && is_secret(bytes) {
        out.push(Found::bare(KEY_NAME, range).tail(Tail::Run(&CREDENTIALS)));
    }
}

fn is_credential(bytes: &[u8]) -> bool {
    let sign_only = bytes.iter().all(|byte| !byte.is_ascii_alphanumeric());
    !sign_only && (bytes.len() > WORD_BYTES_MAX || bytes.iter().any(|byte| !byte.is_ascii_lowercase()))
}

/// The end of a list of parameters. A quote inside it belongs to a parameter when `=` stands before it.
fn list_end(value: &[u8], from: usize) -> usize {
    static STOP: Set = Set::of("\"\\\r<>`");
    let mut at = from;
    loop {
        let stop = STOP.find(value, at);
        let opens = value.get(stop) == Some(&b'"') && stop > 0 && value.get(stop - 1) == Some(&b'=');
        let close = value.get(stop + 1..).and_then(|rest| memchr::memchr(b'"', rest)).filter(|_| opens);
        match close {
            Some(len) => at = stop + len + 2,
            None => return stop,
        }
    }
}

/// Parts of a cookie's name that make it a session.
const SESSION_PARTS: &[&[u8]] = &[
    b"sess",
    b"sid",
    b"auth",
    b"token",
    b"jwt",
    b"csrf",
    b"xsrf",
    b"login",
    b"remember",
    b"secret",
    b"refresh",
];
/// Longer names of cookies are not read.
const COOKIE_NAME_BYTES_MAX: usize = 128;

/// Masks the values of session-like cookies from `start` on, up to `end` at the latest.
pub(crate) fn cookies(name: &Name<'_>, start: usize, end: usize, out: &mut Vec<Found>) {
    static COOKIE_NAME: Set = Set::of("a-zA-Z0-9_.!#$&'*+^|~%-");
    static COOKIE_VALUE: Set = Set::of("a-zA-Z0-9_.!#$&'()*+^|~%/:=?@[]{}-");
    let pairs = name.line.get(..end).unwrap_or_default();
    let mut at = start;
    loop {
        let cookie_at = skip_blanks(pairs, at, BLANKS_MAX);
        let cookie_end = COOKIE_NAME.run_end(pairs, cookie_at);
        let mut pair_end = cookie_end;
        if pairs.get(cookie_end) == Some(&b'=') {
            pair_end = COOKIE_VALUE.run_end(pairs, cookie_end + 1);
            let value = pairs.get(cookie_end + 1..pair_end).unwrap_or_default();
            if is_session(pairs.get(cookie_at..cookie_end).unwrap_or_default()) && !value::is_stand_in(value)
            {
                out.push(Found::bare(KEY_NAME, cookie_end + 1..pair_end));
            }
        }
        if pairs.get(pair_end) != Some(&b';') {
            return;
        }
        at = pair_end + 1;
    }
}

fn is_session(cookie: &[u8]) -> bool {
    let lower =
        cookie.get(..cookie.len().min(COOKIE_NAME_BYTES_MAX)).unwrap_or_default().to_ascii_lowercase();
    SESSION_PARTS.iter().any(|part| memchr::memmem::find(&lower, part).is_some())
}
