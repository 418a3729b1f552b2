//! What each dialect writes, and what it reads.

mod chat_decode;
mod chat_encode;
mod pictures;
mod responses_decode;
mod responses_encode;

use candor_protocol::{Message, Opaque, Part, Reasoning, Role, ToolCall, ToolResult, ToolSpec};
use serde_json::json;

use super::Dialect;
use crate::draft::Draft;
use crate::wire::Flow;
use crate::{Answer, Error, Request};

/// How a stream of frames ended.
#[derive(Debug)]
enum Ended {
    /// With its terminator.
    Properly(Answer),
    /// Without it, but nothing was missing.
    Silently,
    /// Before the answer was complete.
    Cut,
}

/// Reads these frames.
fn read(dialect: Dialect, frames: &[&str]) -> Result<Ended, Error> {
    let mut decoder = dialect.wire().decoder();
    let mut draft = Draft::default();
    for data in frames {
        if decoder.frame("", data, &mut draft)? == Flow::End {
            return Ok(Ended::Properly(draft.finish()));
        }
    }
    Ok(if decoder.ended() { Ended::Silently } else { Ended::Cut })
}

#[track_caller]
fn answer(dialect: Dialect, frames: &[&str]) -> Answer {
    match read(dialect, frames).unwrap() {
        Ended::Properly(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "m".to_owned(),
        messages,
        tools: Vec::new(),
        max_tokens: None,
        context_tokens: None,
        cache_key: None,
    }
}

fn weather() -> ToolSpec {
    ToolSpec {
        name: "weather".to_owned(),
        description: "Tells the weather.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "city": { "type": "string" } } }).into(),
    }
}

fn call(id: &str, opaque: impl Into<Option<Opaque>>) -> Part {
    let args = json!({ "city": "Oslo" });
    Part::ToolCall(ToolCall {
        call_id: id.to_owned(),
        tool_name: "weather".to_owned(),
        args,
        malformed: None,
        opaque: opaque.into(),
    })
}

fn result(id: &str, content: &str) -> Part {
    Part::ToolResult(ToolResult {
        call_id: id.to_owned(),
        tool_name: "weather".to_owned(),
        content: content.to_owned(),
        is_error: false,
        card: None,
        images: Vec::new(),
    })
}

fn thought(text: &str, opaque: impl Into<Option<Opaque>>) -> Part {
    Part::Reasoning(Reasoning { text: text.to_owned(), opaque: opaque.into() })
}

fn opaque(dialect: Dialect, data: serde_json::Value) -> Opaque {
    Opaque { dialect: dialect.name().to_owned(), data }
}

fn picture() -> Part {
    Part::Image { media_type: "image/png".to_owned(), data: "AAAA".to_owned() }
}

fn file(name: &str, media_type: &str) -> Part {
    Part::File { name: name.to_owned(), media_type: media_type.to_owned(), data: "AAAA".to_owned() }
}

#[test]
fn names_are_those_of_configurations() {
    let names = Dialect::ALL.map(|dialect| dialect.to_string());
    assert_eq!(names, ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"]);
}

#[test]
fn keys_travel_in_headers() {
    for dialect in [Dialect::OpenaiChat, Dialect::OpenaiResponses] {
        let wire = dialect.wire();
        assert_eq!(wire.name(), dialect.name());
        assert_eq!(wire.headers(Some("k")), [("authorization", "Bearer k".to_owned())]);
        assert!(wire.headers(None).is_empty());
    }
}

#[test]
fn models_are_listed_with_and_without_the_object_around() {
    let wire = Dialect::OpenaiChat.wire();
    assert_eq!(wire.models(&json!({ "data": [{ "id": "b" }, { "id": "a" }, {}] })), ["b", "a"]);
    assert_eq!(wire.models(&json!([{ "id": "a" }])), ["a"]);
    assert!(wire.models(&json!("odd")).is_empty());
}

fn user(parts: Vec<Part>) -> Message {
    Message::new(Role::User, parts)
}
