//! What was found before, and what is gone.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::found::Diagnostic;
use crate::logs::millis;

/// How many are remembered.
const ENTRIES_MAX: usize = 1_000;

/// What was seen before, in a file that lives between verifications.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger {
    entries: Vec<Seen>,
}

/// A diagnostic, and how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// What was found.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// The check that found it.
    pub check: String,
    /// How many times the check ran and found it.
    pub seen: u64,
    /// When it did so first, in milliseconds since 1970.
    pub first_seen: i64,
    /// When it did so last.
    pub last_seen: i64,
}

impl Ledger {
    /// Takes what a check found this time: what is new is added, what is known is counted, and what this check found before
    /// and does not any more is cleared and given back. What other checks found stays.
    ///
    /// Lines move while one works, so that a diagnostic is the same if its file, code and message are; of several such,
    /// the one at the same line, or else the nearest.
    pub fn note(&mut self, check: &str, found: Vec<Diagnostic>, at: SystemTime) -> Vec<Seen> {
        let now = millis(at);
        let (mut before, mut entries): (Vec<Seen>, Vec<Seen>) =
            std::mem::take(&mut self.entries).into_iter().partition(|seen| seen.check == check);
        let mut noted: Vec<Seen> = Vec::new();
        for diagnostic in found {
            if noted.iter().any(|seen| seen.diagnostic == diagnostic) {
                continue;
            }
            let known = nearest(&before, &diagnostic).map(|index| before.remove(index));
            let (seen, first_seen) = known.map_or((0, now), |known| (known.seen, known.first_seen));
            let check = check.to_owned();
            noted.push(Seen { diagnostic, check, seen: seen.saturating_add(1), first_seen, last_seen: now });
        }
        entries.extend(noted);
        // Of too many, those that were seen last are kept; the sort is stable.
        entries.sort_by_key(|seen| std::cmp::Reverse(seen.last_seen));
        entries.truncate(ENTRIES_MAX);
        self.entries = entries;
        before
    }

    /// Forgets what was found by checks that are no more: nothing would ever clear it.
    pub fn keep(&mut self, is_known: impl Fn(&str) -> bool) {
        self.entries.retain(|seen| is_known(&seen.check));
    }

    /// What is not fixed yet, what was seen last first. At most 1,000.
    pub fn entries(&self) -> &[Seen] {
        &self.entries
    }
}

fn nearest(known: &[Seen], diagnostic: &Diagnostic) -> Option<usize> {
    let is_same = |seen: &Seen| {
        let other = &seen.diagnostic;
        other.file == diagnostic.file && other.code == diagnostic.code && other.message == diagnostic.message
    };
    let distance = |seen: &Seen| seen.diagnostic.line.unwrap_or(0).abs_diff(diagnostic.line.unwrap_or(0));
    let same = known.iter().enumerate().filter(|(_, seen)| is_same(seen));
    same.min_by_key(|(_, seen)| distance(seen)).map(|(index, _)| index)
}
