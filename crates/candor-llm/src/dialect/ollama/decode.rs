//! Reads a stream of Ollama's: one JSON object a line, the last of them with `done`.

use candor_protocol::StopReason;
use serde::Deserialize;
use serde_json::Value;

use super::super::content::error_in;
use crate::Error;
use crate::draft::Draft;
use crate::lenient::{self, Count, List, Object, Problem, Text};
use crate::wire::{Decode, Flow};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow)]
    model: Text<'a>,
    #[serde(borrow)]
    message: Object<Said<'a>>,
    /// A truth value; anything else means no.
    done: Option<Value>,
    #[serde(borrow)]
    done_reason: Text<'a>,
    prompt_eval_count: Count,
    eval_count: Count,
    #[serde(borrow)]
    error: Problem<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said<'a> {
    #[serde(borrow)]
    content: Text<'a>,
    #[serde(borrow)]
    thinking: Text<'a>,
    #[serde(borrow)]
    tool_calls: List<Object<Call<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    function: Object<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    arguments: Option<Value>,
}

/// Reads a stream of Ollama's.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    calls: u64,
}

impl Decode for Decoder {
    fn frame(&mut self, _: &str, data: &str, draft: &mut Draft) -> Result<Flow, Error> {
        match serde_json::from_str(data) {
            Ok(line) => self.read(line, draft),
            // Only what strict JSON forbids is worth a second look; other nonsense is skipped.
            Err(_) => match lenient::mended(data).as_deref().map(serde_json::from_str) {
                Some(Ok(line)) => self.read(line, draft),
                _ => Ok(Flow::More),
            },
        }
    }
}

impl Decoder {
    fn read(&mut self, line: Line<'_>, draft: &mut Draft) -> Result<Flow, Error> {
        if let Some(error) = error_in(&line.error) {
            return Err(error);
        }
        draft.model(&line.model);
        if let Some(said) = line.message.0 {
            draft.reasoning(&said.thinking)?;
            draft.text(&said.content)?;
            for call in said.tool_calls.0 {
                self.call(call.0.unwrap_or_default(), draft)?;
            }
        }
        let usage = draft.usage();
        usage.input_tokens = line.prompt_eval_count.0.unwrap_or(usage.input_tokens);
        usage.output_tokens = line.eval_count.0.unwrap_or(usage.output_tokens);
        if line.done != Some(Value::Bool(true)) {
            return Ok(Flow::More);
        }
        draft.stop(match &*line.done_reason {
            "length" => StopReason::MaxTokens,
            _ => StopReason::EndTurn,
        });
        Ok(Flow::End)
    }

    /// Calls come whole. Arguments go on as text, so that the draft counts their bytes.
    fn call(&mut self, call: Call<'_>, draft: &mut Draft) -> Result<(), Error> {
        let Some(function) = call.function.0 else { return Ok(()) };
        let args = match function.arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(args) => args.to_string(),
        };
        self.calls += 1;
        draft.call(self.calls, call.id.given(), function.name.given(), &args)
    }
}
