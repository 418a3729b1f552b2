//! The five model APIs, and what tells one from another at the level of paths and headers.

/// A model API, as it looks on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Chat completions, as OpenAI and most others offer them.
    OpenaiChat,
    /// OpenAI's Responses API.
    OpenaiResponses,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's generative language API.
    Gemini,
    /// Ollama's own API: JSON lines instead of server-sent events.
    Ollama,
}

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// An answer of a model; some dialects name it in the path.
    Model(Option<String>),
    /// The list of models.
    List,
    /// Nothing that this API has.
    Nowhere,
}

impl Dialect {
    /// All of them.
    pub const ALL: &[Dialect] = &[
        Dialect::OpenaiChat,
        Dialect::OpenaiResponses,
        Dialect::Anthropic,
        Dialect::Gemini,
        Dialect::Ollama,
    ];

    /// The name that a configuration uses.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenaiChat => "openai-chat",
            Dialect::OpenaiResponses => "openai-responses",
            Dialect::Anthropic => "anthropic",
            Dialect::Gemini => "gemini",
            Dialect::Ollama => "ollama",
        }
    }

    /// What a base address has after host and port.
    pub(super) fn base_path(self) -> &'static str {
        match self {
            Dialect::OpenaiChat | Dialect::OpenaiResponses => "/v1",
            Dialect::Gemini => "/v1beta",
            Dialect::Anthropic | Dialect::Ollama => "",
        }
    }

    pub(super) fn is_sse(self) -> bool {
        self != Dialect::Ollama
    }

    pub(super) fn stream_content_type(self) -> &'static str {
        match self {
            Dialect::OpenaiChat | Dialect::Anthropic => "text/event-stream; charset=utf-8",
            Dialect::OpenaiResponses | Dialect::Gemini => "text/event-stream",
            Dialect::Ollama => "application/x-ndjson",
        }
    }

    pub(super) fn route(self, method: &str, target: &str) -> Route {
        let path = target.split('?').next().unwrap_or_default();
        let (ask, list) = match self {
            Dialect::OpenaiChat => ("/v1/chat/completions", "/v1/models"),
            Dialect::OpenaiResponses => ("/v1/responses", "/v1/models"),
            Dialect::Anthropic => ("/v1/messages", "/v1/models"),
            Dialect::Gemini => return gemini_route(method, path),
            Dialect::Ollama => ("/api/chat", "/api/tags"),
        };
        match method {
            "POST" if path == ask => Route::Model(None),
            "GET" if path == list => Route::List,
            _ => Route::Nowhere,
        }
    }
}

fn gemini_route(method: &str, path: &str) -> Route {
    let asked =
        path.strip_prefix("/v1beta/models/").and_then(|rest| rest.strip_suffix(":streamGenerateContent"));
    match (method, asked) {
        ("POST", Some(model)) if !model.is_empty() => Route::Model(Some(model.to_string())),
        ("GET", None) if path == "/v1beta/models" => Route::List,
        _ => Route::Nowhere,
    }
}
