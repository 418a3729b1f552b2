//! Tells from what a provider says what can be done about it.
//!
//! Statuses alone do not: an exhausted account and a busy minute are both 429, a conversation that is too long and a
//! misspelt field are both 400. The strings below are those that providers really send; each has a test of its own.

mod said;
#[cfg(test)]
mod tests;

use std::time::Duration;

use jiff::Timestamp;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue, LOCATION};

use crate::{Error, retry_after};

pub(crate) use said::Said;

/// The conversation is longer than the model can read, in small letters.
const OVERFLOW: &[&str] = &[
    "context_length_exceeded",              // OpenAI, both dialects: the code
    "maximum context length", // OpenAI, vLLM; DeepSeek with the code `invalid_request_error`; OpenRouter
    "prompt is too long",     // Anthropic: `prompt is too long: 210266 tokens > 200000 maximum`
    "request_too_large",      // Anthropic, with 413
    "exceeds the maximum number of tokens", // Gemini
    "exceed_context_size_error", // llama.cpp: the type
    "exceeds the available context size", // llama.cpp: the message
    "exceeds the context length", // Ollama, LM Studio
    "exceeds maximum context", // Ollama, older
    "maximum model length",   // vLLM
    "longer than the maximum model", // vLLM
    "too large for model with", // Mistral: `too large for model with 32768 maximum context length`
    "maximum prompt length",  // xAI
    "exceeded model token limit", // Moonshot
    "input is too long",      // Bedrock
    "exceeds the context window", // OpenAI Responses
    "reduce the length of the messages", // Groq
];

/// A picture is the trouble, in small letters: the model cannot see, or this one cannot be read.
const PICTURE: &[&str] = &[
    "support image input", // Ollama: `this model does not support image input`; OpenRouter, with 404
    "not support image",   // gateways: `This model does not support images`
    "image input is not supported", // llama.cpp, with 500
    "required for image input", // Ollama, older: `this model is missing data required for image input`
    "is not a multimodal model", // vLLM
    "at most 0 image",     // vLLM
    "unknown variant `image_url`", // DeepSeek
    "image_url is only supported", // OpenAI, chat
    "could not process image", // Anthropic, of a damaged one
    "image exceeds",       // Anthropic: `image exceeds 5 MB maximum`
    "image dimensions exceed", // Anthropic
    "invalid_image",       // OpenAI: the codes `invalid_image` and `invalid_image_format`
    "image_parse_error",   // OpenAI: the code
    "does not represent a valid image", // OpenAI Responses
    "unable to process input image", // Gemini
    "unsupported mime type", // Gemini, of a kind that it does not read
    "unexpected role 'user' after role 'tool'", // Mistral, where the user shows what a tool gave
];

/// The account is empty: codes and sentences that never mean "later".
const QUOTA: &[&str] = &[
    "enforced_spend_limit_reached", // Anthropic: a 429 that must not be retried
    "insufficient_quota",           // OpenAI
    "billing_error",                // Anthropic
    "billing_hard_limit_reached",   // OpenAI
    "usage_not_included",           // OpenAI, subscription plans
    "credit balance is too low",    // Anthropic, with 400
    "insufficient balance",         // DeepSeek, with 402
    "insufficient credits",         // OpenRouter, with 402
];

/// OpenAI means an empty account with it, Gemini also a busy minute; Gemini then says how long to wait.
const QUOTA_UNLESS_DELAY: &str = "exceeded your current quota";

/// There is no such model, in words that come with other statuses than 404.
const NO_MODEL: &[&str] = &[
    "model_not_found",         // OpenAI: the code, also with 400
    "is not a valid model id", // OpenRouter, with 400
    "model not exist",         // DeepSeek, with 400
];

/// The key, in words that come with other statuses than 401 and 403.
const WRONG_KEY: &[&str] = &[
    "api key not valid", // Gemini, with 400
    "api key expired",   // Gemini, with 400
];

/// The key, inside a stream that had begun.
const KEY: &[&str] = &["authentication_error", "permission_error", "invalid_api_key", "permission_denied"];

/// Slow down, inside a stream that had begun.
const RATE: &[&str] = &[
    "rate_limit",
    "slow_down",
    "too_many_requests",
    "resource_exhausted",
    "rate limit",
    "too many requests",
];

/// The request itself is at fault, inside a stream that had begun.
const REFUSED: &[&str] = &[
    "invalid_request",          // Anthropic, OpenAI: `invalid_request_error`
    "invalid_prompt",           // OpenAI Responses
    "invalid_argument",         // Gemini
    "cyber_policy",             // OpenAI Responses
    "badrequesterror",          // vLLM
    "tool_use_failed",          // Groq: the model wrote a call that it could not read
    "content_policy_violation", // OpenAI
];

/// A response with a status that is no success.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) headers: &'a HeaderMap,
    /// As much of the body as was read.
    pub(crate) body: &'a str,
    /// Where it came from.
    pub(crate) url: &'a str,
    /// The model that was asked for; empty where none was.
    pub(crate) model: &'a str,
}

/// What such a response means.
pub(crate) fn response(response: Response<'_>, now: Timestamp) -> Error {
    let said = Said::read(response.body, response.status);
    let wait = retry_after::from_headers(response.headers, now)
        .or_else(|| retry_after::from_text(&said.message))
        .or_else(|| retry_after::from_text(response.body));
    let error = by_status(response, &said, wait);
    match response.headers.get("x-should-retry").map(HeaderValue::as_bytes) {
        Some(b"false") => not_retryable(error, response.status),
        Some(b"true") if matches!(response.status, 400..=499) => retryable(error, said.message, wait),
        _ => error,
    }
}

/// What an error inside a stream means. `kinds` are the words by which the provider names it (code, type, status, as
/// many as there are), `message` is its sentence. There is no status: the response had begun as a success.
pub(crate) fn stream_error(kinds: &str, message: &str) -> Error {
    let said = Said::new(kinds, message);
    let wait = retry_after::from_text(message);
    let number = kinds.split_ascii_whitespace().find_map(|word| word.parse::<u16>().ok());
    let message = said.message.clone();
    if said.has(OVERFLOW) {
        Error::ContextTooLong { message }
    } else if said.has(PICTURE) {
        Error::PictureRefused { status: None, message }
    } else if said.is_quota(wait) {
        Error::OutOfQuota { status: None, message }
    } else if said.has(KEY) || said.has(WRONG_KEY) || matches!(number, Some(401 | 403)) {
        Error::Unauthorized { status: number.unwrap_or(401), message }
    } else if said.has(NO_MODEL) || (said.has(&["not_found"]) || number == Some(404)) && said.has(&["model"])
    {
        // Which model is known to whoever asked.
        Error::ModelUnknown { model: String::new(), message }
    } else if said.has(RATE) || number == Some(429) {
        Error::RateLimited { status: None, retry_after: wait, message }
    } else if said.has(REFUSED) || matches!(number, Some(400 | 402..=407 | 409..=428)) {
        Error::BadRequest { status: None, message }
    } else {
        // Overloaded, out of order, out of time, or something new: the request was good enough to begin an answer.
        Error::Unavailable { status: None, retry_after: wait, message }
    }
}

fn by_status(response: Response<'_>, said: &Said, wait: Option<Duration>) -> Error {
    let status = response.status;
    let message = said.message.clone();
    match status {
        300..=399 => Error::NotAProvider { url: response.url.to_owned(), reason: redirect(response) },
        400..=499 if said.has(NO_MODEL) => model_unknown(response, message),
        400..=499 if status == 402 || (status != 401 && said.is_quota(wait)) => {
            Error::OutOfQuota { status: Some(status), message }
        }
        401 | 403 => Error::Unauthorized { status, message },
        400..=599 if status != 429 && said.has(PICTURE) => {
            Error::PictureRefused { status: Some(status), message }
        }
        400 if said.has(WRONG_KEY) => Error::Unauthorized { status, message },
        404 if !said.is_page && said.has(&["model"]) => model_unknown(response, message),
        404 => Error::NotAProvider { url: response.url.to_owned(), reason: format!("status 404: {message}") },
        429 => Error::RateLimited { status: Some(status), retry_after: wait, message },
        // llama.cpp and some proxies answer 500 to a conversation that is too long; the same again would not help.
        400..=599 if said.has(OVERFLOW) => Error::ContextTooLong { message },
        408 | 500..=599 => Error::Unavailable { status: Some(status), retry_after: wait, message },
        400..=499 => Error::BadRequest { status: Some(status), message },
        _ => Error::NotAProvider {
            url: response.url.to_owned(),
            reason: format!("status {status}: {message}"),
        },
    }
}

fn model_unknown(response: Response<'_>, message: String) -> Error {
    Error::ModelUnknown { model: response.model.to_owned(), message }
}

/// Redirects are not followed, because the key would travel with the request. Only the host is named: the rest of such
/// an address can hold tokens.
fn redirect(response: Response<'_>) -> String {
    let status = response.status;
    let target = response.headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let Some(target) = target else { return format!("status {status}, a redirect to nowhere") };
    match Url::parse(target) {
        Ok(url) => format!("status {status}, a redirect to {}", url.origin().ascii_serialization()),
        Err(_) => format!("status {status}, a redirect to another path"),
    }
}

/// The provider says that the same request will not be answered later either.
fn not_retryable(error: Error, status: u16) -> Error {
    match error {
        Error::RateLimited { message, .. } | Error::Unavailable { message, .. } => {
            Error::BadRequest { status: Some(status), message }
        }
        error => error,
    }
}

/// The provider says that the same request may be answered later. Without a status the configured list has no say.
fn retryable(error: Error, message: String, retry_after: Option<Duration>) -> Error {
    match error {
        error @ Error::Unauthorized { .. } => error,
        Error::RateLimited { .. } => Error::RateLimited { status: None, retry_after, message },
        _ => Error::Unavailable { status: None, retry_after, message },
    }
}
