//! Names that say nothing.

use crate::tidy::rust_text::{RustText, words};
use crate::tidy::tree::is_test;
use crate::tidy::{Finding, Tree};
use crate::workspace::Workspace;

/// Words that could stand in any name, and so mean nothing in this one.
const BANNED: &[&str] = &[
    "manager", "managers", "handler", "handlers", "helper", "helpers", "util", "utils", "common", "misc",
    "info", "v2",
];

/// What everything falls into.
const BANNED_CRATES: &[&str] = &["core", "util", "utils", "common"];

/// What introduces a name of ours.
const DEFINES: &[&str] = &["struct", "enum", "union", "trait", "type", "fn", "mod"];

/// `info` by itself is the name of a log level and means something.
const LEVEL: &str = "info";

/// Names that a trait of somebody else's wants: who implements it cannot choose.
const FOREIGN: &[&str] = &["get_info"];

/// From this many words on, the name of a test is a sentence, and may speak of somebody's handler.
const SENTENCE_WORDS_MIN: usize = 4;

/// Finds definitions and crates with a banned word in their name.
pub fn names(tree: &Tree, workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.rust() {
        let code = RustText::split(source).code;
        let mut before = "";
        for (line, word) in words(&code) {
            let is_sentence = before == "fn" && is_test(path) && split_name(word).len() >= SENTENCE_WORDS_MIN;
            if DEFINES.contains(&before)
                && !is_sentence
                && let Some(banned) = banned_word(word)
            {
                findings.push(Finding::problem(
                    path,
                    line,
                    format!("`{word}`: `{banned}` says nothing; name what it is"),
                ));
            }
            before = word;
        }
    }
    for member in &workspace.members {
        if member.name.split('-').any(|word| BANNED_CRATES.contains(&word)) {
            let message = format!("a crate called `{}` is where everything would fall into", member.name);
            findings.push(Finding::problem(format!("{}/Cargo.toml", member.dir.display()), 1, message));
        }
    }
    findings
}

fn banned_word(name: &str) -> Option<String> {
    if name == LEVEL || FOREIGN.contains(&name) {
        return None;
    }
    split_name(name).into_iter().find(|word| BANNED.contains(&word.as_str()))
}

/// The words of a `CamelCase` or `snake_case` name, in lower case; digits stay with the letters before them.
fn split_name(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (index, &c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(index + 1);
        let starts = c.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if c == '_' || starts {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c != '_') {
            part.extend(c.to_lowercase());
        }
    }
    parts
}
