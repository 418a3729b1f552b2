//! Writes a request for Gemini.

use candor_protocol::{Image, Message, Opaque, Part, Reasoning, Role, ToolCall, ToolResult, ToolSpec};
use serde_json::{Map, Value, json};

use super::super::content::{self, GO_ON, is_blank};
use super::NAME;
use crate::{Request, history, model_name};

/// What stands for the signature of a call that another model made. Models since Gemini 3 refuse a call without a
/// signature; this is the word with which Google lets foreign ones pass.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";
/// The models that ask for signatures, and that take pictures inside of a response.
const NEWER_MODELS: &str = "gemini-3";
/// The pictures that the API reads.
const IMAGES: [&str; 5] = ["image/heic", "image/heif", "image/jpeg", "image/png", "image/webp"];
/// The kinds of files that the API takes as they are.
const FILES: [&str; 4] = ["image/", "audio/", "video/", "application/pdf"];
/// Keys of a schema that say nothing about its values; not every server that speaks this dialect skips them.
const SCHEMA_NOTES: [&str; 3] = ["$schema", "$id", "$comment"];

/// The body of a request.
pub(super) fn body(request: &Request) -> Value {
    let messages = history::sound(&request.messages);
    let mut body = Map::new();
    if let Some(text) = content::system(&messages) {
        body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": text}]}));
    }
    if !request.tools.is_empty() {
        let declarations: Vec<Value> = request.tools.iter().map(declaration).collect();
        body.insert("tools".to_owned(), json!([{"functionDeclarations": declarations}]));
    }
    let is_newer = model_name::bare(&request.model).starts_with(NEWER_MODELS);
    let contents = contents(&messages, if is_newer { Age::Newer } else { Age::Older });
    body.insert("contents".to_owned(), contents.into_iter().map(Content::into_json).collect());
    if let Some(tokens) = request.max_tokens {
        body.insert("generationConfig".to_owned(), json!({"maxOutputTokens": tokens}));
    }
    Value::Object(body)
}

/// The schema goes into `parametersJsonSchema`, which takes JSON Schema as it is; the older `parameters` knows only a
/// part of it and refuses the rest. A tool without parameters has no schema: an object of nothing is refused.
fn declaration(spec: &ToolSpec) -> Value {
    let mut declaration = json!({"name": spec.name, "description": spec.description});
    let has_parameters = spec.parameters["properties"].as_object().is_some_and(|keys| !keys.is_empty());
    if has_parameters && let Some(schema) = spec.parameters.as_object() {
        let mut schema = schema.clone();
        schema.retain(|key, _| !SCHEMA_NOTES.contains(&key.as_str()));
        schema.entry("type").or_insert_with(|| json!("object"));
        declaration["parametersJsonSchema"] = Value::Object(schema);
    }
    declaration
}

/// Which models we speak to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    Newer,
    Older,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Model,
}

struct Content {
    speaker: Speaker,
    parts: Vec<Value>,
}

impl Content {
    fn go_on() -> Self {
        Self { speaker: Speaker::User, parts: vec![json!({"text": GO_ON})] }
    }

    fn into_json(self) -> Value {
        let role = match self.speaker {
            Speaker::User => "user",
            Speaker::Model => "model",
        };
        json!({"role": role, "parts": self.parts})
    }
}

/// The conversation: speakers alternate, and the user has the first and the last word.
fn contents(messages: &[Message], age: Age) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    for message in messages {
        let (speaker, parts) = match message.role {
            Role::System => continue,
            Role::Assistant => (Speaker::Model, model_parts(message, age)),
            Role::User | Role::Tool => {
                (Speaker::User, message.parts.iter().flat_map(|part| user_parts(part, age)).collect())
            }
        };
        if parts.is_empty() {
            continue;
        }
        match contents.last_mut() {
            Some(last) if last.speaker == speaker => last.parts.extend(parts),
            _ => contents.push(Content { speaker, parts }),
        }
    }
    if contents.first().is_none_or(|first| first.speaker == Speaker::Model) {
        contents.insert(0, Content::go_on());
    }
    if contents.last().is_some_and(|last| last.speaker == Speaker::Model) {
        contents.push(Content::go_on());
    }
    for content in contents.iter_mut().filter(|content| content.speaker == Speaker::User) {
        // Results answer the calls right before them, so they come before all else.
        content.parts.sort_by_key(|part| part.get("functionResponse").is_none());
    }
    contents
}

fn user_parts(part: &Part, age: Age) -> Vec<Value> {
    match part {
        Part::ToolResult(result) => response(result, age),
        part => user_part(part).into_iter().collect(),
    }
}

fn user_part(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text { text } if is_blank(text) => return None,
        Part::Text { text } => json!({"text": text}),
        Part::Image { media_type, data } if IMAGES.contains(&media_type.as_str()) => inline(media_type, data),
        Part::Image { media_type, .. } => json!({"text": content::image_in_words(media_type)}),
        Part::File { media_type, data, .. } if FILES.iter().any(|kind| media_type.starts_with(kind)) => {
            inline(media_type, data)
        }
        Part::File { name, media_type, data } => {
            json!({"text": content::file_in_words(name, media_type, data)})
        }
        Part::ToolResult(_) | Part::Reasoning(_) | Part::ToolCall(_) => return None,
    })
}

fn inline(media_type: &str, data: &str) -> Value {
    json!({"inlineData": {"mimeType": media_type, "data": data}})
}

/// What came of a call, with its pictures: inside of it where the model takes them there, else after it.
fn response(result: &ToolResult, age: Age) -> Vec<Value> {
    let key = if result.is_error { "error" } else { "result" };
    let (taken, others): (Vec<&Image>, Vec<&Image>) =
        result.images.iter().partition(|image| IMAGES.contains(&image.media_type.as_str()));
    let others = others.into_iter().map(|image| content::image_in_words(&image.media_type));
    let words: Vec<String> = std::iter::once(result.content.clone()).chain(others).collect();
    let response = json!({ key: words.join("\n") });
    let mut response = json!({"functionResponse": {"name": result.tool_name, "response": response}});
    let pictures: Vec<Value> =
        taken.into_iter().map(|image| inline(&image.media_type, &image.data)).collect();
    if age == Age::Newer && !pictures.is_empty() {
        response["functionResponse"]["parts"] = Value::Array(pictures);
        return vec![response];
    }
    std::iter::once(response).chain(pictures).collect()
}

fn model_parts(message: &Message, age: Age) -> Vec<Value> {
    let mut parts: Vec<Value> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } if !is_blank(text) => parts.push(json!({"text": text})),
            Part::Image { media_type, data } => parts.push(inline(media_type, data)),
            Part::Reasoning(reasoning) => push_thought(&mut parts, reasoning),
            Part::ToolCall(call) => parts.push(function_call(call)),
            Part::Text { .. } | Part::File { .. } | Part::ToolResult(_) => {}
        }
    }
    let is_call = |part: &&mut Value| part.get("functionCall").is_some();
    let is_signed =
        parts.iter().any(|part| part["functionCall"].is_object() && part["thoughtSignature"].is_string());
    if age == Age::Newer
        && !is_signed
        && let Some(first) = parts.iter_mut().find(is_call)
    {
        // Of calls made at once only the first bears a signature.
        first["thoughtSignature"] = json!(FOREIGN_SIGNATURE);
    }
    parts
}

/// A thought goes back only for its signature. A signature without a thought belongs to the words before it.
fn push_thought(parts: &mut Vec<Value>, reasoning: &Reasoning) {
    let Some(signature) = signature(reasoning.opaque.as_ref()) else { return };
    if !reasoning.text.is_empty() {
        parts.push(json!({"text": reasoning.text, "thought": true, "thoughtSignature": signature}));
    } else if let Some(words) = parts.last_mut()
        && words.get("text").is_some()
        && words.get("thoughtSignature").is_none()
    {
        words["thoughtSignature"] = json!(signature);
    }
}

fn function_call(call: &ToolCall) -> Value {
    let args = if call.args.is_object() { call.args.clone() } else { json!({}) };
    let mut part = json!({"functionCall": {"name": call.tool_name, "args": args}});
    if let Some(signature) = signature(call.opaque.as_ref()) {
        part["thoughtSignature"] = json!(signature);
    }
    part
}

fn signature(opaque: Option<&Opaque>) -> Option<&str> {
    opaque.filter(|opaque| opaque.dialect == NAME).and_then(|opaque| opaque.data.as_str())
}
