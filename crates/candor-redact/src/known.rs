//! Known values: the secrets this process has loaded, found in every form of [`crate::forms`].

use std::{collections::BTreeSet, ops::Range};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{MASK, forms};

/// The automaton over all forms of all known values.
pub(crate) struct Known {
    /// Says quickly whether anything is there at all; nearly always nothing is.
    any: AhoCorasick,
    /// Finds every occurrence, overlapping ones too.
    every: AhoCorasick,
    /// The longest form, which is how much a stream must hold back.
    pub(crate) form_bytes_max: usize,
    /// All forms; those with a newline in them come first.
    forms: Vec<Vec<u8>>,
    /// How many forms have a newline in them: for these a stream must hold back lines.
    of_lines: usize,
}

/// Shorter values would eat ordinary text.
pub(crate) const VALUE_BYTES_MIN: usize = 6;
/// Numbers turn up by themselves more often than words do.
const NUMBER_BYTES_MIN: usize = 8;
/// A line of a longer value is looked for by itself when it has at least so many bytes.
const LINE_BYTES_MIN: usize = 16;
/// A longer value is looked for in pieces of this size, a multiple of three so that base64 lines up. It
/// bounds the automaton and what a stream holds back.
const PIECE_BYTES_MAX: usize = 3 * 1024;

/// Up to so many bytes of forms the faster automaton is affordable; its table is some hundred times as big.
const TABLE_BYTES_MAX: usize = 8 * 1024;

/// Values that are never looked for because they are ordinary words.
const COMMON: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "secrets",
    "token",
    "default",
    "example",
    "changeme",
    "change-me",
    "localhost",
    "127.0.0.1",
    "undefined",
    "disabled",
    "enabled",
    "postgres",
    "production",
    "development",
    "staging",
    "testing",
    "username",
    "anonymous",
    "administrator",
    "admin123",
    "string",
    "number",
    "object",
    "boolean",
    "function",
    "authorization",
    "bearer",
    "private",
    "public",
    "master",
    "system",
    "anthropic",
    "openai",
    "deepseek",
    "claude",
    "telegram",
    "github",
    "google",
    "candor",
];

impl Known {
    /// None when no value is worth looking for.
    pub(crate) fn new<I, S>(secrets: I) -> Option<Self>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<[u8]>,
    {
        let mut all = BTreeSet::new();
        for secret in secrets {
            add(secret.as_ref().trim_ascii(), &mut all);
        }
        if all.is_empty() {
            return None;
        }
        let bytes: usize = all.iter().map(Vec::len).sum();
        let kind =
            if bytes <= TABLE_BYTES_MAX { AhoCorasickKind::DFA } else { AhoCorasickKind::ContiguousNFA };
        let automaton = |matches: MatchKind, kind: AhoCorasickKind| {
            AhoCorasick::builder().match_kind(matches).kind(Some(kind)).build(&all).ok()
        };
        let any = automaton(MatchKind::LeftmostFirst, kind)?;
        let every = automaton(MatchKind::Standard, AhoCorasickKind::ContiguousNFA)?;
        let form_bytes_max = all.iter().map(Vec::len).max().unwrap_or_default();
        let (mut forms, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|form| form.contains(&b'\n'));
        let of_lines = forms.len();
        forms.extend(others);
        Some(Self { any, every, form_bytes_max, forms, of_lines })
    }

    /// How many bytes at the end of `lines`, which ends with a newline, may be the beginning of a known value.
    pub(crate) fn begun_bytes(&self, lines: &[u8]) -> usize {
        let begun = |form: &Vec<u8>| {
            memchr::memrchr_iter(b'\n', form)
                .map(|newline| newline + 1)
                .find(|&len| form.get(..len).is_some_and(|begun| lines.ends_with(begun)))
        };
        self.forms.iter().take(self.of_lines).filter_map(begun).max().unwrap_or_default()
    }

    /// How many bytes at the end of `text` may be the beginning of a known value.
    pub(crate) fn begun_anywhere_bytes(&self, text: &[u8]) -> usize {
        let tail = text.get(text.len().saturating_sub(self.form_bytes_max)..).unwrap_or_default();
        let begun = |form: &Vec<u8>| {
            let first = *form.first()?;
            let tail = tail.get(tail.len().saturating_sub(form.len() - 1)..)?;
            memchr::memchr_iter(first, tail)
                .find(|&at| tail.get(at..).is_some_and(|begun| form.starts_with(begun)))
                .map(|at| tail.len() - at)
        };
        self.forms.iter().filter_map(begun).max().unwrap_or_default()
    }

    /// Every place where a known value stands, in order, joined where they overlap.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let Some(first) = self.any.find(text) else { return Vec::new() };
        let rest = text.get(first.start()..).unwrap_or_default();
        let mut places: Vec<Range<usize>> = self
            .every
            .find_overlapping_iter(rest)
            .map(|found| widen(text, first.start() + found.start()..first.start() + found.end()))
            .collect();
        places.sort_by_key(|place| place.start);
        join(places)
    }
}

fn add(value: &[u8], all: &mut BTreeSet<Vec<u8>>) {
    for piece in value.chunks(PIECE_BYTES_MAX) {
        if is_worth_looking_for(piece) {
            all.extend(forms::of(piece));
        }
    }
    for line in value.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
        let marker = line.starts_with(b"-----");
        if line.len() >= LINE_BYTES_MIN && line.len() < value.len() && !marker && is_worth_looking_for(line) {
            all.extend(
                line.chunks(PIECE_BYTES_MAX).filter(|piece| is_worth_looking_for(piece)).map(<[u8]>::to_vec),
            );
        }
    }
}

fn is_worth_looking_for(value: &[u8]) -> bool {
    let number = value.iter().all(u8::is_ascii_digit);
    let bytes_min = if number { NUMBER_BYTES_MIN } else { VALUE_BYTES_MIN };
    let first = value.first().copied().unwrap_or_default();
    value.len() >= bytes_min
        && !value.iter().all(|&byte| byte == first)
        && !COMMON.iter().any(|common| value.eq_ignore_ascii_case(common.as_bytes()))
        && memchr::memmem::find(value, MASK.as_bytes()).is_none()
        && memchr::memmem::find(MASK.as_bytes(), value).is_none()
}

/// Keeps an escape before the place whole, so that masked JSON stays JSON.
fn widen(text: &[u8], place: Range<usize>) -> Range<usize> {
    let escapes = crate::quote::backslashes_before(text, place.start.saturating_sub(64), place.start);
    let inside_escape =
        !escapes.is_multiple_of(2) && text.get(place.start).is_some_and(|&byte| is_escape(byte));
    let start = if inside_escape { place.start + 1 } else { place.start };
    let trailing = crate::quote::backslashes_before(text, start, place.end);
    let end = if trailing.is_multiple_of(2) { place.end } else { place.end - 1 };
    start..end.max(start)
}

fn is_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u')
}

fn join(places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(places.len());
    for place in places {
        match joined.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => joined.push(place),
        }
    }
    joined
}
