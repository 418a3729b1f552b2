//! What the tests of the dialects share.

use candor_protocol::{Message, Opaque, Part, Reasoning, Role, ToolCall, ToolResult, ToolSpec};
use serde_json::{Value, json};

use crate::draft::Draft;
use crate::wire::{Flow, Wire};
use crate::{Answer, Error, Request};

pub(super) fn request(model: &str, messages: Vec<Message>) -> Request {
    Request {
        model: model.to_owned(),
        messages,
        tools: Vec::new(),
        max_tokens: None,
        context_tokens: None,
        cache_key: None,
    }
}

pub(super) fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

pub(super) fn assistant(parts: Vec<Part>) -> Message {
    Message::new(Role::Assistant, parts)
}

pub(super) fn thought(text: &str, dialect: &str, data: Value) -> Part {
    let opaque = Some(Opaque { dialect: dialect.to_owned(), data });
    Part::Reasoning(Reasoning { text: text.to_owned(), opaque })
}

pub(super) fn bare_thought(text: &str) -> Part {
    Part::Reasoning(Reasoning { text: text.to_owned(), opaque: None })
}

pub(super) fn call(id: &str, name: &str, args: Value) -> Part {
    Part::ToolCall(ToolCall {
        call_id: id.to_owned(),
        tool_name: name.to_owned(),
        args,
        malformed: None,
        opaque: None,
    })
}

pub(super) fn result(id: &str, name: &str, content: &str) -> Part {
    Part::ToolResult(tool_result(id, name, content))
}

pub(super) fn failed_result(id: &str, name: &str, content: &str) -> Part {
    Part::ToolResult(ToolResult { is_error: true, ..tool_result(id, name, content) })
}

fn tool_result(id: &str, name: &str, content: &str) -> ToolResult {
    ToolResult {
        call_id: id.to_owned(),
        tool_name: name.to_owned(),
        content: content.to_owned(),
        is_error: false,
        card: None,
        images: Vec::new(),
    }
}

pub(super) fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters: json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "additionalProperties": false,
        })
        .into(),
    }
}

/// How a stream of these frames ended.
pub(super) struct Played {
    pub(super) answer: Answer,
    pub(super) flow: Flow,
    pub(super) ended: bool,
}

/// Reads frames, each a JSON text without an event's name, up to the end that the dialect sees.
pub(super) fn play(wire: &dyn Wire, frames: &[&str]) -> Result<Played, Error> {
    let mut decoder = wire.decoder();
    let mut draft = Draft::default();
    let mut flow = Flow::More;
    for frame in frames {
        assert_eq!(flow, Flow::More, "a frame after the end: {frame}");
        flow = decoder.frame("", frame, &mut draft)?;
    }
    Ok(Played { ended: decoder.ended(), answer: draft.finish(), flow })
}

/// The answer that these frames make.
#[track_caller]
pub(super) fn answer(wire: &dyn Wire, frames: &[&str]) -> Answer {
    play(wire, frames).expect("a stream without an error").answer
}
