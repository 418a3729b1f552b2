//! Reads a stream of Anthropic's.

use candor_protocol::{Opaque, StopReason};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::content::{error_in, error_of};
use super::NAME;
use crate::Error;
use crate::draft::Draft;
use crate::lenient::{self, Count, Object, Problem, Text};
use crate::wire::{Decode, Flow};

/// The most bytes of seals (signatures, redacted thoughts) in one answer. Real ones are some kilobytes each.
const SEALS_BYTES_MAX: usize = 16 * 1024 * 1024;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Frame<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    index: Count,
    #[serde(borrow)]
    message: Object<Start<'a>>,
    #[serde(borrow)]
    content_block: Object<Block<'a>>,
    #[serde(borrow)]
    delta: Object<Piece<'a>>,
    usage: Object<Tokens>,
    #[serde(borrow)]
    error: Problem<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Start<'a> {
    #[serde(borrow)]
    model: Text<'a>,
    usage: Object<Tokens>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    thinking: Text<'a>,
    #[serde(borrow)]
    signature: Text<'a>,
    #[serde(borrow)]
    data: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    input: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Piece<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    thinking: Text<'a>,
    #[serde(borrow)]
    signature: Text<'a>,
    #[serde(borrow)]
    partial_json: Text<'a>,
    #[serde(borrow)]
    stop_reason: Text<'a>,
}

/// The counts as the API gives them; they only grow over a stream, and those left out mean nothing.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the names of the API")]
struct Tokens {
    input_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
    output_tokens: Count,
}

/// Reads a stream of Anthropic's.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The block that began last.
    index: u64,
    /// The blocks that are calls. What is said about others (tools of the server's own) is not ours to run.
    calls: Vec<u64>,
    /// The calls whose arguments came with their beginning; they count if no pieces follow. Only some proxies mean them.
    whole_inputs: Vec<u64>,
    signature: String,
    seals_bytes: usize,
    uncached: u64,
}

impl Decode for Decoder {
    fn frame(&mut self, event: &str, data: &str, draft: &mut Draft) -> Result<Flow, Error> {
        match serde_json::from_str(data) {
            Ok(frame) => self.read(event, frame, draft),
            // Only what strict JSON forbids is worth a second look; other nonsense is skipped.
            Err(_) => match lenient::mended(data).as_deref().map(serde_json::from_str) {
                Some(Ok(frame)) => self.read(event, frame, draft),
                _ if event == "error" => Err(error_of(&Problem::default())),
                _ => Ok(Flow::More),
            },
        }
    }
}

impl Decoder {
    fn read(&mut self, event: &str, frame: Frame<'_>, draft: &mut Draft) -> Result<Flow, Error> {
        let kind = frame.kind.given().unwrap_or(event);
        if kind == "error" {
            return Err(error_of(&frame.error));
        }
        if let Some(error) = error_in(&frame.error) {
            return Err(error);
        }
        match kind {
            "content_block_delta" => {
                if let Some(piece) = &frame.delta.0 {
                    self.piece(frame.index.0.unwrap_or(self.index), piece, draft)?;
                }
            }
            "content_block_start" => {
                self.close_block(draft)?;
                self.index = frame.index.0.unwrap_or(self.index.wrapping_add(1));
                self.open_block(frame.content_block.0.unwrap_or_default(), draft)?;
            }
            "content_block_stop" => self.close_block(draft)?,
            "message_start" => {
                let start = frame.message.0.unwrap_or_default();
                draft.model(&start.model);
                self.count(start.usage.0, draft);
            }
            "message_delta" => {
                if let Some(stop) = frame.delta.0.as_ref().and_then(|delta| stop(&delta.stop_reason)) {
                    draft.stop(stop);
                }
                self.count(frame.usage.0, draft);
            }
            "message_stop" => {
                self.close_block(draft)?;
                return Ok(Flow::End);
            }
            _ => {}
        }
        Ok(Flow::More)
    }

    fn open_block(&mut self, block: Block<'_>, draft: &mut Draft) -> Result<(), Error> {
        draft.seal();
        match &*block.kind {
            "text" => draft.text(&block.text)?,
            "thinking" => {
                draft.reasoning(&block.thinking)?;
                self.sign(&block.signature)?;
            }
            "redacted_thinking" => {
                self.grow(block.data.len())?;
                draft.reasoning_opaque(opaque("redacted", &block.data))?;
                draft.seal();
            }
            "tool_use" => {
                draft.call(self.index, block.id.given(), block.name.given(), "")?;
                self.calls.push(self.index);
                if let Some(input) = block.input {
                    draft.call_args_text(self.index, &input.to_string())?;
                    self.whole_inputs.push(self.index);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn piece(&mut self, index: u64, piece: &Piece<'_>, draft: &mut Draft) -> Result<(), Error> {
        match &*piece.kind {
            "text_delta" => draft.text(&piece.text),
            "thinking_delta" => draft.reasoning(&piece.thinking),
            "signature_delta" => self.sign(&piece.signature),
            "input_json_delta" if !piece.partial_json.is_empty() && self.calls.contains(&index) => {
                if let Some(at) = self.whole_inputs.iter().position(|of| *of == index) {
                    self.whole_inputs.swap_remove(at);
                    draft.call_args_text(index, "")?;
                }
                draft.call(index, None, None, &piece.partial_json)
            }
            _ => Ok(()),
        }
    }

    /// The end of a block, also where it was not announced: what was kept back for it goes to the draft.
    fn close_block(&mut self, draft: &mut Draft) -> Result<(), Error> {
        if !self.signature.is_empty() {
            draft.reasoning_opaque(opaque("signature", &self.signature))?;
            self.signature.clear();
        }
        Ok(())
    }

    fn sign(&mut self, signature: &str) -> Result<(), Error> {
        self.grow(signature.len())?;
        self.signature.push_str(signature);
        Ok(())
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.seals_bytes = self.seals_bytes.saturating_add(bytes);
        if self.seals_bytes > SEALS_BYTES_MAX {
            return Err(Error::TooLarge {
                what: format!("{} MiB of signatures in one answer", SEALS_BYTES_MAX >> 20),
            });
        }
        Ok(())
    }

    /// The API counts what came from the cache beside the input; we count it as part of it.
    fn count(&mut self, tokens: Option<Tokens>, draft: &mut Draft) {
        let Some(tokens) = tokens else { return };
        let raise = |count: &mut u64, new: Count| *count = new.0.unwrap_or(0).max(*count);
        raise(&mut self.uncached, tokens.input_tokens);
        let usage = draft.usage();
        raise(&mut usage.cache_write_tokens, tokens.cache_creation_input_tokens);
        raise(&mut usage.cache_read_tokens, tokens.cache_read_input_tokens);
        raise(&mut usage.output_tokens, tokens.output_tokens);
        usage.input_tokens =
            self.uncached.saturating_add(usage.cache_write_tokens).saturating_add(usage.cache_read_tokens);
    }
}

fn opaque(key: &str, seal: &str) -> Opaque {
    Opaque { dialect: NAME.to_owned(), data: json!({ key: seal }) }
}

fn stop(reason: &str) -> Option<StopReason> {
    Some(match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        "pause_turn" => StopReason::Pause,
        _ => return None,
    })
}
