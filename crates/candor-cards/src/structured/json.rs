//! Cards as JSON: error objects of programs that speak to programs.

use serde_json::Value;

use super::Told;

/// The longest text that is read as one object.
const OBJECT_BYTES_MAX: usize = 256 * 1024;
/// How many lines are tried, from the last one back.
const LINES_MAX: usize = 50;

/// The last error object in an output: the whole of it, or one line.
pub(crate) fn card(text: &str) -> Option<Told> {
    let whole = text.trim();
    if !whole.contains('{') {
        return None;
    }
    if whole.starts_with('{')
        && let Some(told) = object(whole)
    {
        return Some(told);
    }
    text.lines().rev().map(str::trim).filter(|line| line.starts_with('{')).take(LINES_MAX).find_map(object)
}

fn object(text: &str) -> Option<Told> {
    if text.len() > OBJECT_BYTES_MAX {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let inner = ["card", "error_card", "error"]
        .iter()
        .find_map(|name| value.get(name).filter(|inner| inner.is_object()));
    inner.and_then(told).or_else(|| told(&value))
}

fn told(value: &Value) -> Option<Told> {
    let text = |names: &[&str]| names.iter().find_map(|name| value.get(name)?.as_str()).map(str::to_owned);
    // A line of a log that is no trouble is none here either.
    let level = text(&["level", "severity", "lvl"]).unwrap_or_default().to_lowercase();
    if matches!(level.as_str(), "trace" | "debug" | "info" | "notice" | "warn" | "warning") {
        return None;
    }
    let code = text(&["error_code", "errorCode", "code", "reason", "__type"]).filter(|code| is_code(code))?;
    let cause = text(&["cause", "message", "detail", "Message", "error", "summary"]);
    let steps = ["steps", "next_steps", "nextSteps", "recovery_steps", "hints", "hint", "suggestion"];
    let told = Told {
        code: upper(&code),
        class: text(&["class", "error_class", "errorClass"]),
        steps: steps.iter().find_map(|name| value.get(name)).map(texts).unwrap_or_default(),
        verify: text(&["verify"]),
        cause,
    };
    // An object with a code and nothing else is data, not a failure.
    (told.cause.is_some() || !told.steps.is_empty()).then_some(told)
}

fn is_code(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (3..=80).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(plain)
}

/// `ErrImagePull` and `err-image-pull` as `ERR_IMAGE_PULL`.
fn upper(code: &str) -> String {
    let mut out = String::with_capacity(code.len() + 4);
    let mut before = '_';
    for c in code.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            out.push('_');
        }
        out.push(if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
        before = c;
    }
    out
}

/// Steps in any of the shapes that are common.
fn texts(value: &Value) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(step) => match (step.get("text"), step.get("command")) {
            (None, Some(Value::String(command))) => Some(format!("Run: {command}")),
            (Some(Value::String(text)), Some(Value::String(command))) => Some(format!("{text}: {command}")),
            (Some(Value::String(text)), _) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    };
    match value {
        Value::Array(steps) => steps.iter().filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    }
}
