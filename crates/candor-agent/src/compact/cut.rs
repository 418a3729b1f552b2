//! Where the kept part of a conversation begins. Both ways of looking for it go back from the newest message and look at
//! no more than what is kept, however long the conversation is.

use std::collections::HashSet;

use candor_protocol::{Message, Part, Role};

use super::tokens;

/// Fewer messages are not worth a summary.
const REMOVED_MIN: usize = 2;

/// The place after which at least so many tokens stay; none when too little would go.
pub(super) fn at_least(messages: &[Message], keep_tokens: u64) -> Option<usize> {
    let place = places(messages).find(|place| place.tokens >= keep_tokens)?;
    (place.at >= REMOVED_MIN).then_some(place.at)
}

/// The place after which at most so many tokens stay. It may be the end: then nothing does.
pub(super) fn at_most(messages: &[Message], keep_tokens: u64) -> usize {
    let within = places(messages).take_while(|place| place.tokens <= keep_tokens);
    within.last().map_or(messages.len(), |place| place.at)
}

/// A message with which a kept part may begin, and how long that part is.
struct Place {
    at: usize,
    tokens: u64,
}

/// The places, from the newest: messages of the user and answers, as long as every result behind them has its call there,
/// too.
fn places(messages: &[Message]) -> impl Iterator<Item = Place> {
    let mut tokens = 0_u64;
    let mut without_call: HashSet<&str> = HashSet::new();
    messages.iter().enumerate().rev().filter_map(move |(at, message)| {
        tokens = tokens.saturating_add(tokens::one(message));
        for part in &message.parts {
            match part {
                Part::ToolResult(result) => {
                    without_call.insert(&result.call_id);
                }
                Part::ToolCall(call) => {
                    without_call.remove(call.call_id.as_str());
                }
                _ => {}
            }
        }
        let is_place = matches!(message.role, Role::User | Role::Assistant) && without_call.is_empty();
        is_place.then_some(Place { at, tokens })
    })
}
