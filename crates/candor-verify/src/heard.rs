//! What a service has said so far, for those who wait for a line of it.

use std::sync::{Mutex, PoisonError};

use regex::Regex;
use tokio::sync::watch;

/// How much of the end of it is kept. A line that is waited for is looked for in this.
const KEPT_BYTES: usize = 1 << 20;

/// How much of a line is looked at while it passes. What is waited for stands at its beginning.
const LINE_BYTES_MAX: usize = 64 << 10;

/// The end of what a service said, on both streams; and of all that it said the lines that somebody looks for.
#[derive(Debug)]
pub struct Heard {
    text: Mutex<Kept>,
    sought: Mutex<Sought>,
    length: watch::Sender<u64>,
}

/// Lines that are looked for while they pass: what comes behind them may be more than is kept.
#[derive(Debug, Default)]
struct Sought {
    /// Each pattern with the first line that matched it.
    patterns: Vec<(Regex, Option<String>)>,
    /// The last line, which may go on.
    partial: Vec<u8>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    /// How many bytes came before the first one that is kept.
    dropped: u64,
}

impl Default for Heard {
    fn default() -> Self {
        Self { text: Mutex::default(), sought: Mutex::default(), length: watch::Sender::new(0) }
    }
}

impl Sought {
    fn push(&mut self, bytes: &[u8]) {
        if self.patterns.iter().all(|(_, line)| line.is_some()) {
            return;
        }
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let (lines, rest) = bytes.split_at_checked(whole).unwrap_or((bytes, &[]));
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            if self.partial.is_empty() {
                self.look(line);
            } else {
                let mut begun = std::mem::take(&mut self.partial);
                begun.extend_from_slice(line);
                self.look(&begun);
            }
        }
        let room = LINE_BYTES_MAX.saturating_sub(self.partial.len());
        self.partial.extend(rest.iter().take(room));
    }

    fn look(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line.get(..LINE_BYTES_MAX).unwrap_or(line));
        let text = text.trim_end_matches(['\r', '\n']);
        for (pattern, found) in &mut self.patterns {
            if found.is_none() && pattern.is_match(text) {
                *found = Some(text.to_owned());
            }
        }
    }
}

impl Heard {
    /// One that looks for lines that match these, among all that is said from now on.
    pub fn seeking(patterns: Vec<Regex>) -> Self {
        let patterns = patterns.into_iter().map(|pattern| (pattern, None)).collect();
        Self { sought: Mutex::new(Sought { patterns, partial: Vec::new() }), ..Self::default() }
    }

    /// The first line that matched a pattern that is looked for; the last one counts though it may go on.
    pub fn found(&self, pattern: &str) -> Option<String> {
        let mut sought = self.sought.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = sought.partial.clone();
        if !begun.is_empty() {
            sought.look(&begun);
        }
        let known = sought.patterns.iter().find(|(known, _)| known.as_str() == pattern)?;
        known.1.clone()
    }

    /// Looks for this no more.
    pub fn forget(&self, pattern: &str) {
        let mut sought = self.sought.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = sought.patterns.iter().position(|(known, _)| known.as_str() == pattern) {
            sought.patterns.remove(at);
        }
    }

    /// Takes what was said.
    pub fn push(&self, bytes: &[u8]) {
        self.sought.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        let mut kept = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes.extend_from_slice(bytes);
        // Cut rarely: a half at a time.
        if kept.bytes.len() > 2 * KEPT_BYTES {
            let cut = kept.bytes.len() - KEPT_BYTES;
            kept.bytes.drain(..cut);
            kept.dropped += cut as u64;
        }
        self.length.send_replace(kept.dropped + kept.bytes.len() as u64);
    }

    /// How much has been said: a place to look from later.
    pub fn length(&self) -> u64 {
        *self.length.borrow()
    }

    /// What was said since that place, or as much of it as is kept.
    pub fn since(&self, place: u64) -> String {
        String::from_utf8_lossy(&self.bytes_since(place).1).into_owned()
    }

    /// Waits for a line that matches, among those said since that place, and gives it. It waits as long as it takes: give it
    /// a time limit.
    pub async fn line(&self, pattern: &Regex, place: u64) -> String {
        let mut length = self.length.subscribe();
        let mut from = place;
        loop {
            length.borrow_and_update();
            let (first, bytes) = self.bytes_since(from);
            let text = String::from_utf8_lossy(&bytes);
            if let Some(line) = text.lines().find(|line| pattern.is_match(line)) {
                return line.to_owned();
            }
            // The last line may go on.
            from = first + bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end as u64 + 1);
            // The sender is ours, and lives as long as this does.
            let _ = length.changed().await;
        }
    }

    /// The bytes since that place that are kept, and the place of the first of them.
    fn bytes_since(&self, place: u64) -> (u64, Vec<u8>) {
        let kept = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let from = usize::try_from(place.saturating_sub(kept.dropped)).unwrap_or(usize::MAX);
        (place.max(kept.dropped), kept.bytes.get(from..).unwrap_or_default().to_vec())
    }
}
