//! Responses: every output item is added, filled and done, and the last event repeats all of it.

use serde_json::{Value, json};

use super::{Frame, Voice};
use crate::llm::reply::{Part, Text, Usage, slices};
use crate::llm::{Fault, Stop};

pub(super) fn frames(voice: &Voice<'_>) -> Vec<Frame> {
    let mut items = Items { voice, frames: Vec::new(), output: Vec::new() };
    for kind in ["response.created", "response.in_progress"] {
        let response = response(voice, "in_progress", &[]);
        items.push(kind, json!({ "response": response }));
    }
    for part in &voice.reply.parts {
        match part {
            Part::Text(text) => items.message(text),
            Part::Reasoning { text, signature } => items.reasoning(text, signature),
            Part::Call { id, name, args } => items.call(id.as_deref(), name, args),
        }
    }
    if voice.reply.has(&Fault::Refusal) {
        items.refusal("I'm sorry, I can't help with that.");
    }
    items.finish()
}

/// The events so far, and the items that the last one will repeat.
struct Items<'v> {
    voice: &'v Voice<'v>,
    frames: Vec<Frame>,
    output: Vec<Value>,
}

impl Items<'_> {
    fn push(&mut self, event: &'static str, fields: Value) {
        self.push_times(event, fields, None);
    }

    fn push_delta(&mut self, event: &'static str, fields: Value, times: usize) {
        self.push_times(event, fields, Some(times));
    }

    fn push_times(&mut self, event: &'static str, fields: Value, delta: Option<usize>) {
        let mut value = json!({ "type": event, "sequence_number": self.frames.len() });
        if let (Some(value), Value::Object(fields)) = (value.as_object_mut(), fields) {
            value.extend(fields);
        }
        let frame = Frame::named(event, &value);
        self.frames.push(match delta {
            Some(times) => frame.delta(times),
            None => frame,
        });
    }

    fn message(&mut self, text: &Text) {
        let (index, id) = self.next("msg");
        let item = json!({ "id": id, "type": "message", "status": "in_progress", "content": [],
            "role": "assistant" });
        self.added(index, &item);
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let empty = json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": "" });
        self.push("response.content_part.added", with(&place, "part", empty));
        for (piece, times) in text.pieces(self.voice.reply.delta_bytes) {
            self.push_delta("response.output_text.delta", with(&place, "delta", json!(piece)), times);
        }
        let whole = text.whole();
        let part = json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": whole });
        self.push("response.output_text.done", with(&place, "text", json!(whole)));
        self.push("response.content_part.done", with(&place, "part", part.clone()));
        self.done(index, with(&with(&item, "status", json!("completed")), "content", json!([part])));
    }

    fn refusal(&mut self, words: &str) {
        let (index, id) = self.next("msg");
        let item = json!({ "id": id, "type": "message", "status": "in_progress", "content": [],
            "role": "assistant" });
        self.added(index, &item);
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let part = |text: &str| json!({ "type": "refusal", "refusal": text });
        self.push("response.content_part.added", with(&place, "part", part("")));
        self.push_delta("response.refusal.delta", with(&place, "delta", json!(words)), 1);
        self.push("response.refusal.done", with(&place, "refusal", json!(words)));
        self.push("response.content_part.done", with(&place, "part", part(words)));
        self.done(index, with(&with(&item, "status", json!("completed")), "content", json!([part(words)])));
    }

    fn reasoning(&mut self, text: &Text, signature: &str) {
        let (index, id) = self.next("rs");
        let mut item = json!({ "id": id, "type": "reasoning", "summary": [] });
        if !signature.is_empty() {
            item["encrypted_content"] = json!(signature);
        }
        self.added(index, &item);
        let place = json!({ "item_id": id, "output_index": index, "summary_index": 0 });
        let part = |text: &str| json!({ "type": "summary_text", "text": text });
        self.push("response.reasoning_summary_part.added", with(&place, "part", part("")));
        for (piece, times) in text.pieces(self.voice.reply.delta_bytes) {
            self.push_delta(
                "response.reasoning_summary_text.delta",
                with(&place, "delta", json!(piece)),
                times,
            );
        }
        let whole = text.whole();
        self.push("response.reasoning_summary_text.done", with(&place, "text", json!(whole)));
        self.push("response.reasoning_summary_part.done", with(&place, "part", part(&whole)));
        self.done(index, with(&item, "summary", json!([part(&whole)])));
    }

    fn call(&mut self, call_id: Option<&str>, name: &str, args: &str) {
        let (index, id) = self.next("fc");
        let item = json!({ "id": id, "type": "function_call", "status": "in_progress", "arguments": "",
            "call_id": call_id, "name": name });
        self.added(index, &item);
        let place = json!({ "item_id": id, "output_index": index });
        for piece in slices(args, self.voice.reply.delta_bytes) {
            self.push_delta("response.function_call_arguments.delta", with(&place, "delta", json!(piece)), 1);
        }
        self.push("response.function_call_arguments.done", with(&place, "arguments", json!(args)));
        self.done(index, with(&with(&item, "status", json!("completed")), "arguments", json!(args)));
    }

    fn finish(mut self) -> Vec<Frame> {
        let reply = self.voice.reply;
        let asked = reply.faults.iter().find_map(|fault| match fault {
            Fault::Incomplete(reason) => Some(reason.as_str()),
            _ => None,
        });
        let reason = asked.or(match reply.stop_reason() {
            Stop::End | Stop::ToolUse => None,
            Stop::MaxTokens => Some("max_output_tokens"),
            Stop::Refusal => Some("content_filter"),
        });
        let status = if reason.is_some() { "incomplete" } else { "completed" };
        let mut whole = response(self.voice, status, &self.output);
        if let Some(reason) = reason {
            whole["incomplete_details"] = json!({ "reason": reason });
        }
        if let Some(usage) = reply.usage {
            whole["usage"] = usage_value(usage);
        }
        let event = if reason.is_some() { "response.incomplete" } else { "response.completed" };
        self.push(event, json!({ "response": whole }));
        if let Some(frame) = self.frames.pop() {
            self.frames.push(frame.end());
        }
        self.frames
    }

    fn next(&self, prefix: &str) -> (usize, String) {
        let index = self.output.len();
        (index, format!("{prefix}_{}{index}", self.voice.id))
    }

    fn added(&mut self, index: usize, item: &Value) {
        self.push("response.output_item.added", json!({ "output_index": index, "item": item }));
    }

    fn done(&mut self, index: usize, item: Value) {
        self.push("response.output_item.done", json!({ "output_index": index, "item": item }));
        self.output.push(item);
    }
}

fn with(object: &Value, key: &str, value: Value) -> Value {
    let mut object = object.clone();
    object[key] = value;
    object
}

fn response(voice: &Voice<'_>, status: &str, output: &[Value]) -> Value {
    json!({ "id": format!("resp_{}", voice.id), "object": "response", "created_at": 1_760_000_000,
        "status": status, "error": null, "incomplete_details": null, "model": voice.model, "output": output,
        "parallel_tool_calls": true, "store": false, "usage": null })
}

fn usage_value(usage: Usage) -> Value {
    json!({ "input_tokens": usage.input, "input_tokens_details": { "cached_tokens": usage.cache_read },
        "output_tokens": usage.output, "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.input + usage.output })
}
