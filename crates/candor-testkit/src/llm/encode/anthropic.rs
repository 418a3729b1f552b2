//! Messages: `message_start`, a start, deltas and a stop for every block, `message_delta`, `message_stop`.

use serde_json::{Value, json};

use super::{Frame, Voice};
use crate::llm::reply::{Part, Text, Usage, slices};
use crate::llm::{Fault, Stop};

pub(super) fn frames(voice: &Voice<'_>) -> Vec<Frame> {
    let reply = voice.reply;
    let refuses = reply.has(&Fault::Refusal);
    let mut frames = vec![start(voice)];
    let mut blocks = Blocks { frames: &mut frames, index: 0, delta_bytes: reply.delta_bytes };
    for part in &reply.parts {
        match part {
            Part::Text(text) => blocks.text(text),
            Part::Reasoning { text, signature } => blocks.thinking(text, signature),
            Part::Call { id, name, args } => blocks.tool_use(id.as_deref(), name, args),
        }
    }
    if refuses {
        blocks.block(&json!({ "type": "text", "text": "" }), Vec::new());
    }
    frames.insert(2.min(frames.len()), Frame::named("ping", &json!({ "type": "ping" })));
    frames.push(end(voice, refuses));
    frames.push(Frame::named("message_stop", &json!({ "type": "message_stop" })).end());
    frames
}

fn start(voice: &Voice<'_>) -> Frame {
    let mut message = json!({ "id": format!("msg_{}", voice.id), "type": "message", "role": "assistant",
        "model": voice.model, "content": [], "stop_reason": null, "stop_sequence": null });
    if let Some(usage) = voice.reply.usage {
        message["usage"] = start_usage(usage);
    }
    Frame::named("message_start", &json!({ "type": "message_start", "message": message }))
}

/// Here the input does not count what the cache gave or took.
fn start_usage(usage: Usage) -> Value {
    let fresh = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
    json!({ "input_tokens": fresh, "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read, "output_tokens": 1, "service_tier": "standard" })
}

fn end(voice: &Voice<'_>, refuses: bool) -> Frame {
    let reason = if refuses { "refusal" } else { stop_reason(voice.reply.stop_reason()) };
    let mut value =
        json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null } });
    if refuses {
        value["delta"]["stop_details"] = json!({ "type": "refusal" });
    }
    if let Some(usage) = voice.reply.usage {
        value["usage"] = json!({ "output_tokens": if refuses { 0 } else { usage.output } });
    }
    Frame::named("message_delta", &value)
}

struct Blocks<'f> {
    frames: &'f mut Vec<Frame>,
    index: usize,
    delta_bytes: usize,
}

impl Blocks<'_> {
    fn text(&mut self, text: &Text) {
        let deltas = text.pieces(self.delta_bytes).into_iter();
        let deltas = deltas.map(|(piece, times)| (json!({ "type": "text_delta", "text": piece }), times));
        self.block(&json!({ "type": "text", "text": "" }), deltas.collect());
    }

    fn thinking(&mut self, text: &Text, signature: &str) {
        let deltas = text.pieces(self.delta_bytes).into_iter();
        let deltas =
            deltas.map(|(piece, times)| (json!({ "type": "thinking_delta", "thinking": piece }), times));
        let mut deltas: Vec<_> = deltas.collect();
        if !signature.is_empty() {
            deltas.push((json!({ "type": "signature_delta", "signature": signature }), 1));
        }
        self.block(&json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas);
    }

    fn tool_use(&mut self, id: Option<&str>, name: &str, args: &str) {
        // The real one begins with an empty piece, too.
        let pieces = std::iter::once("").chain(slices(args, self.delta_bytes));
        let deltas = pieces.map(|piece| (json!({ "type": "input_json_delta", "partial_json": piece }), 1));
        self.block(&json!({ "type": "tool_use", "id": id, "name": name, "input": {} }), deltas.collect());
    }

    fn block(&mut self, block: &Value, deltas: Vec<(Value, usize)>) {
        let index = self.index;
        let start = json!({ "type": "content_block_start", "index": index, "content_block": block });
        self.frames.push(Frame::named("content_block_start", &start));
        for (delta, times) in deltas {
            let value = json!({ "type": "content_block_delta", "index": index, "delta": delta });
            self.frames.push(Frame::named("content_block_delta", &value).delta(times));
        }
        let stop = json!({ "type": "content_block_stop", "index": index });
        self.frames.push(Frame::named("content_block_stop", &stop));
        self.index += 1;
    }
}

fn stop_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Refusal => "refusal",
    }
}
