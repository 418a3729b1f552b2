//! What a term is, for finding passages: a word, or a part of a name as programmers write them.

use crate::words::stands_alone;

/// The longest term that is told from others, in bytes: longer ones are keys and encoded data.
const TERM_BYTES_MAX: usize = 64;

/// How many words a question may have; the rest are left out.
const QUERY_WORDS_MAX: usize = 16;

/// A shorter word is not taken for the beginning of another: too many begin so.
const PREFIX_BYTES_MIN: usize = 3;

/// Words that nearly every text has. A question that has others is about those.
const EVERYWHERE: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "how", "i", "if", "in",
    "is", "it", "of", "on", "or", "that", "the", "this", "to", "was", "what", "when", "where", "which",
    "who", "why", "with",
];

/// The parts of a name: `HTTPServer_v2` has `HTTP`, `Server` and `v2`.
fn name_parts(name: &str) -> impl Iterator<Item = &str> {
    name.split('_').flat_map(humps).filter(|part| !part.is_empty())
}

fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(hump(rest));
        rest = after;
        Some(part)
    })
}

/// Where the first part of a word ends.
fn hump(word: &str) -> usize {
    let mut chars = word.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let Some(last) = before.replace(c) else { continue };
        let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        let begins = c.is_uppercase() && (!char::is_uppercase(last) || next_is_lower);
        if begins || stands_alone(c) || stands_alone(last) {
            return at;
        }
    }
    word.len()
}

/// The runs of letters, digits and underscores of a text.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c == '_' || c.is_alphanumeric())).filter(|run| !run.is_empty())
}

/// The terms of a text, separated by spaces: of a name, its parts and then all of it.
pub(super) fn of(text: &str) -> String {
    let mut terms = String::with_capacity(text.len() + text.len() / 8);
    for run in runs(text) {
        let mut parts = 0;
        let start = terms.len();
        for part in name_parts(run) {
            parts += 1;
            push(&mut terms, part);
        }
        if parts > 1 && !run.contains(stands_alone) {
            let whole: String = terms[start..].split(' ').collect();
            push(&mut terms, &whole);
        }
    }
    terms
}

fn push(terms: &mut String, term: &str) {
    if !terms.is_empty() {
        terms.push(' ');
    }
    let term = &term[..term.floor_char_boundary(TERM_BYTES_MAX)];
    if term.is_ascii() {
        let start = terms.len();
        terms.push_str(term);
        terms[start..].make_ascii_lowercase();
    } else {
        terms.extend(term.chars().flat_map(char::to_lowercase));
    }
}

/// What is searched for. Terms have letters and digits only, so that nothing in it can be taken for the language of FTS5.
pub(super) struct Query {
    words: Vec<Word>,
}

/// A word or a name of a question.
struct Word {
    /// Its terms, separated by spaces.
    parts: String,
    /// All of it as one term, where it has several parts and is written with letters.
    whole: Option<String>,
}

impl Query {
    /// None when there is no word in it.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut words: Vec<Word> = runs(text).map(Word::of).filter(|word| !word.parts.is_empty()).collect();
        if words.iter().any(|word| !word.is_everywhere()) {
            words.retain(|word| !word.is_everywhere());
        }
        words.truncate(QUERY_WORDS_MAX);
        (!words.is_empty()).then_some(Self { words })
    }

    /// Passages with all of them.
    pub(super) fn all(&self) -> String {
        self.words().join(" AND ")
    }

    /// Each of them, as an expression of its own.
    pub(super) fn words(&self) -> Vec<String> {
        let last = self.words.len().saturating_sub(1);
        self.words.iter().enumerate().map(|(at, word)| word.expression(at == last)).collect()
    }
}

impl Word {
    fn of(run: &str) -> Self {
        let mut parts = String::new();
        name_parts(run).for_each(|part| push(&mut parts, part));
        let is_name = parts.contains(' ') && !run.contains(stands_alone);
        let whole = is_name.then(|| {
            let mut whole = String::new();
            push(&mut whole, &parts.split(' ').collect::<String>());
            whole
        });
        Self { parts, whole }
    }

    fn is_everywhere(&self) -> bool {
        EVERYWHERE.contains(&self.parts.as_str())
    }

    /// A word as it is, a name in one piece or with its parts in a row; the last one also as the beginning of a word.
    fn expression(&self, is_last: bool) -> String {
        let parts = &self.parts;
        match &self.whole {
            Some(whole) => format!("(\"{parts}\" OR \"{whole}\")"),
            None if is_last && parts.len() >= PREFIX_BYTES_MIN => format!("(\"{parts}\" OR \"{parts}\"*)"),
            None => format!("\"{parts}\""),
        }
    }
}
