//! `time=… level=error msg="…"`.

use super::level::Level;
use super::stamp::{self, Stamp};

/// Keys that stand in an entry and in no sentence that mentions a level.
const ENTRY_KEYS: &[&str] =
    &["msg", "message", "err", "error", "event", "time", "ts", "t", "caller", "code", "logger", "source"];

/// The level and the time of a line of pairs; nothing where it is no such line.
pub(super) fn read(line: &str) -> Option<(Level, Option<Stamp>)> {
    memchr::memchr(b'=', line.as_bytes())?;
    let (mut level, mut stamp, mut is_entry) = (None, None, false);
    for (key, value) in (Pairs { rest: line }) {
        match key {
            "level" | "lvl" | "severity" | "log.level" => {
                level = level.or_else(|| Level::named(value));
            }
            // Heroku's router.
            "at" if value == "error" => level = level.or(Some(Level::Failure)),
            _ => {}
        }
        if matches!(key, "time" | "ts" | "t" | "timestamp") {
            let by_number = || value.parse().ok().and_then(stamp::epoch);
            stamp = stamp.or_else(|| stamp::whole(value.as_bytes()).or_else(by_number));
        }
        is_entry |= ENTRY_KEYS.contains(&key);
    }
    level.filter(|_| is_entry).map(|level| (level, stamp))
}

/// The pairs of a line, outside of quotes.
struct Pairs<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.rest.trim_start_matches([' ', '\t', '[', ']', '{', '}', ',']);
            if rest.is_empty() {
                return None;
            }
            // A quoted text that is no value is passed over as a whole.
            if rest.starts_with('"') {
                self.rest = quoted(rest).1;
                continue;
            }
            let end = rest.find([' ', '\t', '=']).unwrap_or(rest.len());
            let (key, after) = rest.split_at_checked(end)?;
            let Some(value) = after.strip_prefix('=') else {
                self.rest = after;
                continue;
            };
            let (value, rest) = if value.starts_with('"') {
                quoted(value)
            } else {
                let end = value.find([' ', '\t', ',', ']', '}']).unwrap_or(value.len());
                value.split_at_checked(end)?
            };
            self.rest = rest;
            return Some((key, value));
        }
    }
}

/// What stands in the quotes that a text begins with, and what follows them.
fn quoted(text: &str) -> (&str, &str) {
    let inner = text.get(1..).unwrap_or_default();
    let mut escaped = false;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                let rest = inner.get(at + 1..).unwrap_or_default();
                return (inner.get(..at).unwrap_or_default(), rest);
            }
            _ => {}
        }
    }
    (inner, "")
}
