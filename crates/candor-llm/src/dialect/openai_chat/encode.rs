//! Writes the request.

use candor_protocol::{Message, Opaque, Part, Role, ToolCall, ToolSpec};
use serde_json::{Map, Value, json};

use super::super::content::{GO_ON, file_in_words, pictures};
use super::{NAME, max_tokens_field};
use crate::{Request, history};

/// The body of the request.
pub(super) fn body(request: &Request) -> Value {
    let mut messages: Vec<Value> = history::sound(&request.messages).iter().flat_map(message).collect();
    if messages.iter().all(|message| message["role"] == "system") {
        messages.push(json!({ "role": "user", "content": GO_ON }));
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    body.insert("stream".to_owned(), json!(true));
    body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    if let Some(tokens) = request.max_tokens {
        body.insert(max_tokens_field(&request.model).to_owned(), json!(tokens));
    }
    Value::Object(body)
}

fn tool(tool: &ToolSpec) -> Value {
    let mut written = json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description },
    });
    // To put a value into the macro is to write and read all of it.
    written["function"]["parameters"] = Value::clone(&tool.parameters);
    written
}

/// One of our messages as theirs: each result of a tool is a message of its own.
fn message(message: &Message) -> Vec<Value> {
    match message.role {
        Role::System => vec![json!({ "role": "system", "content": texts(&message.parts) })],
        Role::User => vec![json!({ "role": "user", "content": user_content(&message.parts) })],
        Role::Assistant => vec![assistant(&message.parts)],
        Role::Tool => message.parts.iter().filter_map(result).chain(shown(message)).collect(),
    }
}

/// The pictures that came of calls. A result takes nothing but words, so the user shows them.
fn shown(message: &Message) -> Option<Value> {
    let content: Vec<Value> = pictures(message)
        .flat_map(|(words, picture)| {
            [json!({ "type": "text", "text": words }), image(&picture.media_type, &picture.data)]
        })
        .collect();
    (!content.is_empty()).then(|| json!({ "role": "user", "content": content }))
}

fn image(media_type: &str, data: &str) -> Value {
    json!({ "type": "image_url", "image_url": { "url": format!("data:{media_type};base64,{data}") } })
}

fn result(part: &Part) -> Option<Value> {
    let Part::ToolResult(result) = part else { return None };
    Some(json!({ "role": "tool", "tool_call_id": result.call_id, "content": result.content }))
}

/// A string where there are only words: small servers understand nothing else.
fn user_content(parts: &[Part]) -> Value {
    if parts.iter().all(|part| matches!(part, Part::Text { .. })) {
        return Value::String(texts(parts));
    }
    parts.iter().filter_map(user_part).collect()
}

fn user_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text } => Some(json!({ "type": "text", "text": text })),
        Part::Image { media_type, data } => Some(image(media_type, data)),
        Part::File { name, media_type, data } if media_type == "application/pdf" => {
            let data = format!("data:{media_type};base64,{data}");
            Some(json!({ "type": "file", "file": { "filename": name, "file_data": data } }))
        }
        Part::File { name, media_type, data } => {
            Some(json!({ "type": "text", "text": file_in_words(name, media_type, data) }))
        }
        Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolResult(_) => None,
    }
}

fn assistant(parts: &[Part]) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    let text = texts(parts);
    message.insert("content".to_owned(), if text.is_empty() { Value::Null } else { Value::String(text) });
    give_back_reasoning(parts, &mut message);
    let calls: Vec<Value> = parts.iter().filter_map(call).collect();
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Value::Object(message)
}

fn call(part: &Part) -> Option<Value> {
    let Part::ToolCall(ToolCall { call_id, tool_name, args, opaque, .. }) = part else { return None };
    let mut call = json!({
        "id": call_id,
        "type": "function",
        "function": { "name": tool_name, "arguments": args.to_string() },
    });
    if let Some(Opaque { dialect, data }) = opaque
        && dialect == NAME
    {
        call["extra_content"] = data.clone();
    }
    Some(call)
}

/// Thoughts go back under the name that they came under, because the provider that sent them refuses the conversation
/// without them. Those of other dialects stay out: nobody else can read them.
fn give_back_reasoning(parts: &[Part], message: &mut Map<String, Value>) {
    for part in parts {
        let Part::Reasoning(thought) = part else { continue };
        let Some(opaque) = thought.opaque.as_ref().filter(|opaque| opaque.dialect == NAME) else { continue };
        match opaque.data.get("field").and_then(Value::as_str) {
            Some(field @ ("reasoning_content" | "reasoning")) if !thought.text.is_empty() => {
                match message.get_mut(field) {
                    Some(Value::String(whole)) => whole.push_str(&thought.text),
                    _ => _ = message.insert(field.to_owned(), json!(thought.text)),
                }
            }
            Some(field @ "reasoning_details") => {
                let details =
                    opaque.data.get("details").and_then(Value::as_array).cloned().unwrap_or_default();
                match message.get_mut(field) {
                    Some(Value::Array(whole)) => whole.extend(details),
                    _ => _ = message.insert(field.to_owned(), Value::Array(details)),
                }
            }
            _ => {}
        }
    }
}

/// The words, in paragraphs of their own.
fn texts(parts: &[Part]) -> String {
    let text = |part: &Part| match part {
        Part::Text { text } => Some(text.clone()),
        _ => None,
    };
    parts.iter().filter_map(text).collect::<Vec<_>>().join("\n\n")
}
