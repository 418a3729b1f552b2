//! Commands of `vim` and its like that let the shell in.

use crate::call::UNKNOWN;
use crate::rules::literals;

/// How many calls of one function are looked at.
const CALLS_MAX: usize = 32;

/// Functions and commands whose text the shell runs.
const RUNS: &[&str] = &[
    "system(",
    "systemlist(",
    "job_start(",
    "jobstart(",
    "term_start(",
    "termopen(",
    "os.execute(",
    "io.popen(",
];

/// What the shell is given in this argument: `-c '!cmd'`, `+!cmd`, `-c 'r !cmd'`, `-c 'term cmd'`.
pub(super) fn shell_commands(arg: &str) -> Vec<String> {
    let text = arg.trim_start_matches('+').trim_start_matches("-c");
    let mut found = Vec::new();
    // A bar separates commands, and is a pipe behind a bang.
    let mut rest = Some(text);
    while let Some(command) = rest.take() {
        let command = command.trim_start_matches([':', ' ']);
        if let Some(script) = banged(command) {
            found.push(script.to_owned());
            break;
        }
        let word = command.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len());
        let (word, behind) = command.split_at(word);
        if matches!(word, "te" | "ter" | "term" | "terminal") && behind.starts_with(' ') {
            let is_option = |word: &&str| word.starts_with("++");
            found.push(behind.split_whitespace().skip_while(is_option).collect::<Vec<_>>().join(" "));
        }
        if matches!(word, "exe" | "exec" | "execute" | "norm" | "normal") {
            found.extend(literals(behind).into_iter().filter_map(banged).map(str::to_owned));
            found.extend(behind.split_once(":!").map(|(_, script)| script.to_owned()));
        }
        rest = command.split_once('|').map(|(_, next)| next);
    }
    for name in RUNS {
        for (index, (at, _)) in text.match_indices(name).enumerate() {
            if index == CALLS_MAX {
                found.push(UNKNOWN.to_string());
                break;
            }
            let after = &text[at + name.len()..];
            let literal = literals(after.lines().next().unwrap_or_default()).into_iter().next();
            found.push(literal.unwrap_or(after.trim_end_matches(')')).to_owned());
        }
    }
    found
}

/// The command behind a bang, which may have a range and some words before it.
fn banged(command: &str) -> Option<&str> {
    let (before, script) = command.trim_start_matches([':', ' ']).split_once('!')?;
    let is_range = |c: char| c.is_ascii_digit() || " .,;$%'<>+-".contains(c);
    let words = before.trim_start_matches(is_range).trim_start_matches("silent").trim_start_matches("sil");
    let words = words.trim_start_matches(is_range);
    let is_shell = match words.trim_end() {
        "" | "r" | "re" | "read" => true,
        // `w!` writes in any case; `w !` writes to a command.
        "w" | "write" => words.ends_with(' '),
        _ => false,
    };
    let script = if before.trim_start_matches(is_range).starts_with("sil") {
        script.trim_start_matches([' ', '!'])
    } else {
        script
    };
    (is_shell && !script.trim().is_empty()).then_some(script)
}
