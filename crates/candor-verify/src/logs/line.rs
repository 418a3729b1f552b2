//! Whether a line begins an entry that tells of a failure.

use super::candidate;
use super::crash::{self, Crash};
use super::header::{self, is_indented};
use super::json;
use super::level::Level;
use super::stamp::{self, Stamp};
use super::{access, clean, logfmt};

/// How much of a line is text to us. What makes it an error stands at its beginning; JSON is read as a whole.
pub(super) const TEXT_BYTES_MAX: usize = 8 * 1024;

/// One line, or as much of it as is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its beginning.
    pub(super) head: &'a [u8],
    /// Its end, where it is longer than what is kept of a beginning.
    pub(super) end: &'a [u8],
    /// Where its first byte stands.
    pub(super) offset: u64,
}

/// How an entry that tells of a failure begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    pub(super) form: Form,
    pub(super) stamp: Option<Stamp>,
}

/// What an entry is, which decides what may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A line with a level.
    Levelled,
    /// A crash.
    Crash(Crash),
}

impl<'a> Line<'a> {
    /// The line as text.
    pub(super) fn text(&self) -> std::borrow::Cow<'a, str> {
        clean::text(self.head.get(..TEXT_BYTES_MAX).unwrap_or(self.head))
    }

    /// Whether it begins an entry that tells of a failure by itself.
    pub(super) fn begins(&self, text: &str) -> Option<Begin> {
        if let Some(said) = self.json(text) {
            return match said {
                (Some(Level::Failure), stamp) => Some(Begin { form: Form::Levelled, stamp }),
                _ => None,
            };
        }
        let form = form(text)?;
        let stamp = logfmt::read(text).and_then(|(_, stamp)| stamp).or_else(|| stamp::in_line(text));
        Some(Begin { form, stamp })
    }

    /// What an object says of itself; nothing where the line is none.
    fn json(&self, text: &str) -> Option<(Option<Level>, Option<Stamp>)> {
        if !header::without_prefix(text).trim_start().starts_with('{') {
            return None;
        }
        // The text may be shorter than the line, and without what stands before the object.
        let start = memchr::memchr(b'{', self.head)?;
        let said = json::read(self.head.get(start..).unwrap_or_default());
        let level = said.level.or_else(|| json::level_in_end(self.end));
        Some((level, said.stamp))
    }
}

/// What a line with a level or without one is.
fn form(text: &str) -> Option<Form> {
    match level(text) {
        // `panic:` is a level and more.
        Some(Level::Failure) => return Some(crash::by_runtime(text).map_or(Form::Levelled, Form::Crash)),
        Some(_) if crash::is_served_panic(text) => return Some(Form::Crash(Crash::GoPanic)),
        Some(_) => return access::is_failure(text).then_some(Form::Levelled),
        None => {}
    }
    if access::is_failure(text) {
        return Some(Form::Levelled);
    }
    // What is indented belongs to something above.
    if is_indented(text) && !text.trim_start().starts_with("node:internal") {
        return None;
    }
    crash::begins(text).map(Form::Crash)
}

/// The level that a line says it has.
pub(super) fn level(text: &str) -> Option<Level> {
    if is_indented(text) && text.trim_start().starts_with('"') {
        return json::member(text);
    }
    if candidate::begins(text.as_bytes())
        && let Some(level) = by_letter(text)
    {
        return Some(level);
    }
    if let Some((level, _)) = logfmt::read(text) {
        return Some(level);
    }
    if let Some(column) = header::level(text) {
        return Some(column.level);
    }
    logcat(text)
}

/// Formats that begin with their level: `<3>…`, `E1115 12:00:00 …`, `E/Tag: …`, `E (123) tag: …`.
fn by_letter(text: &str) -> Option<Level> {
    let bytes = text.as_bytes();
    match bytes {
        [b'<', ..] => {
            let (number, _) = text.get(1..)?.split_once('>')?;
            let is_priority = number.len() <= 3 && number.bytes().all(|byte| byte.is_ascii_digit());
            number.parse().ok().filter(|_| is_priority).map(Level::of_syslog)
        }
        [_, d1, d2, d3, d4, b' ', t1, t2, b':', ..] => {
            [d1, d2, d3, d4, t1, t2].iter().all(|byte| byte.is_ascii_digit()).then_some(Level::Failure)
        }
        [_, b'/', rest @ ..] => {
            let tag = rest.iter().position(|byte| matches!(byte, b':' | b'('))?;
            let is_tag = tag > 0
                && rest.iter().take(tag).all(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(byte));
            is_tag.then_some(Level::Failure)
        }
        [_, b' ', b'(', rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == b')')?;
            let is_uptime = end > 0 && rest.iter().take(end).all(u8::is_ascii_digit);
            is_uptime.then_some(Level::Failure)
        }
        _ => None,
    }
}

/// `11-15 12:00:00.000  1234  1234 E Tag: message`.
fn logcat(text: &str) -> Option<Level> {
    let mut words = text.split_ascii_whitespace();
    let (date, time) = (words.next()?, words.next()?);
    let is_date = date.len() == 5 && date.as_bytes().get(2) == Some(&b'-') && time.contains(':');
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = is_number(words.next()?) && is_number(words.next()?);
    let letter = words.next()?;
    (is_date && numbers && matches!(letter, "E" | "F")).then_some(Level::Failure)
}
