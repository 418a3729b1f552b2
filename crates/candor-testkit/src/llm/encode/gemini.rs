//! Gemini: every frame is a whole response with the next piece; the last one has the reason, and no frame comes after it.

use serde_json::{Value, json};

use super::{Frame, Voice};
use crate::llm::reply::{Part, Usage};
use crate::llm::{Fault, Stop};

pub(super) fn frames(voice: &Voice<'_>) -> Vec<Frame> {
    let reply = voice.reply;
    if reply.has(&Fault::Refusal) {
        let mut value = response(voice);
        value["promptFeedback"] = json!({ "blockReason": "PROHIBITED_CONTENT" });
        return vec![Frame::data(&value).end()];
    }
    let mut frames = Vec::new();
    let mut signature: Option<&str> = None;
    let mut malformed = false;
    for part in &reply.parts {
        match part {
            Part::Reasoning { text, signature: signed } => {
                for (piece, times) in text.pieces(reply.delta_bytes) {
                    frames.push(content(voice, json!({ "text": piece, "thought": true }), None).delta(times));
                }
                // The signature rides on the part that comes after the thought.
                signature = Some(signed.as_str()).filter(|signed| !signed.is_empty());
            }
            Part::Text(text) => {
                for (piece, times) in text.pieces(reply.delta_bytes) {
                    frames.push(content(voice, json!({ "text": piece }), signature.take()).delta(times));
                }
            }
            Part::Call { id, name, args } => match serde_json::from_str::<Value>(args) {
                Ok(args) => {
                    let mut call = json!({ "name": name, "args": args });
                    if let Some(id) = id {
                        call["id"] = json!(id);
                    }
                    frames.push(content(voice, json!({ "functionCall": call }), signature.take()).delta(1));
                }
                Err(_) => malformed = true,
            },
        }
    }
    frames.push(last(voice, malformed, signature));
    frames
}

fn content(voice: &Voice<'_>, mut part: Value, signature: Option<&str>) -> Frame {
    if let Some(signature) = signature {
        part["thoughtSignature"] = json!(signature);
    }
    let mut value = response(voice);
    value["candidates"] = json!([{ "content": { "parts": [part], "role": "model" }, "index": 0 }]);
    Frame::data(&value)
}

fn last(voice: &Voice<'_>, malformed: bool, signature: Option<&str>) -> Frame {
    let reason = match voice.reply.stop_reason() {
        _ if malformed => "MALFORMED_FUNCTION_CALL",
        Stop::End | Stop::ToolUse => "STOP",
        Stop::MaxTokens => "MAX_TOKENS",
        Stop::Refusal => "SAFETY",
    };
    let mut part = json!({ "text": "" });
    if let Some(signature) = signature {
        part["thoughtSignature"] = json!(signature);
    }
    let mut value = response(voice);
    value["candidates"] =
        json!([{ "content": { "parts": [part], "role": "model" }, "finishReason": reason, "index": 0 }]);
    Frame::data(&value).end()
}

fn response(voice: &Voice<'_>) -> Value {
    let mut value = json!({ "modelVersion": voice.model, "responseId": voice.id });
    if let Some(usage) = voice.reply.usage {
        value["usageMetadata"] = usage_value(usage);
    }
    value
}

fn usage_value(usage: Usage) -> Value {
    let mut value = json!({ "promptTokenCount": usage.input, "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.input + usage.output });
    if usage.cache_read > 0 {
        value["cachedContentTokenCount"] = json!(usage.cache_read);
    }
    value
}
