//! What is done on the connection for one answer, step by step: everything that is decided before a byte is sent.

use serde_json::Value;

use super::encode::{self, Frame, FrameKind, Style, Voice};
use super::failure::Failure;
use super::http::{self, LAST_CHUNK};
use super::reply::Kind;
use super::{Dialect, Fault, Gate, Reply};

/// What one write of repeated deltas holds, so that the system calls are few.
const BLOCK_BYTES: usize = 128 << 10;

/// How far a wrong length is off.
const LENGTH_ERROR_BYTES: usize = 3;

const HTML_TYPE: &str = "text/html; charset=utf-8";
const PORTAL_PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Welcome to the network</title></head>\n\
     <body><h1>Please sign in</h1></body></html>\n";
const GATEWAY_PAGE: &str = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
     <center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n";

/// One thing that is done with a connection.
#[derive(Debug)]
pub(super) enum Step {
    /// These bytes, in one write.
    Write(Vec<u8>),
    /// These bytes, so many times.
    Repeat(Vec<u8>, usize),
    /// Nothing until the gate is open.
    Hold(Gate),
    /// Nothing until the client leaves.
    Silence,
    /// The connection ends with a FIN.
    Close,
    /// The connection ends with a RST.
    Reset,
}

/// The steps of an answer. The reply has its ids and its bends already.
pub(super) fn steps(dialect: Dialect, voice: &Voice<'_>) -> Vec<Step> {
    let reply = voice.reply;
    let answer = whole_fault(dialect, voice).unwrap_or_else(|| match &reply.kind {
        Kind::Stream => stream(dialect, voice),
        Kind::Status(status) => failure(dialect, voice, &Failure::of_status(dialect, *status)),
        Kind::Error(kind, message) => failure(dialect, voice, &Failure::of_kind(dialect, kind, message)),
        Kind::Body(status, content_type, text) => {
            vec![Step::Write(http::response(*status, &reply.headers, content_type, text.as_bytes()))]
        }
    });
    if reply.has(&Fault::Informational100) {
        let early: &[u8] =
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n";
        return std::iter::once(Step::Write(early.to_vec())).chain(answer).collect();
    }
    answer
}

/// A JSON response in one step.
pub(super) fn json(status: u16, headers: &[(String, String)], body: &Value) -> Vec<Step> {
    vec![Step::Write(http::response(status, headers, "application/json", body.to_string().as_bytes()))]
}

fn failure(dialect: Dialect, voice: &Voice<'_>, failure: &Failure) -> Vec<Step> {
    json(failure.status, &voice.reply.headers, &failure.body(dialect, voice.id))
}

/// The faults that leave nothing of the answer.
fn whole_fault(dialect: Dialect, voice: &Voice<'_>) -> Option<Vec<Step>> {
    let headers = &voice.reply.headers;
    let page =
        |status, text: &str| vec![Step::Write(http::response(status, headers, HTML_TYPE, text.as_bytes()))];
    voice.reply.faults.iter().find_map(|fault| match fault {
        Fault::CloseBeforeHead => Some(vec![Step::Close]),
        Fault::ResetBeforeHead => Some(vec![Step::Reset]),
        Fault::CloseMidHead => {
            Some(vec![Step::Write(b"HTTP/1.1 200 OK\r\ncontent-type: text/ev".to_vec()), Step::Close])
        }
        Fault::Html200 => Some(page(200, PORTAL_PAGE)),
        Fault::Html502 => Some(page(502, GATEWAY_PAGE)),
        Fault::JsonError200 => {
            let failure = Failure::of_kind(dialect, "server_error", "");
            Some(json(200, headers, &failure.body(dialect, voice.id)))
        }
        Fault::EmptyBody(status) => Some(vec![Step::Write(http::response(*status, headers, "", b""))]),
        Fault::Redirect(to) => {
            let mut headers = headers.clone();
            headers.push(("location".into(), to.clone()));
            Some(vec![Step::Write(http::response(307, &headers, "", b""))])
        }
        Fault::BrokenGzip => Some(broken_gzip(dialect, headers)),
        Fault::SilenceAfterHead => {
            Some(vec![Step::Write(stream_head(dialect, voice, Length::Chunked)), Step::Silence, Step::Close])
        }
        Fault::Raw(bytes) => Some(vec![Step::Write(bytes.clone()), Step::Close]),
        _ => None,
    })
}

/// The magic number and method of gzip, and then no deflate stream.
fn broken_gzip(dialect: Dialect, headers: &[(String, String)]) -> Vec<Step> {
    let mut headers = headers.to_vec();
    headers.push(("content-encoding".into(), "gzip".into()));
    let body = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03this was never compressed";
    vec![Step::Write(http::response(200, &headers, dialect.stream_content_type(), body))]
}

#[derive(Clone, Copy)]
enum Length {
    Chunked,
    Bytes(usize),
}

fn stream_head(dialect: Dialect, voice: &Voice<'_>, length: Length) -> Vec<u8> {
    let mut headers = vec![
        ("content-type".to_string(), dialect.stream_content_type().to_string()),
        ("cache-control".to_string(), "no-cache".to_string()),
        ("x-request-id".to_string(), format!("req_{}", voice.id)),
    ];
    headers.push(match length {
        Length::Chunked => ("transfer-encoding".to_string(), "chunked".to_string()),
        Length::Bytes(bytes) => ("content-length".to_string(), bytes.to_string()),
    });
    headers.extend(voice.reply.headers.iter().cloned());
    http::head(200, &headers)
}

fn stream(dialect: Dialect, voice: &Voice<'_>) -> Vec<Step> {
    let frames = encode::frames(dialect, voice);
    let style = Style::of(dialect, voice.reply);
    let wrong_length = voice.reply.faults.iter().find_map(|fault| match fault {
        Fault::ContentLengthTooLong => Some(LENGTH_ERROR_BYTES.cast_signed()),
        Fault::ContentLengthTooShort => Some(-LENGTH_ERROR_BYTES.cast_signed()),
        _ => None,
    });
    if let Some(off) = wrong_length {
        let body: Vec<u8> = frames.iter().flat_map(|frame| style.bytes(frame).repeat(frame.times)).collect();
        let mut bytes = stream_head(dialect, voice, Length::Bytes(body.len().saturating_add_signed(off)));
        bytes.extend(body);
        return vec![Step::Write(bytes), Step::Close];
    }
    let out = stream_head(dialect, voice, Length::Chunked);
    let mut chunks = Chunks { reply: voice.reply, out, steps: Vec::new(), begun: false, deltas: 0 };
    chunks.play(&frames, &style);
    chunks.steps
}

/// A chunked body while it is put together.
struct Chunks<'a> {
    reply: &'a Reply,
    /// Bytes that are not in a step yet.
    out: Vec<u8>,
    steps: Vec<Step>,
    begun: bool,
    deltas: usize,
}

impl Chunks<'_> {
    fn play(&mut self, frames: &[Frame], style: &Style) {
        let cut = cut(self.reply);
        let cut_at = cut.as_ref().map(|(at, _)| *at);
        for frame in frames {
            // An answer with fewer deltas than asked for is cut before its end.
            let due = frame.kind == FrameKind::End || (frame.kind == FrameKind::Delta && cut_at == Some(0));
            if due && cut_at.is_some() {
                break;
            }
            let bytes = style.bytes(frame);
            if frame.kind != FrameKind::Delta {
                self.emit(&bytes, frame.times);
            } else if self.deltas_of(&bytes, frame.times, cut_at) {
                break;
            }
            if self.reply.has(&Fault::CutMidUtf8) && !bytes.is_ascii() {
                self.end_with([Step::Close]);
                return;
            }
        }
        match cut {
            Some((_, ends)) => self.end_with(ends),
            None => self.end(),
        }
    }

    /// Sends a delta as often as it comes, holding at the gate after the first one. Returns whether the cut is due.
    fn deltas_of(&mut self, bytes: &[u8], times: usize, cut_at: Option<usize>) -> bool {
        let gate = self.reply.gate.as_ref();
        let mut left = times;
        while left > 0 {
            let stops = [gate.map(|_| 1), cut_at];
            let next = stops.into_iter().flatten().filter(|stop| *stop > self.deltas).min();
            let count = next.map_or(left, |stop| left.min(stop - self.deltas));
            self.emit(bytes, count);
            self.deltas += count;
            left -= count;
            if let (Some(gate), 1) = (gate, self.deltas) {
                self.flush();
                self.steps.push(Step::Hold(gate.clone()));
            }
            if cut_at == Some(self.deltas) {
                return true;
            }
        }
        false
    }

    fn emit(&mut self, bytes: &[u8], times: usize) {
        if times > 1 {
            self.emit_block(bytes, times);
        } else if times == 1 {
            let mut bytes = bytes.to_vec();
            if !self.begun && self.reply.has(&Fault::Bom) {
                bytes.splice(0..0, *b"\xef\xbb\xbf");
            }
            self.emit_frame(&bytes);
            self.begun = true;
        }
    }

    fn emit_block(&mut self, bytes: &[u8], times: usize) {
        let mut one = Vec::with_capacity(bytes.len() + 16);
        http::chunk(&mut one, bytes);
        let per_block = (BLOCK_BYTES / one.len()).clamp(1, times);
        self.flush();
        self.steps.push(Step::Repeat(one.repeat(per_block), times / per_block));
        self.out.extend(one.repeat(times % per_block));
    }

    fn emit_frame(&mut self, bytes: &[u8]) {
        let multibyte = bytes.iter().position(|byte| !byte.is_ascii());
        if self.reply.has(&Fault::OneBytePerPacket) {
            self.emit_bytes(bytes);
        } else if self.reply.has(&Fault::WrongChunkSize) && !self.begun {
            self.out.extend(format!("{:x}\r\n", bytes.len() - LENGTH_ERROR_BYTES).into_bytes());
            self.out.extend_from_slice(bytes);
            self.out.extend_from_slice(b"\r\n");
        } else if let (Some(at), true) = (multibyte, self.reply.has(&Fault::CutMidUtf8)) {
            http::chunk(&mut self.out, &bytes[..=at]);
        } else if let (Some(at), true) = (multibyte, self.reply.has(&Fault::SplitUtf8)) {
            let end = bytes.iter().rposition(|byte| !byte.is_ascii()).map_or(at, |last| last + 1);
            http::chunk(&mut self.out, &bytes[..at]);
            self.emit_bytes(&bytes[at..end]);
            http::chunk(&mut self.out, &bytes[end..]);
        } else {
            http::chunk(&mut self.out, bytes);
        }
    }

    /// Each byte in a chunk and a write of its own: even where the packets are joined on their way, a client sees the
    /// chunks singly.
    fn emit_bytes(&mut self, bytes: &[u8]) {
        self.flush();
        for byte in bytes {
            http::chunk(&mut self.out, &[*byte]);
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.out.is_empty() {
            self.steps.push(Step::Write(std::mem::take(&mut self.out)));
        }
    }

    /// The end of the body. The connection stays, as it does behind a real gateway even when the answer has failed, unless
    /// nobody could read on from it.
    fn end(&mut self) {
        let comments = self.reply.faults.iter().any(|fault| matches!(fault, Fault::CommentsForever(_)));
        if !comments {
            self.out.extend_from_slice(LAST_CHUNK);
        }
        let spoilt = self.reply.has(&Fault::WrongChunkSize);
        if comments || spoilt { self.end_with([Step::Close]) } else { self.flush() }
    }

    fn end_with(&mut self, steps: impl IntoIterator<Item = Step>) {
        self.flush();
        self.steps.extend(steps);
    }
}

/// After how many deltas the answer is cut off, and how.
fn cut(reply: &Reply) -> Option<(usize, Vec<Step>)> {
    reply.faults.iter().find_map(|fault| match fault {
        Fault::CutAfterDeltas(count) => Some((*count, vec![Step::Close])),
        Fault::ResetAfterDeltas(count) => Some((*count, vec![Step::Reset])),
        Fault::SilenceAfterDeltas(count) => Some((*count, vec![Step::Silence, Step::Close])),
        Fault::CutMidChunkSize => Some((1, vec![Step::Write(b"1f".to_vec()), Step::Close])),
        _ => None,
    })
}
