//! What goes over a socket besides events: what a client may say, and what it is answered.

use axum::extract::ws::Message;
use candor_protocol::{Code, ErrorCard, Failure, Part, RunId, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How long the id of a frame may be: it is sent back, and a number or a UUID is meant.
const ID_BYTES_MAX: usize = 128;
/// How much of a reason is told: it may quote what the client sent.
const REASON_CHARS_MAX: usize = 200;

/// What a client says. Fields that are not known are ignored: none of them could give it more than it has.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Frame {
    /// A message; without a session a new one begins.
    SendMessage { session_id: Option<SessionId>, content: Content },
    /// A message for the run that goes on.
    Steer { session_id: SessionId, content: Content },
    /// The run is to stop; with its id, only if it is this one.
    Cancel { session_id: SessionId, run_id: Option<RunId> },
    /// The word of a person on a call that waits for it.
    Answer { session_id: Option<SessionId>, call_id: String, choice: String, reason: Option<String> },
    /// The session's events after this one, and all to come.
    Subscribe { session_id: SessionId, after_seq: Option<u64> },
}

/// A message: words, or a list of parts that are words.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Words(String),
    Parts(Vec<Words>),
}

/// A part of a message.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Words {
    Text { text: String },
}

/// The name that a client gave its frame: a text or a number.
pub(crate) type Id = Value;

/// Reads a frame; its id is told even when the rest makes no sense.
pub(crate) fn read(text: &str) -> (Option<Id>, Result<Frame, Failure>) {
    let object: Map<String, Value> = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return (None, Err(invalid("it is JSON, but no object"))),
        Err(error) => return (None, Err(invalid(&format!("it is not JSON: {error}")))),
    };
    let id = match object.get("id") {
        None | Some(Value::Null) => None,
        Some(id) if is_sound(id) => Some(id.clone()),
        Some(_) => return (None, Err(invalid("its id is neither a short text nor a number"))),
    };
    let frame = serde_json::from_value(Value::Object(object));
    (id, frame.map_err(|error| invalid(&explained(&error.to_string()))))
}

fn is_sound(id: &Value) -> bool {
    id.is_number() || id.as_str().is_some_and(|id| id.len() <= ID_BYTES_MAX)
}

/// The library's words, where they say what is wrong.
fn explained(error: &str) -> String {
    if error.contains("untagged enum") {
        return "content is a text, or a list of parts of type text".to_owned();
    }
    error.to_owned()
}

impl Content {
    /// What to say to the session.
    pub(crate) fn parts(self) -> Result<Vec<Part>, Failure> {
        let parts: Vec<Part> = match self {
            Self::Words(text) => vec![Part::text(text)],
            Self::Parts(parts) => parts.into_iter().map(|Words::Text { text }| Part::text(text)).collect(),
        };
        let is_empty = |part: &Part| matches!(part, Part::Text { text } if text.trim().is_empty());
        if parts.iter().all(is_empty) {
            return Err(invalid("its content is empty"));
        }
        Ok(parts)
    }
}

/// The failure of a frame that cannot be followed.
pub(crate) fn invalid(reason: &str) -> Failure {
    Failure::new(Code::FrameInvalid).with("reason", reason.chars().take(REASON_CHARS_MAX).collect::<String>())
}

/// That a frame was followed.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "ack", rename_all = "camelCase")]
pub(crate) struct Ack {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<Id>,
    pub(crate) session_id: SessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<RunId>,
}

/// That a frame was not followed, or that a session cannot be.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "error", rename_all = "camelCase")]
struct Refusal {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<SessionId>,
    message: String,
    card: ErrorCard,
}

/// The frame that tells of a failure.
pub(crate) fn refusal(failure: &Failure, id: Option<Id>, session_id: Option<SessionId>) -> Message {
    let card = candor_cards::card(failure);
    let message = format!("{}. {}", card.title, card.cause.replace('\n', " "));
    written(&Refusal { id, session_id, message, card })
}

/// A frame with this in it.
pub(crate) fn written(value: &impl Serialize) -> Message {
    // Our own types have texts for keys, which is all that could go wrong.
    Message::Text(serde_json::to_string(value).unwrap_or_default().into())
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
