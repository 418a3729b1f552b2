//! Shortens a conversation that the model cannot read as a whole, without asking a model.
//!
//! It keeps what the user said, word for word, and the newest messages as they are; of everything else it keeps what was
//! called and how it ended. It is what is left to do when the provider says that the request is too long.

use std::fmt::Write as _;

use candor_protocol::{Message, Part, Role};

/// A token has about so many bytes.
const BYTES_PER_TOKEN: usize = 4;
/// How much of one earlier answer or of one call's arguments the summary keeps.
const EXCERPT_CHARS_MAX: usize = 200;
/// How much of one earlier message of the user the summary keeps: an instruction fits, a pasted file is cut.
const USER_CHARS_MAX: usize = 4_000;

/// A shortened conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Shrunk {
    /// The conversation, with the summary as its first message.
    pub messages: Vec<Message>,
    /// What stands in the place of the older messages.
    pub summary: String,
    /// How many messages it stands for.
    pub removed: usize,
}

/// Replaces all but about the newest `keep_tokens` by a summary. None when there is nothing that could go.
pub fn shrink(messages: &[Message], keep_tokens: u64) -> Option<Shrunk> {
    let keep_bytes = usize::try_from(keep_tokens).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_TOKEN);
    let cut = cut(messages, keep_bytes)?;
    let (old, new) = messages.split_at(cut);
    let summary = summarise(old);
    let messages = std::iter::once(Message::text(Role::User, &summary)).chain(new.iter().cloned()).collect();
    Some(Shrunk { messages, summary, removed: old.len() })
}

/// Where the kept part begins: at a message that needs none before it, so that no result loses its call.
fn cut(messages: &[Message], keep_bytes: usize) -> Option<usize> {
    let mut bytes = 0;
    let mut cut = None;
    for (at, message) in messages.iter().enumerate().rev() {
        if message.role == Role::User && at > 0 {
            cut = Some(at);
        }
        bytes += size(message);
        if bytes > keep_bytes && cut.is_some() {
            break;
        }
    }
    // One long run has no user message to cut at: an answer of the model begins a turn just as well.
    cut.filter(|&cut| cut > 1).or_else(|| {
        let half = messages.len() / 2;
        (1..messages.len())
            .filter(|&at| messages.get(at).is_some_and(|message| message.role == Role::Assistant))
            .find(|&at| at > 1 && at >= half)
    })
}

fn size(message: &Message) -> usize {
    let part = |part: &Part| match part {
        Part::Text { text } => text.len(),
        Part::Image { data, .. } | Part::File { data, .. } => data.len(),
        Part::Reasoning(reasoning) => reasoning.text.len(),
        Part::ToolCall(call) => call.args.to_string().len(),
        Part::ToolResult(result) => result.content.len(),
    };
    message.parts.iter().map(part).sum()
}

fn summarise(messages: &[Message]) -> String {
    let mut summary =
        "The conversation before this point was too long and was shortened. What the user said is kept; of \
                       the rest, what was done and how it ended.\n"
            .to_owned();
    for message in messages {
        for part in &message.parts {
            match (message.role, part) {
                (Role::User, Part::Text { text }) => {
                    let _ = write!(summary, "\nUser: {}", excerpt(text, USER_CHARS_MAX));
                }
                (Role::Assistant, Part::Text { text }) => {
                    let _ = write!(summary, "\nAssistant: {}", excerpt(text, EXCERPT_CHARS_MAX));
                }
                (_, Part::ToolCall(call)) => {
                    let args = call.args.to_string();
                    let _ =
                        write!(summary, "\nCalled {}: {}", call.tool_name, excerpt(&args, EXCERPT_CHARS_MAX));
                }
                (_, Part::ToolResult(result)) if result.is_error => {
                    let _ = write!(summary, "\n  failed: {}", excerpt(&result.content, EXCERPT_CHARS_MAX));
                }
                _ => {}
            }
        }
    }
    summary
}

fn excerpt(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{} […]", &text[..end]),
        None => text.to_owned(),
    }
}
