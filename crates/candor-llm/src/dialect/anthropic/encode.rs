//! Writes a request for Anthropic.

use std::borrow::Cow;

use candor_protocol::{Message, Part, Reasoning, Role, ToolCall, ToolResult, ToolSpec};
use serde_json::{Map, Value, json};

use super::super::content::{self, GO_ON, is_blank};
use super::NAME;
use crate::{Request, history, model_name};

/// The longest answer where nobody said: long enough for a file, and allowed by every model since Claude 3.7.
const MAX_TOKENS: u64 = 16_000;
/// Older models refuse a request that asks for more than they can write.
const MAX_TOKENS_OF_OLD: &[(&str, u64)] = &[
    ("claude-2", 4096),
    ("claude-3-haiku", 4096),
    ("claude-3-opus", 4096),
    ("claude-3-sonnet", 4096),
    ("claude-3-5-haiku", 8192),
    ("claude-3-5-sonnet", 8192),
];
/// How many messages of the user end in a mark for the cache. With the tools and the system prompt that makes four, the
/// most that the API takes. The mark before the last one finds what the request before this one put in.
const MARKED_TURNS: usize = 2;
/// The pictures that the API reads.
const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];
/// The longest picture that the API takes, in base64.
const IMAGE_BYTES_MAX: usize = 5 << 20;

/// The body of a request.
pub(super) fn body(request: &Request) -> Value {
    let messages = history::sound(&request.messages);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("max_tokens".to_owned(), json!(max_tokens(request)));
    body.insert("stream".to_owned(), json!(true));
    if let Some(text) = content::system(&messages) {
        let mut block = json!({"type": "text", "text": text});
        mark(&mut block);
        body.insert("system".to_owned(), json!([block]));
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        mark(last);
        body.insert("tools".to_owned(), json!(tools));
    }
    let mut turns = turns(&messages);
    for turn in turns.iter_mut().rev().filter(|turn| turn.speaker == Speaker::User).take(MARKED_TURNS) {
        turn.blocks.last_mut().map(mark);
    }
    body.insert("messages".to_owned(), turns.into_iter().map(Turn::into_json).collect());
    Value::Object(body)
}

fn max_tokens(request: &Request) -> u64 {
    request.max_tokens.unwrap_or_else(|| {
        model_name::find(MAX_TOKENS_OF_OLD, &model_name::bare(&request.model)).copied().unwrap_or(MAX_TOKENS)
    })
}

/// Everything up to and including this block goes into the provider's cache.
fn mark(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

fn tool(spec: &ToolSpec) -> Value {
    let mut schema = spec.parameters.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| json!("object"));
    json!({"name": spec.name, "description": spec.description, "input_schema": schema})
}

/// The API knows two speakers; results of tools are said by the user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Assistant,
}

struct Turn {
    speaker: Speaker,
    blocks: Vec<Value>,
}

impl Turn {
    fn go_on() -> Self {
        Self { speaker: Speaker::User, blocks: vec![text(GO_ON)] }
    }

    fn into_json(self) -> Value {
        let role = match self.speaker {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        json!({"role": role, "content": self.blocks})
    }
}

/// The conversation: speakers alternate, and the user has the first and the last word. The API refuses another first
/// word; an assistant's last word it would continue (some models refuse) instead of answering.
fn turns(messages: &[Message]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        let (speaker, blocks) = match message.role {
            Role::System => continue,
            Role::Assistant => (Speaker::Assistant, assistant_blocks(message)),
            Role::User | Role::Tool => (Speaker::User, user_blocks(message)),
        };
        if blocks.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some(last) if last.speaker == speaker => last.blocks.extend(blocks),
            _ => turns.push(Turn { speaker, blocks }),
        }
    }
    if turns.first().is_none_or(|first| first.speaker == Speaker::Assistant) {
        turns.insert(0, Turn::go_on());
    }
    if turns.last().is_some_and(|last| last.speaker == Speaker::Assistant) {
        turns.push(Turn::go_on());
    }
    for turn in turns.iter_mut().filter(|turn| turn.speaker == Speaker::User) {
        // Results answer the calls right before them; a word in between and they count as missing.
        turn.blocks.sort_by_key(|block| block["type"] != "tool_result");
    }
    turns
}

fn user_blocks(message: &Message) -> Vec<Value> {
    message.parts.iter().filter_map(user_block).collect()
}

fn user_block(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text { text: words } if is_blank(words) => return None,
        Part::Text { text: words } => text(words),
        Part::Image { media_type, data } => image(media_type, data),
        Part::File { name, media_type, data } if media_type == "application/pdf" => {
            json!({"type": "document", "title": name, "source": base64(media_type, data)})
        }
        Part::File { name, media_type, data } => text(&content::file_in_words(name, media_type, data)),
        Part::ToolResult(result) => tool_result(result),
        Part::Reasoning(_) | Part::ToolCall(_) => return None,
    })
}

fn assistant_blocks(message: &Message) -> Vec<Value> {
    let block = |part: &Part| match part {
        Part::Text { text: words } => (!is_blank(words)).then(|| text(words)),
        Part::Reasoning(reasoning) => thinking(reasoning),
        Part::ToolCall(call) => Some(tool_use(call)),
        // The assistant cannot show pictures or files in this API, and has no results.
        Part::Image { .. } | Part::File { .. } | Part::ToolResult(_) => None,
    };
    message.parts.iter().filter_map(block).collect()
}

/// A thought as it came, in its place. One without the API's own seal would be refused, so it is left out.
fn thinking(reasoning: &Reasoning) -> Option<Value> {
    let opaque = reasoning.opaque.as_ref().filter(|opaque| opaque.dialect == NAME)?;
    if let Some(data) = opaque.data["redacted"].as_str() {
        return Some(json!({"type": "redacted_thinking", "data": data}));
    }
    let signature = opaque.data["signature"].as_str().filter(|signature| !signature.is_empty())?;
    Some(json!({"type": "thinking", "thinking": reasoning.text, "signature": signature}))
}

fn tool_use(call: &ToolCall) -> Value {
    let input = if call.args.is_object() { call.args.clone() } else { json!({}) };
    json!({"type": "tool_use", "id": word(&call.call_id), "name": word(&call.tool_name), "input": input})
}

fn tool_result(result: &ToolResult) -> Value {
    let content = if result.images.is_empty() {
        json!(result.content)
    } else {
        let images = result.images.iter().map(|picture| image(&picture.media_type, &picture.data));
        std::iter::once(text(&result.content)).chain(images).collect()
    };
    json!({
        "type": "tool_result",
        "tool_use_id": word(&result.call_id),
        "is_error": result.is_error,
        "content": content,
    })
}

/// A picture; in words, where the API would refuse the whole request because of it.
fn image(media_type: &str, data: &str) -> Value {
    if IMAGES.contains(&media_type) && data.len() <= IMAGE_BYTES_MAX {
        json!({"type": "image", "source": base64(media_type, data)})
    } else {
        text(&content::image_in_words(media_type))
    }
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn base64(media_type: &str, data: &str) -> Value {
    json!({"type": "base64", "media_type": media_type, "data": data})
}

/// An id or a name in the letters that the API allows. Ids of other providers in an older part of the conversation, and
/// names that a model made up, may hold others; one of them would make the whole session unusable.
fn word(text: &str) -> Cow<'_, str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.chars().all(allowed) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if allowed(c) { c } else { '_' }).collect())
}
