//! How long things are, in tokens, as far as that can be told without the model's own tokeniser.

use candor_protocol::{Message, Part, Role, ToolSpec};
use serde_json::Value;

/// A token has about so many bytes. Bytes rather than characters: a character of a script that is not Latin takes more of
/// both.
pub(super) const BYTES_PER_TOKEN: u64 = 4;
/// What a picture takes: about what large models take for one that fills their frame.
const IMAGE_TOKENS: u64 = 1_600;

/// About what a number takes, or `true`, or `null`.
const SCALAR_BYTES: usize = 4;

/// How much of the window a request takes: what the provider counted for the last answer that it counted in this very
/// conversation, and an estimate of what came after. The first `uncounted` messages hold no such answer. Without one,
/// everything is estimated, `prompt` included.
pub(crate) fn estimate(messages: &[Message], uncounted: usize, prompt: impl FnOnce() -> u64) -> u64 {
    let mut tokens = 0;
    for (at, message) in messages.iter().enumerate().rev() {
        let counted = message.usage.filter(|usage| usage.input_tokens > 0);
        if let (Some(usage), Role::Assistant, true) = (counted, message.role, at >= uncounted) {
            return usage.input_tokens.saturating_add(usage.output_tokens).saturating_add(tokens);
        }
        tokens += one(message);
    }
    tokens + prompt()
}

/// The tokens of the system prompt and of what the model is told about its tools.
pub(crate) fn of_prompt(prompt: Option<&str>, tools: &[ToolSpec]) -> u64 {
    let spec = |spec: &ToolSpec| spec.name.len() + spec.description.len() + json_bytes(&spec.parameters);
    let tools: usize = tools.iter().map(spec).sum();
    of_bytes(prompt.map_or(0, str::len) + tools)
}

/// The tokens of messages.
pub(super) fn of(messages: &[Message]) -> u64 {
    messages.iter().map(one).sum()
}

/// The tokens of a message; none is free.
pub(super) fn one(message: &Message) -> u64 {
    message.parts.iter().map(part).sum::<u64>().max(1)
}

/// The tokens of a text of so many bytes.
pub(super) fn of_bytes(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

/// So many tokens, in bytes.
pub(super) fn bytes(tokens: u64) -> usize {
    usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX)
}

fn part(part: &Part) -> u64 {
    match part {
        Part::Text { text } => of_bytes(text.len()),
        Part::Image { .. } => IMAGE_TOKENS,
        // Base64 takes four bytes for three.
        Part::File { name, data, .. } => of_bytes(name.len() + data.len() / 4 * 3),
        Part::Reasoning(reasoning) => of_bytes(reasoning.text.len()),
        Part::ToolCall(call) => of_bytes(call.tool_name.len() + call.call_id.len() + json_bytes(&call.args)),
        Part::ToolResult(result) => {
            let pictures = IMAGE_TOKENS * result.images.len() as u64;
            of_bytes(result.call_id.len() + result.content.len()) + pictures
        }
    }
}

/// How long a value is as JSON, nearly: what is escaped in a text is not looked at, so that a large one costs nothing.
fn json_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => SCALAR_BYTES,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| json_bytes(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            2 + fields.iter().map(|(name, value)| name.len() + json_bytes(value) + 4).sum::<usize>()
        }
    }
}
