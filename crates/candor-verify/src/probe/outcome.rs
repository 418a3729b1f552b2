//! What came of one try, and what a try that is not over yet has seen.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use candor_protocol::CheckResult;

/// How much of what came back is shown.
pub(super) const SAMPLE_CHARS_MAX: usize = 2_000;

/// How much of a text that people wrote is repeated in a sentence.
const QUOTED_CHARS_MAX: usize = 80;

/// What came of one try.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) result: CheckResult,
    /// What follows the name of what was asked and a colon.
    pub(super) said: String,
    pub(super) sample: Option<String>,
    /// Whether there was an answer to judge. What failed without one may have failed because the service ended.
    pub(super) is_answer: bool,
    /// The status by which a question that nobody declared was refused.
    pub(super) refused_with: Option<u16>,
}

impl Found {
    pub(super) fn passed(said: impl Into<String>, sample: &str) -> Self {
        Self::new(CheckResult::Passed, said, sample)
    }

    /// An answer that is not the right one.
    pub(super) fn failed(said: impl Into<String>, sample: &str) -> Self {
        Self::new(CheckResult::Failed, said, sample)
    }

    /// No answer, or none that could be read.
    pub(super) fn no_answer(said: impl Into<String>, sample: &str) -> Self {
        Self { is_answer: false, ..Self::new(CheckResult::Failed, said, sample) }
    }

    pub(super) fn unverifiable(said: impl Into<String>) -> Self {
        Self::new(CheckResult::Unverifiable, said, "")
    }

    pub(super) fn skipped(said: impl Into<String>, sample: &str) -> Self {
        Self::new(CheckResult::Skipped, said, sample)
    }

    /// It was not asked in the right way, or not at the right place.
    pub(super) fn refused(status: u16, said: impl Into<String>, sample: &str) -> Self {
        Self { refused_with: Some(status), ..Self::skipped(said, sample) }
    }

    fn new(result: CheckResult, said: impl Into<String>, sample: &str) -> Self {
        let sample = (!sample.is_empty()).then(|| beginning(sample, SAMPLE_CHARS_MAX));
        Self { result, said: said.into(), sample, is_answer: true, refused_with: None }
    }
}

/// What a try waits for and what it has seen, to tell if its time is over first.
#[derive(Debug)]
pub(super) struct Waiting(Mutex<Seen>);

#[derive(Debug)]
struct Seen {
    missing: String,
    sample: Option<String>,
    is_connected: bool,
    /// The first bytes that came over a connection.
    raw: Vec<u8>,
}

impl Waiting {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Seen {
            missing: "no answer".to_owned(),
            sample: None,
            is_connected: false,
            raw: Vec::new(),
        }))
    }

    /// Says what is missing now, so that `… within 2 s` can follow.
    pub(super) fn for_want_of(&self, missing: impl Into<String>) {
        self.with(|seen| seen.missing = missing.into());
    }

    /// Keeps what has been seen instead.
    pub(super) fn saw(&self, sample: &str) {
        self.with(|seen| seen.sample = Some(sample.to_owned()));
    }

    /// Keeps the first bytes that come over a connection.
    pub(super) fn received(&self, bytes: &[u8]) {
        self.with(|seen| {
            // A character has four bytes at most.
            let room = (4 * SAMPLE_CHARS_MAX).saturating_sub(seen.raw.len());
            seen.raw.extend(bytes.iter().take(room));
        });
    }

    /// Says that there is a connection, and that an answer is waited for.
    pub(super) fn connected(&self) {
        self.with(|seen| seen.is_connected = true);
        self.for_want_of("no answer");
    }

    /// Whether there was a connection.
    pub(super) fn is_connected(&self) -> bool {
        self.with(|seen| seen.is_connected)
    }

    /// The first bytes that came over the connection, as text.
    pub(super) fn raw(&self) -> String {
        self.with(|seen| String::from_utf8_lossy(&seen.raw).into_owned())
    }

    /// What came of it, now that the time is over.
    pub(super) fn too_late(&self, limit: Duration) -> Found {
        let raw = self.raw();
        self.with(|seen| {
            let said = format!("{} within {}", seen.missing, span(limit));
            let sample = seen.sample.as_deref().unwrap_or(&raw);
            Found::no_answer(said, sample)
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Seen) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A text as it is quoted in a sentence.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text))
}

/// A text without its line ends, shortened.
pub(super) fn one_line(text: &str) -> String {
    let line: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    beginning(line.trim(), QUOTED_CHARS_MAX)
}

/// The beginning of a text, with a mark where more follows.
pub(super) fn beginning(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        // The mark takes the place of the last character.
        Some(_) => text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The end of a text, with a mark where more came before.
pub(super) fn end(text: &str, chars_max: usize) -> String {
    let count = text.chars().count();
    if count <= chars_max {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(count - chars_max.saturating_sub(1))).collect()
}

/// A time as people write it.
pub(super) fn span(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        return format!("{} ms", time.as_millis());
    }
    // Tenths of a second; a whole number without them.
    match time.as_millis() / 100 {
        tenths if tenths % 10 == 0 => format!("{} s", tenths / 10),
        tenths => format!("{}.{} s", tenths / 10, tenths % 10),
    }
}
