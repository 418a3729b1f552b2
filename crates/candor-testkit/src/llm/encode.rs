//! A neutral reply as the frames of a dialect, and frames as bytes.

mod anthropic;
mod gemini;
mod ollama;
mod openai_chat;
mod responses;

use serde_json::Value;

use super::failure::Failure;
use super::reply::INVALID_MARK;
use super::{Dialect, Fault, Reply};

/// What an encoder needs to know beside the reply.
pub(super) struct Voice<'a> {
    pub(super) reply: &'a Reply,
    pub(super) model: &'a str,
    /// Unique, for the id of the message.
    pub(super) id: &'a str,
}

/// One event of a stream, or one line of it.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    event: Option<&'static str>,
    data: String,
    pub(super) kind: FrameKind,
    /// How many times in a row it is sent.
    pub(super) times: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// Carries no content by itself.
    Plain,
    /// Carries a piece of a text, a thought or a call.
    Delta,
    /// Says that the answer is complete.
    End,
    /// Lines that are sent as they are: comments, odd fields.
    Lines,
}

impl Frame {
    /// A frame without a name.
    pub(super) fn data(value: &Value) -> Self {
        Self { event: None, data: value.to_string(), kind: FrameKind::Plain, times: 1 }
    }

    /// A frame with the name of its event.
    pub(super) fn named(event: &'static str, value: &Value) -> Self {
        Self { event: Some(event), ..Self::data(value) }
    }

    fn lines(text: &str) -> Self {
        Self { event: None, data: text.to_string(), kind: FrameKind::Lines, times: 1 }
    }

    fn delta(self, times: usize) -> Self {
        Self { kind: FrameKind::Delta, times, ..self }
    }

    fn end(self) -> Self {
        Self { kind: FrameKind::End, ..self }
    }
}

/// The frames of an answer, its faults among them.
pub(super) fn frames(dialect: Dialect, voice: &Voice<'_>) -> Vec<Frame> {
    let mut frames = match dialect {
        Dialect::OpenaiChat => openai_chat::frames(voice),
        Dialect::OpenaiResponses => responses::frames(voice),
        Dialect::Anthropic => anthropic::frames(voice),
        Dialect::Gemini => gemini::frames(voice),
        Dialect::Ollama => ollama::frames(voice),
    };
    for fault in &voice.reply.faults {
        spoil(&mut frames, fault, dialect, voice.id);
    }
    frames
}

fn spoil(frames: &mut Vec<Frame>, fault: &Fault, dialect: Dialect, id: &str) {
    match fault {
        Fault::NoTerminator => frames.retain(|frame| frame.kind != FrameKind::End),
        Fault::MidStreamError(kind) => {
            let frame = Failure::of_kind(dialect, kind, "").frame(dialect, id);
            fail_after_first_delta(frames, frame);
        }
        Fault::VllmError => {
            let value =
                serde_json::json!({ "object": "error", "message": "EngineCore encountered an issue." });
            fail_after_first_delta(frames, Frame::data(&value));
        }
        Fault::CommentsForever(count) => {
            *frames = vec![Frame { times: *count, ..Frame::lines(": keep-alive\n\n") }];
        }
        Fault::PingsThen => {
            let pings = pings(dialect);
            let after = after_first_delta(frames);
            frames.splice(after..after, pings.clone());
            frames.splice(0..0, pings);
        }
        Fault::UnknownEvents => {
            let after = after_first_delta(frames);
            frames.splice(after..after, unknown_events());
            frames.splice(0..0, unknown_events());
        }
        Fault::EmptyChoicesFirst => frames.insert(0, openai_chat::empty_choices()),
        _ => {}
    }
}

fn fail_after_first_delta(frames: &mut Vec<Frame>, failure: Frame) {
    frames.truncate(after_first_delta(frames));
    if let Some(frame) = frames.last_mut() {
        frame.times = 1;
    }
    frames.push(failure);
}

/// The place behind the first delta; without one, the place before the end.
fn after_first_delta(frames: &[Frame]) -> usize {
    let delta = frames.iter().position(|frame| frame.kind == FrameKind::Delta).map(|place| place + 1);
    let end = frames.iter().position(|frame| frame.kind == FrameKind::End);
    delta.or(end).unwrap_or(frames.len())
}

fn pings(dialect: Dialect) -> Vec<Frame> {
    let mut pings = vec![Frame::lines(": keep-alive\n\n"), Frame::lines(": OPENROUTER PROCESSING\n\n")];
    if dialect == Dialect::Anthropic {
        pings.push(Frame::named("ping", &serde_json::json!({ "type": "ping" })));
    }
    pings
}

fn unknown_events() -> Vec<Frame> {
    vec![
        Frame::lines("event: something.new\ndata: {\"type\":\"something.new\",\"value\":[1,2]}\n\n"),
        Frame::lines("retry: 3000\nid: 7\n\n"),
        Frame::lines("event: lonely\n\n"),
        Frame::lines("colour: blue\nfield-without-colon\n\n"),
    ]
}

/// How frames are written down.
pub(super) struct Style {
    dialect: Dialect,
    line_end: &'static str,
    colon: &'static str,
    spread: bool,
    invalid: bool,
}

impl Style {
    pub(super) fn of(dialect: Dialect, reply: &Reply) -> Self {
        let line_end = match dialect {
            _ if reply.has(&Fault::CrOnly) => "\r",
            _ if reply.has(&Fault::CrLf) => "\r\n",
            // Google's own line ends.
            Dialect::Gemini => "\r\n",
            _ => "\n",
        };
        Self {
            dialect,
            line_end,
            colon: if reply.has(&Fault::NoSpaceAfterColon) { ":" } else { ": " },
            spread: reply.has(&Fault::MultiLineData),
            invalid: reply.has(&Fault::InvalidUtf8InText),
        }
    }

    /// The frame as bytes, once.
    pub(super) fn bytes(&self, frame: &Frame) -> Vec<u8> {
        let mut text = String::with_capacity(frame.data.len() + 64);
        if frame.kind == FrameKind::Lines {
            text.push_str(&frame.data.replace('\n', self.line_end));
        } else if self.dialect.is_sse() {
            if let Some(event) = frame.event {
                self.field(&mut text, "event", event);
            }
            for line in self.data_lines(&frame.data) {
                self.field(&mut text, "data", line);
            }
            text.push_str(self.line_end);
        } else {
            text.push_str(&frame.data);
            text.push('\n');
        }
        if self.invalid { with_invalid_bytes(&text) } else { text.into_bytes() }
    }

    fn field(&self, text: &mut String, name: &str, value: &str) {
        text.extend([name, self.colon, value, self.line_end]);
    }

    /// An object may be broken into lines behind its first and before its last brace, where JSON allows white space.
    fn data_lines<'d>(&self, data: &'d str) -> Vec<&'d str> {
        let inner = data.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match inner {
            Some(inner) if self.spread => vec!["{", inner, "}"],
            _ => vec![data],
        }
    }
}

/// What stands in for bytes that are not UTF-8, on the wire.
const INVALID_BYTES: &[u8] = &[0xff, 0xc3];

fn with_invalid_bytes(text: &str) -> Vec<u8> {
    let pieces: Vec<&[u8]> = text.split(INVALID_MARK).map(str::as_bytes).collect();
    pieces.join(INVALID_BYTES)
}
