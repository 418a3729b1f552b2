//! The fixed text that a pattern cannot match without.
//!
//! One pass over an output finds which of these texts stand in it; only the rules behind them are tried at all.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

/// The shortest fixed text that is worth looking for: shorter ones stand everywhere.
pub(crate) const LITERAL_CHARS_MIN: usize = 4;

/// The texts of which one must stand, in lower case, where the pattern matches; or why there are none.
pub(crate) fn literals(pattern: &str) -> Result<Vec<String>, String> {
    let hir = regex_syntax::ParserBuilder::new().multi_line(true).build().parse(pattern);
    let hir = hir.map_err(|error| error.to_string())?;
    required(&hir).filter(|texts| texts.iter().all(|text| text.chars().count() >= LITERAL_CHARS_MIN)).ok_or_else(|| {
        format!("there is no fixed text of {LITERAL_CHARS_MIN} characters that each of its alternatives contains")
    })
}

/// The best set of texts of which one must stand.
fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(vec![lower(std::str::from_utf8(&literal.0).ok()?)]),
        HirKind::Class(Class::Unicode(class)) => one_letter(class).map(|letter| vec![letter.to_string()]),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => joined(parts),
        HirKind::Alternation(parts) => {
            let all: Option<Vec<_>> = parts.iter().map(required).collect();
            all.map(|sets| sets.into_iter().flatten().collect())
        }
        _ => None,
    }
}

/// Neighbours that are one text each are one text together; of several sets the one with the longest shortest text is best.
fn joined(parts: &[Hir]) -> Option<Vec<String>> {
    let mut sets: Vec<Vec<String>> = Vec::new();
    let mut run = String::new();
    for part in parts {
        match required(part) {
            Some(set) if is_exact(part) && set.len() == 1 => run.extend(set),
            other => {
                if !run.is_empty() {
                    sets.push(vec![std::mem::take(&mut run)]);
                }
                sets.extend(other);
            }
        }
    }
    if !run.is_empty() {
        sets.push(vec![run]);
    }
    sets.into_iter().max_by_key(|set| set.iter().map(String::len).min())
}

/// Whether a part is its text and nothing more.
fn is_exact(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(_) | HirKind::Class(_) => true,
        HirKind::Capture(capture) => is_exact(&capture.sub),
        HirKind::Concat(parts) => parts.iter().all(|part| is_exact(part) && required(part).is_some()),
        _ => false,
    }
}

/// The letter behind a class that is one letter in both cases, as `(?i)` makes them.
fn one_letter(class: &ClassUnicode) -> Option<char> {
    let mut letters = class.iter().flat_map(|range| range.start()..=range.end());
    let first = letters.next()?.to_ascii_lowercase();
    // `k` and `s` have a third form outside of ASCII.
    let is_form = |letter: char| {
        letter.to_ascii_lowercase() == first || matches!((first, letter), ('k', 'K') | ('s', 'ſ'))
    };
    letters.take(4).all(is_form).then_some(first)
}

fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}
