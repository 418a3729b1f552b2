//! Finds the fenced blocks of a Markdown file that are labelled `verify`.
//!
//! Only what a reader would see as a block counts: not an example inside another block, not what is commented out, not what is
//! quoted, not what is indented so far that it is code. Blocks in lists do count.

/// How far a fence may be indented within the thing that it stands in; four columns make it code.
const INDENT_MAX: usize = 3;
/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// A block that is labelled `verify`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The number of its first line, the one after the fence.
    pub(super) line: u32,
    /// Its lines, with every character where it stands in the file.
    pub(super) text: String,
    /// Where the fence is, if nothing closes it: line and column.
    pub(super) unclosed: Option<(u32, u32)>,
}

/// The blocks of a file whose lines end in `\n`.
pub(super) fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lists: Vec<usize> = Vec::new();
    let total = markdown.split('\n').count();
    let mut lines = markdown.split('\n').zip(1u32..);
    while let Some((line, number)) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        if opens_comment(line) {
            // A comment that nothing closes goes on to the end.
            if !line.contains("-->") {
                lines.by_ref().find(|(line, _)| line.contains("-->"));
            }
            continue;
        }
        let Some(fence) = fence(line, &mut lists) else { continue };
        let inner: Vec<(&str, u32)> =
            lines.by_ref().take_while(|(line, _)| !fence.is_closed_by(line)).collect();
        // The line that closes it comes after those, and there is none after the last line of the file.
        let last = inner.last().map_or(number, |(_, number)| *number);
        let is_open = last as usize >= total;
        if fence.is_verify {
            let text: Vec<_> = inner.iter().map(|(line, _)| unprefixed(line, fence.prefix)).collect();
            let unclosed = is_open
                .then(|| (number, u32::try_from(fence.prefix.chars().count() + 1).unwrap_or(u32::MAX)));
            found.push(Block { line: number.saturating_add(1), text: text.join("\n"), unclosed });
        }
    }
    found
}

/// The line that opens a block.
struct Fence<'a> {
    mark: char,
    length: usize,
    is_verify: bool,
    /// What stands before it on its line.
    prefix: &'a str,
}

impl Fence<'_> {
    fn is_closed_by(&self, line: &str) -> bool {
        let rest = line.trim_start_matches([' ', '\t']).trim_end();
        rest.chars().count() >= self.length && rest.chars().all(|c| c == self.mark)
    }
}

/// The fence that a line opens, if it does. `lists` are the columns at which the contents of the open list items begin.
fn fence<'a>(line: &'a str, lists: &mut Vec<usize>) -> Option<Fence<'a>> {
    let mut rest = line;
    let mut column = 0;
    loop {
        let (indent, after) = indented(rest, column);
        while lists.last().is_some_and(|start| indent < *start) {
            lists.pop();
        }
        if indent - lists.last().copied().unwrap_or(0) > INDENT_MAX {
            return None;
        }
        let marker = marker_length(after);
        if marker == 0 {
            return opened(after, line.strip_suffix(after).unwrap_or_default());
        }
        let (item, contents) = after.split_at(marker);
        column = indent + item.chars().count();
        // The contents begin after the marker and its space; what is further in is an indentation of its own.
        lists.push(column + 1);
        if contents.trim().is_empty() {
            return None;
        }
        rest = contents;
    }
}

/// At which column the first character that is no blank stands, and the rest from there.
fn indented(text: &str, start: usize) -> (usize, &str) {
    let rest = text.trim_start_matches([' ', '\t']);
    let blank = text.strip_suffix(rest).unwrap_or_default();
    let column = blank.chars().fold(start, |at, c| if c == '\t' { (at / TAB + 1) * TAB } else { at + 1 });
    (column, rest)
}

/// How long the marker of a list item is that this begins with: `-`, `*`, `+`, `12.`, `12)`; 0: none.
fn marker_length(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match (digits, text.as_bytes().get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) => 1,
        (1..=9, Some(b'.' | b')')) => digits + 1,
        _ => return 0,
    };
    match text.as_bytes().get(length) {
        None | Some(b' ' | b'\t') => length,
        Some(_) => 0,
    }
}

fn opened<'a>(text: &str, prefix: &'a str) -> Option<Fence<'a>> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let label = text.trim_start_matches(mark);
    let length = text.len() - label.len();
    // Backticks in the label make it code within a line.
    let is_fence = length >= 3 && !(mark == '`' && label.contains('`'));
    is_fence.then(|| Fence { mark, length, is_verify: is_verify(label), prefix })
}

/// `verify`, `yaml verify` and the like.
fn is_verify(label: &str) -> bool {
    let mut words = label.split_whitespace().map(str::to_ascii_lowercase);
    match words.next().as_deref() {
        Some("verify") => true,
        Some("yaml" | "yml") => words.next().as_deref() == Some("verify"),
        _ => false,
    }
}

fn opens_comment(line: &str) -> bool {
    line.trim_start_matches(' ').starts_with("<!--")
}

/// A line of a block in which what stands before the fence is blank: a tab would be no indentation to YAML.
fn unprefixed(line: &str, prefix: &str) -> String {
    match line.strip_prefix(prefix) {
        Some(rest) if prefix.contains('\t') => {
            format!("{}{rest}", " ".repeat(prefix.chars().count()))
        }
        _ => line.to_owned(),
    }
}
