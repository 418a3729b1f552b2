//! Shells and what is like one: where their script comes from.

use super::{Inner, join};
use crate::call::{Call, UNKNOWN, Word, short_group};

/// Programs that run shell scripts.
pub(crate) const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "pwsh", "csh", "tcsh", "yash", "posh",
];

/// Where a shell reads its script.
#[derive(Debug)]
pub(crate) enum Reads<'a> {
    /// From its arguments; the words after it are its parameters.
    Script(&'a Word, &'a [Word]),
    /// From its standard input.
    Input,
    /// From a file.
    File(&'a Word),
    /// Nothing is run: `bash --version`, or `sh -c` without a script.
    Nothing,
}

/// Where this shell reads its script.
pub(crate) fn reads<'a>(call: &Call<'a>) -> Reads<'a> {
    let mut takes_script = false;
    let mut rest = call.words.get(1..).unwrap_or_default();
    while let Some((word, after)) = rest.split_first() {
        let text = word.text.as_str();
        rest = after;
        if matches!(text, "--version" | "--help") {
            return Reads::Nothing;
        }
        if matches!(text, "--" | "-") {
            break;
        }
        if matches!(text, "--rcfile" | "--init-file") {
            rest = rest.get(1..).unwrap_or_default();
        } else if text.starts_with("--") {
            // A long option without a value of its own.
        } else if let Some(group) = short_group(text).or_else(|| text.strip_prefix('+')) {
            takes_script |= text.starts_with('-') && group.contains('c');
            let valued = group.chars().filter(|c| matches!(c, 'o' | 'O')).count();
            rest = rest.get(valued..).unwrap_or_default();
            if group.contains('s') && !takes_script {
                return Reads::Input;
            }
        } else {
            return if takes_script { Reads::Script(word, after) } else { Reads::File(word) };
        }
    }
    match rest.split_first() {
        Some((word, after)) if takes_script => Reads::Script(word, after),
        Some((word, _)) if matches!(word.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
            Reads::Input
        }
        Some((word, _)) => Reads::File(word),
        None if takes_script => Reads::Nothing,
        None => Reads::Input,
    }
}

/// The scripts that a shell, or a built-in command like one, would run.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    match call.name {
        "eval" => {
            let skip = 1 + usize::from(call.arg(0) == Some("--"));
            let text = join(call.words.get(skip..).unwrap_or_default());
            // Where nothing is known there is nothing to read; the rule about `eval` has the last word.
            let is_unknown = text.chars().all(|c| c == UNKNOWN || c.is_whitespace());
            if is_unknown { Vec::new() } else { vec![Inner::script(text)] }
        }
        "trap" => call.operands().next().filter(|text| *text != "-").map(Inner::script).into_iter().collect(),
        "alias" => call
            .operands()
            .filter_map(|text| text.split_once('='))
            .map(|(_, text)| Inner::script(text))
            .collect(),
        "su" | "runuser" | "script" | "flock" | "npx" | "scriptreplay" => {
            call.values(Some('c'), Some("command")).into_iter().map(Inner::script).collect()
        }
        "env" => call.values(Some('S'), Some("split-string")).into_iter().map(Inner::script).collect(),
        "at" | "batch" => call.flow.text.iter().map(Inner::script).collect(),
        "source" | "." => match call.arg(0) {
            Some("/dev/stdin") => call.flow.text.iter().map(Inner::script).collect(),
            _ => Vec::new(),
        },
        name if SHELLS.contains(&name) => of_shell(call),
        _ => Vec::new(),
    }
}

fn of_shell(call: &Call<'_>) -> Vec<Inner> {
    // Some shells take the script in the same word as the option.
    let glued = call.args().filter_map(|arg| arg.strip_prefix("-c")).filter(|text| text.contains(' '));
    let mut found: Vec<Inner> = glued.map(Inner::script).collect();
    match reads(call) {
        Reads::Script(script, parameters) => {
            let parameters =
                if parameters.is_empty() { vec![Word::literal(call.name)] } else { parameters.to_vec() };
            found.push(Inner::Script { text: script.text.clone(), parameters });
        }
        Reads::Input => found.extend(call.flow.text.iter().map(Inner::script)),
        Reads::File(file) if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
            found.extend(call.flow.text.iter().map(Inner::script));
        }
        Reads::File(_) | Reads::Nothing => {}
    }
    found
}
