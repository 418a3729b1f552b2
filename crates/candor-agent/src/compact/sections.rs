//! What every summary has in it, and what stands around it.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::files::Files;
use crate::Summary;

/// The headings, in their order. Those with three signs divide the one before them.
pub(super) const HEADINGS: [&str; 9] = [
    "## Goal",
    "## Constraints & Preferences",
    "## Progress",
    "### Done",
    "### In Progress",
    "### Blocked",
    "## Key Decisions",
    "## Next Steps",
    "## Critical Context",
];

/// What we put things between.
const TAGS: [&str; 5] = ["summary", "previous-summary", "conversation", "read-files", "modified-files"];

/// What the model is told before a summary.
const INTRODUCTION: &str =
    "The conversation up to here has been replaced by this summary of it. Go on from where it ends.";
const OPENING: &str = "\n\n<summary>\n";
const CLOSING: &str = "\n</summary>";

/// The whole text that stands for a summary.
pub(super) fn standing(body: &str, files: Files) -> Summary {
    let blocks = blocks(&files.read, &files.modified);
    let text = format!("{INTRODUCTION}{OPENING}{}{blocks}{CLOSING}", body.trim());
    Summary { text, read_files: files.read, modified_files: files.modified }
}

/// The sections of a summary, without what stands around them. A text that was made otherwise is taken whole.
pub(super) fn body(summary: &Summary) -> &str {
    let blocks = blocks(&summary.read_files, &summary.modified_files);
    let inner = summary.text.strip_prefix(INTRODUCTION).and_then(|text| text.strip_prefix(OPENING));
    inner
        .and_then(|text| text.strip_suffix(CLOSING))
        .and_then(|text| text.strip_suffix(blocks.as_str()))
        .unwrap_or(&summary.text)
}

fn blocks(read: &[String], modified: &[String]) -> String {
    let mut blocks = String::new();
    for (name, files) in [("read-files", read), ("modified-files", modified)] {
        if !files.is_empty() {
            let _ = write!(blocks, "\n\n<{name}>\n{}\n</{name}>", files.join("\n"));
        }
    }
    blocks
}

/// The text with nothing in it that looks like a tag of ours. What tools gave and what models made of it is not to be
/// taken for the end of a summary, with words of the user behind it.
pub(super) fn without_tags(text: &str) -> Cow<'_, str> {
    let is_tag = |rest: &str| {
        let name = rest.strip_prefix('/').unwrap_or(rest).as_bytes();
        TAGS.iter()
            .any(|tag| name.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes())))
    };
    let mut safe = String::new();
    let mut from = 0;
    for (at, sign) in text.match_indices('<').filter(|(at, sign)| is_tag(&text[at + sign.len()..])) {
        safe.push_str(&text[from..at]);
        safe.push_str("&lt;");
        from = at + sign.len();
    }
    if from == 0 { Cow::Borrowed(text) } else { Cow::Owned(safe + &text[from..]) }
}

/// The text below each heading; none when one is missing or they are in another order.
///
/// The headings are looked for from the end. The user's own words stand in the first section and may hold anything,
/// headings too; nothing behind them does.
pub(super) fn split(text: &str) -> Option<[&str; HEADINGS.len()]> {
    let mut found = [(0, 0); HEADINGS.len()];
    let mut lines: Vec<(usize, &str)> = lines(text).collect();
    for (heading, place) in HEADINGS.iter().zip(&mut found).skip(1).rev() {
        let at = lines.iter().rposition(|(_, line)| is_heading(line, heading))?;
        let (start, line) = lines[at];
        *place = (start, start + line.len());
        lines.truncate(at);
    }
    let (start, line) = *lines.iter().find(|(_, line)| is_heading(line, HEADINGS[0]))?;
    found[0] = (start, start + line.len());
    let ends = found.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    let mut sections = [""; HEADINGS.len()];
    for ((section, (_, from)), to) in sections.iter_mut().zip(&found).zip(ends) {
        *section = text.get(*from..to)?.trim();
    }
    Some(sections)
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line)
    })
}

/// Whether a line is this heading, however the model marked it.
fn is_heading(line: &str, heading: &str) -> bool {
    let name = heading.trim_start_matches(['#', ' ']);
    let line = line.trim_end();
    let said = line.trim_start_matches(['#', '*', '_', ' ']).trim_end_matches(['*', '_', ':', ' ']);
    !line.starts_with(char::is_whitespace) && said.eq_ignore_ascii_case(name)
}
