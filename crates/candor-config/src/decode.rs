//! Reads types from the tree and collects everything that is wrong on the way.

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::nearest::nearest;
use crate::node::{Entry, Node, Table, Value};
use crate::place::{Origin, Place};
use crate::problem::{Problem, Warning, WarningKind};
use crate::setting::{Field, Kind};
use crate::settings::Config;

/// Most problems, and most warnings, that are kept. Nobody reads more, and a file could have a hundred thousand.
const PROBLEMS_MAX: usize = 100;

/// What a reader needs besides the node: where relative paths start, and where problems go.
pub(crate) struct Decoder<'a> {
    pub(crate) env: &'a Env,
    /// Where a relative path in a variable or a flag starts.
    pub(crate) cwd: &'a Path,
    /// Where a relative path in the workspace's file starts.
    pub(crate) workspace: &'a Path,
    path: Vec<String>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Warning>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(env: &'a Env, cwd: &'a Path, workspace: &'a Path) -> Self {
        Self { env, cwd, workspace, path: Vec::new(), problems: Vec::new(), warnings: Vec::new() }
    }

    /// Reports a problem with the value at `place`; reads well after `key: `.
    pub(crate) fn wrong<T>(&mut self, place: &Place, message: impl Into<String>) -> Option<T> {
        if self.problems.len() >= PROBLEMS_MAX {
            return None;
        }
        self.problems.push(Problem {
            place: place.clone(),
            key: self.path.join("."),
            message: message.into(),
        });
        None
    }

    pub(crate) fn warn(&mut self, place: &Place, kind: WarningKind, message: impl Into<String>) {
        if self.warnings.len() >= PROBLEMS_MAX {
            return;
        }
        let problem = Problem { place: place.clone(), key: self.path.join("."), message: message.into() };
        self.warnings.push(Warning { problem, kind });
    }

    /// Runs `read` with `key` added to the path that problems name.
    pub(crate) fn inside<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.to_owned());
        let result = read(self);
        self.path.pop();
        result
    }

    /// A value of the wrong kind.
    pub(crate) fn expected<T>(&mut self, what: &str, node: &Node) -> Option<T> {
        let got = match &node.value {
            Value::Text(text) | Value::Raw(text) => format!("{text:?}"),
            Value::Bool(flag) => flag.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            other => other.kind().to_owned(),
        };
        self.wrong(&node.place, format!("expected {what}, found {got}"))
    }

    pub(crate) fn text(&mut self, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) | Value::Raw(text) => Some(text.clone()),
            _ => self.expected("text in quotes", node),
        }
    }

    pub(crate) fn word(&mut self, node: &Node, words: &'static [&'static str]) -> Option<&'static str> {
        let found = match &node.value {
            Value::Text(text) | Value::Raw(text) => {
                words.iter().copied().find(|word| word.eq_ignore_ascii_case(text))
            }
            _ => None,
        };
        found.or_else(|| self.expected(&one_of(words), node))
    }

    /// The path that text means, `~` and relative paths resolved.
    pub(crate) fn path(&mut self, node: &Node) -> Option<PathBuf> {
        let text = self.text(node)?;
        if text.is_empty() {
            return self.wrong(&node.place, "expected a path, found nothing");
        }
        if let Some(rest) = text.strip_prefix('~') {
            let Some(home) = self.env.user_home() else {
                return self.wrong(
                    &node.place,
                    "~ cannot be resolved: no home directory is known ($HOME is not set)",
                );
            };
            return match rest.strip_prefix('/') {
                Some(rest) => Some(home.join(rest)),
                None if rest.is_empty() => Some(home.to_owned()),
                None => {
                    self.wrong(&node.place, "only ~ and ~/… are understood, not the home of another user")
                }
            };
        }
        let base = match &node.place.source.origin {
            Origin::Home(file) => file.parent().unwrap_or(self.cwd),
            Origin::Workspace(_) => self.workspace,
            Origin::Default | Origin::Environment(_) | Origin::Flag(_) => self.cwd,
        };
        Some(base.join(text))
    }

    /// A table whose keys are known; the others are warned of.
    pub(crate) fn table<'n>(&mut self, node: &'n Node, fields: &'static [Field]) -> Option<&'n Table> {
        let table = match &node.value {
            Value::Table(table) => table,
            // A heading in YAML whose keys are all comments.
            Value::Null => Table::EMPTY,
            _ => return self.expected("a table of keys and values", node),
        };
        let known: Vec<String> =
            fields.iter().flat_map(|field| (field.kind)().spellings(field.name)).collect();
        for entry in table.iter().filter(|entry| !known.contains(&entry.key)) {
            self.unknown(entry, &known);
        }
        Some(table)
    }

    fn unknown(&mut self, entry: &Entry, known: &[String]) {
        let nearest = nearest(&entry.key, known.iter().map(String::as_str)).map(str::to_owned);
        let variable = variable_meant(entry);
        let message = match (&variable, &nearest) {
            (Some(variable), _) => format!("unknown key, ignored; did you mean the variable {variable}?"),
            (None, Some(near)) => format!("unknown key, ignored; did you mean {near:?}?"),
            (None, None) => format!("unknown key, ignored; known here: {}", known.join(", ")),
        };
        self.inside(&entry.key, |decoder| {
            decoder.warn(&entry.key_place, WarningKind::UnknownKey { nearest }, message);
        });
    }

    /// The entry under one of several spellings of a key; two of them at once are a problem.
    pub(crate) fn one_of<'n>(&mut self, table: &'n Table, spellings: &[String]) -> Option<&'n Entry> {
        let mut found = spellings.iter().filter_map(|key| table.entry(key));
        let first = found.next()?;
        if let Some(second) = found.next() {
            let message = format!("this is the same setting as {:?}: give one of them", first.key);
            return self.inside(&second.key, |decoder| decoder.wrong(&second.key_place, message));
        }
        Some(first)
    }
}

/// The variable that was probably meant by one with too few underscores: `CANDOR_LOGGING_LEVEL`.
fn variable_meant(entry: &Entry) -> Option<String> {
    let Origin::Environment(name) = &entry.key_place.source.origin else { return None };
    let section = Config::FIELDS.iter().find_map(|field| {
        let rest = entry.key.strip_prefix(field.name)?.strip_prefix('_')?;
        let Kind::Table(inner) = (field.kind)() else { return None };
        inner.iter().any(|inner| inner.name == rest).then_some(field.name)
    })?;
    let rest = name.get("CANDOR_".len() + section.len() + 1..)?;
    Some(format!("CANDOR_{}__{rest}", section.to_ascii_uppercase()))
}

/// `one of a, b or c`.
pub(crate) fn one_of(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("one of {} or {last}", most.join(", ")),
    }
}
