//! Lisp for `emacs` and its like, as far as it starts programs.

use super::Inner;
use crate::call::{Call, UNKNOWN};

/// Functions whose first text is a script.
const SCRIPTS: &[&str] = &[
    "shell-command",
    "shell-command-to-string",
    "async-shell-command",
    "call-process-shell-command",
    "start-process-shell-command",
    "process-lines-shell-command",
    "start-file-process-shell-command",
    "shell-command-on-region",
    "eshell-command",
    "compile",
    "system",
    "shell",
    "run-program",
    "uiop:run-program",
    "sb-ext:run-program",
    "ext:shell",
    "ext:run-shell-command",
    "process-file-shell-command",
];

/// Functions whose texts are the words of a command.
const WORDS: &[&str] = &[
    "call-process",
    "call-process-region",
    "start-process",
    "start-file-process",
    "process-file",
    "process-lines",
    "make-process",
    "make-term",
    "term",
    "ansi-term",
    "system*",
    "execlp",
];

/// Functions that delete, with the options that make `rm` do the same.
const DELETE: &[&str] = &["delete-directory", "delete-file"];

/// How many calls are looked at. A call is in all those around it, so that many of them take long.
const CALLS_MAX: usize = 128;

/// The commands that the code in this command starts.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    let texts = match call.name {
        "emacs" | "xemacs" | "emacs-nox" => {
            let mut texts = valued(call, &["-eval", "--eval", "-execute", "--execute"]);
            texts.extend(call.values(None, Some("eval")));
            texts
        }
        "emacsclient" => {
            // It takes every operand for code once it is told so.
            let is_code = call.has_short("e") || call.has_long("eval");
            let mut texts: Vec<&str> = call.operands().filter(|_| is_code).collect();
            texts.extend(call.values(None, Some("eval")));
            texts
        }
        "guile" | "racket" | "sbcl" | "clisp" | "ecl" | "csi" | "chicken-csi" | "gosh" => {
            valued(call, &["-c", "-e", "-x", "--eval", "-eval", "-p"])
        }
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for text in texts {
        if text.chars().all(|c| c == UNKNOWN || c.is_whitespace()) {
            found.push(UNKNOWN.to_string());
        }
        calls(text, &mut found);
    }
    let takes_input = !call.operands().any(|operand| operand != "-") && call.name != "emacs";
    if takes_input && let Some(text) = call.flow.text.as_deref() {
        calls(text, &mut found);
    }
    found.into_iter().map(Inner::script).collect()
}

/// The words behind these options. They are long names with one dash.
fn valued<'a>(call: &Call<'a>, options: &[&str]) -> Vec<&'a str> {
    let args: Vec<&str> = call.args().collect();
    args.windows(2).filter(|pair| options.contains(&pair[0])).map(|pair| pair[1]).collect()
}

fn calls(text: &str, found: &mut Vec<String>) {
    for (index, (at, _)) in text.match_indices('(').enumerate() {
        if index == CALLS_MAX {
            return found.push(UNKNOWN.to_string());
        }
        let inside = &text[at + 1..];
        let form = &inside[..closing(inside)];
        let end = form.find(|c: char| c.is_whitespace() || c == '"' || c == '(').unwrap_or(form.len());
        let (name, args) = form.split_at(end);
        let (literals, is_known) = literals(args);
        if SCRIPTS.contains(&name) {
            match literals.first().filter(|_| is_known || starts_with_literal(args)) {
                Some(script) => found.push(script.clone()),
                None => found.push(UNKNOWN.to_string()),
            }
        } else if WORDS.contains(&name) {
            // The first text of these names the process, or its buffer.
            let skip = usize::from(matches!(name, "start-process" | "start-file-process" | "make-term"));
            let skip = if name == "make-process" { 1 } else { skip };
            let words: Vec<&str> = literals.iter().skip(skip).map(String::as_str).collect();
            found.push(words.join(" "));
            if !is_known || words.is_empty() {
                found.push(UNKNOWN.to_string());
            }
            // Without the skip as well, where a name was left out.
            if skip > 0 && literals.len() > 1 {
                found.push(literals.join(" "));
            }
        } else if DELETE.contains(&name) {
            found.push(format!("rm -rf {}", literals.join(" ")));
        } else if name == "eval" || name == "load" || name == "load-file" {
            // A file of the user's is ordinary work, text that is put together is not.
            found.extend((name == "eval" && !is_known).then(|| UNKNOWN.to_string()));
        }
    }
}

fn starts_with_literal(args: &str) -> bool {
    args.trim_start().starts_with('"')
}

/// The texts of a form, and whether everything else in it says nothing.
fn literals(args: &str) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    let mut other = String::new();
    let mut chars = args.chars();
    while let Some(c) = chars.next() {
        if c != '"' {
            other.push(c);
            continue;
        }
        let mut text = String::new();
        while let Some(c) = chars.next().filter(|c| *c != '"') {
            text.extend(if c == '\\' { chars.next() } else { Some(c) });
        }
        found.push(text);
    }
    let says_nothing =
        |word: &str| matches!(word, "" | "nil" | "t" | "0" | "list" | "quote" | "'") || word.starts_with(':');
    let is_known = other.split(|c: char| c.is_whitespace() || "()'`".contains(c)).all(says_nothing);
    (found, is_known && !args.contains(UNKNOWN))
}

/// Where the form ends that was opened before this text.
fn closing(text: &str) -> usize {
    let mut level = 1;
    let mut is_text = false;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match c {
            '\\' => is_escaped = true,
            '"' => is_text = !is_text,
            '(' if !is_text => level += 1,
            ')' if !is_text => level -= 1,
            _ => {}
        }
        if level == 0 {
            return at;
        }
    }
    text.len()
}
