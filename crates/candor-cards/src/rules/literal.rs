//! The fixed texts that a pattern cannot match without.
//!
//! One pass over an output finds which of these texts stand in it; only the rules behind them are tried at all. To compile a
//! pattern costs more than to try it, so the other texts that it needs are looked for before that.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};
use serde::{Deserialize, Serialize};

/// The shortest fixed text that is worth looking for: shorter ones stand everywhere.
pub(crate) const LITERAL_CHARS_MIN: usize = 4;

/// The shortest of the other texts.
const OTHER_CHARS_MIN: usize = 2;

/// The most sets of other texts: the first ones already keep most patterns from being compiled.
const OTHERS_MAX: usize = 4;

/// What a pattern cannot match without, in lower case.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Fixed {
    /// One of these must stand; they are what all outputs are searched for.
    pub(crate) texts: Vec<String>,
    /// Of each of these sets one must stand, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<Vec<String>>,
}

/// What a rule cannot match without.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FixedOfRule {
    /// For each of its patterns; nothing where the command line and the exit code decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) patterns: Vec<Fixed>,
    /// The sets of texts of each of which one must stand in the command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) command: Vec<Vec<String>>,
}

impl FixedOfRule {
    pub(crate) fn of(patterns: &[String], command: Option<&str>) -> Result<Self, String> {
        let patterns = patterns.iter().map(|pattern| Fixed::of(pattern)).collect::<Result<_, _>>()?;
        let mut command = command.map(sets_of).transpose()?.unwrap_or_default();
        command.truncate(OTHERS_MAX);
        Ok(Self { patterns, command })
    }
}

impl Fixed {
    /// What an output must have before this pattern is tried; or why nothing can be said.
    pub(crate) fn of(pattern: &str) -> Result<Self, String> {
        let mut others = sets_of(pattern)?;
        let texts = take_best(&mut others).filter(|set| shortest(set) >= LITERAL_CHARS_MIN);
        let texts = texts.ok_or_else(|| {
            format!("there is no fixed text of {LITERAL_CHARS_MIN} characters that each of its alternatives contains")
        })?;
        others.truncate(OTHERS_MAX);
        Ok(Self { texts, others })
    }
}

/// The sets of texts that a pattern needs, of each of which one must stand. None where nothing can be said.
fn sets_of(pattern: &str) -> Result<Vec<Vec<String>>, String> {
    let hir = regex_syntax::ParserBuilder::new().multi_line(true).build().parse(pattern);
    let mut sets = required(&hir.map_err(|error| error.to_string())?);
    sets.retain(|set| shortest(set) >= OTHER_CHARS_MIN);
    Ok(sets)
}

/// Whether a text in lower case has one of each of these sets.
pub(crate) fn all_stand(sets: &[Vec<String>], text: &str) -> bool {
    sets.iter().all(|set| set.iter().any(|wanted| text.contains(wanted.as_str())))
}

fn shortest(set: &[String]) -> usize {
    set.iter().map(|text| text.chars().count()).min().unwrap_or_default()
}

/// Takes out the set with the longest shortest text.
fn take_best(sets: &mut Vec<Vec<String>>) -> Option<Vec<String>> {
    let length = |set: &[String]| set.iter().map(String::len).min();
    let (at, _) = sets.iter().enumerate().max_by_key(|(_, set)| length(set))?;
    Some(sets.remove(at))
}

fn required(hir: &Hir) -> Vec<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => vec![vec![text.to_ascii_lowercase()]],
            Err(_) => Vec::new(),
        },
        HirKind::Class(Class::Unicode(class)) => {
            one_letter(class).map(|letter| vec![letter.to_string()]).into_iter().collect()
        }
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => joined(parts),
        HirKind::Alternation(parts) => {
            let all: Option<Vec<_>> = parts.iter().map(|part| take_best(&mut required(part))).collect();
            all.map(|sets| sets.into_iter().flatten().collect()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Neighbours that are one text each are one text together.
fn joined(parts: &[Hir]) -> Vec<Vec<String>> {
    let mut sets: Vec<Vec<String>> = Vec::new();
    let mut run = String::new();
    for part in parts {
        let own = required(part);
        match own.as_slice() {
            [set] if set.len() == 1 && is_exact(part) => run.extend(set.iter().map(String::as_str)),
            _ => {
                if !run.is_empty() {
                    sets.push(vec![std::mem::take(&mut run)]);
                }
                sets.extend(own);
            }
        }
    }
    if !run.is_empty() {
        sets.push(vec![run]);
    }
    sets
}

/// Whether a part is its text and nothing more.
fn is_exact(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(_) | HirKind::Class(_) => true,
        HirKind::Capture(capture) => is_exact(&capture.sub),
        HirKind::Concat(parts) => parts.iter().all(|part| is_exact(part) && !required(part).is_empty()),
        _ => false,
    }
}

/// The letter behind a class that is one letter in both cases, as `(?i)` makes them.
fn one_letter(class: &ClassUnicode) -> Option<char> {
    let mut letters = class.iter().flat_map(|range| range.start()..=range.end());
    let first = letters.next()?.to_ascii_lowercase();
    // `k` and `s` have a third form outside of ASCII.
    let is_form = |letter: char| {
        letter.to_ascii_lowercase() == first || matches!((first, letter), ('k', '\u{212a}') | ('s', 'ſ'))
    };
    letters.take(4).all(is_form).then_some(first)
}
