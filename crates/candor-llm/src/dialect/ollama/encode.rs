//! Writes a request for Ollama.

use candor_protocol::{Message, Part, Role, ToolSpec};
use serde_json::{Map, Value, json};

use super::super::content::{self, GO_ON, is_blank};
use super::NAME;
use crate::windows::OLLAMA_CONTEXT_TOKENS;
use crate::{Request, history};

/// The body of a request.
pub(super) fn body(request: &Request) -> Value {
    let messages = history::sound(&request.messages);
    let mut options = json!({"num_ctx": request.context_tokens.unwrap_or(OLLAMA_CONTEXT_TOKENS)});
    if let Some(tokens) = request.max_tokens {
        options["num_predict"] = json!(tokens);
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("stream".to_owned(), json!(true));
    body.insert("options".to_owned(), options);
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    body.insert("messages".to_owned(), Value::Array(written(&messages)));
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    let mut schema = spec.parameters.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| json!("object"));
    let function = json!({"name": spec.name, "description": spec.description, "parameters": schema});
    json!({"type": "function", "function": function})
}

/// The messages; those that say nothing are left out. The user has the last word: an assistant's would be continued
/// instead of answered.
fn written(messages: &[Message]) -> Vec<Value> {
    let mut written = Vec::with_capacity(messages.len());
    if let Some(text) = content::system(messages) {
        written.push(json!({"role": "system", "content": text}));
    }
    for message in messages {
        match message.role {
            Role::System => {}
            Role::User => written.extend(user(message)),
            Role::Assistant => written.extend(assistant(message)),
            Role::Tool => {
                written.extend(message.parts.iter().filter_map(tool_result));
                // What came with the results has no place in them, and pictures in them are not looked at.
                written.extend(user(message));
                written.extend(shown(message));
            }
        }
    }
    if written.last().is_none_or(|last| last["role"] == "assistant" || last["role"] == "system") {
        written.push(json!({"role": "user", "content": GO_ON}));
    }
    written
}

fn user(message: &Message) -> Option<Value> {
    let mut texts: Vec<String> = Vec::new();
    let mut images: Vec<&str> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } if !is_blank(text) => texts.push(text.clone()),
            Part::Image { data, .. } => images.push(data),
            Part::File { name, media_type, data } => {
                texts.push(content::file_in_words(name, media_type, data));
            }
            _ => {}
        }
    }
    if texts.is_empty() && images.is_empty() {
        return None;
    }
    let mut user = json!({"role": "user", "content": texts.join("\n\n")});
    if !images.is_empty() {
        user["images"] = json!(images);
    }
    Some(user)
}

/// The pictures that came of calls.
fn shown(message: &Message) -> Option<Value> {
    let (words, images): (Vec<String>, Vec<&str>) =
        content::pictures(message).map(|(words, picture)| (words, picture.data.as_str())).unzip();
    (!images.is_empty()).then(|| json!({"role": "user", "content": words.join("\n"), "images": images}))
}

fn assistant(message: &Message) -> Option<Value> {
    let text = message.plain_text();
    let calls: Vec<Value> = message
        .calls()
        .map(|call| {
            let args = if call.args.is_object() { call.args.clone() } else { json!({}) };
            json!({"function": {"name": call.tool_name, "arguments": args}})
        })
        .collect();
    if is_blank(&text) && calls.is_empty() {
        return None;
    }
    let mut assistant = json!({"role": "assistant", "content": text});
    let thinking = thinking(message);
    if !is_blank(&thinking) {
        assistant["thinking"] = json!(thinking);
    }
    if !calls.is_empty() {
        assistant["tool_calls"] = json!(calls);
    }
    Some(assistant)
}

/// The thoughts, but for those that another dialect sealed: they are meant for its own models.
fn thinking(message: &Message) -> String {
    let thought = |part: &Part| match part {
        Part::Reasoning(thought) if thought.opaque.as_ref().is_none_or(|opaque| opaque.dialect == NAME) => {
            Some(thought.text.clone())
        }
        _ => None,
    };
    message.parts.iter().filter_map(thought).collect()
}

fn tool_result(part: &Part) -> Option<Value> {
    let Part::ToolResult(result) = part else { return None };
    Some(json!({"role": "tool", "tool_name": result.tool_name, "content": result.content}))
}
