//! rustc, clippy, cargo test; deno lint prints the same.

use super::Read;
use super::text::{Lines, Parts, captures, group};

/// How far below its message a place stands.
const PLACE_WITHIN: usize = 4;
/// How many lines a message of a panic has.
const MESSAGE_LINES_MAX: usize = 6;

/// `error[E0308]: mismatched types` and ` --> src/lib.rs:3:5`.
pub(super) fn compiler(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^(error|warning)(?:\[([\w:-]+)\])?: (.+)$")?;
    let (at, place) = lines
        .after(PLACE_WITHIN)
        .find_map(|(at, line)| Some((at, captures!(line, r"^\s*--> (.+?):(\d+):(\d+)$")?)))?;
    let parts = Parts {
        file: group(&place, 1),
        line: group(&place, 2),
        column: group(&place, 3),
        severity: group(&head, 1),
        code: group(&head, 2),
        message: group(&head, 3),
    };
    Read::one(parts.diagnostic(), at + 1)
}

/// `thread 'tests::adds' (12) panicked at src/lib.rs:8:9:` and its message below.
pub(super) fn panic(lines: Lines<'_>) -> Option<Read> {
    if let Some(old) = captures!(lines.first(), r"^thread '(.+?)' panicked at '(.*)', (.+?):(\d+):(\d+)$") {
        let parts = Parts {
            file: group(&old, 3),
            line: group(&old, 4),
            column: group(&old, 5),
            code: test(group(&old, 1)),
            message: group(&old, 2),
            ..Parts::error()
        };
        return Read::one(parts.diagnostic(), 1);
    }
    let head = captures!(lines.first(), r"^thread '(.+?)'(?: \(\d+\))? panicked at (.+?):(\d+):(\d+):$")?;
    let is_message = |line: &&str| {
        !line.is_empty() && !line.starts_with("note: ") && !line.starts_with("stack backtrace:")
    };
    let message: Vec<&str> =
        lines.after(MESSAGE_LINES_MAX).map(|(_, line)| line).take_while(is_message).collect();
    let parts = Parts {
        file: group(&head, 2),
        line: group(&head, 3),
        column: group(&head, 4),
        code: test(group(&head, 1)),
        message: &message.join("\n"),
        ..Parts::error()
    };
    Read::one(parts.diagnostic(), message.len() + 1)
}

/// A test runs in a thread of its name.
fn test(thread: &str) -> &str {
    if thread == "main" { "" } else { thread }
}
