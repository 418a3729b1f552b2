//! Whether what was asked for has been found.

use crate::Kind;
use crate::pack::Chunk;
use crate::section::definition;

/// Words of languages, which no text defines.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "case", "class", "const", "continue", "def", "del",
    "elif", "else", "enum", "except", "false", "finally", "fn", "for", "from", "func", "function", "global",
    "if", "impl", "import", "in", "is", "lambda", "let", "match", "mod", "none", "nonlocal", "not", "null",
    "or", "pass", "raise", "return", "self", "struct", "super", "this", "trait", "true", "try", "type",
    "use", "var", "while", "with", "yield",
];

/// Whether the question stands, as whole words, in the title or the id of a chunk of the reading list.
pub(crate) fn is_strong(chunk: &Chunk, query: &str) -> bool {
    let query = query.trim();
    chunk.kind == Kind::Prime && (has_words(&chunk.title(), query) || has_words(&chunk.id, query))
}

/// Whether a text defines what was asked for. A remark that mentions it does not.
pub(crate) fn supports(text: &str, query: &str) -> bool {
    let query = query.trim();
    let is_name = !query.is_empty() && query.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name
        && !KEYWORDS.contains(&query.to_lowercase().as_str())
        && text.lines().any(|line| definition(line).is_some_and(|name| name == query))
}

fn has_words(text: &str, words: &str) -> bool {
    let (text, words) = (text.to_lowercase(), words.to_lowercase());
    let part = |c: char| c.is_alphanumeric() || c == '_';
    !words.is_empty()
        && text
            .match_indices(&words)
            .any(|(at, found)| !text[..at].ends_with(part) && !text[at + found.len()..].starts_with(part))
}
