//! Reads the stream.

use candor_protocol::{Opaque, StopReason};
use serde_json::{Value, json};

use super::NAME;
use super::frame::{Event, Item, Response};
use crate::Error;
use crate::classify::stream_error;
use crate::draft::Draft;
use crate::lenient;
use crate::wire::{Decode, Flow};

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The item whose words came last, in pieces: its whole text, which follows, is not told again.
    spoken: Option<u64>,
    /// The item whose thoughts came last, in pieces.
    thought: Option<u64>,
    refused: bool,
}

impl Decode for Decoder {
    fn frame(&mut self, event: &str, data: &str, draft: &mut Draft) -> Result<Flow, Error> {
        match serde_json::from_str(data) {
            Ok(parsed) => self.event(event, &parsed, draft),
            Err(_) => match lenient::mended(data).as_deref().map(serde_json::from_str) {
                Some(Ok(parsed)) => self.event(event, &parsed, draft),
                _ => Ok(Flow::More),
            },
        }
    }
}

impl Decoder {
    fn event(&mut self, name: &str, event: &Event<'_>, draft: &mut Draft) -> Result<Flow, Error> {
        let index = event.output_index.0.unwrap_or_default();
        match event.kind.given().unwrap_or(name) {
            "response.output_text.delta" => {
                self.spoken = Some(index);
                draft.text(&event.delta)?;
            }
            "response.refusal.delta" => {
                self.spoken = Some(index);
                self.refused = true;
                draft.text(&event.delta)?;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.thought = Some(index);
                draft.reasoning(&event.delta)?;
            }
            "response.reasoning_summary_part.added" if event.summary_index.0.is_some_and(|part| part > 0) => {
                draft.reasoning("\n\n")?;
            }
            "response.output_item.added" => Self::item_added(index, event, draft)?,
            "response.function_call_arguments.delta" => draft.call(index, None, None, &event.delta)?,
            "response.function_call_arguments.done" if !event.arguments.is_empty() => {
                draft.call_args_text(index, &event.arguments)?;
            }
            "response.output_item.done" => {
                if let Some(item) = &event.item.0 {
                    self.item_done(index, item, draft)?;
                }
            }
            "response.completed" | "response.done" | "response.incomplete" => {
                return self.end(event.response.0.as_ref(), draft);
            }
            "response.failed" | "response.cancelled" | "error" => return Err(failed(event)),
            _ if event.error.0.is_some() => return Err(failed(event)),
            _ => {}
        }
        Ok(Flow::More)
    }

    fn item_added(index: u64, event: &Event<'_>, draft: &mut Draft) -> Result<(), Error> {
        draft.seal();
        match &event.item.0 {
            Some(item) if &*item.kind == "function_call" => {
                draft.call(index, item.call_id.given(), item.name.given(), "")
            }
            _ => Ok(()),
        }
    }

    /// The whole item: what came in pieces is known already, what did not come is taken from here.
    fn item_done(&mut self, index: u64, item: &Item<'_>, draft: &mut Draft) -> Result<(), Error> {
        match &*item.kind {
            "message" if self.spoken != Some(index) => {
                for content in item.content.0.iter().filter_map(|content| content.0.as_ref()) {
                    draft.text(&content.text)?;
                    draft.text(&content.refusal)?;
                    self.refused |= !content.refusal.is_empty();
                }
                Ok(())
            }
            "function_call" => {
                draft.call(index, item.call_id.given(), item.name.given(), "")?;
                match item.arguments.given() {
                    Some(arguments) => draft.call_args_text(index, arguments),
                    None => Ok(()),
                }
            }
            "reasoning" => self.thought_done(index, item, draft),
            _ => Ok(()),
        }
    }

    /// The thought goes back encrypted; without that the provider, which stores nothing, would not know it again.
    fn thought_done(&self, index: u64, item: &Item<'_>, draft: &mut Draft) -> Result<(), Error> {
        if self.thought != Some(index) {
            let texts = item.summary.0.iter().filter_map(|part| part.get("text")?.as_str());
            draft.reasoning(&texts.collect::<Vec<_>>().join("\n\n"))?;
        }
        let Some(encrypted) = item.encrypted_content.given() else { return Ok(()) };
        let mut data = json!({ "type": "reasoning" });
        if let Some(id) = item.id.given() {
            data["id"] = json!(id);
        }
        data["summary"] = Value::Array(item.summary.0.clone());
        data["encrypted_content"] = json!(encrypted);
        draft.reasoning_opaque(Opaque { dialect: NAME.to_owned(), data })
    }

    fn end(&mut self, response: Option<&Response<'_>>, draft: &mut Draft) -> Result<Flow, Error> {
        let Some(response) = response else { return Ok(Flow::End) };
        draft.model(&response.model);
        if draft.is_empty() {
            // Some proxies send the end alone, with everything in it.
            for (index, item) in (0..).zip(&response.output.0) {
                if let Some(item) = &item.0 {
                    draft.seal();
                    self.item_done(index, item, draft)?;
                }
            }
        }
        let reason = response.incomplete_details.0.as_ref().map_or("", |details| &*details.reason);
        match reason {
            _ if self.refused => draft.stop(StopReason::Refusal),
            "" => {}
            "content_filter" => draft.stop(StopReason::Refusal),
            _ => draft.stop(StopReason::MaxTokens),
        }
        if let Some(usage) = &response.usage.0 {
            let total = draft.usage();
            total.input_tokens = usage.input_tokens.0.unwrap_or_default();
            total.output_tokens = usage.output_tokens.0.unwrap_or_default();
            total.total_tokens = usage.total_tokens.0.unwrap_or_default();
            let details = usage.input_tokens_details.0.as_ref();
            total.cache_read_tokens = details.and_then(|details| details.cached_tokens.0).unwrap_or_default();
        }
        Ok(Flow::End)
    }
}

/// The error stands in the response, in an object of its own, or bare in the event.
fn failed(event: &Event<'_>) -> Error {
    let inside = event.response.0.as_ref().and_then(|response| response.error.0.as_ref());
    match inside.or(event.error.0.as_ref()) {
        Some(problem) => stream_error(&problem.kinds(), &problem.message),
        None => stream_error(&event.code, &event.message),
    }
}
