//! What a word is, for searching: the same for both databases, because they are given words and never a text.

/// The longest word that is told from others, in characters: longer ones are keys and encoded data.
const WORD_CHARS_MAX: usize = 64;

/// How many bytes of different words one message has in the index. PostgreSQL takes a megabyte, and a message with more
/// words than this is a file that was pasted.
const MESSAGE_BYTES_MAX: usize = 256 << 10;

/// How many words a question may have; the rest are left out.
const QUERY_WORDS_MAX: usize = 16;

/// How long an excerpt is, in characters.
const EXCERPT_CHARS: usize = 160;

/// How much of it stands before the word that was found.
const EXCERPT_LEAD_CHARS: usize = 40;

/// A word of a text, in lower case, and where it begins.
struct Word {
    start: usize,
    text: String,
}

/// Cuts a text into words: runs of letters and digits. Where a script writes no spaces, each character is one.
fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = rest.find(|(_, c)| c.is_alphanumeric())?;
        let mut word = first.to_lowercase().collect::<String>();
        let mut length = 1;
        while !stands_alone(first)
            && let Some((_, next)) = rest.next_if(|(_, c)| c.is_alphanumeric() && !stands_alone(*c))
        {
            length += 1;
            if length <= WORD_CHARS_MAX {
                word.extend(next.to_lowercase());
            }
        }
        Some(Word { start, text: word })
    })
}

/// Han, Kana and Hangul.
pub(crate) fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// The different words of a message.
pub(crate) fn vocabulary(text: &str) -> Vec<String> {
    let mut bytes = 0;
    let mut seen = std::collections::HashSet::new();
    words(text)
        .map(|word| word.text)
        .filter(|word| seen.insert(word.clone()))
        .take_while(|word| {
            bytes += word.len();
            bytes <= MESSAGE_BYTES_MAX
        })
        .collect()
}

/// What is searched for: every word, and the last one also as the beginning of one.
pub(crate) struct Query {
    whole: Vec<String>,
    last: String,
    /// Whether the last one counts as a beginning.
    ending: Ending,
}

#[derive(Clone, Copy)]
enum Ending {
    Open,
    Closed,
}

impl Query {
    /// None when there is no word in it.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut whole: Vec<String> = words(text).take(QUERY_WORDS_MAX).map(|word| word.text).collect();
        let last = whole.pop()?;
        Some(Self { whole, last, ending: Ending::Open })
    }

    /// The words before the last one, none of them the beginning of another; nothing where there are none.
    pub(crate) fn without_last(&self) -> Option<Self> {
        let mut whole = self.whole.clone();
        let last = whole.pop()?;
        Some(Self { whole, last, ending: Ending::Closed })
    }

    /// Whether a text has them all.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let words = vocabulary(text);
        let has_last = match self.ending {
            Ending::Open => words.iter().any(|word| word.starts_with(&self.last)),
            Ending::Closed => words.contains(&self.last),
        };
        has_last && self.whole.iter().all(|word| words.contains(word))
    }

    /// In the language of FTS5. Words have letters and digits only, so that nothing needs to be escaped.
    pub(crate) fn for_sqlite(&self) -> String {
        let whole = self.whole.iter().map(|word| format!("\"{word}\""));
        let ending = match self.ending {
            Ending::Open => "*",
            Ending::Closed => "",
        };
        whole.chain([format!("\"{}\"{ending}", self.last)]).collect::<Vec<_>>().join(" AND ")
    }

    /// In the language of `tsquery`, likewise.
    pub(crate) fn for_postgres(&self) -> String {
        let whole = self.whole.iter().map(|word| format!("'{word}'"));
        let ending = match self.ending {
            Ending::Open => ":*",
            Ending::Closed => "",
        };
        whole.chain([format!("'{}'{ending}", self.last)]).collect::<Vec<_>>().join(" & ")
    }

    /// The text around the first word that was searched for, in one line.
    pub(crate) fn excerpt(&self, text: &str) -> String {
        let found = words(text).find(|word| self.matches(&word.text)).map_or(0, |word| word.start);
        let (before, after) = text.split_at(found);
        let lead = before.char_indices().rev().nth(EXCERPT_LEAD_CHARS - 1).map_or(0, |(place, _)| place);
        let length = EXCERPT_CHARS - before[lead..].chars().count();
        let end = after.char_indices().nth(length).map_or(text.len(), |(place, _)| found + place);
        let words: Vec<&str> = text[lead..end].split_whitespace().collect();
        let (left, right) = (if lead > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
        format!("{left}{}{right}", words.join(" ")).replace('\0', "\u{fffd}")
    }

    fn matches(&self, word: &str) -> bool {
        word.starts_with(&self.last) || self.whole.iter().any(|searched| searched == word)
    }
}
