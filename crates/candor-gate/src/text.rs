//! What can be said about a command before it is parsed: size, and characters that show something else than they are.

use std::ops::{Range, RangeInclusive};

use tree_sitter::{Node, Tree};

use crate::verdict::Finding;

/// A person does not read more than this, and neither does the gate.
pub(crate) const TEXT_BYTES_MAX: usize = 64 * 1024;

/// What is wrong with the bytes, whatever they mean.
pub(crate) fn before_parsing(text: &str) -> Option<Finding> {
    if text.contains('\0') {
        return Some(
            Finding::deny("nul", "it has a NUL character in it, which no command needs").surroundings(),
        );
    }
    (text.len() > TEXT_BYTES_MAX)
        .then(|| Finding::ask("too-long", "it is too long to be looked through").surroundings())
}

/// Characters outside of quotes that a reader does not see, or that a shell takes for a part of a word while a reader
/// takes them for a space.
pub(crate) fn invisible(text: &str, tree: &Tree) -> Option<Finding> {
    let mut found = text.char_indices().filter(|(_, c)| deceives(*c));
    let at = found.find(|(at, _)| !is_quoted(tree.root_node(), *at))?;
    let reason = format!("it has an invisible character outside of quotes (U+{:04X})", u32::from(at.1));
    Some(Finding::ask("invisible-character", reason).surroundings())
}

fn deceives(c: char) -> bool {
    let is_shown = matches!(c, '\t' | '\n');
    !is_shown && (c.is_control() || DECEIVING.iter().any(|range| range.contains(&c)))
}

/// Blanks that are none to a shell, marks without width, and marks that turn the direction of text.
const DECEIVING: &[RangeInclusive<char>] = &[
    '\u{a0}'..='\u{a0}',
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{1680}'..='\u{1680}',
    '\u{180b}'..='\u{180f}',
    '\u{2000}'..='\u{200f}',
    '\u{2028}'..='\u{202f}',
    '\u{205f}'..='\u{206f}',
    '\u{3000}'..='\u{3000}',
    '\u{3164}'..='\u{3164}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff9}'..='\u{fffb}',
    '\u{e0000}'..='\u{e007f}',
];

fn is_quoted(root: Node<'_>, at: usize) -> bool {
    let mut node = root.descendant_for_byte_range(at, at + 1);
    while let Some(inner) = node {
        match inner.kind() {
            "raw_string" | "string" | "ansi_c_string" | "heredoc_body" => return true,
            "command_substitution" | "process_substitution" => return false,
            _ => node = inner.parent(),
        }
    }
    false
}

/// The text with line breaks inside of words taken out, when there are any. A shell joins `r\` and `m` to `rm`; the
/// grammar sees two words. Both readings are judged, because where quotes end is not known here.
pub(crate) fn joined(text: &str) -> Option<String> {
    let is_break = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + 2..].chars().next();
        before.is_some_and(|c| !c.is_whitespace()) && after.is_some_and(|c| !c.is_whitespace())
    };
    text.match_indices("\\\n").any(|(at, _)| is_break(at)).then(|| text.replace("\\\n", ""))
}

/// The classic fork bomb, by its letters; for text that cannot be parsed.
pub(crate) fn has_bomb(text: &str) -> bool {
    let tight: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    tight.contains(":(){:|:&};:")
}

/// The scripts in backticks and in `$(…)` of a text that the grammar has not looked into.
pub(crate) fn substitutions(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    if !text.contains("\\`") {
        found.extend(text.split('`').skip(1).step_by(2));
    }
    for (at, _) in text.match_indices("$(") {
        let body = &text[at + 2..];
        if text[..at].ends_with('\\') || body.starts_with('(') {
            continue;
        }
        let mut level = 1;
        let end = body.find(|c| {
            level += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            level == 0
        });
        found.push(&body[..end.unwrap_or(body.len())]);
    }
    found
}

/// The text of a node. The parser sees one byte at a time, so a node may begin or end inside of a character; the whole
/// character is then taken, because text that is left out would not be judged.
pub(crate) fn slice(source: &str, range: Range<usize>) -> &str {
    let start = source.floor_char_boundary(range.start);
    let end = source.ceil_char_boundary(range.end.max(range.start));
    &source[start..end]
}
