//! The line by which programs know what became of a `get`: the contract `PD_REPORT`, version 1.

use std::fmt;

use serde::{Serialize, Serializer};

/// Why no more chunks were returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All that were asked for were.
    Complete,
    /// The next would not have fitted.
    Budget,
    /// So many were wanted at most.
    MaxChunks,
    /// What was asked for was found.
    Evidence,
    /// Nothing was returned; a card says why.
    Error,
}

/// What became of a `get`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Why no more chunks were returned.
    pub stop_reason: StopReason,
    /// How many were.
    pub chunks_returned: u64,
    /// How many different ones were asked for.
    pub chunks_requested: u64,
    /// How many characters of text were returned.
    pub chars_returned_total: u64,
    /// Whether the question is in the title or the id of a prime chunk that was returned.
    pub strong_hit: bool,
    /// Whether a text that was returned defines what was asked for.
    pub support: bool,
}

impl Report {
    /// That of a `get` that failed.
    pub const fn error(chunks_requested: u64) -> Self {
        Self {
            stop_reason: StopReason::Error,
            chunks_returned: 0,
            chunks_requested,
            chars_returned_total: 0,
            strong_hit: false,
            support: false,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            stop_reason,
            chunks_returned,
            chunks_requested,
            chars_returned_total,
            strong_hit,
            support,
        } = self;
        write!(
            f,
            "PD_REPORT v=1 stop_reason={} chunks_returned={chunks_returned} chunks_requested={chunks_requested} \
             chars_returned_total={chars_returned_total} strong_hit={} support={}",
            stop_reason.as_str(),
            u8::from(*strong_hit),
            u8::from(*support),
        )
    }
}

impl StopReason {
    /// The reason as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Budget => "budget",
            Self::MaxChunks => "max_chunks",
            Self::Evidence => "evidence",
            Self::Error => "error",
        }
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
