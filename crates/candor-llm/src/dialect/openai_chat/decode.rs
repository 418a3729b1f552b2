//! Reads the stream.

use candor_protocol::{Opaque, StopReason};
use serde_json::{Value, json};

use super::NAME;
use super::frame::{Arguments, Call, Chunk, Content, Delta, Function, Usage};
use crate::Error;
use crate::classify::stream_error;
use crate::draft::{ANSWER_BYTES_MAX, Draft};
use crate::lenient;
use crate::wire::{Decode, Flow};

/// The most blocks of `reasoning_details` in one answer.
const DETAILS_MAX: usize = 1024;
/// The key of the one call of servers that still send `function_call`; no index reaches it.
const LEGACY_CALL: u64 = u64::MAX;

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// Under which name the thought that is under way comes.
    thinking: Option<&'static str>,
    /// A router's blocks of the thought, merged as they come; they go back whole.
    details: Vec<Value>,
    details_bytes: usize,
    /// The words are a refusal, whatever the reason says.
    refused: bool,
    finished: bool,
}

impl Decode for Decoder {
    fn frame(&mut self, event: &str, data: &str, draft: &mut Draft) -> Result<Flow, Error> {
        let data = data.trim();
        if data == "[DONE]" {
            self.end_thought(draft)?;
            return Ok(Flow::End);
        }
        let taken = match serde_json::from_str(data) {
            Ok(chunk) => self.chunk(event, chunk, draft),
            Err(_) => match lenient::mended(data).as_deref().map(serde_json::from_str) {
                Some(Ok(chunk)) => self.chunk(event, chunk, draft),
                _ => Ok(()),
            },
        };
        taken.map(|()| Flow::More)
    }

    fn ended(&self) -> bool {
        self.finished
    }
}

impl Decoder {
    fn chunk(&mut self, event: &str, chunk: Chunk<'_>, draft: &mut Draft) -> Result<(), Error> {
        if let Some(problem) = &chunk.error.0 {
            return Err(stream_error(&problem.kinds(), &problem.message));
        }
        if event == "error" || &*chunk.object == "error" {
            let kinds = format!("{} {}", &*chunk.code, &*chunk.kind);
            return Err(stream_error(&kinds, &chunk.message));
        }
        draft.model(&chunk.model);
        for choice in chunk.choices.0.into_iter().filter_map(|choice| choice.0) {
            if let Some(delta) = choice.delta.0 {
                self.delta(delta, draft)?;
            }
            if let Some(reason) = choice.finish_reason.given() {
                self.end_thought(draft)?;
                let stop = stop_reason(reason)?;
                draft.stop(if self.refused { StopReason::Refusal } else { stop });
                self.finished = true;
            }
        }
        if let Some(usage) = chunk.usage.0.or_else(|| chunk.x_groq.0.and_then(|groq| groq.usage.0)) {
            take_usage(&usage, draft);
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta<'_>, draft: &mut Draft) -> Result<(), Error> {
        self.thought(&delta, draft)?;
        match delta.content {
            Content::Text(text) if !text.is_empty() => {
                self.end_thought(draft)?;
                draft.text(&text)?;
            }
            Content::Parts(parts) => self.content_parts(&parts, draft)?,
            Content::Text(_) | Content::None => {}
        }
        if let Some(refusal) = delta.refusal.given() {
            self.end_thought(draft)?;
            draft.text(refusal)?;
            self.refused = true;
        }
        for (position, call) in delta.tool_calls.0.into_iter().enumerate() {
            if let Some(call) = call.0 {
                self.end_thought(draft)?;
                take_call(position as u64, call, draft)?;
            }
        }
        if let Some(function) = delta.function_call.0 {
            self.end_thought(draft)?;
            take_function(LEGACY_CALL, None, function, draft)?;
        }
        Ok(())
    }

    /// Thoughts: some servers send the same one under two names, so only the first counts.
    fn thought(&mut self, delta: &Delta<'_>, draft: &mut Draft) -> Result<(), Error> {
        let plain = [("reasoning_content", &delta.reasoning_content), ("reasoning", &delta.reasoning)];
        let plain = plain.into_iter().find_map(|(field, text)| Some((field, text.given()?)));
        if !delta.reasoning_details.0.is_empty() {
            self.thinking = Some("reasoning_details");
            match plain {
                Some((_, text)) => draft.reasoning(text)?,
                None => {
                    for detail in &delta.reasoning_details.0 {
                        let text =
                            detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str);
                        draft.reasoning(text.unwrap_or_default())?;
                    }
                }
            }
            return delta.reasoning_details.0.iter().try_for_each(|detail| self.merge_detail(detail));
        }
        let Some((field, text)) = plain else { return Ok(()) };
        draft.reasoning(text)?;
        if self.thinking.is_none() {
            self.thinking = Some(field);
            draft.reasoning_opaque(opaque(json!({ "field": field })))?;
        }
        Ok(())
    }

    /// Blocks come in pieces; those of one kind and index are one block.
    fn merge_detail(&mut self, detail: &Value) -> Result<(), Error> {
        let Some(fields) = detail.as_object() else { return Ok(()) };
        self.details_bytes += fields.values().filter_map(Value::as_str).map(str::len).sum::<usize>();
        let same = |known: &Value| {
            known.get("type") == detail.get("type") && known.get("index") == detail.get("index")
        };
        let known = self.details.last_mut().filter(|known| same(known)).and_then(Value::as_object_mut);
        let Some(known) = known else {
            if self.details.len() >= DETAILS_MAX || self.details_bytes > ANSWER_BYTES_MAX {
                return Err(Error::TooLarge {
                    what: format!("{DETAILS_MAX} blocks of thought in one answer"),
                });
            }
            self.details.push(detail.clone());
            return Ok(());
        };
        if self.details_bytes > ANSWER_BYTES_MAX {
            return Err(Error::TooLarge {
                what: format!("{} MiB of thought in one answer", ANSWER_BYTES_MAX >> 20),
            });
        }
        for (key, value) in fields {
            match (known.get_mut(key), value) {
                (Some(Value::String(whole)), Value::String(more))
                    if matches!(key.as_str(), "text" | "summary" | "data") =>
                {
                    whole.push_str(more);
                }
                (_, Value::Null) => {}
                _ => _ = known.insert(key.clone(), value.clone()),
            }
        }
        Ok(())
    }

    /// The thought is over; what goes back with it is complete.
    fn end_thought(&mut self, draft: &mut Draft) -> Result<(), Error> {
        self.thinking = None;
        if self.details.is_empty() {
            return Ok(());
        }
        let details = std::mem::take(&mut self.details);
        draft.reasoning_opaque(opaque(json!({ "field": "reasoning_details", "details": details })))
    }

    /// Mistral's content: `{"type":"text","text"}` and `{"type":"thinking","thinking":[{"type":"text","text"}]}`.
    fn content_parts(&mut self, parts: &[Value], draft: &mut Draft) -> Result<(), Error> {
        for part in parts {
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                self.end_thought(draft)?;
                draft.text(text)?;
            }
            let thinking = part.get("thinking").and_then(Value::as_array);
            for text in thinking.into_iter().flatten().filter_map(|thought| thought.get("text")?.as_str()) {
                draft.reasoning(text)?;
            }
        }
        Ok(())
    }
}

fn take_call(position: u64, call: Call<'_>, draft: &mut Draft) -> Result<(), Error> {
    let key = call.index.0.unwrap_or(position);
    take_function(key, call.id.given(), call.function.0.unwrap_or_default(), draft)?;
    // Gemini's signature of the thought behind the call.
    if let Some(extra) = call.extra_content.filter(|extra| !extra.is_null()) {
        draft.call_opaque(key, opaque(extra));
    }
    Ok(())
}

fn take_function(key: u64, id: Option<&str>, function: Function<'_>, draft: &mut Draft) -> Result<(), Error> {
    let name = function.name.given();
    match function.arguments {
        Arguments::None => draft.call(key, id, name, ""),
        Arguments::Text(text) => draft.call(key, id, name, &text),
        Arguments::Object(args) => {
            draft.call(key, id, name, "")?;
            draft.call_args(key, args);
            Ok(())
        }
    }
}

fn opaque(data: Value) -> Opaque {
    Opaque { dialect: NAME.to_owned(), data }
}

/// Why the answer ends. Two servers name a failure of theirs here.
fn stop_reason(reason: &str) -> Result<StopReason, Error> {
    Ok(match reason {
        "length" | "max_tokens" | "model_length" => StopReason::MaxTokens,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "content_filter" | "sensitive" | "refusal" => StopReason::Refusal,
        // DeepSeek ran out of machines; OpenRouter lost the provider behind it.
        "insufficient_system_resource" | "error" => {
            return Err(stream_error(reason, &format!("the answer was broken off: {reason}")));
        }
        _ => StopReason::EndTurn,
    })
}

/// The latest numbers count: some servers send running totals with every frame.
fn take_usage(usage: &Usage, draft: &mut Draft) {
    let details = usage.prompt_tokens_details.0.as_ref();
    let cached = details.and_then(|details| details.cached_tokens.0).or(usage.prompt_cache_hit_tokens.0);
    let total = draft.usage();
    total.input_tokens = usage.prompt_tokens.0.unwrap_or(total.input_tokens);
    total.output_tokens = usage.completion_tokens.0.unwrap_or(total.output_tokens);
    total.total_tokens = usage.total_tokens.0.unwrap_or(total.total_tokens);
    total.cache_read_tokens = cached.unwrap_or(total.cache_read_tokens);
    total.cache_write_tokens =
        details.and_then(|details| details.cache_write_tokens.0).unwrap_or(total.cache_write_tokens);
}
