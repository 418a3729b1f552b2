//! Chat completions: a chunk with the role, deltas, a chunk with the reason, one with the usage, `[DONE]`.

use serde_json::{Value, json};

use super::{Frame, Voice};
use crate::llm::reply::{Part, Usage, slices};
use crate::llm::{Fault, Stop};

pub(super) fn frames(voice: &Voice<'_>) -> Vec<Frame> {
    let reply = voice.reply;
    let mut frames = vec![delta(voice, &json!({ "role": "assistant", "content": "", "refusal": null }))];
    let mut index = 0;
    for part in &reply.parts {
        match part {
            Part::Text(text) => {
                for (piece, times) in text.pieces(reply.delta_bytes) {
                    frames.push(delta(voice, &json!({ "content": piece })).delta(times));
                }
            }
            Part::Reasoning { text, .. } => {
                for (piece, times) in text.pieces(reply.delta_bytes) {
                    frames.push(delta(voice, &json!({ "reasoning_content": piece })).delta(times));
                }
            }
            Part::Call { id, name, args } => {
                call(voice, &mut frames, index, (id.as_deref(), name, args));
                index += 1;
            }
        }
    }
    if reply.has(&Fault::Refusal) {
        frames.push(delta(voice, &json!({ "refusal": "I'm sorry, I can't help with that." })).delta(1));
    }
    frames.push(chunk(voice, &json!([choice(&json!({}), Some(finish_reason(reply.stop_reason())))])));
    if let Some(usage) = reply.usage {
        let choices = if reply.has(&Fault::NullChoices) { Value::Null } else { json!([]) };
        let mut value = chunk_value(voice, &choices);
        value["usage"] = usage_value(usage);
        frames.push(Frame::data(&value));
    }
    frames.push(Frame { data: "[DONE]".to_string(), ..Frame::data(&Value::Null).end() });
    frames
}

/// What Azure sends before anything else.
pub(super) fn empty_choices() -> Frame {
    Frame::data(&json!({ "id": "", "object": "", "created": 0, "model": "", "choices": [],
        "prompt_filter_results": [{ "prompt_index": 0, "content_filter_results": {} }] }))
}

fn call(voice: &Voice<'_>, frames: &mut Vec<Frame>, index: usize, of: (Option<&str>, &str, &str)) {
    let (id, name, args) = of;
    // The id and the name come once; what follows has the index alone.
    let first = json!({ "tool_calls": [{ "index": index, "id": id, "type": "function",
        "function": { "name": name, "arguments": "" } }] });
    frames.push(delta(voice, &first).delta(1));
    for piece in slices(args, voice.reply.delta_bytes) {
        let more = json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] });
        frames.push(delta(voice, &more).delta(1));
    }
}

fn delta(voice: &Voice<'_>, delta: &Value) -> Frame {
    chunk(voice, &json!([choice(delta, None)]))
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason })
}

fn chunk(voice: &Voice<'_>, choices: &Value) -> Frame {
    let mut value = chunk_value(voice, choices);
    if voice.reply.usage.is_some() {
        // With `include_usage` every chunk has the field, and only one has the numbers.
        value["usage"] = Value::Null;
    }
    Frame::data(&value)
}

fn chunk_value(voice: &Voice<'_>, choices: &Value) -> Value {
    json!({ "id": format!("chatcmpl-{}", voice.id), "object": "chat.completion.chunk", "created": 1_760_000_000,
        "model": voice.model, "system_fingerprint": "fp_fake", "choices": choices })
}

fn usage_value(usage: Usage) -> Value {
    json!({ "prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cache_read, "audio_tokens": 0 },
        "completion_tokens_details": { "reasoning_tokens": 0 } })
}

fn finish_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refusal => "content_filter",
    }
}
