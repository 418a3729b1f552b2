//! The dialects, one file each.

mod anthropic;
mod content;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

use crate::wire::Wire;

/// A way in which model servers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `/chat/completions`, which nearly every server understands.
    OpenaiChat,
    /// `/responses`, `OpenAI`'s own.
    OpenaiResponses,
    /// `/v1/messages`.
    Anthropic,
    /// `:streamGenerateContent`.
    Gemini,
    /// `/api/chat`.
    Ollama,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Its name in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// How it is spoken.
    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            Self::OpenaiChat => &openai_chat::OpenaiChat,
            Self::OpenaiResponses => &openai_responses::OpenaiResponses,
            Self::Anthropic => &anthropic::Anthropic,
            Self::Gemini => &gemini::Gemini,
            Self::Ollama => &ollama::Ollama,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

/// The key as `OpenAI` wants it.
fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
}

/// The names in a list of models as `OpenAI` writes it; some servers leave the object around the list out.
fn model_ids(body: &Value) -> Vec<String> {
    let list = body.get("data").unwrap_or(body).as_array();
    let id = |model: &Value| model.get("id").and_then(Value::as_str).map(str::to_owned);
    list.into_iter().flatten().filter_map(id).collect()
}
