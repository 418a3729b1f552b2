//! `make` and makefiles that are given as text: on the standard input, or in an option.

use std::collections::HashMap;

use super::{Inner, SHELLS, is_input};
use crate::call::{Call, UNKNOWN, base_name};

/// How deep variables of a makefile may be in each other, and how many references are worked out.
const DEPTH_MAX: usize = 8;
const REFERENCES_MAX: usize = 1_000;
/// How many functions in one line are looked at.
const FUNCTIONS_MAX: usize = 32;

/// Longer text is not put together; it is then not known.
const EXPANDED_BYTES_MAX: usize = 64 * 1024;

/// What a makefile knows without saying it.
const BUILT_IN: &[(&str, &str)] = &[
    ("MAKE", "make"),
    ("CC", "cc"),
    ("CXX", "c++"),
    ("CPP", "cc -E"),
    ("AR", "ar"),
    ("LD", "ld"),
    ("AS", "as"),
    ("RM", "rm -f"),
    ("CURDIR", "."),
];

/// Functions that run, load or write something, and those that make new lines of the makefile.
const DOUBTFUL: &[&str] = &["eval", "guile", "file", "load"];

/// The commands in what `make` is given as text.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    let mut file = Makefile::default();
    for (name, value) in call.operands().filter_map(|operand| operand.split_once('=')) {
        let name = name.trim_end_matches([':', '+', '?', '!']);
        // A shell of its own is judged as a program that an option names.
        if name != "SHELL" {
            file.variables.insert(name.to_owned(), value.to_owned());
        }
        file.look_through(value);
    }
    if makefiles(call).any(|makefile| makefile == "-" || is_input(makefile)) {
        file.read(call.flow.text.as_deref().unwrap_or_default());
    }
    for text in call.values(Some('E'), Some("eval")) {
        file.read(text);
    }
    file.into_scripts()
}

/// The makefiles that are named.
pub(crate) fn makefiles<'a>(call: &Call<'a>) -> impl Iterator<Item = &'a str> {
    let named = call.values(Some('f'), Some("file"));
    named.into_iter().chain(call.values(None, Some("makefile")))
}

/// A makefile as far as it is read.
#[derive(Default)]
struct Makefile {
    variables: HashMap<String, String>,
    scripts: Vec<String>,
    /// What the recipes say, line by line.
    recipes: Vec<String>,
    /// What a line of a recipe begins with, where it is not a tab.
    prefix: Option<char>,
    is_one_shell: bool,
    /// How much text was put together.
    bytes: usize,
}

impl Makefile {
    fn read(&mut self, text: &str) {
        // A recipe hands its broken lines to the shell; elsewhere they are one line.
        let text = text.replace("\\\n", " ");
        for line in text.lines() {
            self.line(line);
        }
    }

    fn line(&mut self, line: &str) {
        if let Some(recipe) = line.strip_prefix(self.prefix.unwrap_or('\t')) {
            self.recipes.push(recipe.to_owned());
            return;
        }
        self.look_through(line);
        let line = line.trim_start();
        if line.starts_with('#') {
            return;
        }
        if let Some((name, operator, value)) = assignment(line) {
            return self.assign(name, operator, value.trim());
        }
        self.is_one_shell |= line.starts_with(".ONESHELL");
        if line.starts_with("load ") || line.contains(UNKNOWN) {
            self.unknown();
        }
        if let Some((_, recipe)) = line.split_once(':').and_then(|(_, rest)| rest.split_once(';')) {
            self.recipes.push(recipe.to_owned());
        } else if !line.contains(':') {
            // The body of a `define` may become a recipe.
            self.recipes.extend(is_in_define(line).then(|| line.to_owned()));
        }
    }

    fn assign(&mut self, name: &str, operator: &str, value: &str) {
        match (name, operator) {
            (_, "!") => {
                let script = self.known(value);
                self.scripts.push(script);
            }
            (".RECIPEPREFIX", _) => self.prefix = value.chars().next(),
            ("SHELL", _) if !SHELLS.contains(&base_name(value)) => self.unknown(),
            (".SHELLFLAGS", _)
                if !value.split_whitespace().all(|word| word.starts_with('-') || word == "pipefail") =>
            {
                self.unknown();
            }
            _ => {}
        }
        let value = if operator == "!" { UNKNOWN.to_string() } else { value.to_owned() };
        match operator {
            "+" => {
                let before = self.variables.entry(name.to_owned()).or_default();
                if before.len() + value.len() < EXPANDED_BYTES_MAX {
                    before.push(' ');
                    before.push_str(&value);
                }
            }
            "?" => {
                self.variables.entry(name.to_owned()).or_insert(value);
            }
            _ => {
                self.variables.insert(name.to_owned(), value);
            }
        }
    }

    /// Functions that run something wherever they stand.
    fn look_through(&mut self, text: &str) {
        let references = text.match_indices("$(").chain(text.match_indices("${"));
        for (index, (at, _)) in references.enumerate() {
            if index == FUNCTIONS_MAX {
                return self.unknown();
            }
            let inside = enclosed(&text[at + 1..]);
            let function = inside.split_whitespace().next().unwrap_or_default();
            if function == "shell" {
                let script = self.known(inside["shell".len()..].trim_start());
                self.scripts.push(script);
            } else if DOUBTFUL.contains(&function) && inside.len() > function.len() {
                self.unknown();
            }
        }
    }

    fn unknown(&mut self) {
        self.scripts.push(UNKNOWN.to_string());
    }

    fn into_scripts(mut self) -> Vec<Inner> {
        let recipes = std::mem::take(&mut self.recipes);
        let mut lines = Vec::with_capacity(recipes.len());
        for recipe in &recipes {
            self.look_through(recipe);
            let line = self.known(recipe.trim_start_matches(['@', '-', '+', ' ', '\t']));
            // A variable may hold the signs as well.
            lines.push(line.trim_start_matches(['@', '-', '+', ' ']).to_owned());
        }
        if self.is_one_shell {
            lines = vec![lines.join("\n")];
        }
        self.scripts.extend(lines);
        self.scripts.into_iter().filter(|script| !script.trim().is_empty()).map(Inner::script).collect()
    }

    fn known(&mut self, text: &str) -> String {
        if self.bytes > EXPANDED_BYTES_MAX * 4 {
            return UNKNOWN.to_string();
        }
        let mut left = REFERENCES_MAX;
        let known = self.expand(text, DEPTH_MAX, &mut left);
        self.bytes += known.len();
        known
    }

    /// The text with its variables, as far as they are known.
    fn expand(&self, text: &str, depth: usize, left: &mut usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let Some(c) = rest.chars().next() else { break };
            if c == '$' {
                out.push('$');
                rest = &rest[1..];
                continue;
            }
            let (name, length) = match c {
                '(' | '{' => {
                    let inside = enclosed(rest);
                    (inside, (inside.len() + 2).min(rest.len()))
                }
                c => (&rest[..c.len_utf8()], c.len_utf8()),
            };
            rest = &rest[length..];
            *left = left.saturating_sub(1);
            let value = if depth == 0 || *left == 0 || out.len() > EXPANDED_BYTES_MAX {
                UNKNOWN.to_string()
            } else {
                self.value(name, depth - 1, left)
            };
            out.push_str(&value);
        }
        out.push_str(rest);
        out
    }

    fn value(&self, name: &str, depth: usize, left: &mut usize) -> String {
        if let Some(value) = self.variables.get(name) {
            return self.expand(value, depth, left);
        }
        let built_in = BUILT_IN.iter().find(|(built_in, _)| *built_in == name);
        built_in.map_or_else(|| UNKNOWN.to_string(), |(_, value)| (*value).to_owned())
    }
}

/// What stands between the first bracket and the one that closes it.
fn enclosed(text: &str) -> &str {
    let (open, close) = if text.starts_with('(') { ('(', ')') } else { ('{', '}') };
    let mut level = 0;
    for (at, c) in text.char_indices() {
        level += i32::from(c == open) - i32::from(c == close);
        if level == 0 {
            return &text[1..at];
        }
    }
    text.get(1..).unwrap_or_default()
}

/// `NAME = value`, with the sign before `=`. The name has no blanks, so that a recipe is none.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let line = ["override ", "export ", "define "]
        .iter()
        .fold(line, |line, word| line.strip_prefix(word).map_or(line, str::trim_start));
    let (name, value) = line.split_once('=')?;
    let plain = name.trim_end_matches([':', '+', '?', '!']);
    let operator = &name[plain.len()..];
    let name = plain.trim();
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || ":;'\"|&$()".contains(c));
    is_name.then(|| (name, operator.trim_start_matches(':'), value))
}

/// Is this no line that a makefile has outside of rules and definitions?
fn is_in_define(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_directive = matches!(
        first,
        "" | "define"
            | "endef"
            | "ifeq"
            | "ifneq"
            | "ifdef"
            | "ifndef"
            | "else"
            | "endif"
            | "include"
            | "-include"
            | "sinclude"
            | "export"
            | "unexport"
            | "vpath"
            | "override"
            | "undefine"
            | "load"
    );
    !is_directive && !first.starts_with("$(")
}
