//! A card laid out for people, and for programs that read what people read.

use std::iter;

use candor_protocol::ErrorCard;

/// The line after which every line that starts with a number is a step.
const STEPS_HEADER: &str = "Recovery Steps:";

/// The line above what did not help.
const TRIED_HEADER: &str = "Already tried:";

/// The label of the last line.
const VERIFY_LABEL: &str = "Verify:";

/// The text of a card for the command that failed, without a final newline.
///
/// A program may take the lines that start with a number after `Recovery Steps:` as the steps, so nothing in a card
/// can break a step over two lines or start a second list. Control characters are written out: a fact can come from
/// a hostile file name or a program's output, and must not reach the terminal as an escape sequence.
pub fn text(card: &ErrorCard, command: &str) -> String {
    let head = [
        format!("❌ Command Failed: {}", one_line(command)),
        String::new(),
        format!("Exit Code: {}", card.exit_code),
        format!("Error Class: {}", one_line(card.class.as_str())),
        format!("Error Code: {}", one_line(&card.code)),
        String::new(),
    ];
    let lines: Vec<_> = head.into_iter().chain(body(card)).collect();
    lines.join("\n")
}

/// The lines of a card from its cause on.
pub(crate) fn body(card: &ErrorCard) -> impl Iterator<Item = String> {
    let cause = ["Cause:".to_owned(), cause(&card.cause), String::new()];
    let tried = card.tried.iter().map(|line| format!("- {}", one_line(line)));
    let tried = card.tried.first().map(|_| TRIED_HEADER.to_owned()).into_iter().chain(tried);
    let tried = tried.chain(card.tried.first().map(|_| String::new()));
    let steps =
        card.steps.iter().zip(1..).map(|(step, number)| format!("{number}. {}", one_line(&step.to_string())));
    let verify =
        card.verify.iter().flat_map(|line| [String::new(), format!("{VERIFY_LABEL} {}", one_line(line))]);
    cause.into_iter().chain(tried).chain(iter::once(STEPS_HEADER.to_owned())).chain(steps).chain(verify)
}

/// The lines of a cause, none of which can be taken for the headers that follow it.
///
/// A tool's output may itself hold a card; its steps must not be carried out as if they were ours.
fn cause(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines = text.trim_end().split('\n').map(|line| {
        let shown = visible(line);
        let start = shown.trim_start();
        let header = start.starts_with(STEPS_HEADER) || start.starts_with(VERIFY_LABEL);
        if header { format!("> {shown}") } else { shown }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// One line of text. A newline is written out rather than turned into a space: inside a quoted path a space would
/// name another file, while `\n` names none.
pub fn one_line(text: &str) -> String {
    visible(text.trim_end()).replace('\n', "\\n")
}

/// Writes out every character that a terminal acts on instead of showing, but for newline and tab.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c if c.is_control() || steers(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character breaks a line or turns the reading direction without being a control character.
fn steers(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
