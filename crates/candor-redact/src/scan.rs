//! The pass over the text: every keyword wakes its checks, and a secret that was found is stepped over.
//!
//! The pass is linear. A check reads a bounded window around its keyword, or a run that no other keyword of
//! the same kind (or a bounded number of them) can start in, or it finds a secret, and then the pass goes on
//! behind it.

use std::collections::BTreeMap;

use crate::{
    assign, check,
    found::Found,
    index::{Index, Target, index},
    places::Places,
    rule::{Hit, Rule, Shape},
};

/// Where a pass begins.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// The first byte to look at.
    pub(crate) from: usize,
    /// What stands before this is masked or unknown, and checks do not look at it.
    pub(crate) floor: usize,
    /// Whether a line begins at the floor.
    pub(crate) opens_line: bool,
}

/// The beginning of a text.
pub(crate) const BEGINNING: Start = Start { from: 0, floor: 0, opens_line: true };

/// Appends all secrets of `text`. They are in order of their keywords and may overlap.
pub(crate) fn scan(text: &[u8], start: Start, out: &mut Vec<Found>) {
    let index = index();
    let Start { from: mut at, mut floor, mut opens_line } = start;
    let mut line_end = at;
    let mut line = Line { first: out.len(), again: Vec::new() };
    // What was found ahead of the pass, by start: a keyword may stand some way before its secret.
    let mut ahead: BTreeMap<usize, usize> = BTreeMap::new();
    while let Some(start) = index.next_start(text, at) {
        at = start + 1;
        while let Some(first) = ahead.first_entry().filter(|first| *first.key() <= start) {
            // The masked text has a mask here. Checks must see the same, or masking twice would find more.
            floor = floor.max(first.remove());
            opens_line = false;
        }
        if floor > start {
            at = floor;
            continue;
        }
        if line_end <= start {
            line.look_again(text, line_end, out);
            line_end = start + line_len(text, start);
        }
        let before = out.len();
        wake(index, Sight { text, floor, line_end, start, opens_line }, &mut line.again, out);
        for found in out.get(before..).unwrap_or_default() {
            let end = ahead.entry(found.range.start).or_default();
            *end = (*end).max(found.range.end);
        }
    }
    line.look_again(text, line_end, out);
}

/// What is not settled before the end of the line.
struct Line {
    /// How many secrets were found before this line.
    first: usize,
    /// Checks that went from word to word and found nothing.
    again: Vec<Again>,
}

struct Again {
    rule: &'static Rule,
    start: usize,
    end: usize,
}

impl Line {
    /// Looks once more, at the line without its secrets: the masked text will be seen like that.
    fn look_again(&mut self, text: &[u8], line_end: usize, out: &mut Vec<Found>) {
        let first = std::mem::replace(&mut self.first, out.len());
        let Some(from) = self.again.first().map(|again| again.start) else { return };
        let line = text.get(from..line_end).unwrap_or_default();
        let within = |found: &Found| {
            let start = found.range.start.checked_sub(from).filter(|start| *start < line.len())?;
            Some(start..(found.range.end - from).min(line.len()))
        };
        let places = Places::joined(out.iter().skip(first).filter_map(within).collect());
        let again = std::mem::take(&mut self.again);
        if places.is_empty() {
            return;
        }
        let masked = places.mask(line);
        for Again { rule, start, end } in again {
            let Some(at) = places.masked(start - from) else { continue };
            let hit = Hit { start: at, end: at + (end - start), opens_line: false };
            if let Some(mut found) = check::check(rule, &masked, &masked, hit) {
                let range = places.original(&found.range);
                found.range = range.start + from..range.end + from;
                out.push(found);
            }
        }
        self.first = out.len();
    }
}

fn line_len(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// What the pass sees where a keyword may start.
#[derive(Clone, Copy)]
struct Sight<'a> {
    text: &'a [u8],
    floor: usize,
    line_end: usize,
    start: usize,
    opens_line: bool,
}

/// Checks see the text from the floor on; what they find is moved back to where it stands.
fn wake(index: &Index, sight: Sight<'_>, again: &mut Vec<Again>, out: &mut Vec<Found>) {
    let Sight { text, floor, line_end, start, opens_line } = sight;
    let rest = text.get(start..line_end).unwrap_or_default();
    let before = out.len();
    for pattern in index.patterns_at(rest) {
        let end = start + pattern.keyword.len();
        let hit = Hit { start: start - floor, end: end - floor, opens_line };
        let text = text.get(floor..).unwrap_or_default();
        let line = text.get(..line_end - floor).unwrap_or_default();
        for target in &pattern.targets {
            match target {
                Target::Rule(rule) => match check::check(rule, text, line, hit) {
                    Some(found) => out.push(found),
                    None if matches!(rule.shape, Shape::Words(_)) => again.push(Again { rule, start, end }),
                    None => {}
                },
                Target::Name => assign::check(line, hit, out),
            }
        }
    }
    for found in out.iter_mut().skip(before) {
        found.range = found.range.start + floor..found.range.end + floor;
    }
}
