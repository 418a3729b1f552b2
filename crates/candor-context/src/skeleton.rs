//! Shorter forms of a text.

use crate::Kind;
use crate::section::{definition, is_heading};

/// How many lines an excerpt has.
const EXCERPT_LINES: usize = 25;
/// How much is shown of a text that has no skeleton.
const PLAIN_CHARS: usize = 200;

/// The first lines that are not blank, and how many more there are.
pub(crate) fn excerpt(text: &str) -> (String, u64) {
    let is_full = |line: &&str| !line.trim().is_empty();
    let kept: Vec<&str> = text.lines().filter(is_full).take(EXCERPT_LINES).collect();
    let all = text.lines().filter(is_full).count();
    (kept.join("\n"), (all - kept.len()) as u64)
}

/// The headings of a text for people, or what a program defines; of what has neither, the beginning. And how many more
/// lines there are.
pub(crate) fn skeleton(kind: Kind, text: &str) -> (String, u64) {
    let is_bone = |line: &&str| match kind {
        Kind::Code => definition(line).is_some(),
        _ => is_heading(line),
    };
    let all = text.lines().count();
    let bones: Vec<&str> = text.lines().filter(is_bone).map(str::trim_end).collect();
    if !bones.is_empty() {
        return (bones.join("\n"), (all - bones.len()) as u64);
    }
    let start: String = text.trim().chars().take(PLAIN_CHARS).collect();
    let shown = start.lines().count();
    (start, all.saturating_sub(shown) as u64)
}
