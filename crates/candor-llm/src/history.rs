//! Makes a conversation one that strict servers accept, whatever happened to it.
//!
//! A run that was killed leaves calls without results; a compaction can leave results without calls; models invent names
//! that no provider takes back. Each of these makes a provider refuse every further request of the session, so all dialects
//! encode the repaired copy. The repair is a pure function of the messages: the same conversation gives the same bytes
//! each time, and the provider's cache keeps hitting.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};

use candor_protocol::{Message, Part, Role, ToolCall, ToolResult};

/// What stands for the result of a call that has none.
const INTERRUPTED: &str = "Interrupted: there is no result. The tool may have run, wholly or in part; look before calling it again.";
/// What stands for a result of no words, which some servers refuse.
const NO_OUTPUT: &str = "(no output)";
/// The longest id of a call: the shortest limit among the providers (OpenAI's).
const ID_CHARS_MAX: usize = 40;
/// The longest name of a tool: the shortest limit among the providers (OpenAI's).
const NAME_CHARS_MAX: usize = 64;

/// The conversation, repaired: no blank texts and no empty messages; each call followed at once by one message that holds
/// exactly one result for each call, in the order of the calls; ids that are unique; names that providers accept.
/// What a tool message holds beside results (pictures, say) follows as a user's message.
pub(crate) fn sound(messages: &[Message]) -> Vec<Message> {
    let mut repaired = Vec::with_capacity(messages.len());
    let mut ids = HashSet::new();
    let mut at = 0;
    while let Some(message) = messages.get(at) {
        at += 1;
        match message.role {
            Role::Assistant => {
                let span = messages[at..].iter().take_while(|next| next.role != Role::Assistant).count();
                let following = &messages[at..at + span];
                at += span;
                repaired.extend(turn(message, following, &mut ids));
            }
            Role::System | Role::User => repaired.extend(spoken(message)),
            // Results before any call.
            Role::Tool => repaired.extend(shown(message)),
        }
    }
    repaired
}

/// An answer, the results of its calls, and whatever else stands before the next answer.
fn turn(answer: &Message, following: &[Message], ids: &mut HashSet<String>) -> Vec<Message> {
    let mut results: HashMap<&str, VecDeque<&ToolResult>> = HashMap::new();
    for part in following.iter().filter(|next| next.role == Role::Tool).flat_map(|next| &next.parts) {
        if let Part::ToolResult(result) = part {
            results.entry(&result.call_id).or_default().push_back(result);
        }
    }
    let mut parts = Vec::with_capacity(answer.parts.len());
    let mut answered = Vec::new();
    for part in &answer.parts {
        match part {
            Part::ToolCall(call) => {
                let given = results.get_mut(call.call_id.as_str()).and_then(VecDeque::pop_front);
                let call = sound_call(call, ids);
                answered.push(Part::ToolResult(sound_result(&call, given)));
                parts.push(Part::ToolCall(call));
            }
            Part::ToolResult(_) => {}
            part if is_blank(part) => {}
            part => parts.push(part.clone()),
        }
    }
    let mut turn = Vec::new();
    // A thought alone is no answer: providers want what it led to.
    if parts.iter().any(|part| !matches!(part, Part::Reasoning(_))) {
        turn.push(Message { parts, ..answer.clone() });
    }
    if !answered.is_empty() {
        let at = following.iter().find(|next| next.role == Role::Tool).map_or(answer.at, |next| next.at);
        turn.push(Message { role: Role::Tool, parts: answered, model: None, usage: None, at });
    }
    for next in following {
        turn.extend(if next.role == Role::Tool { shown(next) } else { spoken(next) });
    }
    turn
}

/// A message of a person or of the system, without blank texts and without what only a model or a tool can say.
fn spoken(message: &Message) -> Option<Message> {
    let belongs = |part: &&Part| {
        !matches!(part, Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolResult(_)) && !is_blank(part)
    };
    let parts: Vec<Part> = message.parts.iter().filter(belongs).cloned().collect();
    (!parts.is_empty()).then(|| Message { parts, ..message.clone() })
}

/// What a tool message holds beside results, as a user's message.
fn shown(message: &Message) -> Option<Message> {
    spoken(message).map(|message| Message { role: Role::User, ..message })
}

fn is_blank(part: &Part) -> bool {
    match part {
        Part::Text { text } => text.trim().is_empty(),
        Part::Reasoning(thought) => thought.text.trim().is_empty() && thought.opaque.is_none(),
        _ => false,
    }
}

fn sound_call(call: &ToolCall, ids: &mut HashSet<String>) -> ToolCall {
    let call_id = unique(&call.call_id, ids);
    ids.insert(call_id.clone());
    let args = if call.args.is_object() { call.args.clone() } else { serde_json::json!({}) };
    ToolCall { call_id, tool_name: sound_name(&call.tool_name), args, ..call.clone() }
}

fn sound_result(call: &ToolCall, given: Option<&ToolResult>) -> ToolResult {
    let (content, is_error) = match given {
        Some(result) if result.content.trim().is_empty() => (NO_OUTPUT.to_owned(), result.is_error),
        Some(result) => (result.content.clone(), result.is_error),
        None => (INTERRUPTED.to_owned(), true),
    };
    ToolResult {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        content,
        is_error,
        card: given.and_then(|result| result.card.clone()),
        images: given.map(|result| result.images.clone()).unwrap_or_default(),
    }
}

/// The id, or one like it that no call before has. Some servers number the calls of each answer from zero.
fn unique(id: &str, taken: &HashSet<String>) -> String {
    let id = if id.is_empty() { "call" } else { id };
    if id.chars().count() <= ID_CHARS_MAX && !taken.contains(id) {
        return id.to_owned();
    }
    let mut number = 2_u32;
    loop {
        let suffix = format!("_{number}");
        let kept: String = id.chars().take(ID_CHARS_MAX - suffix.len()).collect();
        let candidate = kept + &suffix;
        if !taken.contains(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

/// The name with only what all providers accept in it. The model may have invented it; there is no such tool then, and
/// its result says so.
fn sound_name(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = name.chars().take(NAME_CHARS_MAX).map(keep).collect();
    if name.is_empty() { "unnamed_tool".to_owned() } else { name }
}
