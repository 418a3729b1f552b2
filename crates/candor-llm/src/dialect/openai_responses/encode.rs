//! Writes the request.

use candor_protocol::{Message, Part, Reasoning, Role, ToolSpec};
use serde_json::{Map, Value, json};

use super::super::content::{GO_ON, file_in_words};
use super::{NAME, thinks};
use crate::{Request, history};

/// The body of the request. Nothing is stored at the provider, so thoughts travel encrypted with the conversation.
pub(super) fn body(request: &Request) -> Value {
    let messages = history::sound(&request.messages);
    let (system, spoken): (Vec<_>, Vec<_>) =
        messages.iter().partition(|message| message.role == Role::System);
    let instructions: Vec<String> = system.into_iter().map(Message::plain_text).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    if !instructions.is_empty() {
        body.insert("instructions".to_owned(), json!(instructions.join("\n\n")));
    }
    let mut input: Vec<Value> = spoken.into_iter().flat_map(items).collect();
    if input.is_empty() {
        let content = json!([{ "type": "input_text", "text": GO_ON }]);
        input.push(json!({ "type": "message", "role": "user", "content": content }));
    }
    body.insert("input".to_owned(), Value::Array(input));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    body.insert("stream".to_owned(), json!(true));
    body.insert("store".to_owned(), json!(false));
    if thinks(&request.model) {
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    if let Some(tokens) = request.max_tokens {
        body.insert("max_output_tokens".to_owned(), json!(tokens));
    }
    if let Some(key) = &request.cache_key {
        body.insert("prompt_cache_key".to_owned(), json!(key));
    }
    Value::Object(body)
}

/// Not strict: strictness, the default here, refuses schemas with optional arguments.
fn tool(tool: &ToolSpec) -> Value {
    let mut written =
        json!({ "type": "function", "name": tool.name, "description": tool.description, "strict": false });
    // To put a value into the macro is to write and read all of it.
    written["parameters"] = Value::clone(&tool.parameters);
    written
}

fn items(message: &Message) -> Vec<Value> {
    match message.role {
        Role::Assistant => assistant(&message.parts),
        Role::Tool => message.parts.iter().filter_map(result).collect(),
        Role::System | Role::User => {
            let content: Vec<Value> = message.parts.iter().filter_map(user_part).collect();
            vec![json!({ "type": "message", "role": "user", "content": content })]
        }
    }
}

fn user_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text } => Some(json!({ "type": "input_text", "text": text })),
        Part::Image { media_type, data } => Some(image(media_type, data)),
        Part::File { name, media_type, data } if media_type == "application/pdf" => {
            let data = format!("data:{media_type};base64,{data}");
            Some(json!({ "type": "input_file", "filename": name, "file_data": data }))
        }
        Part::File { name, media_type, data } => {
            Some(json!({ "type": "input_text", "text": file_in_words(name, media_type, data) }))
        }
        Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolResult(_) => None,
    }
}

fn result(part: &Part) -> Option<Value> {
    let Part::ToolResult(result) = part else { return None };
    let output = if result.images.is_empty() {
        json!(result.content)
    } else {
        let words = json!({ "type": "input_text", "text": result.content });
        let images = result.images.iter().map(|picture| image(&picture.media_type, &picture.data));
        std::iter::once(words).chain(images).collect()
    };
    Some(json!({ "type": "function_call_output", "call_id": result.call_id, "output": output }))
}

fn image(media_type: &str, data: &str) -> Value {
    json!({ "type": "input_image", "image_url": format!("data:{media_type};base64,{data}") })
}

/// The items of an answer, in the order they came. A thought must be followed by what it led to, or the request is
/// refused; one at the very end led to nothing.
fn assistant(parts: &[Part]) -> Vec<Value> {
    let mut items: Vec<Value> = parts.iter().filter_map(answer_item).collect();
    while items.last().is_some_and(|item| item["type"] == "reasoning") {
        items.pop();
    }
    items
}

fn answer_item(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text } => Some(json!({
            "type": "message",
            "role": "assistant",
            "content": [{ "type": "output_text", "text": text }],
        })),
        Part::ToolCall(call) => Some(json!({
            "type": "function_call",
            "call_id": call.call_id,
            "name": call.tool_name,
            "arguments": call.args.to_string(),
        })),
        Part::Reasoning(Reasoning { opaque: Some(opaque), .. }) if opaque.dialect == NAME => {
            Some(opaque.data.clone())
        }
        _ => None,
    }
}
