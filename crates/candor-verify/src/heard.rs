//! What a service has said so far, for those who wait for a line of it.

use std::sync::{Mutex, PoisonError};

use regex::Regex;
use tokio::sync::watch;

/// How much of the end of it is kept. A line that is waited for is looked for in this.
const KEPT_BYTES: usize = 1 << 20;

/// The end of what a service said, on both streams.
#[derive(Debug)]
pub struct Heard {
    text: Mutex<Kept>,
    length: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    /// How many bytes came before the first one that is kept.
    dropped: u64,
}

impl Default for Heard {
    fn default() -> Self {
        Self { text: Mutex::default(), length: watch::Sender::new(0) }
    }
}

impl Heard {
    /// Takes what was said.
    pub fn push(&self, bytes: &[u8]) {
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
