//! What the model says, without a dialect.

use serde_json::Value;

use super::failure::KINDS;
use super::{Dialect, Fault, Gate};

/// How much text one delta carries unless a test says otherwise: about what a model sends at once.
const DELTA_BYTES: usize = 16;

/// The token counts of a reply that names none.
const USAGE: Usage = Usage { input: 25, output: 15, cache_read: 0, cache_write: 0 };

/// Why a reply ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The model has said what it wanted to say.
    End,
    /// It waits for the results of its calls.
    ToolUse,
    /// It was cut off at the limit of tokens.
    MaxTokens,
    /// It was stopped by a filter.
    Refusal,
}

/// One queued answer of the fake.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) kind: Kind,
    pub(super) parts: Vec<Part>,
    pub(super) usage: Option<Usage>,
    pub(super) delta_bytes: usize,
    pub(super) model: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) gate: Option<Gate>,
    pub(super) faults: Vec<Fault>,
    stop: Option<Stop>,
}

/// What the answer is made of.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A stream of the parts.
    Stream,
    /// The dialect's error body for a status.
    Status(u16),
    /// The dialect's error of a kind, with a message.
    Error(&'static str, String),
    /// Status, content type and body as given.
    Body(u16, String, String),
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(Text),
    Reasoning { text: Text, signature: String },
    Call { id: Option<String>, name: String, args: String },
}

/// A text in sections, and how each of them falls into deltas.
#[derive(Clone, Debug)]
pub(super) struct Text {
    sections: Vec<(String, Cut)>,
}

#[derive(Clone, Copy, Debug)]
enum Cut {
    /// Into deltas of the reply's size.
    Sliced,
    /// Not at all.
    Whole,
    /// The section is one delta and comes so many times.
    Repeated(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    /// All input tokens, those read from and written to a cache included.
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
}

impl Reply {
    /// A text, and the end.
    pub fn text(text: &str) -> Self {
        Self::empty().and_text(text)
    }

    /// A success without a token.
    pub fn empty() -> Self {
        Self::new(Kind::Stream)
    }

    /// Calls of tools, each a name and its arguments; the ids are made up and unique.
    pub fn calls<'n>(calls: impl IntoIterator<Item = (&'n str, Value)>) -> Self {
        calls.into_iter().fold(Self::empty(), |reply, (name, args)| reply.and_call(name, args))
    }

    /// The same piece so many times, a delta each: written from prepared bytes, so that the fake is never what a
    /// benchmark measures. A field that counts events, where the dialect has one, stands still in these deltas.
    pub fn many_deltas(count: usize, piece: &str) -> Self {
        let text = Text { sections: vec![(piece.to_string(), Cut::Repeated(count))] };
        Self::empty().part(Part::Text(text))
    }

    /// An HTTP status with the body that the dialect's provider sends along with it.
    pub fn status(code: u16) -> Self {
        Self::new(Kind::Status(code))
    }

    /// An error with the status and body of its kind: `overloaded`, `rate_limited`, `spend_limit`, `unauthorized`,
    /// `forbidden`, `not_found`, `bad_request`, `overflow`, `server_error`. An empty message means the provider's own.
    #[track_caller]
    pub fn error(kind: &str, message: &str) -> Self {
        Self::new(Kind::Error(known_kind(kind), message.to_string()))
    }

    /// Says this, too.
    pub fn and_text(self, text: &str) -> Self {
        self.part(Part::Text(Text::sliced(text)))
    }

    /// Thinks this before everything else. An empty signature is not sent.
    pub fn and_reasoning(mut self, text: &str, signature: &str) -> Self {
        let part = Part::Reasoning { text: Text::sliced(text), signature: signature.to_string() };
        let place = self.parts.iter().take_while(|part| matches!(part, Part::Reasoning { .. })).count();
        self.parts.insert(place, part);
        self
    }

    /// Calls this tool, too.
    #[expect(clippy::needless_pass_by_value, reason = "a test writes its arguments in place, with `json!`")]
    pub fn and_call(self, name: &str, args: Value) -> Self {
        self.part(Part::Call { id: None, name: name.to_string(), args: args.to_string() })
    }

    /// Calls this tool with an id of the test's choice and arguments that may be malformed. Where a dialect has no room
    /// for malformed arguments, Gemini ends with `MALFORMED_FUNCTION_CALL`, and Ollama sends them as a string.
    pub fn and_call_with(self, id: &str, name: &str, raw_args: &str) -> Self {
        self.part(Part::Call { id: Some(id.to_string()), name: name.to_string(), args: raw_args.to_string() })
    }

    /// The token counts; the input includes what [`Reply::cached`] says.
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Some(Usage { input, output, ..self.usage.unwrap_or(USAGE) });
        self
    }

    /// How much of the input was read from the provider's cache, and written to it.
    pub fn cached(mut self, read: u64, write: u64) -> Self {
        self.usage = Some(Usage { cache_read: read, cache_write: write, ..self.usage.unwrap_or(USAGE) });
        self
    }

    /// Leaves the token counts out.
    pub fn no_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// Why it ends; by itself a reply with calls waits for their results, and any other is at its end.
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// How many bytes of text (or of arguments) a delta carries; whole characters, so at least one.
    pub fn deltas(mut self, bytes: usize) -> Self {
        self.delta_bytes = bytes.max(1);
        self
    }

    /// Sends the headers and the first delta, and the rest once the gate is open.
    pub fn gate(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// The model that the answer names; otherwise the one that was asked for.
    pub fn model(mut self, name: &str) -> Self {
        self.model = Some(name.to_string());
        self
    }

    /// One more header of the response.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    /// Exactly this body in place of the answer's own, with the status it had.
    pub fn body(mut self, content_type: &str, text: &str) -> Self {
        let status = match self.kind {
            Kind::Status(code) | Kind::Body(code, ..) => code,
            Kind::Stream | Kind::Error(..) => 200,
        };
        self.kind = Kind::Body(status, content_type.to_string(), text.to_string());
        self
    }

    /// Goes wrong like this; several faults may be combined where they touch different things.
    #[track_caller]
    pub fn fault(mut self, fault: Fault) -> Self {
        if let Fault::MidStreamError(kind) = &fault {
            known_kind(kind);
        }
        self.faults.push(fault);
        self
    }

    pub(super) fn has(&self, fault: &Fault) -> bool {
        self.faults.contains(fault)
    }

    pub(super) fn stop_reason(&self) -> Stop {
        let calls = self.parts.iter().any(|part| matches!(part, Part::Call { .. }));
        self.stop.unwrap_or(if calls { Stop::ToolUse } else { Stop::End })
    }

    /// The plain text of the whole reply.
    pub(super) fn whole_text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.whole()),
            _ => None,
        });
        texts.collect()
    }

    /// Gives every call an id in the way of the dialect; Gemini and Ollama send none by themselves.
    pub(super) fn number_calls(&mut self, dialect: Dialect, mut next: impl FnMut() -> String) {
        let prefix = match dialect {
            Dialect::OpenaiChat | Dialect::OpenaiResponses => "call_",
            Dialect::Anthropic => "toolu_",
            Dialect::Gemini | Dialect::Ollama => return,
        };
        for part in &mut self.parts {
            if let Part::Call { id: id @ None, .. } = part {
                *id = Some(format!("{prefix}{}", next()));
            }
        }
    }

    /// Changes what is said where a fault asks for it.
    pub(super) fn bend(&mut self) {
        for fault in self.faults.clone() {
            match fault {
                Fault::CutMidUtf8 => self.add_whole("é".to_string()),
                Fault::SplitUtf8 => self.add_whole("é€".to_string()),
                Fault::InvalidUtf8InText => self.add_whole(INVALID_MARK.to_string()),
                Fault::U2028 => self.add_whole("before\u{2028}after".to_string()),
                Fault::HugeLine(bytes) => self.add_whole("x".repeat(bytes)),
                Fault::UsageMissing => self.usage = None,
                Fault::Refusal => self.parts.clear(),
                _ => {}
            }
        }
    }

    /// One more delta at the end of the last text, or as a text where there is none.
    fn add_whole(&mut self, piece: String) {
        let last = self.parts.iter_mut().rev().find_map(|part| match part {
            Part::Text(text) => Some(text),
            _ => None,
        });
        match last {
            Some(text) => text.sections.push((piece, Cut::Whole)),
            None => self.parts.push(Part::Text(Text { sections: vec![(piece, Cut::Whole)] })),
        }
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    fn new(kind: Kind) -> Self {
        Self {
            kind,
            parts: Vec::new(),
            usage: Some(USAGE),
            delta_bytes: DELTA_BYTES,
            model: None,
            headers: Vec::new(),
            gate: None,
            faults: Vec::new(),
            stop: None,
        }
    }
}

/// Stands in a text for the bytes that no text can hold, until the frame is bytes.
pub(super) const INVALID_MARK: char = '\u{f8ff}';

impl Text {
    fn sliced(text: &str) -> Self {
        Self { sections: vec![(text.to_string(), Cut::Sliced)] }
    }

    pub(super) fn whole(&self) -> String {
        let sections = self.sections.iter().map(|(text, cut)| match cut {
            Cut::Repeated(count) => text.repeat(*count),
            Cut::Sliced | Cut::Whole => text.clone(),
        });
        sections.collect()
    }

    /// The deltas, each with how many times it comes.
    pub(super) fn pieces(&self, delta_bytes: usize) -> Vec<(&str, usize)> {
        let mut pieces = Vec::new();
        for (text, cut) in &self.sections {
            match cut {
                Cut::Repeated(count) => pieces.push((text.as_str(), *count)),
                Cut::Whole => pieces.push((text.as_str(), 1)),
                Cut::Sliced => pieces.extend(slices(text, delta_bytes).map(|piece| (piece, 1))),
            }
        }
        pieces
    }
}

/// The text in pieces of at most so many bytes, or of one character where that is longer.
pub(super) fn slices(text: &str, bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.floor_char_boundary(bytes).max(first.len_utf8());
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        Some(piece)
    })
}

#[track_caller]
fn known_kind(kind: &str) -> &'static str {
    let known = KINDS.iter().copied().find(|known| *known == kind);
    known.unwrap_or_else(|| panic!("{kind:?} is no kind of error; there are {KINDS:?}"))
}
