//! Puts hunks into a text.
//!
//! A hunk may stand at other lines than it says, and spaces at the ends of lines are not counted; but there must be one
//! place for it, or the one that it names.

use super::{Hunk, HunkLine};
use crate::matching::SHOWN_CHARS_MAX;

/// A line, and what ends it.
struct Line {
    text: String,
    end: &'static str,
}

/// Stands before the first line of some files, and nobody sees it.
const MARK: char = '\u{feff}';

/// The text with the hunks in it, or what is wrong with one of them. A mark at its beginning stays where it is, unless the hunks
/// speak of it.
pub(crate) fn apply(text: &str, hunks: &[Hunk]) -> Result<String, String> {
    let mut lines = hunks.iter().flat_map(|hunk| &hunk.lines);
    let names_mark = lines.any(|line| line.text().starts_with(MARK));
    match text.strip_prefix(MARK).filter(|_| !names_mark) {
        None => apply_unmarked(text, hunks),
        Some(text) => {
            let mut new = apply_unmarked(text, hunks)?;
            if !new.is_empty() {
                new.insert(0, MARK);
            }
            Ok(new)
        }
    }
}

fn apply_unmarked(text: &str, hunks: &[Hunk]) -> Result<String, String> {
    let mut lines = split(text);
    let line_end = usual_end(&lines);
    // Where the last hunk ended, and by how much it moved what comes after it.
    let (mut from, mut moved) = (0, 0_isize);
    for (index, hunk) in hunks.iter().enumerate() {
        let place = place(&lines, hunk, from, moved)
            .map_err(|reason| format!("change {} of {}: {reason}", index + 1, hunks.len()))?;
        let old = hunk.old().len();
        let new = put(&mut lines, hunk, place, line_end);
        moved += new.cast_signed() - old.cast_signed();
        from = place + new;
    }
    Ok(lines.into_iter().flat_map(|line| [line.text, line.end.to_owned()]).collect())
}

fn split(text: &str) -> Vec<Line> {
    let lines = text.split_inclusive('\n').map(|line| {
        let end = ["\r\n", "\n"].into_iter().find(|end| line.ends_with(end)).unwrap_or("");
        Line { text: line[..line.len() - end.len()].to_owned(), end }
    });
    lines.collect()
}

fn usual_end(lines: &[Line]) -> &'static str {
    let count = |end| lines.iter().filter(|line| line.end == end).count();
    if count("\r\n") > count("\n") { "\r\n" } else { "\n" }
}

/// Where a hunk belongs: the index of its first line.
fn place(lines: &[Line], hunk: &Hunk, from: usize, moved: isize) -> Result<usize, String> {
    let old = hunk.old();
    if old.is_empty() {
        return inserted(lines, hunk, from, moved);
    }
    for same in [|one: &str, two: &str| one == two, |one: &str, two: &str| one.trim_end() == two.trim_end()] {
        let fits = |start: &usize| {
            let there = lines.get(*start..*start + old.len());
            let is_end = *start + old.len() == lines.len();
            there.is_some_and(|there| there.iter().zip(&old).all(|(line, old)| same(&line.text, old)))
                && (is_end || !hunk.is_at_end)
        };
        let places: Vec<usize> = (from..lines.len()).filter(fits).collect();
        let named = hunk.line.and_then(|line| line.saturating_sub(1).checked_add_signed(moved));
        if let Some(named) = named.filter(|named| places.contains(named)) {
            return Ok(named);
        }
        let places = hinted(lines, hunk, from, places)?;
        match places.as_slice() {
            [] => {}
            [place] => return Ok(*place),
            several => {
                return Err(format!(
                    "its lines stand in {} places, at lines {}: add lines around the one that is meant",
                    several.len(),
                    numbers(several)
                ));
            }
        }
    }
    Err(mismatch(lines, hunk, from))
}

/// Why a hunk has no place: the first of its lines that is not there, where the most of those before it are.
fn mismatch(lines: &[Line], hunk: &Hunk, from: usize) -> String {
    let old = hunk.old();
    let is_same = |(line, old): &(&Line, &&str)| line.text.trim_end() == old.trim_end();
    let fitting = |start: usize| lines[start..].iter().zip(&old).take_while(is_same).count();
    // Of two places that are as good, the first.
    let places = (from..lines.len()).map(|start| (fitting(start), start));
    let best = places.reduce(|best, next| if next.0 > best.0 { next } else { best });
    // Empty lines stand everywhere.
    let is_told = |count: usize| old[..count].iter().any(|line| !line.trim().is_empty());
    let Some((count, start)) = best.filter(|(count, _)| is_told(*count)) else {
        let text: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
        let nearest = crate::matching::nearest(&text, &old.join("\n"));
        let nearest = nearest.map_or_else(String::new, |line| format!("; the nearest is {line}"));
        let first = old.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
        return format!("its lines are not in the file, beginning with {}{nearest}", quoted(first));
    };
    let Some(wanted) = old.get(count) else {
        let place = if hunk.is_at_end { "at the end of the file" } else { "after the line that it names" };
        return format!("its lines stand at line {}, but not {place}", start + 1);
    };
    let there = lines.get(start + count).map_or_else(
        || "the file ends there".to_owned(),
        |line| format!("line {} is {}", start + count + 1, quoted(&line.text)),
    );
    let before = if count == 1 { "the one before it stands" } else { "those before it stand" };
    format!(
        "its lines are not in the file: the first that does not match is {}; {before} at line {}, but {there}",
        quoted(wanted),
        start + 1
    )
}

/// No more of a line than is needed to know it.
fn quoted(line: &str) -> String {
    format!("{:?}", line.chars().take(SHOWN_CHARS_MAX).collect::<String>())
}

/// Of the places after the lines that a hunk names, the next.
fn hinted(lines: &[Line], hunk: &Hunk, from: usize, places: Vec<usize>) -> Result<Vec<usize>, String> {
    if hunk.hints.is_empty() {
        return Ok(places);
    }
    let starts = after_hints(lines, hunk, from)?;
    // The line that is named may be the first of the hunk itself.
    let mut next: Vec<usize> = starts
        .iter()
        .filter_map(|start| places.iter().find(|place| **place + 1 >= *start).copied())
        .collect();
    next.dedup();
    Ok(next)
}

/// Where the lines after the named ones begin.
fn after_hints(lines: &[Line], hunk: &Hunk, from: usize) -> Result<Vec<usize>, String> {
    let mut starts = vec![from];
    for hint in &hunk.hints {
        let is_named = |line: &Line| line.text.trim() == hint.trim();
        let after = |start: &usize| -> Vec<usize> {
            let named = (*start..lines.len()).filter(|index| is_named(&lines[*index]));
            named.map(|index| index + 1).collect()
        };
        starts = starts.iter().flat_map(after).collect();
        starts.sort_unstable();
        starts.dedup();
    }
    if starts.is_empty() {
        return Err(format!("the line {:?} is not in the file", hunk.hints.join(" / ")));
    }
    Ok(starts)
}

/// Where lines belong that stand beside no others.
fn inserted(lines: &[Line], hunk: &Hunk, from: usize, moved: isize) -> Result<usize, String> {
    if !hunk.hints.is_empty() {
        return match after_hints(lines, hunk, from)?.as_slice() {
            [place] => Ok(*place),
            several => Err(format!("the line that it names stands {} times", several.len())),
        };
    }
    // `@@ -3,0` is after line 3.
    let named = hunk.line.map(|line| line.checked_add_signed(moved));
    match named {
        None => Ok(lines.len()),
        Some(Some(place)) if (from..=lines.len()).contains(&place) => Ok(place),
        Some(_) => Err("the file is shorter than it says".to_owned()),
    }
}

/// Puts the new lines in the place of the old ones, and says how many they are. Lines that stay, stay as they are.
fn put(lines: &mut Vec<Line>, hunk: &Hunk, place: usize, line_end: &'static str) -> usize {
    let old = hunk.old().len();
    let is_end = place + old == lines.len();
    let was_open = lines.last().is_some_and(|line| line.end.is_empty());
    let mut there = lines.drain(place..place + old).collect::<Vec<_>>().into_iter();
    let mut new = Vec::new();
    for line in &hunk.lines {
        match line {
            HunkLine::Stays(_) => new.extend(there.next()),
            HunkLine::Goes(_) => drop(there.next()),
            HunkLine::Comes(text) => new.push(Line { text: text.clone(), end: line_end }),
        }
    }
    drop(there);
    let count = new.len();
    lines.splice(place..place, new);
    if is_end {
        let stays_open = was_open && !hunk.old_is_open;
        let last = lines.len().saturating_sub(1);
        for (index, line) in lines.iter_mut().enumerate().skip(place.saturating_sub(1)) {
            if index == last && (hunk.new_is_open || stays_open) {
                line.end = "";
            } else if line.end.is_empty() {
                line.end = line_end;
            }
        }
    }
    count
}

fn numbers(places: &[usize]) -> String {
    let mut numbers: Vec<String> = places.iter().take(10).map(|place| (place + 1).to_string()).collect();
    if places.len() > numbers.len() {
        numbers.push("…".to_owned());
    }
    numbers.join(", ")
}
