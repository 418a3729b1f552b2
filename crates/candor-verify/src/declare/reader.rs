//! Reads values from the tree, and tells what is wrong with each and what would be right.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;

use super::words::{meant, nearest, shown, time, within};
use super::yaml::{Entry, Node, Place, Value};
use crate::plan::Problem;

/// Most problems that are told of one file. Nobody reads more, and a file could have fifty thousand.
const PROBLEMS_MAX: usize = 100;
/// Most items of one list.
pub(super) const ITEMS_MAX: usize = 100;
/// Longest time that can be set: nobody waits longer for a check.
const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Something was wrong, and has been told.
#[derive(Debug)]
pub(super) struct Wrong;

pub(super) type Read<T> = Result<T, Wrong>;

/// What a reader needs besides the node: which file it is, and where problems go.
pub(super) struct Reader<'a> {
    pub(super) root: &'a Path,
    pub(super) file: &'a Path,
    problems: Vec<Problem>,
    /// The key that is being read, for the sentence.
    key: Option<&'static str>,
}

/// The keys of a table that have a value.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    entries: &'n [Entry],
    pub(super) place: Place,
}

impl<'n> Fields<'n> {
    /// A key that has a value: `key:` alone is as good as none.
    pub(super) fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key == key && !entry.node.is_null())
    }

    /// The same, of several keys, in the order of the file.
    pub(super) fn given<'k>(&self, keys: &'k [&'k str]) -> impl Iterator<Item = &'n Entry> + 'k
    where
        'n: 'k,
    {
        self.entries.iter().filter(move |entry| keys.contains(&entry.key.as_str()) && !entry.node.is_null())
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Path, file: &'a Path) -> Self {
        Self { root, file, problems: Vec::new(), key: None }
    }

    /// What was told, in the order of the file.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| (problem.line, problem.column));
        self.problems
    }

    /// Tells a problem with what is read.
    pub(super) fn wrong<T>(&mut self, place: Place, message: impl Into<String>) -> Read<T> {
        self.tell(place, message);
        Err(Wrong)
    }

    /// Tells a problem.
    pub(super) fn tell(&mut self, place: Place, message: impl Into<String>) {
        if self.problems.len() < PROBLEMS_MAX {
            let message = message.into();
            let message = match self.key {
                Some(key) => format!("{key}: {message}"),
                None => message,
            };
            let (line, column) = (place.line, place.column);
            self.problems.push(Problem { file: self.file.to_owned(), line, column, message });
        }
    }

    /// A value of the wrong kind.
    pub(super) fn expected<T>(&mut self, what: &str, node: &Node) -> Read<T> {
        let found = node.text().map_or_else(|| node.kind().to_owned(), shown);
        self.wrong(node.place, format!("expected {what}, found {found}"))
    }

    /// A table whose keys are known; others are told.
    pub(super) fn fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        known: &[&'static str],
    ) -> Read<Fields<'n>> {
        let Value::Table(entries) = &node.value else {
            return self.expected(&format!("{what}, a table of keys and values"), node);
        };
        let key = self.key.take();
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let mut message = format!("unknown key {}", shown(&entry.key));
            // Writing to a string cannot fail.
            let _ = match meant(&entry.key, known) {
                Some(meant) => write!(message, "; did you mean {meant:?}?"),
                None => write!(message, "; known here: {}", known.join(", ")),
            };
            self.tell(entry.place, message);
        }
        self.key = key;
        Ok(Fields { entries, place: node.place })
    }

    /// The value of a key, if it is there.
    pub(super) fn optional<'n, T>(
        &mut self,
        fields: &Fields<'n>,
        key: &'static str,
        read: impl FnOnce(&mut Self, &'n Node) -> Read<T>,
    ) -> Read<Option<T>> {
        let Some(entry) = fields.entry(key) else { return Ok(None) };
        self.inside(key, |reader| read(reader, &entry.node)).map(Some)
    }

    /// Reads with a key that problems name.
    pub(super) fn inside<T>(&mut self, key: &'static str, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.key.replace(key);
        let result = read(self);
        self.key = outer;
        result
    }

    /// The value of a key that must be there; `why` is the sentence that says so.
    pub(super) fn required<'n, T>(
        &mut self,
        fields: &Fields<'n>,
        key: &'static str,
        why: &str,
        read: impl FnOnce(&mut Self, &'n Node) -> Read<T>,
    ) -> Read<T> {
        match self.optional(fields, key, read)? {
            Some(value) => Ok(value),
            None => self.wrong(fields.place, why),
        }
    }

    /// Any scalar, as it was written.
    pub(super) fn text(&mut self, node: &Node) -> Read<String> {
        match node.text() {
            Some(text) => Ok(text.to_owned()),
            None => self.expected("text", node),
        }
    }

    /// A shell line.
    pub(super) fn command(&mut self, node: &Node) -> Read<String> {
        match node.text() {
            Some(text) if text.trim().is_empty() => {
                self.wrong(node.place, "expected a command, found nothing")
            }
            Some(text) if text.contains('\0') => self.wrong(node.place, "a command cannot hold a zero byte"),
            Some(text) => Ok(text.trim().to_owned()),
            None => self.expected("a command in one text", node),
        }
    }

    /// What something is called: one short line.
    pub(super) fn name(&mut self, node: &Node) -> Read<String> {
        let is_good = |text: &&str| {
            !text.trim().is_empty() && text.chars().count() <= 100 && !text.contains(char::is_control)
        };
        match node.text().filter(is_good) {
            Some(text) => Ok(text.trim().to_owned()),
            None => self.expected("a name, one line of at most 100 characters", node),
        }
    }

    pub(super) fn flag(&mut self, node: &Node) -> Read<bool> {
        match node.json() {
            serde_json::Value::Bool(flag) => Ok(flag),
            _ => self.expected("true or false", node),
        }
    }

    /// A whole number within bounds.
    pub(super) fn number(&mut self, node: &Node, least: i64, most: i64) -> Read<i64> {
        match node.json().as_i64().filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(number),
            None => self.expected(&format!("a whole number from {least} to {most}"), node),
        }
    }

    /// One of several words, whichever way it is capitalised.
    pub(super) fn word<T: Copy>(&mut self, node: &Node, words: &[(&str, T)]) -> Read<T> {
        let text = node.text().unwrap_or_default();
        if let Some((_, value)) = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)) {
            return Ok(*value);
        }
        let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let near = nearest(text, &names).map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        let found = node.text().map_or_else(|| node.kind().to_owned(), shown);
        self.wrong(node.place, format!("expected one of {}, found {found}{near}", names.join(", ")))
    }

    /// A length of time: `10s`, `500ms`, `1m30s`, or a number of seconds.
    pub(super) fn time(&mut self, node: &Node) -> Read<Duration> {
        let Some(time) = node.text().and_then(time) else {
            return self.expected("a length of time such as 10s, 500ms or 2m", node);
        };
        if time > TIME_MAX {
            return self.wrong(node.place, "this is longer than a day; at most 24h");
        }
        Ok(time)
    }

    /// A length of time in which something can happen.
    pub(super) fn timeout(&mut self, node: &Node) -> Read<Duration> {
        let time = self.time(node)?;
        if time.is_zero() {
            return self.wrong(node.place, "nothing can happen in no time; give at least 1ms");
        }
        Ok(time)
    }

    /// A regular expression that compiles.
    pub(super) fn pattern(&mut self, node: &Node) -> Read<String> {
        let text = self.text(node)?;
        match Regex::new(&text) {
            Ok(_) => Ok(text),
            Err(error) => {
                // The last line says what is wrong; those above repeat the pattern.
                let error = error.to_string();
                let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                self.wrong(node.place, format!("{} is no regular expression: {why}", shown(&text)))
            }
        }
    }

    /// A path within the workspace, relative to it.
    pub(super) fn path(&mut self, node: &Node) -> Read<PathBuf> {
        let text = self.text(node)?;
        match within(&text) {
            Some(path) => Ok(path),
            None => self.wrong(
                node.place,
                format!("{} leads out of the workspace; expected a path in it, relative to it", shown(&text)),
            ),
        }
    }

    /// A folder to run in.
    pub(super) fn folder(&mut self, node: &Node) -> Read<PathBuf> {
        let path = self.path(node)?;
        // A folder that is not there may be one that a build makes. One that is there and is somewhere else is not.
        match (self.root.join(&path).canonicalize(), self.root.canonicalize()) {
            (Ok(real), Ok(root)) if !real.starts_with(&root) => self.wrong(
                node.place,
                format!("{} is a link that leads out of the workspace", shown(&path.to_string_lossy())),
            ),
            _ => Ok(path),
        }
    }

    /// The items of a list, at most as many as are allowed.
    pub(super) fn items<'n>(&mut self, node: &'n Node, what: &str) -> Read<&'n [Node]> {
        let Value::List(items) = &node.value else {
            return self.expected(&format!("a list of {what}"), node);
        };
        match items.split_at_checked(ITEMS_MAX) {
            Some((read, [first, ..])) => {
                self.tell(
                    first.place,
                    format!("these are more than {ITEMS_MAX} {what}; the rest is not read"),
                );
                Ok(read)
            }
            _ => Ok(items),
        }
    }

    /// A list of texts, each of which is read alike; one text alone is a list of one. Those that are wrong are left out.
    pub(super) fn each(
        &mut self,
        node: &Node,
        what: &str,
        mut read: impl FnMut(&mut Self, &Node) -> Read<String>,
    ) -> Read<Vec<String>> {
        if node.text().is_some() {
            return Ok(read(self, node).into_iter().collect());
        }
        let items = self.items(node, what)?;
        Ok(items.iter().filter_map(|item| read(self, item).ok()).collect())
    }

    /// Names and texts. The texts are not shown when something is wrong: they may be secret.
    pub(super) fn pairs(
        &mut self,
        node: &Node,
        what: &str,
        is_name: fn(&str) -> bool,
    ) -> Read<Vec<(String, String)>> {
        let Value::Table(entries) = &node.value else {
            return self
                .wrong(node.place, format!("expected {what} and their values, found {}", node.kind()));
        };
        if entries.len() > ITEMS_MAX {
            return self.wrong(node.place, format!("these are more than {ITEMS_MAX} {what}"));
        }
        let mut pairs = Vec::new();
        for entry in entries {
            let text = match entry.node.text() {
                Some(text) => text,
                None if entry.node.is_null() => "",
                None => {
                    let message =
                        format!("expected text for {}, found {}", shown(&entry.key), entry.node.kind());
                    return self.wrong(entry.node.place, message);
                }
            };
            if !is_name(&entry.key) {
                let message = format!("{} cannot be one of {what}", shown(&entry.key));
                return self.wrong(entry.place, message);
            }
            if text.contains(['\0', '\r', '\n']) && what == HEADERS || text.contains('\0') {
                let message =
                    format!("the value of {} holds a character that it cannot hold", shown(&entry.key));
                return self.wrong(entry.node.place, message);
            }
            pairs.push((entry.key.clone(), text.to_owned()));
        }
        Ok(pairs)
    }
}

/// What pairs are headers: their values are one line each.
pub(super) const HEADERS: &str = "headers";
