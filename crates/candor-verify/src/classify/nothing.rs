//! Whether a shell line does nothing at all: `true`, `echo ok`, `exit 0`. That it ends well tells nothing about the work.

use super::shell::{self, Link, Simple};

/// Whether all that a line can do is to print something and to end well.
pub fn does_nothing(line: &str) -> bool {
    does_nothing_by(line, &|_| false)
}

/// The same, where of some commands, given by their words, the caller knows it.
pub(crate) fn does_nothing_by(line: &str, is_nothing: &dyn Fn(&[&str]) -> bool) -> bool {
    let Some(commands) = shell::split(line) else { return false };
    !commands.is_empty() && commands.iter().all(|command| is_idle(command, is_nothing))
}

/// Whether a line ends well whatever comes of its work: `tsc || true`, `make; exit 0`. Of tests the runner says what failed;
/// of anything else nobody does.
pub fn ends_well_anyway(line: &str) -> bool {
    let Some(commands) = shell::split(line) else { return false };
    let [.., before, last] = commands.as_slice() else { return false };
    let stops = |words: &[&str]| matches!(words, ["set", option, ..] if option.starts_with('-') && option.contains('e'));
    let first: Vec<&str> = commands[0].words.iter().map(|word| word.text.as_str()).collect();
    if stops(&first) && before.link == Link::Then {
        return false;
    }
    matches!(before.link, Link::Or | Link::Then) && is_idle(last, &|_| false)
}

fn is_idle(command: &Simple, is_nothing: &dyn Fn(&[&str]) -> bool) -> bool {
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    // What a substitution runs is not looked into, so that it may do anything. What is printed into a file or a pipe is used.
    let runs_more = command.words.iter().any(|word| word.raw.contains("$(") || word.raw.contains('`'));
    if runs_more || command.is_writing || command.link == Link::Pipe || !command.input.is_empty() {
        return false;
    }
    match words.as_slice() {
        ["true" | ":" | "echo" | "printf" | "set", ..] | ["exit"] | ["exit", "0"] => true,
        words => is_nothing(words),
    }
}
