//! Commands in text that is no sound bash: what might run, by a rough reading.
//!
//! It is used to find what must be denied although the whole cannot be understood, and never to allow anything.

use crate::call::Word;

/// What may separate commands. Quotes are dropped, not respected.
const SEPARATORS: &[char] = &[';', '|', '&', '\n', '(', ')', '`', '{', '}'];

/// Words that stand before a command.
const KEYWORDS: &[&str] = &["if", "then", "else", "elif", "do", "while", "until", "!", "time", "coproc"];

/// Rough readings of the commands in a text, as words.
pub(crate) fn commands(text: &str) -> impl Iterator<Item = Vec<Word>> {
    text.split(SEPARATORS).map(words).filter(|words| !words.is_empty())
}

/// The targets of redirects.
pub(crate) fn redirects(text: &str) -> impl Iterator<Item = String> {
    text.split(['>', '<']).skip(1).filter_map(|rest| {
        let rest = rest.trim_start_matches(['&', '|', '>', ' ', '\t']);
        let end = rest.find(|c: char| c.is_whitespace() || SEPARATORS.contains(&c)).unwrap_or(rest.len());
        Some(rest[..end].replace(['"', '\'', '\\'], "")).filter(|target| !target.is_empty())
    })
}

fn words(segment: &str) -> Vec<Word> {
    let is_assignment = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    segment
        .split_whitespace()
        .skip_while(|word| KEYWORDS.contains(word) || is_assignment(word))
        .map(|word| Word::literal(word.replace(['"', '\'', '\\', '$'], "")))
        .collect()
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
