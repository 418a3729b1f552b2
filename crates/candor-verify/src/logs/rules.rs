//! What a project says about its own log.

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use thiserror::Error;

use super::access::{self, Answered};

/// How large one pattern may become. A pattern of a person is a few kilobytes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Which entries are errors besides those whose level says so, and which are none.
#[derive(Debug, Clone, Default)]
pub struct LogRules {
    deny: Option<Deny>,
    allow: Option<RegexSet>,
    expected: Vec<Answered>,
}

/// A pattern that is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{pattern}` is no regular expression: {message}")]
pub struct BadPattern {
    /// As it was written.
    pub pattern: String,
    /// What is wrong with it.
    pub message: String,
}

#[derive(Debug, Clone)]
struct Deny {
    lines: RegexSet,
    /// All patterns as one, for whole chunks; absent where one of them means the edge of its text.
    chunks: Option<Regex>,
}

impl LogRules {
    /// The rules of these patterns. `allow` beats `deny`, and both beat what the entry says of itself.
    pub fn new(deny: &[String], allow: &[String]) -> Result<Self, BadPattern> {
        let lines = set(deny)?;
        let allow = set(allow)?;
        let deny = lines.map(|lines| Deny { lines, chunks: in_chunks(deny) });
        Ok(Self { deny, allow, expected: Vec::new() })
    }

    /// The same rules where these answers are asked for and expected: the line of an access log that tells of one is no error.
    #[must_use]
    pub fn expecting(self, expected: Vec<Answered>) -> Self {
        Self { expected, ..self }
    }

    /// Whether a line tells of an answer that is expected.
    pub(super) fn expects(&self, line: &str) -> bool {
        !self.expected.is_empty() && access::is_expected(line, &self.expected)
    }

    /// Whether a line is an error whatever its level.
    pub(super) fn denies(&self, line: &str) -> bool {
        self.deny.as_ref().is_some_and(|deny| deny.lines.is_match(line.as_bytes()))
    }

    /// Whether anything is denied at all.
    pub(super) fn has_denied(&self) -> bool {
        self.deny.is_some()
    }

    /// Whether a text is no error whatever its level.
    pub(super) fn allows(&self, text: &str) -> bool {
        self.allow.as_ref().is_some_and(|allow| allow.is_match(text.as_bytes()))
    }

    /// Whether anything is allowed at all.
    pub(super) fn has_allowed(&self) -> bool {
        self.allow.is_some()
    }

    /// How lines that may be denied are found in a chunk of whole lines.
    pub(super) fn search(&self, chunk: &[u8]) -> Search<'_> {
        match &self.deny {
            None => Search::Nowhere,
            // What is taken out of a line before it is looked at may stand in the middle of what is looked for.
            Some(Deny { chunks: Some(regex), .. }) if memchr::memchr3(0x1b, 0, 8, chunk).is_none() => {
                Search::By(regex)
            }
            Some(_) => Search::Everywhere,
        }
    }
}

/// Where lines may be that a pattern denies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Search<'a> {
    Nowhere,
    By(&'a Regex),
    Everywhere,
}

fn set(patterns: &[String]) -> Result<Option<RegexSet>, BadPattern> {
    for pattern in patterns {
        let regex = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
        regex.map_err(|error| BadPattern { pattern: pattern.clone(), message: reason(&error) })?;
    }
    if patterns.is_empty() {
        return Ok(None);
    }
    // Each alone is in order, so that what fails here is their sum.
    let limit = PATTERN_BYTES_MAX * patterns.len().max(1);
    let set = RegexSetBuilder::new(patterns).size_limit(limit).multi_line(true).crlf(true).build();
    set.map(Some).map_err(|error| BadPattern { pattern: patterns.join("  "), message: reason(&error) })
}

fn in_chunks(patterns: &[String]) -> Option<Regex> {
    let at_an_edge =
        |pattern: &String| ["\\A", "\\z", "(?-", "(?x"].iter().any(|part| pattern.contains(part));
    if patterns.iter().any(at_an_edge) {
        return None;
    }
    let one = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect::<Vec<_>>().join("|");
    let limit = PATTERN_BYTES_MAX * patterns.len().max(1);
    RegexBuilder::new(&one).size_limit(limit).multi_line(true).crlf(true).build().ok()
}

/// The last line of the library's message says what is wrong; those before it draw the pattern.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned()
}
