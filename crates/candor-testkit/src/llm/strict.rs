//! What the real providers refuse, in their words as far as they are known.
//!
//! Five rules are our own, and say so: a request must ask for a stream, because the fake serves nothing else; Ollama
//! must be told the size of its context, because it cuts the prompt silently otherwise, and must not be given a picture in
//! the message of a tool, where it does not look at it; and the user's and the assistant's words must not be blank
//! anywhere, because some provider of every dialect refuses that.

mod anthropic;
mod gemini;
mod ollama;
mod openai_chat;
mod pictures;
mod responses;

use serde_json::Value;

use super::Dialect;
use super::failure::Failure;
use super::http::Incoming;

/// A reply that carried reasoning: how to know its message again in a later request.
#[derive(Debug)]
pub(super) struct Reasoned {
    pub(super) ids: Vec<String>,
    pub(super) text: String,
}

type Checked = Result<(), Failure>;

/// Whether the provider would take this request.
pub(super) fn check(dialect: Dialect, incoming: &Incoming, body: &Value, reasoned: &[Reasoned]) -> Checked {
    auth(dialect, incoming)?;
    match dialect {
        Dialect::OpenaiChat => openai_chat::check(body, reasoned)?,
        Dialect::OpenaiResponses => responses::check(body)?,
        Dialect::Anthropic => anthropic::check(incoming, body)?,
        Dialect::Gemini => gemini::check(incoming, body)?,
        Dialect::Ollama => ollama::check(body)?,
    }
    if dialect != Dialect::Gemini && body["stream"] != true {
        return Err(Failure::refusal(dialect, "this fake serves streams only: 'stream' must be true"));
    }
    Ok(())
}

/// Whether the request carries a key at all; any key will do.
pub(super) fn auth(dialect: Dialect, incoming: &Incoming) -> Checked {
    let bearer = incoming.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let named = match dialect {
        Dialect::Anthropic => incoming.header("x-api-key"),
        Dialect::Gemini => incoming.header("x-goog-api-key"),
        Dialect::OpenaiChat | Dialect::OpenaiResponses => None,
        Dialect::Ollama => return Ok(()),
    };
    if [bearer, named].into_iter().flatten().any(|key| !key.trim().is_empty()) {
        return Ok(());
    }
    Err(match dialect {
        Dialect::Anthropic => Failure::of_kind(dialect, "unauthorized", "x-api-key header is required"),
        Dialect::Gemini => Failure::of_kind(
            dialect,
            "forbidden",
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or \
             other form of API consumer identity to call this API.",
        ),
        _ => Failure::refusal(
            dialect,
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer \
             auth (i.e. Authorization: Bearer YOUR_KEY).",
        )
        .with_status(401),
    })
}

/// Letters, digits, `_` and `-`, and not too many of them.
fn is_name(name: &str, chars_max: usize) -> bool {
    let fits = (1..=chars_max).contains(&name.len());
    fits && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The first of the names that comes twice.
fn twice<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<(usize, &'n str)> {
    let mut before = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        if before.contains(&name) {
            return Some((place, name));
        }
        before.push(name);
    }
    None
}
