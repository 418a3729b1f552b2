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
    quote::Quote,
    rule::Texture,
    set::{CREDENTIALS, Set},
    steps::spend,
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
    let start = skip_gap(value, start);
    let scheme_end = SCHEME.run_end(value, start);
    let after_scheme = skip_gap(value, scheme_end);
    if after_scheme == scheme_end || after_scheme >= end {
        let run_end = CREDENTIALS.run_end(value, start);
        // `authorization = base64.encode(…)` is a call.
        if value.get(run_end) != Some(&b'(') {
            push_if(name, start..run_end, |bytes| has_texture(bytes, Texture::Mixed), out);
        }
        return;
    }
    let run_end = CREDENTIALS.run_end(value, after_scheme);
    if value::is_stand_in(value.get(after_scheme..run_end).unwrap_or_default()) {
        return;
    }
    let quoted = Quote::open(value, run_end).is_some_and(|(quote, _)| quote.is_double());
    let parameters = quoted || value.get(run_end) == Some(&b',');
    // `Digest username="…", …` and the like are masked as a whole.
    let to = if parameters && value.get(after_scheme..run_end).is_some_and(|run| run.contains(&b'=')) {
        list_end(value, run_end)
    } else {
        run_end
    };
    let known = KNOWN_SCHEMES
        .iter()
        .any(|scheme| value.get(start..scheme_end).is_some_and(|bytes| bytes.eq_ignore_ascii_case(scheme)));
    push_if(name, after_scheme..to, if known { is_credential } else { is_no_word }, out);
}

/// Schemes behind which a capitalized word is a credential too; behind others it is prose (`Not Included`).
const KNOWN_SCHEMES: &[&[u8]] = &[b"bearer", b"basic", b"token", b"apikey", b"negotiate", b"bot"];

/// Skips blanks, or one that is percent-encoded.
fn skip_gap(value: &[u8], at: usize) -> usize {
    let encoded = value.get(at..).is_some_and(|rest| rest.starts_with(b"%20"));
    if encoded { at + 3 } else { skip_blanks(value, at, BLANKS_MAX) }
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

fn is_no_word(bytes: &[u8]) -> bool {
    let capitalized = bytes.len() <= WORD_BYTES_MAX && bytes.iter().skip(1).all(u8::is_ascii_lowercase);
    !capitalized && is_credential(bytes)
}

/// The end of a list of parameters. A quote inside it belongs to a parameter when `=` stands before it.
fn list_end(value: &[u8], from: usize) -> usize {
    static STOP: Set = Set::of("\"\\\r<>`");
    let mut at = from;
    loop {
        let stop = STOP.find(value, at);
        let opens = stop.checked_sub(1).and_then(|before| value.get(before)) == Some(&b'=');
        let Some((quote, from)) = Quote::open(value, stop).filter(|(quote, _)| opens && quote.is_double())
        else {
            return stop;
        };
        let close = quote.close(value, from);
        match Quote::open(value, close.value_end) {
            Some((closing, after)) if closing == quote => at = after,
            _ => return if close.closed { close.value_end } else { stop },
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

/// How many more names of cookie headers a list of pairs is read past. Each of them reads the pairs behind it
/// too, so without a limit a line of nothing else would be read again for each; banners set a handful.
const COOKIE_WORDS_MAX: usize = 16;
const COOKIE_WORD: &[u8] = b"cookie";

static COOKIE_NAME: Set = Set::of("a-zA-Z0-9_.!#$&'*+^|~%-");
static COOKIE_VALUE: Set = Set::of("a-zA-Z0-9_.!#$&'()*+^|~%/:=?@[]{}-");

/// Masks the values of session-like cookies from `start` on, up to `end` at the latest.
pub(crate) fn cookies(name: &Name<'_>, start: usize, end: usize, out: &mut Vec<Found>) {
    let mut pairs = Pairs { bytes: name.line.get(..end).unwrap_or_default(), words_left: COOKIE_WORDS_MAX };
    let mut at = start;
    loop {
        let cookie_at = skip_blanks(pairs.bytes, at, BLANKS_MAX);
        let cookie_end = pairs.run_end(&COOKIE_NAME, cookie_at);
        let mut pair_end = cookie_end;
        if pairs.bytes.get(cookie_end) == Some(&b'=') {
            let value_at = cookie_end + 1;
            pair_end = pairs.run_end(&COOKIE_VALUE, value_at);
            let session = is_session(pairs.bytes.get(cookie_at..cookie_end).unwrap_or_default());
            if session && !value::is_stand_in(pairs.bytes.get(value_at..pair_end).unwrap_or_default()) {
                // A secret is read to its end whatever it holds: the pass goes on behind it.
                pair_end = COOKIE_VALUE.run_end(pairs.bytes, pair_end);
                out.push(Found::bare(KEY_NAME, value_at..pair_end));
            }
        }
        if pairs.words_left == 0 || pairs.bytes.get(pair_end) != Some(&b';') {
            return;
        }
        at = pair_end + 1;
    }
}

/// `name=value` pairs, with how many more names of cookie headers may be read past.
struct Pairs<'a> {
    bytes: &'a [u8],
    words_left: usize,
}

impl Pairs<'_> {
    /// Where the run of members that starts at `from` ends, or where the words run out.
    fn run_end(&mut self, set: &Set, from: usize) -> usize {
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at).filter(|&&byte| set.has(byte)) {
            let word = self.bytes.get(at..at + COOKIE_WORD.len());
            if byte.eq_ignore_ascii_case(&b'c')
                && word.is_some_and(|word| word.eq_ignore_ascii_case(COOKIE_WORD))
            {
                self.words_left = self.words_left.saturating_sub(1);
            }
            if self.words_left == 0 {
                break;
            }
            at += 1;
        }
        spend(at - from + 1);
        at
    }
}

fn is_session(cookie: &[u8]) -> bool {
    let lower =
        cookie.get(..cookie.len().min(COOKIE_NAME_BYTES_MAX)).unwrap_or_default().to_ascii_lowercase();
    SESSION_PARTS.iter().any(|part| memchr::memmem::find(&lower, part).is_some())
}
