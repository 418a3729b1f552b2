//! What a scripted reply can know of the conversation: the last words of the user and of a tool.

use candor_protocol::{Message, Part, Role};
use serde_json::Value;

use super::script::Expect;

/// How much of a text is quoted in an error.
const QUOTE_CHARS_MAX: usize = 200;

/// The last words of the user and of a tool.
pub(super) struct Scene {
    last_user: String,
    last_tool: String,
}

impl Scene {
    /// The scene at the end of these messages.
    pub(super) fn of(messages: &[Message]) -> Self {
        let last_user = messages.iter().rev().find(|message| message.role == Role::User);
        let results = |message: &Message| message.parts.iter().rev().find_map(result_text);
        Self {
            last_user: last_user.map(Message::plain_text).unwrap_or_default(),
            last_tool: messages.iter().rev().find_map(results).unwrap_or_default(),
        }
    }

    /// Why it is not what was expected, if it is not.
    pub(super) fn surprise(&self, expect: &Expect) -> Option<String> {
        let missing = |what: &str, wanted: Option<&String>, found: &str| {
            let wanted = wanted.filter(|wanted| !found.contains(wanted.as_str()))?;
            Some(format!("{what} should contain {}, but is {}", quoted(wanted), quoted(found)))
        };
        missing("the user's last message", expect.last_user_contains.as_ref(), &self.last_user)
            .or_else(|| missing("the last tool result", expect.last_tool_contains.as_ref(), &self.last_tool))
    }

    /// The text with its placeholders filled. What is filled in is not looked through again.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let known = [("{{last_user}}", &self.last_user), ("{{last_tool}}", &self.last_tool)];
            let (mark, words) = known
                .into_iter()
                .find(|(mark, _)| rest.starts_with(mark))
                .map_or(("{{", "{{"), |(mark, words)| (mark, words.as_str()));
            out.push_str(words);
            rest = &rest[mark.len()..];
        }
        out.push_str(rest);
        out
    }

    /// The value with the placeholders of all its texts filled.
    pub(super) fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, field)| (key.clone(), self.fill_value(field))).collect()
            }
            other => other.clone(),
        }
    }
}

fn result_text(part: &Part) -> Option<String> {
    match part {
        Part::ToolResult(result) => Some(result.content.clone()),
        _ => None,
    }
}

fn quoted(text: &str) -> String {
    let beginning: String = text.chars().take(QUOTE_CHARS_MAX).collect();
    let more = if beginning.len() < text.len() { "…" } else { "" };
    format!("{beginning:?}{more}")
}
