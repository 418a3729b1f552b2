//! What a model answered.

use candor_protocol::{Part, StopReason, Usage};

/// One whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Thoughts, words and calls, in the order they came.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub stop: StopReason,
    /// What it took. Zero where the provider did not say.
    pub usage: Usage,
    /// The model that answered, where the provider names one.
    pub model: Option<String>,
}

impl Answer {
    /// Whether it says nothing at all: no words, no calls.
    pub fn is_empty(&self) -> bool {
        !self.parts.iter().any(|part| match part {
            Part::Text { text } => !text.trim().is_empty(),
            Part::Reasoning(_) => false,
            _ => true,
        })
    }
}

/// A little more of an answer that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Words.
    Text(&'a str),
    /// Thoughts.
    Reasoning(&'a str),
}
