//! Finds the text that a model means in the text that is there.

use std::ops::Range;

/// The most of a line that is shown.
pub(crate) const SHOWN_CHARS_MAX: usize = 160;
/// How alike the nearest line must be to be worth showing.
const ALIKE_MIN: f64 = 0.4;
/// Of how many lines the nearest is sought.
const LINES_MAX: usize = 20_000;
/// How much of each line is compared.
const COMPARED_CHARS_MAX: usize = 400;

/// Where a text stands, and what has to be done to the text that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    /// The indentation that the model wrote, and the one that is there.
    indent: Option<(String, String)>,
}

impl Found {
    /// The text that replaces it, with the indentation that is there.
    pub(crate) fn adapted(&self, new: &str) -> String {
        let Some((written, there)) = self.indent.as_ref().filter(|(written, there)| written != there) else {
            return new.to_owned();
        };
        let lines = new.split_inclusive('\n').map(|line| match line.strip_prefix(written.as_str()) {
            Some(rest) if !line.trim().is_empty() => format!("{there}{rest}"),
            _ => line.to_owned(),
        });
        lines.collect()
    }
}

/// Every place where the text stands as it is written. Two places may overlap only if there are no others.
pub(crate) fn exact(text: &str, old: &str) -> Vec<Found> {
    let place = |start: usize| Found { range: start..start + old.len(), indent: None };
    let mut found: Vec<Found> = text.match_indices(old).map(|(start, _)| place(start)).collect();
    if let [only] = found.as_slice() {
        let next = only.range.start + old.chars().next().map_or(1, char::len_utf8);
        found.extend(text[next..].find(old).map(|start| place(next + start)));
    }
    found
}

/// Every place where it stands if spaces are not counted. A line break stays a line break.
pub(crate) fn flexible(text: &str, old: &str) -> Vec<Found> {
    let words = words(old);
    let Some(first) = words.first() else { return Vec::new() };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(first.word).map(|at| from + at) {
        let next = start + text[start..].chars().next().map_or(1, char::len_utf8);
        from = next;
        if let Some(end) = end_of(text, start, &words) {
            let place = with_indent(text, old, start..end);
            from = place.range.end.max(next);
            found.push(place);
        }
    }
    found
}

/// A word, and whether a line break comes before it.
struct Word<'a> {
    word: &'a str,
    is_after_break: bool,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        if trimmed.is_empty() {
            return words;
        }
        let is_after_break = rest[..rest.len() - trimmed.len()].contains('\n');
        let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        words.push(Word { word: &trimmed[..end], is_after_break });
        rest = &trimmed[end..];
    }
}

/// Where these words end, if they stand here one after the other.
fn end_of(text: &str, start: usize, words: &[Word<'_>]) -> Option<usize> {
    let mut end = start;
    for (index, word) in words.iter().enumerate() {
        let rest = text[end..].trim_start();
        let gap = &text[end..text.len() - rest.len()];
        let fits = index == 0 || (!gap.is_empty() && gap.contains('\n') == word.is_after_break);
        if !fits || !rest.starts_with(word.word) {
            return None;
        }
        end += gap.len() + word.word.len();
    }
    Some(end)
}

/// Takes the spaces around the words in where the model wrote some, too.
fn with_indent(text: &str, old: &str, words: Range<usize>) -> Found {
    let Range { mut start, mut end } = words;
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let there = &text[line..start];
    let written = &old[..old.len() - old.trim_start().len()];
    let written = written.rsplit('\n').next().unwrap_or_default();
    let mut indent = None;
    if there.trim().is_empty() && (!written.is_empty() || old.contains('\n')) {
        indent = Some((written.to_owned(), there.to_owned()));
        start = line;
    }
    if old.ends_with('\n') {
        let rest = &text[end..];
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if rest[spaces..].starts_with('\n') {
            end += spaces + 1;
        }
    }
    Found { range: start..end, indent }
}

/// The numbers of the lines where these begin, as people count them.
pub(crate) fn line_numbers(text: &str, found: &[Found]) -> String {
    let mut numbers = Vec::new();
    for place in found.iter().take(10) {
        numbers.push(
            (memchr::memchr_iter(b'\n', &text.as_bytes()[..place.range.start]).count() + 1).to_string(),
        );
    }
    if found.len() > numbers.len() {
        numbers.push("…".to_owned());
    }
    numbers.join(", ")
}

/// The line that is most like the first one of a text that was not found.
pub(crate) fn nearest(text: &str, old: &str) -> Option<String> {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty())?;
    let wanted: String = wanted.chars().take(COMPARED_CHARS_MAX).collect();
    let alike = |line: &str| {
        let line: String = line.trim().chars().take(COMPARED_CHARS_MAX).collect();
        strsim::sorensen_dice(&wanted, &line)
    };
    let lines = text.lines().take(LINES_MAX).enumerate();
    let scored = lines.map(|(index, line)| (alike(line), index + 1, line));
    // Of two that are as good, the first.
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= ALIKE_MIN).then(|| {
        let line: String = best.2.chars().take(SHOWN_CHARS_MAX).collect();
        format!("line {}: {line}", best.1)
    })
}
