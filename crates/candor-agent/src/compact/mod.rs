//! Makes a conversation shorter: older messages give way to a summary.
//!
//! Nothing here touches the store, where the history stays complete; only what a model is sent changes. The summary is
//! written by the model (`written.rs`) or, where that fails, by rules that need none (`rules.rs`). Whoever wrote it, it
//! has the same sections (`sections.rs`) and stands as the first message.
//!
//! Start reading at `ladder.rs`: what goes, and what goes next when that was not enough.

mod cut;
mod excerpt;
mod files;
mod flat;
mod ladder;
mod rules;
mod sections;
#[cfg(test)]
mod tests;
mod tokens;
mod written;

use candor_protocol::{Message, Role};

pub(crate) use ladder::{Ladder, Shortened, by_model, first};
pub(crate) use tokens::{estimate, of_prompt};
pub(crate) use written::{TIME_MAX, Unusable, request, usable};

use crate::Summary;

/// The window of a model that nobody knows: that of most large ones. Too large a guess is corrected by the provider's word,
/// too small a one never is.
const WINDOW_TOKENS_DEFAULT: u64 = 200_000;
/// The answer gets at most one part in so many of the window, whatever the settings say: they are made for large models.
const RESERVE_SHARE_MAX: u64 = 2;
/// The newest messages keep at most one part in so many of the rest: they must leave room for a summary.
const KEEP_SHARE_MAX: u64 = 2;
/// A summary before it is needed must free one part in so many of the window. Otherwise a conversation that cannot become
/// short enough would be summarised again for each request.
const GAIN_SHARE_MIN: u64 = 20;

/// How conversations that grow long are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compaction {
    /// Whether that happens before the window is full. When a provider says that a request is too long, it happens anyway.
    pub enabled: bool,
    /// How many tokens of the window are kept free for the answer.
    pub reserve_tokens: u64,
    /// How many of the newest tokens stay as they are.
    pub keep_tokens: u64,
}

/// How much room a model has, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) window: u64,
    /// What a request may take.
    pub(crate) limit: u64,
    /// What stays of the newest messages.
    pub(crate) keep: u64,
}

impl Room {
    pub(crate) fn new(compaction: Compaction, window: Option<u64>) -> Self {
        let window = window.filter(|window| *window > 0).unwrap_or(WINDOW_TOKENS_DEFAULT);
        let limit = window - compaction.reserve_tokens.min(window / RESERVE_SHARE_MAX);
        Self { window, limit, keep: compaction.keep_tokens.min(limit / KEEP_SHARE_MAX) }
    }

    /// Whether so many tokens, of which none is a summary already, are worth one before it is needed.
    pub(crate) fn is_worth(&self, tokens: u64) -> bool {
        tokens >= self.window / GAIN_SHARE_MIN
    }
}

/// Messages that give way to a summary, of which the first may be one already.
#[derive(Clone, Copy)]
pub(crate) struct Old<'a> {
    pub(crate) messages: &'a [Message],
    pub(crate) summary: Option<&'a Summary>,
}

impl<'a> Old<'a> {
    /// Those that no summary stands for yet.
    fn unsummarised(&self) -> &'a [Message] {
        match self.summary {
            Some(_) => self.messages.get(1..).unwrap_or_default(),
            None => self.messages,
        }
    }

    /// The earlier summary without what stands around its sections.
    fn previous(&self) -> Option<&'a str> {
        self.summary.map(sections::body)
    }

    fn tokens(&self) -> u64 {
        tokens::of(self.messages)
    }

    pub(crate) fn unsummarised_tokens(&self) -> u64 {
        tokens::of(self.unsummarised())
    }
}

/// The message that a summary is.
pub(crate) fn message(summary: &Summary) -> Message {
    Message::text(Role::User, &summary.text)
}
