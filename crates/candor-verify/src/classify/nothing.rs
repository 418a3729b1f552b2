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
