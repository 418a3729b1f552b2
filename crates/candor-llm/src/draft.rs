//! An answer under construction: the pieces of all dialects come together here, within limits.

#[cfg(test)]
mod tests;

use candor_protocol::{Opaque, Part, Reasoning, StopReason, ToolCall, Usage};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{Answer, Delta, Error, args};

/// The most bytes of one answer, thoughts and arguments included. No model writes this much; a broken or hostile server
/// must not fill the memory.
pub(crate) const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The most calls in one answer.
pub(crate) const CALLS_MAX: usize = 512;
/// The most pieces in one answer: a stream that alternates between thinking and speaking makes many.
const PIECES_MAX: usize = 100_000;
/// What a call without a name is called, so that the message can be sent back; no tool has this name.
const NAMELESS: &str = "unnamed_tool";

/// An answer under construction.
///
/// Text that follows text joins it, also for the reader: pieces that arrive together are told together by
/// [`Draft::tell`], once for each read of the network instead of once for each frame.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pieces: Vec<Piece>,
    /// Which of the pieces are calls.
    calls: Vec<usize>,
    bytes: usize,
    stop: Option<StopReason>,
    usage: Usage,
    model: Option<String>,
    /// The next text or thought begins a piece of its own.
    sealed: bool,
    /// The piece that was told last, and how many of its bytes.
    told: (usize, usize),
}

#[derive(Debug)]
enum Piece {
    Text(String),
    Reasoning { text: String, opaque: Option<Opaque> },
    Call(CallDraft),
}

#[derive(Debug)]
struct CallDraft {
    key: u64,
    id: String,
    name: String,
    args: Args,
    opaque: Option<Opaque>,
}

#[derive(Debug)]
enum Args {
    Written(String),
    Whole(Value),
}

impl Draft {
    /// More words.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Error> {
        self.grow(text.len())?;
        match self.pieces.last_mut() {
            Some(Piece::Text(whole)) if !self.sealed => whole.push_str(text),
            _ if text.is_empty() => {}
            _ => self.push(Piece::Text(text.to_owned()))?,
        }
        Ok(())
    }

    /// More thoughts.
    pub(crate) fn reasoning(&mut self, text: &str) -> Result<(), Error> {
        self.grow(text.len())?;
        match self.pieces.last_mut() {
            Some(Piece::Reasoning { text: whole, .. }) if !self.sealed => whole.push_str(text),
            _ if text.is_empty() => {}
            _ => self.push(Piece::Reasoning { text: text.to_owned(), opaque: None })?,
        }
        Ok(())
    }

    /// The next text or thought begins a piece of its own.
    pub(crate) fn seal(&mut self) {
        self.sealed = true;
    }

    /// What the provider wants back with the thought that came last; without one, a thought of no words is made.
    pub(crate) fn reasoning_opaque(&mut self, data: Opaque) -> Result<(), Error> {
        self.grow(data.data.as_str().map_or(0, str::len))?;
        match self.pieces.last_mut() {
            Some(Piece::Reasoning { opaque, .. }) if !self.sealed && opaque.is_none() => *opaque = Some(data),
            _ => self.push(Piece::Reasoning { text: String::new(), opaque: Some(data) })?,
        }
        Ok(())
    }

    /// More of a call. Everything about it may come in any order and in pieces, or not at all; `key` is what the dialect
    /// tells the calls of one answer apart by. The same key with another id is another call.
    pub(crate) fn call(
        &mut self,
        key: u64,
        id: Option<&str>,
        name: Option<&str>,
        args: &str,
    ) -> Result<(), Error> {
        self.grow(args.len() + name.map_or(0, str::len) + id.map_or(0, str::len))?;
        let known = self.find_call(key).filter(|call| match id {
            Some(id) => id.is_empty() || call.id.is_empty() || call.id == id,
            None => true,
        });
        if known.is_none() {
            if self.calls.len() >= CALLS_MAX {
                return Err(Error::TooLarge { what: format!("{CALLS_MAX} tool calls in one answer") });
            }
            let call = CallDraft {
                key,
                id: String::new(),
                name: String::new(),
                args: Args::Written(String::new()),
                opaque: None,
            };
            self.push(Piece::Call(call))?;
            self.calls.push(self.pieces.len() - 1);
        }
        let Some(call) = self.find_call(key) else { return Ok(()) };
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            id.clone_into(&mut call.id);
        }
        if let Some(name) = name
            && name != call.name
        {
            // Some send the whole name with every piece, some send the name in pieces.
            call.name.push_str(name);
        }
        if let Args::Written(written) = &mut call.args {
            written.push_str(args);
        }
        Ok(())
    }

    /// The arguments of a call, already read.
    pub(crate) fn call_args(&mut self, key: u64, args: Value) {
        if let Some(call) = self.find_call(key) {
            call.args = Args::Whole(args);
        }
    }

    /// The whole text of a call's arguments, in place of what came in pieces.
    pub(crate) fn call_args_text(&mut self, key: u64, args: &str) -> Result<(), Error> {
        let Some(call) = self.find_call(key) else { return Ok(()) };
        let replaced = match &call.args {
            Args::Written(written) => written.len(),
            Args::Whole(_) => 0,
        };
        call.args = Args::Written(args.to_owned());
        self.bytes = self.bytes.saturating_sub(replaced);
        self.grow(args.len())
    }

    /// What the provider wants back with a call.
    pub(crate) fn call_opaque(&mut self, key: u64, data: Opaque) {
        if let Some(call) = self.find_call(key) {
            call.opaque = Some(data);
        }
    }

    /// Why the answer ends.
    pub(crate) fn stop(&mut self, stop: StopReason) {
        self.stop = Some(stop);
    }

    /// What it took; to be changed in place, as some tell it bit by bit.
    pub(crate) fn usage(&mut self) -> &mut Usage {
        &mut self.usage
    }

    /// The model that answers.
    pub(crate) fn model(&mut self, model: &str) {
        if self.model.is_none() && !model.is_empty() {
            self.model = Some(model.to_owned());
        }
    }

    /// Tells what has come since the last time.
    pub(crate) fn tell(&mut self, deltas: &mut (dyn FnMut(Delta<'_>) + Send)) {
        let (first, from) = self.told;
        for (at, piece) in self.pieces.iter().enumerate().skip(first) {
            let from = if at == first { from } else { 0 };
            match piece {
                Piece::Text(text) if text.len() > from => deltas(Delta::Text(&text[from..])),
                Piece::Reasoning { text, .. } if text.len() > from => deltas(Delta::Reasoning(&text[from..])),
                _ => {}
            }
            self.told = (at, piece.text_bytes());
        }
    }

    /// Whether nothing has come yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The answer.
    pub(crate) fn finish(self) -> Answer {
        let stop = self.stop.unwrap_or(StopReason::EndTurn);
        let stop = match stop {
            // Several servers say "stop" when they mean calls.
            StopReason::EndTurn if !self.calls.is_empty() => StopReason::ToolUse,
            StopReason::ToolUse if self.calls.is_empty() => StopReason::EndTurn,
            stop => stop,
        };
        let mut ids = Vec::new();
        let mut parts = Vec::with_capacity(self.pieces.len());
        for piece in self.pieces {
            parts.push(match piece {
                Piece::Text(text) => Part::Text { text },
                Piece::Reasoning { text, opaque } => Part::Reasoning(Reasoning { text, opaque }),
                Piece::Call(call) => {
                    let call = call.finish(&ids);
                    ids.push(call.call_id.clone());
                    Part::ToolCall(call)
                }
            });
        }
        let mut usage = self.usage;
        usage.total_tokens = usage.total_tokens.max(usage.input_tokens.saturating_add(usage.output_tokens));
        Answer { parts, stop, usage, model: self.model }
    }

    /// The latest call with this key.
    fn find_call(&mut self, key: u64) -> Option<&mut CallDraft> {
        let has_key = |at: &&usize| matches!(&self.pieces[**at], Piece::Call(call) if call.key == key);
        let at = *self.calls.iter().rev().find(has_key)?;
        match &mut self.pieces[at] {
            Piece::Call(call) => Some(call),
            _ => None,
        }
    }

    fn push(&mut self, piece: Piece) -> Result<(), Error> {
        if self.pieces.len() >= PIECES_MAX {
            return Err(Error::TooLarge { what: format!("{PIECES_MAX} pieces in one answer") });
        }
        self.sealed = false;
        self.pieces.push(piece);
        Ok(())
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > ANSWER_BYTES_MAX {
            return Err(Error::TooLarge { what: format!("{} MiB in one answer", ANSWER_BYTES_MAX >> 20) });
        }
        Ok(())
    }
}

impl Piece {
    fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Reasoning { text, .. } => text.len(),
            Self::Call(_) => 0,
        }
    }
}

impl CallDraft {
    fn finish(self, taken: &[String]) -> ToolCall {
        let (args, malformed) = match self.args {
            Args::Whole(args @ Value::Object(_)) => (args, None),
            Args::Whole(Value::Null) => (Value::Object(Map::new()), None),
            Args::Whole(other) => (Value::Object(Map::new()), Some(other.to_string())),
            Args::Written(text) => match args::read(&text) {
                Ok(args) => (args, None),
                Err(_) => (Value::Object(Map::new()), Some(text)),
            },
        };
        let call_id = if self.id.is_empty() || taken.contains(&self.id) {
            format!("call_{}", Uuid::now_v7().simple())
        } else {
            self.id
        };
        let tool_name = if self.name.is_empty() { NAMELESS.to_owned() } else { self.name };
        ToolCall { call_id, tool_name, args, malformed, opaque: self.opaque }
    }
}
