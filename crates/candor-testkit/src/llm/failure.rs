//! How each provider words an error: the status, the body, and the frame of a stream that fails halfway.

use serde_json::{Value, json};

use super::Dialect;
use super::encode::Frame;

/// The kinds of [`Reply::error`](super::Reply::error).
pub(super) const KINDS: &[&str] = &[
    "overloaded",
    "rate_limited",
    "spend_limit",
    "unauthorized",
    "forbidden",
    "not_found",
    "bad_request",
    "overflow",
    "server_error",
];

/// An error in no dialect yet.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) status: u16,
    pub(super) message: String,
    /// What the dialect calls this sort of error: `type`, or `status` for Gemini.
    sort: &'static str,
    /// OpenAI's `code`, the delay-less spend limit of Anthropic, the `reason` of Gemini.
    code: Option<&'static str>,
    /// OpenAI's `param`: the field that is at fault.
    param: Option<String>,
}

impl Failure {
    /// What the provider answers with this status.
    pub(super) fn of_status(dialect: Dialect, status: u16) -> Self {
        let kind = match status {
            401 => "unauthorized",
            402 => "spend_limit",
            403 => "forbidden",
            404 => "not_found",
            429 => "rate_limited",
            503 | 529 => "overloaded",
            500..=599 => "server_error",
            _ => "bad_request",
        };
        let mut failure = Self::of_kind(dialect, kind, "");
        failure.status = status;
        if dialect == Dialect::Anthropic {
            failure.sort = anthropic_sort(status);
            failure.code = None;
        }
        if dialect == Dialect::Gemini {
            failure.sort = gemini_sort(status);
        }
        failure
    }

    /// What the provider answers in this case; an empty message means its own words.
    pub(super) fn of_kind(dialect: Dialect, kind: &str, message: &str) -> Self {
        let (status, sort, code, words) = match dialect {
            Dialect::OpenaiChat | Dialect::OpenaiResponses => openai(kind),
            Dialect::Anthropic => anthropic(kind),
            Dialect::Gemini => gemini(kind),
            Dialect::Ollama => ollama(kind),
        };
        let message = if message.is_empty() { words } else { message };
        let param = (kind == "overflow").then(|| "messages".to_string());
        Self { status, message: message.to_string(), sort, code, param }
    }

    /// A request that the provider refuses with these words.
    pub(super) fn refusal(dialect: Dialect, message: &str) -> Self {
        Self { param: None, code: None, ..Self::of_kind(dialect, "bad_request", message) }
    }

    pub(super) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(super) fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    pub(super) fn with_param(self, param: &str) -> Self {
        Self { param: Some(param.to_string()), ..self }
    }

    /// The body of the response.
    pub(super) fn body(&self, dialect: Dialect, id: &str) -> Value {
        match dialect {
            Dialect::OpenaiChat | Dialect::OpenaiResponses => json!({ "error": self.openai_object() }),
            Dialect::Anthropic => {
                let mut body = self.anthropic_object();
                body["request_id"] = json!(format!("req_{id}"));
                body
            }
            Dialect::Gemini => json!({ "error": self.gemini_object() }),
            Dialect::Ollama => json!({ "error": self.message }),
        }
    }

    /// The frame that says so in the middle of a stream.
    pub(super) fn frame(&self, dialect: Dialect, id: &str) -> Frame {
        match dialect {
            Dialect::OpenaiChat => Frame::data(&json!({ "error": self.openai_object() })),
            Dialect::OpenaiResponses => Frame::named("response.failed", &self.failed_response(id)),
            Dialect::Anthropic => Frame::named("error", &self.anthropic_object()),
            Dialect::Gemini => Frame::data(&json!({ "error": self.gemini_object() })),
            Dialect::Ollama => Frame::data(&json!({ "error": self.message })),
        }
    }

    fn openai_object(&self) -> Value {
        json!({ "message": self.message, "type": self.sort, "param": self.param, "code": self.code })
    }

    fn anthropic_object(&self) -> Value {
        let mut error = json!({ "type": self.sort, "message": self.message });
        if let Some(code) = self.code {
            error["details"] = json!({ "error_code": code });
        }
        json!({ "type": "error", "error": error })
    }

    fn gemini_object(&self) -> Value {
        let mut error = json!({ "code": self.status, "message": self.message, "status": self.sort });
        if let Some(reason) = self.code {
            let detail = "type.googleapis.com/google.rpc.ErrorInfo";
            error["details"] = json!([{ "@type": detail, "reason": reason, "domain": "googleapis.com" }]);
        }
        error
    }

    fn failed_response(&self, id: &str) -> Value {
        // The codes of a failed response differ from those of a refused request; the delay is only in the text.
        let code = match (self.status, self.code) {
            (_, Some("context_length_exceeded")) => "context_length_exceeded",
            (_, Some("insufficient_quota")) => "insufficient_quota",
            (429, _) => "rate_limit_exceeded",
            (503, _) => "server_is_overloaded",
            (500.., _) => "server_error",
            _ => "invalid_prompt",
        };
        json!({ "type": "response.failed", "sequence_number": 3, "response": {
            "id": format!("resp_{id}"), "object": "response", "status": "failed", "output": [],
            "error": { "code": code, "message": self.message }, "incomplete_details": null, "usage": null } })
    }
}

type Row = (u16, &'static str, Option<&'static str>, &'static str);

const OPENAI_OVERFLOW: &str = "This model's maximum context length is 128000 tokens. However, your messages resulted in \
     210266 tokens. Please reduce the length of the messages.";

fn openai(kind: &str) -> Row {
    match kind {
        "overloaded" => {
            (503, "server_error", None, "The engine is currently overloaded, please try again later")
        }
        "rate_limited" => (
            429,
            "tokens",
            Some("rate_limit_exceeded"),
            "Rate limit reached for fake-model on tokens per min (TPM): Limit 30000, Used 30000, Requested 5527. \
             Please try again in 11.054s.",
        ),
        "spend_limit" => (
            429,
            "insufficient_quota",
            Some("insufficient_quota"),
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        "unauthorized" => {
            (401, "invalid_request_error", Some("invalid_api_key"), "Incorrect API key provided: sk-fake.")
        }
        "forbidden" => (
            403,
            "invalid_request_error",
            Some("model_not_found"),
            "Project does not have access to model `fake-model`",
        ),
        "not_found" => (
            404,
            "invalid_request_error",
            Some("model_not_found"),
            "The model `fake-model` does not exist or you do not have access to it.",
        ),
        "overflow" => (400, "invalid_request_error", Some("context_length_exceeded"), OPENAI_OVERFLOW),
        "server_error" => {
            (500, "server_error", None, "The server had an error while processing your request.")
        }
        _ => (400, "invalid_request_error", None, "Invalid request."),
    }
}

fn anthropic(kind: &str) -> Row {
    match kind {
        "overloaded" => (529, "overloaded_error", None, "Overloaded"),
        "rate_limited" => (
            429,
            "rate_limit_error",
            None,
            "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
        ),
        "spend_limit" => (
            429,
            "rate_limit_error",
            Some("enforced_spend_limit_reached"),
            "Your organization has reached its enforced spend limit.",
        ),
        "unauthorized" => (401, "authentication_error", None, "invalid x-api-key"),
        "forbidden" => (
            403,
            "permission_error",
            None,
            "Your API key does not have permission to use the specified resource.",
        ),
        "not_found" => (404, "not_found_error", None, "model: fake-model"),
        "overflow" => {
            (400, "invalid_request_error", None, "prompt is too long: 210266 tokens > 200000 maximum")
        }
        "server_error" => (500, "api_error", None, "Internal server error"),
        _ => (400, "invalid_request_error", None, "Invalid request."),
    }
}

fn anthropic_sort(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        503 | 529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

fn gemini(kind: &str) -> Row {
    match kind {
        "overloaded" => (503, "UNAVAILABLE", None, "The model is overloaded. Please try again later."),
        "rate_limited" => {
            (429, "RESOURCE_EXHAUSTED", None, "Resource has been exhausted (e.g. check quota).")
        }
        "spend_limit" => (
            429,
            "RESOURCE_EXHAUSTED",
            None,
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        // Not a 401: this is how Google says that a key is wrong.
        "unauthorized" => (
            400,
            "INVALID_ARGUMENT",
            Some("API_KEY_INVALID"),
            "API key not valid. Please pass a valid API key.",
        ),
        "forbidden" => (403, "PERMISSION_DENIED", None, "The caller does not have permission"),
        "not_found" => (
            404,
            "NOT_FOUND",
            None,
            "models/fake-model is not found for API version v1beta, or is not supported for generateContent.",
        ),
        "overflow" => (
            400,
            "INVALID_ARGUMENT",
            None,
            "The input token count (1210266) exceeds the maximum number of tokens allowed (1048576).",
        ),
        "server_error" => (500, "INTERNAL", None, "An internal error has occurred. Please retry."),
        _ => (400, "INVALID_ARGUMENT", None, "Request contains an invalid argument."),
    }
}

fn gemini_sort(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

fn ollama(kind: &str) -> Row {
    let (status, words) = match kind {
        "overloaded" => (503, "server busy, please try again.  maximum pending requests exceeded"),
        "rate_limited" => (429, "too many requests"),
        "spend_limit" => (402, "you've reached your usage limit, upgrade to continue"),
        "unauthorized" => (401, "unauthorized"),
        "forbidden" => (403, "forbidden"),
        "not_found" => (404, "model 'fake-model' not found"),
        "overflow" => (400, "the input length exceeds the context length"),
        "server_error" => (500, "llama runner process has terminated"),
        _ => (400, "invalid request"),
    };
    (status, "", None, words)
}
