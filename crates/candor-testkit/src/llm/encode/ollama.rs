//! Ollama: one JSON object a line, the last with `done` and the counts.

use serde_json::{Value, json};

use super::{Frame, Voice};
use crate::llm::Stop;
use crate::llm::reply::Part;

pub(super) fn frames(voice: &Voice<'_>) -> Vec<Frame> {
    let bytes = voice.reply.delta_bytes;
    let mut frames = Vec::new();
    for part in &voice.reply.parts {
        match part {
            Part::Text(text) => {
                for (piece, times) in text.pieces(bytes) {
                    frames.push(line(voice, &json!({ "role": "assistant", "content": piece })).delta(times));
                }
            }
            Part::Reasoning { text, .. } => {
                for (piece, times) in text.pieces(bytes) {
                    let message = json!({ "role": "assistant", "content": "", "thinking": piece });
                    frames.push(line(voice, &message).delta(times));
                }
            }
            Part::Call { id, name, args } => {
                let args = serde_json::from_str(args).unwrap_or_else(|_| Value::String(args.clone()));
                let mut call = json!({ "function": { "name": name, "arguments": args } });
                if let Some(id) = id {
                    call["id"] = json!(id);
                }
                let message = json!({ "role": "assistant", "content": "", "tool_calls": [call] });
                frames.push(line(voice, &message).delta(1));
            }
        }
    }
    frames.push(last(voice));
    frames
}

fn line(voice: &Voice<'_>, message: &Value) -> Frame {
    Frame::data(&line_value(voice, message, false))
}

fn line_value(voice: &Voice<'_>, message: &Value, done: bool) -> Value {
    json!({ "model": voice.model, "created_at": "2025-10-09T08:53:20.123456789Z", "message": message,
        "done": done })
}

fn last(voice: &Voice<'_>) -> Frame {
    let mut value = line_value(voice, &json!({ "role": "assistant", "content": "" }), true);
    value["done_reason"] = json!(match voice.reply.stop_reason() {
        // There is no word for a refusal here, and calls do not change the reason.
        Stop::End | Stop::ToolUse | Stop::Refusal => "stop",
        Stop::MaxTokens => "length",
    });
    value["total_duration"] = json!(4_883_583_458_u64);
    value["load_duration"] = json!(1_334_875);
    if let Some(usage) = voice.reply.usage {
        value["prompt_eval_count"] = json!(usage.input);
        value["eval_count"] = json!(usage.output);
    }
    Frame::data(&value).end()
}
