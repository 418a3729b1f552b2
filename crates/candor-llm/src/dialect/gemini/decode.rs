//! Reads a stream of Gemini's.

use candor_protocol::{Opaque, StopReason};
use serde::Deserialize;
use serde_json::Value;

use super::super::content::error_in;
use super::NAME;
use crate::Error;
use crate::draft::Draft;
use crate::lenient::{self, Count, List, Object, Problem, Text};
use crate::wire::{Decode, Flow};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Frame<'a> {
    #[serde(borrow)]
    candidates: List<Object<Candidate<'a>>>,
    #[serde(borrow)]
    prompt_feedback: Object<Feedback<'a>>,
    usage_metadata: Object<Tokens>,
    #[serde(borrow)]
    model_version: Text<'a>,
    #[serde(borrow)]
    error: Problem<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Object<Content<'a>>,
    #[serde(borrow)]
    finish_reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Content<'a> {
    #[serde(borrow)]
    parts: List<Object<Piece<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Piece<'a> {
    #[serde(borrow)]
    text: Text<'a>,
    /// A truth value; anything else means no.
    thought: Option<Value>,
    #[serde(borrow)]
    function_call: Object<Call<'a>>,
    #[serde(borrow)]
    thought_signature: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    args: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow)]
    block_reason: Text<'a>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names of the API")]
struct Tokens {
    prompt_token_count: Count,
    tool_use_prompt_token_count: Count,
    cached_content_token_count: Count,
    candidates_token_count: Count,
    thoughts_token_count: Count,
}

/// Reads a stream of Gemini's. It has no end of its own: a reason to finish was given, then the body ends.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    calls: u64,
    finished: bool,
}

impl Decode for Decoder {
    fn frame(&mut self, _: &str, data: &str, draft: &mut Draft) -> Result<Flow, Error> {
        match serde_json::from_str(data) {
            Ok(frame) => self.read(frame, draft),
            // Only what strict JSON forbids is worth a second look; other nonsense is skipped.
            Err(_) => match lenient::mended(data).as_deref().map(serde_json::from_str) {
                Some(Ok(frame)) => self.read(frame, draft),
                _ => Ok(Flow::More),
            },
        }
    }

    fn ended(&self) -> bool {
        self.finished
    }
}

impl Decoder {
    fn read(&mut self, frame: Frame<'_>, draft: &mut Draft) -> Result<Flow, Error> {
        if let Some(error) = error_in(&frame.error) {
            return Err(error);
        }
        draft.model(&frame.model_version);
        if let Some(tokens) = frame.usage_metadata.0 {
            count(tokens, draft);
        }
        if frame.prompt_feedback.0.is_some_and(|feedback| !feedback.block_reason.is_empty()) {
            self.finished = true;
            draft.stop(StopReason::Refusal);
        }
        // Other candidates are never asked for.
        let Some(candidate) = frame.candidates.0.into_iter().next().and_then(|candidate| candidate.0) else {
            return Ok(Flow::More);
        };
        for piece in candidate.content.0.unwrap_or_default().parts.0 {
            self.piece(piece.0.unwrap_or_default(), draft)?;
        }
        if let Some(stop) = stop(&candidate.finish_reason) {
            self.finished = true;
            draft.stop(stop);
        }
        Ok(Flow::More)
    }

    fn piece(&mut self, piece: Piece<'_>, draft: &mut Draft) -> Result<(), Error> {
        let signature = piece.thought_signature.given().map(opaque);
        if let Some(call) = piece.function_call.0 {
            self.calls += 1;
            draft.call(self.calls, None, call.name.given(), &args_text(call.args))?;
            if let Some(signature) = signature {
                draft.call_opaque(self.calls, signature);
            }
            return Ok(());
        }
        if piece.thought == Some(Value::Bool(true)) {
            draft.reasoning(&piece.text)?;
        } else {
            draft.text(&piece.text)?;
        }
        if let Some(signature) = signature {
            draft.reasoning_opaque(signature)?;
            // What is signed does not grow any more.
            draft.seal();
        }
        Ok(())
    }
}

/// Arguments as text, so that the draft counts their bytes.
fn args_text(args: Option<Value>) -> String {
    match args {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(args) => args.to_string(),
    }
}

fn opaque(signature: &str) -> Opaque {
    Opaque { dialect: NAME.to_owned(), data: Value::String(signature.to_owned()) }
}

/// Each frame tells the counts so far; those left out stand.
fn count(tokens: Tokens, draft: &mut Draft) {
    let usage = draft.usage();
    let sum = |a: Count, b: Count| a.0.unwrap_or(0).saturating_add(b.0.unwrap_or(0));
    usage.input_tokens =
        sum(tokens.prompt_token_count, tokens.tool_use_prompt_token_count).max(usage.input_tokens);
    usage.output_tokens =
        sum(tokens.candidates_token_count, tokens.thoughts_token_count).max(usage.output_tokens);
    usage.cache_read_tokens = tokens.cached_content_token_count.0.unwrap_or(0).max(usage.cache_read_tokens);
}

/// Why it ends, where it does.
fn stop(reason: &str) -> Option<StopReason> {
    Some(match reason {
        "" | "FINISH_REASON_UNSPECIFIED" => return None,
        "MAX_TOKENS" => StopReason::MaxTokens,
        // A call that could not be read is dropped by the server; what it did say stands.
        "STOP"
        | "OTHER"
        | "MALFORMED_FUNCTION_CALL"
        | "UNEXPECTED_TOOL_CALL"
        | "TOO_MANY_TOOL_CALLS"
        | "MISSING_THOUGHT_SIGNATURE"
        | "NO_IMAGE"
        | "IMAGE_OTHER" => StopReason::EndTurn,
        // The filters are many and grow in number: safety, recitation, block lists, personal data, language.
        _ => StopReason::Refusal,
    })
}
