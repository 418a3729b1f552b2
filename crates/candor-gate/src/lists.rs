//! The user's own lists.

use regex::{Regex, RegexBuilder};

use crate::call::Word;
use crate::error::Error;

/// The user's own lists. An entry is a pattern for the words of one simple command (`git push *`), where `*` stands for
/// any text, or a regular expression between slashes (`/curl .*\| *sh/`) for the whole text. In `allow`, a regular
/// expression must match the text from its beginning to its end: what it does not mention is not allowed by it.
///
/// An entry of `blocked` is a regular expression without slashes, for any part of the text and in any case; it denies.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields are the verdicts they lead to, and the type says the rest")]
pub struct Lists {
    pub allow: Vec<String>,
    pub ask: Vec<String>,
    pub deny: Vec<String>,
    pub blocked: Vec<String>,
}

/// A list, ready to be matched.
#[derive(Debug, Default)]
pub(crate) struct List {
    globs: Vec<Glob>,
    regexes: Vec<(String, Regex)>,
}

/// Whether a regular expression may match a part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Part,
    Whole,
}

/// A pattern in words.
#[derive(Debug)]
struct Glob {
    entry: String,
    pieces: Vec<String>,
}

impl List {
    pub(crate) fn new(name: &'static str, entries: &[String], reach: Reach) -> Result<Self, Error> {
        let mut list = Self::default();
        for entry in entries {
            let trimmed = entry.trim();
            if trimmed.is_empty() {
                return Err(Error::Empty { list: name });
            }
            match trimmed.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
                Some(pattern) if !pattern.is_empty() => {
                    list.regexes.push((trimmed.to_owned(), compile(name, trimmed, pattern, reach)?));
                }
                _ => list.globs.push(Glob::new(trimmed)),
            }
        }
        Ok(list)
    }

    /// Adds regular expressions that are written without slashes and heard in any case. They are shown as they are written.
    pub(crate) fn with_blocked(mut self, name: &'static str, patterns: &[String]) -> Result<Self, Error> {
        for pattern in patterns {
            let any_case = RegexBuilder::new(pattern).case_insensitive(true).build();
            let regex = any_case.map_err(|error| unusable(name, pattern, &error))?;
            self.regexes.push((pattern.clone(), regex));
        }
        Ok(self)
    }

    /// The entry that matches these words.
    pub(crate) fn words(&self, words: &[Word]) -> Option<&str> {
        if self.globs.is_empty() {
            return None;
        }
        let line = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        self.globs.iter().find(|glob| glob.matches(&line)).map(|glob| glob.entry.as_str())
    }

    /// The entry that matches this text.
    pub(crate) fn text(&self, text: &str) -> Option<&str> {
        self.regexes.iter().find(|(_, regex)| regex.is_match(text)).map(|(entry, _)| entry.as_str())
    }
}

fn compile(list: &'static str, entry: &str, pattern: &str, reach: Reach) -> Result<Regex, Error> {
    let whole = format!(r"\A(?:{pattern})\z");
    let error = |error: regex::Error| unusable(list, entry, &error);
    // The pattern by itself first, so that the message is about what the user wrote.
    let part = Regex::new(pattern).map_err(error)?;
    if reach == Reach::Part { Ok(part) } else { Regex::new(&whole).map_err(error) }
}

fn unusable(list: &'static str, entry: &str, error: &regex::Error) -> Error {
    let reason = error.to_string();
    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    Error::Pattern { list, entry: entry.to_owned(), reason }
}

impl Glob {
    fn new(entry: &str) -> Self {
        let words: Vec<&str> = entry.split_whitespace().collect();
        Self { entry: entry.to_owned(), pieces: words.join(" ").split('*').map(str::to_owned).collect() }
    }

    /// `git push *` also means `git push` by itself: a person who allows a command with anything allows it with nothing.
    fn matches(&self, line: &str) -> bool {
        if self.pieces_match(line) {
            return true;
        }
        let [head, tail] = self.pieces.as_slice() else { return false };
        tail.is_empty() && head.strip_suffix(' ') == Some(line)
    }

    fn pieces_match(&self, line: &str) -> bool {
        let [first, middle @ .., last] = self.pieces.as_slice() else {
            return self.pieces.first().is_some_and(|only| only == line);
        };
        let Some(mut rest) = line.strip_prefix(first.as_str()) else { return false };
        for piece in middle {
            let Some(at) = rest.find(piece.as_str()) else { return false };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last.as_str())
    }
}
