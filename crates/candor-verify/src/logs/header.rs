//! What stands before the message of a line, and the level in it.
//!
//! A level is a level where a format puts it: among times, process numbers, names and brackets, before the first words of a
//! sentence. The same word later in the line is part of what somebody wrote.

use super::level::Level;

/// A level that was found, and what follows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) level: Level,
    pub(super) rest: &'a str,
}

/// No header is longer.
const HEADER_BYTES_MAX: usize = 200;
/// No header has more parts.
const PARTS_MAX: usize = 14;
/// Names of hosts, programs, loggers and threads.
const NAMES_MAX: usize = 4;
/// What stands in one pair of brackets.
const GROUP_BYTES_MAX: usize = 100;

/// The level of a line that has one where a level stands.
pub(super) fn level(line: &str) -> Option<Column<'_>> {
    let line = without_prefix(line);
    let mut parts = Parts { is_indented: is_indented(line), rest: line, ..Parts::default() };
    let mut taken = 0;
    while taken < PARTS_MAX && line.len() - parts.rest.len() <= HEADER_BYTES_MAX {
        match parts.step() {
            Step::Level(column) => return Some(column).filter(|found| !is_none(found.rest)),
            Step::Header => taken += 1,
            Step::Message => return None,
        }
    }
    None
}

/// What follows times and brackets at the beginning of a line.
pub(super) fn body(line: &str) -> &str {
    let mut rest = without_prefix(line).trim_start();
    for _ in 0..PARTS_MAX {
        let next = if let Some((_, after)) = group(rest) {
            after.trim_start_matches(':')
        } else {
            let end = rest.find([' ', '\t']).unwrap_or(rest.len());
            let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let is_part = is_time(word) || is_month(word) || is_mark(word);
            if !is_part || after.is_empty() {
                return rest;
            }
            after
        };
        rest = next.trim_start();
    }
    rest
}

/// Without what a supervisor of several programs puts before each line: `web-1  | `, `12:00:00 web.1 | `.
pub(super) fn without_prefix(line: &str) -> &str {
    let Some((before, after)) = line.split_once(" | ") else { return line };
    let name = before.trim_end().rsplit(' ').next().unwrap_or_default();
    let time =
        before.strip_suffix(name).or_else(|| before.trim_end().strip_suffix(name)).unwrap_or_default().trim();
    let is_name = !name.is_empty()
        && name.len() <= 40
        && name.bytes().any(|byte| byte.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && Level::named(name).is_none();
    let is_clock = time.len() == 8 && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if is_name && (time.is_empty() || is_clock) { after } else { line }
}

/// Whether a line belongs to what stands above it, by its look. One space is no indentation: some formats pad with it.
pub(super) fn is_indented(line: &str) -> bool {
    line.starts_with("  ") || line.starts_with('\t')
}

/// `error: 0`, `ERROR: none`: a count or a field that is empty.
fn is_none(rest: &str) -> bool {
    let rest = rest.trim_matches([' ', '\t', ':', '-', '|', '=']);
    let word = rest.split([' ', ',', ';']).next().unwrap_or_default();
    word == "0"
        || matches!(
            rest,
            "none" | "None" | "null" | "nil" | "false" | "no" | "ok" | "OK" | "n/a" | "undefined"
        )
}

#[derive(Default)]
struct Parts<'a> {
    rest: &'a str,
    is_indented: bool,
    has_time: bool,
    is_syslog: bool,
    names: usize,
    words: usize,
    before: Before,
}

/// What the last part was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Before {
    #[default]
    Nothing,
    /// A separator, a bracket or a time.
    Mark,
    Word,
}

enum Step<'a> {
    Level(Column<'a>),
    Header,
    Message,
}

impl<'a> Parts<'a> {
    fn step(&mut self) -> Step<'a> {
        let before_tab = self.rest.starts_with('\t');
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if self.rest.is_empty() || self.rest.starts_with(['"', '\'', '`', '{']) {
            return Step::Message;
        }
        if let Some((inner, rest)) = group(self.rest) {
            // `<error>none</error>` is no header.
            if self.rest.starts_with('<') && !rest.starts_with([' ', ':']) && Level::named(inner).is_some() {
                return Step::Message;
            }
            self.rest = rest.strip_prefix(':').unwrap_or(rest);
            self.before = Before::Mark;
            if is_time(inner.split(' ').next().unwrap_or_default()) {
                self.has_time = true;
            }
            return match in_group(inner) {
                Some(level) => Step::Level(Column { level, rest: self.rest }),
                None => Step::Header,
            };
        }
        let end = self.rest.find([' ', '\t']).unwrap_or(self.rest.len());
        let Some((word, rest)) = self.rest.split_at_checked(end) else { return Step::Message };
        if let Some(column) = self.column(word, rest, before_tab) {
            return Step::Level(column);
        }
        self.rest = rest;
        self.header(word)
    }

    /// Takes a word that is no level, if a header can have it.
    fn header(&mut self, word: &str) -> Step<'a> {
        let is_first = self.before == Before::Nothing;
        self.before = Before::Mark;
        if is_mark(word) || is_time(word) || is_month(word) {
            self.has_time |= is_time(word);
            self.is_syslog |= is_first && is_month(word);
            return Step::Header;
        }
        if !is_name(word) {
            self.words += 1;
            self.before = Before::Word;
            return self.bare(word);
        }
        self.names += 1;
        if !word.ends_with(':') {
            self.before = Before::Word;
        }
        let is_message = self.names > NAMES_MAX || self.is_indented && is_first;
        if is_message { Step::Message } else { Step::Header }
    }

    /// A word of letters alone. It is a name where a separator follows, or where it stands between a time and a level; a
    /// syslog line has a host there.
    fn bare(&self, word: &str) -> Step<'a> {
        let next = self.rest.trim_start_matches([' ', '\t']);
        let follows_mark = ["- ", "| ", ": ", "["].iter().any(|mark| next.starts_with(mark));
        let is_sentence = word.chars().next().is_some_and(char::is_uppercase)
            && !word.chars().skip(1).any(char::is_uppercase);
        let words_max = if self.is_syslog { 2 } else { 1 };
        if self.words <= words_max && (follows_mark || self.has_time && !is_sentence) && !self.is_indented {
            Step::Header
        } else {
            Step::Message
        }
    }

    /// The level that a word is or begins with.
    fn column(&self, word: &'a str, rest: &'a str, before_tab: bool) -> Option<Column<'a>> {
        let end = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
        let (name, after) = word.split_at_checked(end)?;
        let Some(level) = Level::named(name) else { return self.last_segment(word, rest) };
        let rest_of = |skip: usize| {
            // What is left of the word itself belongs to the message: `ERROR:root:msg`.
            let own = after.get(skip..).unwrap_or_default();
            if own.is_empty() { rest } else { own }
        };
        let is_upper = name.bytes().all(|byte| byte.is_ascii_uppercase());
        let next = rest.trim_start_matches([' ', '\t']);
        if is_upper {
            return match after.as_bytes() {
                [b':' | b'|', ..] => Some(Column { level, rest: rest_of(1) }),
                // logrus: `ERRO[0000]`.
                [] | [b'[', ..] | [b',' | b')' | b']' | b'>'] => Some(Column { level, rest }),
                _ => None,
            };
        }
        // `Alert: 3 new messages` is no level.
        let is_word = !["alert", "emerg"].iter().any(|word| name.to_ascii_lowercase().starts_with(word));
        let is_named = after == ":" && is_word && self.before != Before::Word && !self.is_indented;
        let is_between = after.is_empty()
            && self.before == Before::Mark
            && ["- ", "| ", ": "].iter().any(|mark| next.starts_with(mark));
        let is_tabbed = after.is_empty() && before_tab && rest.starts_with('\t');
        (is_named || is_between || is_tabbed).then_some(Column { level, rest })
    }

    /// Monolog's `production.ERROR:`, and Python's `app:ERROR:`.
    fn last_segment(&self, word: &'a str, rest: &'a str) -> Option<Column<'a>> {
        let name = word.strip_suffix(':')?;
        let (before, last) = name.rsplit_once(['.', ':', '|'])?;
        let is_level = last.len() >= 3 && last.bytes().all(|byte| byte.is_ascii_uppercase());
        if !is_level || before.contains("//") || self.words > 0 {
            return None;
        }
        Level::named(last).map(|level| Column { level, rest })
    }
}

/// What stands in the brackets that a text begins with, and what follows them.
fn group(text: &str) -> Option<(&str, &str)> {
    let close = match text.as_bytes().first()? {
        b'[' => ']',
        b'(' => ')',
        b'<' => '>',
        _ => return None,
    };
    let end = text.get(1..)?.find(close)?;
    (end <= GROUP_BYTES_MAX).then_some(())?;
    Some((text.get(1..=end)?, text.get(end + 2..)?))
}

/// The level that brackets hold: alone, behind a time (`[2026-11-15 12:00:00 ERROR app]`, `[…: ERROR/MainProcess]`), behind
/// a module (`[core:error]`), or as a letter.
fn in_group(inner: &str) -> Option<Level> {
    let inner = inner.trim();
    if let Some(level) = Level::named(inner) {
        return Some(level);
    }
    if matches!(inner, "E" | "F" | "C") {
        return Some(Level::Failure);
    }
    if let Some((module, name)) = inner.rsplit_once(':')
        && !module.contains(' ')
        && let Some(level) = Level::named(name)
    {
        return Some(level);
    }
    if !inner.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let upper = |word: &&str| word.bytes().all(|byte| byte.is_ascii_uppercase());
    inner.split([' ', '\t', '|', '/', ',']).filter(upper).find_map(Level::named)
}

/// Times, dates, numbers of processes and threads, zones.
fn is_time(word: &str) -> bool {
    let word = word.trim_end_matches([',', ':', ']', ';']);
    let mut bytes = word.bytes();
    match bytes.next() {
        Some(b'0'..=b'9') => {
            bytes.all(|byte| byte.is_ascii_digit() || b":.,-/+TZtz_#*sm".contains(&byte))
                || word.ends_with("ms")
        }
        Some(b'+' | b'-') => word.len() >= 3 && bytes.all(|byte| byte.is_ascii_digit() || byte == b':'),
        Some(b'#') => word.len() > 1 && bytes.all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Words of dates: months, days, halves of a day, zones.
pub(super) fn is_month(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mon", "Tue",
        "Wed", "Thu", "Fri", "Sat", "Sun", "AM", "PM", "UTC", "GMT", "CET", "CEST", "EST", "EDT", "PST",
        "PDT", "IST", "MSK", "JST",
    ];
    WORDS.contains(&word)
}

/// Separators and the signs that programs put before failures. A tick is not among them: it stands before what works.
fn is_mark(word: &str) -> bool {
    word.chars().all(|c| "-|–—•·:>»=~*#!×✘✖✗❌⨯▲⚠🔥🚨💥\u{fe0f}".contains(c))
}

/// Something that no sentence begins with: `handlers.messages`, `app[12]:`, `user@db`, `com.foo.Bar`, `worker-1`.
fn is_name(word: &str) -> bool {
    let inner = word.trim_end_matches([',', ':']);
    if inner.contains("://") || inner.contains(['=', '?', '!', '"', '\'']) {
        return false;
    }
    let is_joined = inner.char_indices().any(|(at, c)| {
        matches!(c, '.' | ':' | '/' | '_' | '@' | '#' | '[' | '(' | '-' | '$' | '<') && at + 1 < inner.len()
    });
    let has_digit = inner.bytes().any(|byte| byte.is_ascii_digit());
    // `error handling:` is no name, but `worker:` is.
    is_joined || has_digit || word.ends_with(':') && word.len() > 1
}
