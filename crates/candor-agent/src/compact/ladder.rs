//! What goes, and what goes next when that was not enough.

use candor_protocol::Message;

use super::rules::{LEVELS, Level};
use super::{Old, Room, Unusable, cut, files, message, rules, sections, tokens};
use crate::Summary;

/// How often the kept part is halved before nothing of it is kept.
const HALVINGS_MAX: usize = 4;

/// A conversation that a summary has made shorter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shortened {
    /// What is sent from now on: the summary, and what was kept.
    pub(crate) messages: Vec<Message>,
    /// What the first of them is.
    pub(crate) summary: Summary,
    /// How many messages it stands for, as they were before.
    pub(crate) removed: usize,
    pub(crate) summary_tokens: u64,
}

/// The older messages that the first summary would stand for; none when there is nothing to shorten.
pub(crate) fn first<'a>(
    messages: &'a [Message],
    summary: Option<&'a Summary>,
    room: Room,
) -> Option<Old<'a>> {
    let cut = cut::at_least(messages, room.keep)?;
    Some(Old { messages: &messages[..cut], summary })
}

/// Puts the model's summary in the place of older messages.
pub(crate) fn by_model(
    messages: &[Message],
    old: Old<'_>,
    body: &str,
    room: Room,
) -> Result<Shortened, Unusable> {
    let summary = sections::standing(body, files::files(old, LEVELS[0].of_files(room.window)));
    if tokens::of_bytes(summary.text.len()) >= old.tokens() {
        return Err(Unusable::TooLong);
    }
    let removed = old.messages.len();
    Ok(shortened(&messages[removed..], summary, removed))
}

fn shortened(kept: &[Message], summary: Summary, removed: usize) -> Shortened {
    let summary_tokens = tokens::of_bytes(summary.text.len());
    let messages = std::iter::once(message(&summary)).chain(kept.iter().cloned()).collect();
    Shortened { messages, summary, removed, summary_tokens }
}

/// The rungs below a conversation, from the one that keeps most to the one that keeps least. Each is written by rules from
/// the conversation above the ladder, so that no summary of a summary is made on the way down.
#[derive(Debug)]
pub(crate) struct Ladder {
    base: Vec<Message>,
    summary: Option<Summary>,
    /// How many messages of the base the present summary stands for; none before the first rung that was taken.
    cut: usize,
    /// How long the conversation is on the present rung.
    tokens: u64,
    next: usize,
}

impl Ladder {
    /// Above the first rung.
    pub(crate) fn new(base: Vec<Message>, summary: Option<Summary>) -> Self {
        let tokens = tokens::of(&base);
        Self { base, summary, cut: 0, tokens, next: 0 }
    }

    /// Below the first rung, where the model's summary has brought a conversation.
    pub(crate) fn below_first(base: Vec<Message>, summary: Option<Summary>) -> Self {
        Self { next: 1, ..Self::new(base, summary) }
    }

    /// The conversation above the ladder.
    pub(crate) fn into_base(self) -> Vec<Message> {
        self.base
    }

    /// Goes down one rung. None where that makes nothing shorter.
    pub(crate) fn step(&mut self, room: Room) -> Option<Shortened> {
        let (cut, level) = rung(&self.base, self.next, room)?;
        self.next += 1;
        self.write(cut, level, room)
    }

    /// Goes down to the next rung that makes the conversation shorter. None at the bottom.
    pub(crate) fn down(&mut self, room: Room) -> Option<Shortened> {
        while self.next < RUNGS {
            let shorter = self.step(room);
            if shorter.is_some() {
                return shorter;
            }
        }
        None
    }

    fn write(&mut self, cut: Option<usize>, level: Level, room: Room) -> Option<Shortened> {
        let cut = cut.filter(|&cut| cut > 0 && cut >= self.cut)?;
        let (old, kept) = self.base.split_at_checked(cut)?;
        let old = Old { messages: old, summary: self.summary.as_ref() };
        let body = rules::write(old, room.window, level);
        let summary = sections::standing(&body, files::files(old, level.of_files(room.window)));
        let tokens = tokens::of_bytes(summary.text.len()) + tokens::of(kept);
        if tokens >= self.tokens {
            return None;
        }
        // On a rung that was taken before, the summary is one message.
        let removed = if self.cut == 0 { cut } else { 1 + cut - self.cut };
        let shortened = shortened(kept, summary, removed);
        (self.cut, self.tokens) = (cut, tokens);
        Some(shortened)
    }
}

/// How many rungs there are: the first, the halvings, and all levels with nothing kept.
const RUNGS: usize = 1 + HALVINGS_MAX + LEVELS.len();

/// Where a rung cuts, if it can, and how much it keeps of what it cuts off. None below the last.
fn rung(base: &[Message], rung: usize, room: Room) -> Option<(Option<usize>, Level)> {
    let whole = LEVELS[0];
    match rung {
        0 => Some((cut::at_least(base, room.keep), whole)),
        1..=HALVINGS_MAX => Some((Some(cut::at_most(base, room.keep >> rung)), whole)),
        _ => {
            let level = LEVELS.get(rung - HALVINGS_MAX - 1)?;
            Some((Some(base.len()), *level))
        }
    }
}
