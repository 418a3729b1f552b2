//! What the body of an error says, whatever its shape.

use std::time::Duration;

use serde_json::Value;

use super::{QUOTA, QUOTA_UNLESS_DELAY};

/// The longest message that is passed on: a sentence or two, not a page.
const MESSAGE_CHARS_MAX: usize = 500;

/// What the body of an error says.
#[derive(Debug)]
pub(crate) struct Said {
    /// The sentence for people.
    pub(crate) message: String,
    /// The sentence and the words that name the kind of error, in small letters.
    text: String,
    /// It is a web page.
    pub(crate) is_page: bool,
}

impl Said {
    /// An error that names its kind.
    pub(crate) fn new(kinds: &str, message: &str) -> Self {
        let text = format!("{kinds} {message}").to_lowercase();
        let short = shortened(message);
        let message = if short.is_empty() { shortened(kinds) } else { short };
        let message = if message.is_empty() { "no reason given".to_owned() } else { message };
        Self { message, text, is_page: false }
    }

    /// The body of a response: JSON in one of the usual shapes, a page, or plain words.
    pub(crate) fn read(body: &str, status: u16) -> Self {
        let body = body.trim();
        if body.is_empty() {
            return Self::new("", &format!("status {status} without a body"));
        }
        if is_html(body) {
            let message =
                title(body).map_or("an HTML page".to_owned(), |title| format!("an HTML page, {title}"));
            return Self { is_page: true, ..Self::new("", &message) };
        }
        let Ok(value) = serde_json::from_str::<Value>(body) else { return Self::new("", body) };
        // Gemini wraps its error in a list.
        let value = value.get(0).unwrap_or(&value);
        let error = value.get("error").unwrap_or(value);
        Self::new(&kinds(value, error), &message(value, error).unwrap_or_else(|| body.to_owned()))
    }

    /// The error that a whole JSON body is, if it is one.
    pub(crate) fn error_in(body: &str) -> Option<(String, String)> {
        let value: Value = serde_json::from_str(body.trim()).ok()?;
        let value = value.get(0).unwrap_or(&value);
        let named = value.get("error").filter(|error| !error.is_null());
        let is_error = ["type", "object"].iter().any(|key| value.get(key) == Some(&Value::from("error")));
        let error = named.or_else(|| (is_error || value.get("detail").is_some()).then_some(value))?;
        Some((kinds(value, error), message(value, error).unwrap_or_else(|| body.trim().to_owned())))
    }

    /// Whether one of these strings stands in it.
    pub(crate) fn has(&self, strings: &[&str]) -> bool {
        strings.iter().any(|string| self.text.contains(string))
    }

    /// Whether the account is empty. A provider that says how long to wait means something else with some of the words.
    pub(crate) fn is_quota(&self, wait: Option<Duration>) -> bool {
        self.has(QUOTA) || (wait.is_none() && self.has(&[QUOTA_UNLESS_DELAY]))
    }
}

/// Whether a body is a web page.
fn is_html(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

/// The words that name the kind of error.
fn kinds(value: &Value, error: &Value) -> String {
    let candidates = [
        error.get("code"),
        error.get("type"),
        error.get("status"),
        error.pointer("/details/error_code"),
        error.pointer("/innererror/code"),
        value.get("code"),
        value.get("type"),
    ];
    let words = candidates.into_iter().flatten().filter_map(|kind| match kind {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The sentence: `{"error":{"message"}}`, `{"error":"…"}`, `{"message"}`, `{"detail"}`, and what a router passes on from
/// the provider behind it.
fn message(value: &Value, error: &Value) -> Option<String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let own = text(error.get("message"))
        .or_else(|| text(Some(error)))
        .or_else(|| text(value.get("message")))
        .or_else(|| text(value.get("detail")))
        .or_else(|| text(value.pointer("/detail/0/msg")))
        .or_else(|| text(value.pointer("/detail/message")));
    match (own, text(error.pointer("/metadata/raw"))) {
        (Some(own), Some(raw)) => Some(format!("{own}: {raw}")),
        (own, raw) => own.or(raw),
    }
}

fn title(page: &str) -> Option<String> {
    let small = page.to_ascii_lowercase();
    let start = small.find("<title")?;
    let start = start + small[start..].find('>')? + 1;
    let end = start + small[start..].find('<')?;
    let title = shortened(&page[start..end]);
    (!title.is_empty()).then_some(title)
}

/// In one line, and not too long.
fn shortened(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > MESSAGE_CHARS_MAX * 4 {
            break;
        }
    }
    match line.char_indices().nth(MESSAGE_CHARS_MAX) {
        Some((end, _)) => line[..end].to_owned(),
        None => line,
    }
}
