//! What can go wrong between a model server and its client.

use super::Dialect;

/// Something that goes wrong with one answer, exactly as it looks on the wire.
///
/// A refused connection is not among them, because the connection that asks is already there: see
/// [`FakeLlm::stop_listening`](super::FakeLlm::stop_listening).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The connection is closed before a byte of the answer.
    CloseBeforeHead,
    /// The connection is reset before a byte of the answer.
    ResetBeforeHead,
    /// The connection is closed within the headers.
    CloseMidHead,
    /// The connection is closed after so many deltas, without the end of the body.
    CutAfterDeltas(usize),
    /// The connection is reset after so many deltas.
    ResetAfterDeltas(usize),
    /// The connection is closed between the two bytes of an `é` (which is added to the text).
    CutMidUtf8,
    /// The connection is closed within the size of a chunk, after the first delta.
    CutMidChunkSize,
    /// The first chunk says that it is shorter than it is.
    WrongChunkSize,
    /// The declared length is longer than the body; then the connection is closed.
    ContentLengthTooLong,
    /// The declared length ends within the last frame; the rest of the body follows, and then the connection is closed.
    ContentLengthTooShort,
    /// The body claims to be compressed and is not.
    BrokenGzip,
    /// Status 200 with a page in HTML, as a captive portal answers.
    Html200,
    /// Status 502 with a proxy's page in HTML.
    Html502,
    /// Status 200 with the JSON body of an error.
    JsonError200,
    /// This status, and no body at all.
    EmptyBody(u16),
    /// A 307 to this address.
    Redirect(String),
    /// A `100 Continue` and a `103 Early Hints` before the real head.
    Informational100,
    /// The headers, then nothing until the client leaves.
    SilenceAfterHead,
    /// So many deltas, then nothing until the client leaves.
    SilenceAfterDeltas(usize),
    /// So many `: keep-alive` comments, then the connection is closed without an answer.
    CommentsForever(usize),
    /// Pings and comments before the answer and after its first delta.
    PingsThen,
    /// Everything but the frame that says that the answer is complete; the body itself ends properly. For Gemini, which
    /// has no such frame, the one with the finish reason is left out.
    NoTerminator,
    /// After the first delta an error of this kind (see [`Reply::error`](super::Reply::error)), then the end.
    MidStreamError(String),
    /// After the first delta an error as vLLM shapes it.
    VllmError,
    /// A first chunk without choices, as Azure sends it.
    EmptyChoicesFirst,
    /// `"choices": null` in the chunk that carries the usage.
    NullChoices,
    /// No token counts anywhere.
    UsageMissing,
    /// The text ends in two bytes that are not UTF-8.
    InvalidUtf8InText,
    /// The text ends in an `é` and a `€` whose bytes come in a packet and a chunk each.
    SplitUtf8,
    /// Each byte of the body comes in a packet and a chunk of its own.
    OneBytePerPacket,
    /// Lines end in `\r\n`.
    CrLf,
    /// Lines end in `\r`.
    CrOnly,
    /// `data:{…}` rather than `data: {…}`.
    NoSpaceAfterColon,
    /// Each frame's data is spread over three lines.
    MultiLineData,
    /// The body begins with a byte order mark.
    Bom,
    /// Events and fields that no client knows, an event without data, `id:` and `retry:` lines.
    UnknownEvents,
    /// The text ends in U+2028, which some take for the end of a line.
    U2028,
    /// One more delta with a text of so many bytes.
    HugeLine(usize),
    /// The model refuses, in the way the API has for that.
    Refusal,
    /// The answer is incomplete for this reason.
    Incomplete(String),
    /// These bytes instead of any answer, verbatim; then the connection is closed.
    Raw(Vec<u8>),
}

impl Fault {
    /// Whether this can happen in that dialect at all. To queue a fault where it cannot panics.
    pub fn applies(&self, dialect: Dialect) -> bool {
        match self {
            Fault::CommentsForever(_)
            | Fault::PingsThen
            | Fault::CrLf
            | Fault::CrOnly
            | Fault::NoSpaceAfterColon
            | Fault::MultiLineData
            | Fault::Bom
            | Fault::UnknownEvents
            | Fault::Refusal => dialect.is_sse(),
            Fault::VllmError | Fault::EmptyChoicesFirst | Fault::NullChoices => {
                dialect == Dialect::OpenaiChat
            }
            Fault::Incomplete(_) => dialect == Dialect::OpenaiResponses,
            _ => true,
        }
    }
}
