//! What a model is asked.

use candor_protocol::{Message, ToolSpec};

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The model.
    pub model: String,
    /// The conversation; a system message, if there is one, stands first.
    pub messages: Vec<Message>,
    /// The tools it may call.
    pub tools: Vec<ToolSpec>,
    /// The longest answer, in tokens. Left out, the dialect's own default.
    pub max_tokens: Option<u64>,
    /// How many tokens of context a local server should make room for (Ollama's `num_ctx`).
    pub context_tokens: Option<u64>,
    /// Names the conversation to providers that route by it for their prompt cache.
    pub cache_key: Option<String>,
}
