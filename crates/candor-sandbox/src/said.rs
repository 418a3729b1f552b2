//! What a running process has said so far.

use crate::Output;
use crate::capture::Capture;

/// What a running process has said so far, on both streams in the order in which it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    output: Output,
}

/// What was said from some point on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// What was said. Bytes that are no text become `U+FFFD`.
    pub text: String,
    /// Where this begins. Later than asked for, if what came before is not kept any more.
    pub from: u64,
}

impl Said {
    pub(crate) fn of(capture: &Capture) -> Self {
        Self { output: capture.output() }
    }

    /// The head and the tail of it, and a line between them that says how much is left out.
    pub fn text(&self) -> String {
        self.output.text()
    }

    /// How much was said.
    pub fn total_bytes(&self) -> u64 {
        self.output.total_bytes()
    }

    /// Whether some of it is not kept.
    pub fn is_cut(&self) -> bool {
        self.output.is_cut()
    }

    /// What was said after this many bytes.
    pub fn since(&self, offset: u64) -> Since {
        let (head, tail) = (&self.output.head, &self.output.tail);
        let end = self.output.total_bytes();
        let tail_from = end - tail.len() as u64;
        let skipped = |from: u64| usize::try_from(offset.saturating_sub(from)).unwrap_or(usize::MAX);
        if self.is_cut() || offset >= tail_from {
            let rest = tail.get(skipped(tail_from)..).unwrap_or_default();
            return Since { text: lossy(rest), from: end - rest.len() as u64 };
        }
        let rest = [head.get(skipped(0)..).unwrap_or_default(), tail].concat();
        Since { text: lossy(&rest), from: end - rest.len() as u64 }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
