//! Cuts Markdown at its headings, which is not where a fence or the head of the file only looks like one.

use std::path::Path;

use super::{Cut, lines};

/// What the names of such files end with.
const ENDS: &[&str] = &["md", "markdown", "mdx"];
/// A heading has at most so many of its marks.
const LEVEL_MAX: usize = 6;
/// A line further in is code.
const INDENT_MAX: usize = 3;
/// The longest title that is kept; a longer one is a paragraph.
const TITLE_CHARS_MAX: usize = 120;

pub(super) fn is_markdown(name: &str) -> bool {
    let end = Path::new(name).extension().and_then(|end| end.to_str()).unwrap_or_default();
    ENDS.contains(&end.to_ascii_lowercase().as_str())
}

/// Where the sections begin. One that has nothing but its heading begins the next one instead.
pub(super) fn cuts(name: &str, text: &str) -> Vec<Cut> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut cuts = vec![Cut { at: 0, title_path: vec![name.to_owned()] }];
    let mut body_start = 0;
    for heading in headings(text) {
        open.retain(|(level, _)| *level < heading.level);
        open.push((heading.level, heading.title));
        let title_path = open.iter().map(|(_, title)| title.clone()).collect();
        if text[body_start..heading.start].trim().is_empty() {
            // In bounds: there is always the first.
            let last = cuts.len() - 1;
            cuts[last].title_path = title_path;
        } else {
            cuts.push(Cut { at: heading.start, title_path });
        }
        body_start = heading.end;
    }
    cuts
}

/// Whether a line by itself is a heading.
pub(crate) fn is_heading(line: &str) -> bool {
    marked(line).is_some()
}

struct Heading {
    level: usize,
    title: String,
    start: usize,
    /// After its last line.
    end: usize,
}

fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    // The paragraph that a line of `=` or `-` below it would turn into a heading.
    let mut paragraph: Option<(usize, String)> = None;
    let head = head_length(text);
    for (at, line) in lines(text).skip_while(|(at, _)| *at < head) {
        let end = at + line.len();
        if let Some((mark, length)) = fence {
            if closes(line, mark, length) {
                fence = None;
            }
            continue;
        }
        if let Some(opened) = opens(line) {
            fence = Some(opened);
            paragraph = None;
        } else if let Some((level, title)) = marked(line) {
            found.push(Heading { level, title, start: at, end });
            paragraph = None;
        } else if let (Some(level), Some((start, title))) = (underline(line), paragraph.take()) {
            found.push(Heading { level, title, start, end });
        } else {
            paragraph = one_line_paragraph(line).map(|title| (at, title));
        }
    }
    found
}

/// How long the settings at the head of a file are, between two lines of dashes.
fn head_length(text: &str) -> usize {
    if text.lines().next().is_none_or(|line| line.trim_end() != "---") {
        return 0;
    }
    let closing = lines(text).skip(1).find(|(_, line)| matches!(line.trim_end(), "---" | "..."));
    closing.map_or(0, |(at, line)| at + line.len())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// `## Title ##`
fn marked(line: &str) -> Option<(usize, String)> {
    let rest = line.trim_start_matches(' ');
    let level = rest.len() - rest.trim_start_matches('#').len();
    if indent(line) > INDENT_MAX || level == 0 || level > LEVEL_MAX {
        return None;
    }
    let rest = &rest[level..];
    if !rest.is_empty() && !rest.starts_with([' ', '\t', '\n', '\r']) {
        return None;
    }
    let rest = rest.trim();
    let without = rest.trim_end_matches('#');
    // Closing marks stand apart from the title.
    let closed = without.is_empty() || without.ends_with([' ', '\t']);
    Some((level, title(if closed { without.trim_end() } else { rest })))
}

fn title(text: &str) -> String {
    text.chars().take(TITLE_CHARS_MAX).collect()
}

/// The level of the heading that this line makes of the one above.
fn underline(line: &str) -> Option<usize> {
    let text = line.trim();
    let only = |mark: char| !text.is_empty() && text.chars().all(|c| c == mark);
    match () {
        () if indent(line) > INDENT_MAX => None,
        () if only('=') => Some(1),
        () if only('-') => Some(2),
        () => None,
    }
}

/// The text of a line that may be a heading if it is underlined: no list, no quote, no table, no code.
fn one_line_paragraph(line: &str) -> Option<String> {
    let text = line.trim();
    let other = text.is_empty()
        || indent(line) > INDENT_MAX
        || line.starts_with('\t')
        || text.starts_with(['>', '|', '*', '-', '+', '=', '<'])
        || text.split_once(['.', ')']).is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    (!other).then(|| title(text))
}

fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let after = rest.trim_start_matches(mark);
    let length = rest.len() - after.len();
    (indent(line) <= INDENT_MAX && length >= 3).then_some((mark, length, after))
}

fn opens(line: &str) -> Option<(char, usize)> {
    let (mark, length, after) = fence_of(line)?;
    // A backtick after the mark makes it code within a line.
    (mark == '~' || !after.contains('`')).then_some((mark, length))
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    fence_of(line)
        .is_some_and(|(found, long, after)| found == mark && long >= length && after.trim().is_empty())
}
