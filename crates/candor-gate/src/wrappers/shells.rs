//! Shells and what is like one: where their script comes from.

use super::{Inner, behind_options, join};
use crate::call::{Call, UNKNOWN, Word, short_group};

/// Programs that run shell scripts.
pub(crate) const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "pwsh", "csh", "tcsh", "yash",
    "posh", "oksh", "loksh", "ksh93", "hush", "osh", "bsh", "nu", "xonsh", "elvish", "bash5",
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

/// Whether this file is the standard input.
pub(crate) fn is_input(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/dev/tty")
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
        Some((word, _)) if is_input(&word.text) => Reads::Input,
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
        // The number of the line and the line come behind the text.
        "mapfile" | "readarray" => call
            .values(Some('C'), None)
            .into_iter()
            .map(|text| Inner::script(format!("{text} 0 {UNKNOWN}")))
            .collect(),
        "complete" | "compgen" => call.values(Some('C'), None).into_iter().map(Inner::script).collect(),
        "bind" => call
            .values(Some('x'), None)
            .into_iter()
            .map(|text| Inner::script(text.split_once(':').map_or(text, |(_, command)| command)))
            .collect(),
        "history" if call.has_short("s") => {
            vec![Inner::script(join(call.words.get(2..).unwrap_or_default()))]
        }
        "su" | "runuser" | "script" | "flock" | "npx" | "pnpx" | "bunx" | "scriptreplay" | "emulate"
        | "sg" | "vagrant" => {
            call.values(Some('c'), Some("command")).into_iter().map(Inner::script).collect()
        }
        "ssh" | "autossh" => of_ssh(call),
        "env" => {
            // What stands behind the text is added to it.
            let split = |word: &Word| short_group(&word.text).is_some_and(|group| group.contains('S'));
            let at = call.words.iter().position(split).unwrap_or(call.words.len());
            let is_glued = call.words.get(at).is_some_and(|word| !word.text.ends_with('S'));
            let more = join(call.words.get(at + 2 - usize::from(is_glued)..).unwrap_or_default());
            let texts = call.values(Some('S'), Some("split-string"));
            texts.into_iter().map(|text| Inner::script(format!("{text} {more}"))).collect()
        }
        "ansible" => call.values(Some('a'), Some("args")).into_iter().map(Inner::script).collect(),
        "gcloud" => call.values(None, Some("command")).into_iter().map(Inner::script).collect(),
        "entr" if call.has_short("s") => call.operands().next().map(Inner::script).into_iter().collect(),
        "watchexec" | "xterm" | "cmd" | "cmd.exe" | "rush" => {
            call.args().filter(|arg| arg.contains(' ')).map(Inner::script).collect()
        }
        "cargo" if call.arg(0) == Some("watch") => {
            call.values(Some('s'), Some("shell")).into_iter().map(Inner::script).collect()
        }
        "at" | "batch" | "newgrp" | "login" => call.flow.text.iter().map(Inner::script).collect(),
        "source" | "." => match call.arg(0) {
            Some(file) if is_input(file) => call.flow.text.iter().map(Inner::script).collect(),
            _ => Vec::new(),
        },
        name if SHELLS.contains(&name) => of_shell(call),
        _ => Vec::new(),
    }
}

/// What the shell of another machine is given. It is judged as if it ran here: a root, a home or a disk is one everywhere.
fn of_ssh(call: &Call<'_>) -> Vec<Inner> {
    let words = call.words.get(1..).unwrap_or_default();
    match behind_options(words, "BbcDEeFIiJLlMmOoPpQRSWw", &[], 1) {
        Some(command) => vec![Inner::script(join(command))],
        None => call.flow.text.iter().map(Inner::script).collect(),
    }
}

fn of_shell(call: &Call<'_>) -> Vec<Inner> {
    // Some shells take the script in the same word as the option.
    let glued = call.args().filter_map(|arg| arg.strip_prefix("-c")).filter(|text| text.contains(' '));
    let mut found: Vec<Inner> = glued.map(Inner::script).collect();
    if call.name == "pwsh" {
        let is_option = |word: &Word| word.text.eq_ignore_ascii_case("-command");
        let at = call.words.iter().position(is_option).unwrap_or(call.words.len());
        found.extend(call.words.get(at + 1..).map(|words| Inner::script(join(words))));
    }
    match reads(call) {
        Reads::Script(script, parameters) => {
            let parameters =
                if parameters.is_empty() { vec![Word::literal(call.name)] } else { parameters.to_vec() };
            found.push(Inner::Script { text: script.text.clone(), parameters });
        }
        Reads::Input => found.extend(call.flow.text.iter().map(Inner::script)),
        Reads::File(file) if is_input(&file.text) => {
            found.extend(call.flow.text.iter().map(Inner::script));
        }
        Reads::File(_) | Reads::Nothing => {}
    }
    found
}
