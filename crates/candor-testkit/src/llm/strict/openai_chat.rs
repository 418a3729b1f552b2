//! What chat completions refuse; the words are OpenAI's, and for the reasoning DeepSeek's.

use serde_json::Value;

use super::pictures::{KINDS, data_url, is_base64};
use super::{Checked, Reasoned, is_blank, is_name, twice};
use crate::llm::Dialect;
use crate::llm::failure::Failure;
use crate::llm::seen::items;

const ROLES: &[&str] = &["system", "assistant", "user", "function", "tool", "developer"];

/// The longest name of a function.
const NAME_CHARS_MAX: usize = 64;

pub(super) fn check(body: &Value, reasoned: &[Reasoned]) -> Checked {
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Err(refuse("you must provide a model parameter"));
    }
    let Some(messages) = body["messages"].as_array() else {
        return Err(missing("messages"));
    };
    if messages.is_empty() {
        return Err(empty_array("messages"));
    }
    for (index, tool) in items(&body["tools"]).iter().enumerate() {
        let at = format!("tools[{index}].function");
        if tool["type"] != "function" {
            return Err(missing(&format!("tools[{index}].type")));
        }
        function(&tool["function"], &at)?;
    }
    for (index, message) in messages.iter().enumerate() {
        content(message, index)?;
        calls_of(message, index)?;
    }
    pairs(messages)?;
    reasoning_back(messages, reasoned)
}

/// Refuses with these words.
pub(super) fn refuse(message: &str) -> Failure {
    Failure::refusal(Dialect::OpenaiChat, message)
}

pub(super) fn missing(param: &str) -> Failure {
    let words = format!("Missing required parameter: '{param}'.");
    refuse(&words).with_param(param).with_code("missing_required_parameter")
}

pub(super) fn empty_array(param: &str) -> Failure {
    let words = format!(
        "Invalid '{param}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    );
    refuse(&words).with_param(param).with_code("empty_array")
}

/// Blank words; the rule is the fake's where OpenAI itself is lenient.
pub(super) fn empty_string(param: &str) -> Failure {
    let words = format!(
        "Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string instead."
    );
    refuse(&words).with_param(param).with_code("empty_string")
}

/// The name and the schema of a function, which `at` names.
pub(super) fn function(function: &Value, at: &str) -> Checked {
    let Some(name) = function["name"].as_str() else {
        return Err(missing(&format!("{at}.name")));
    };
    if name.len() > NAME_CHARS_MAX {
        let words = format!(
            "Invalid '{at}.name': string too long. Expected a string with maximum length {NAME_CHARS_MAX}, but got a \
             string with length {} instead.",
            name.len()
        );
        return Err(refuse(&words).with_param(&format!("{at}.name")).with_code("string_above_max_length"));
    }
    if !is_name(name, NAME_CHARS_MAX) {
        let words = format!(
            "Invalid '{at}.name': string does not match pattern. Expected a string that matches the pattern \
             '^[a-zA-Z0-9_-]+$'."
        );
        return Err(refuse(&words).with_param(&format!("{at}.name")).with_code("invalid_value"));
    }
    let kind = &function["parameters"]["type"];
    if !function["parameters"].is_null() && kind != "object" {
        let words = format!(
            "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: {kind}'."
        );
        return Err(refuse(&words)
            .with_param(&format!("{at}.parameters"))
            .with_code("invalid_function_parameters"));
    }
    Ok(())
}

fn content(message: &Value, index: usize) -> Checked {
    let role = message["role"].as_str().unwrap_or_default();
    if !ROLES.contains(&role) {
        let words = format!(
            "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and \
             'developer'."
        );
        return Err(refuse(&words).with_param(&format!("messages[{index}].role")).with_code("invalid_value"));
    }
    let at = format!("messages[{index}].content");
    match &message["content"] {
        Value::Null if role == "assistant" && message["tool_calls"].is_array() => Ok(()),
        Value::String(text) if is_blank(text) => match role {
            // A command may print nothing, and a call needs no words.
            "tool" => Ok(()),
            "assistant" if message["tool_calls"].is_array() && text.is_empty() => Ok(()),
            _ => Err(empty_string(&at)),
        },
        Value::String(_) => Ok(()),
        Value::Array(parts) if parts.is_empty() => Err(empty_array(&at)),
        Value::Array(parts) => match parts.iter().position(is_blank_text) {
            Some(part) => Err(empty_string(&format!("{at}[{part}].text"))),
            None => parts.iter().try_for_each(|part| check_part(part, role, index)),
        },
        other => {
            let got = if other.is_null() { "null" } else { "an object" };
            let words = format!("Invalid value for 'content': expected a string, got {got}.");
            Err(refuse(&words).with_param(&format!("messages.[{index}].content")))
        }
    }
}

fn check_part(part: &Value, role: &str, index: usize) -> Checked {
    match (part["type"].as_str().unwrap_or_default(), role) {
        ("text", _) | ("refusal", "assistant") | ("file" | "input_audio", "user") => Ok(()),
        ("image_url", "user") => {
            image(&part["image_url"]["url"]).map_err(|failure| failure.with_param(&format!("messages[{index}]")))
        }
        ("image_url", role) => Err(refuse(&format!(
            "Invalid 'messages[{index}]'. Image URLs are only allowed for messages with role 'user', but this message \
             with role '{role}' contains an image URL."
        ))
        .with_param(&format!("messages[{index}]"))
        .with_code("invalid_value")),
        (kind, _) => Err(refuse(&format!("Invalid value: '{kind}'.")).with_code("invalid_value")),
    }
}

/// A picture in an address of its own; this fake fetches none from elsewhere.
pub(super) fn image(url: &Value) -> Checked {
    match url.as_str().and_then(data_url) {
        None => Err(refuse("this fake takes data URLs alone").with_code("invalid_image_url")),
        Some((kind, _)) if !KINDS.contains(&kind) => Err(refuse(
            "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', \
             'jpeg', 'gif', 'webp'].",
        )
        .with_code("invalid_image_format")),
        Some((_, data)) if is_base64(data) => Ok(()),
        Some(_) => Err(refuse("Invalid base64 image_url.").with_code("invalid_base64")),
    }
}

fn is_blank_text(part: &Value) -> bool {
    part["type"] == "text" && part["text"].as_str().is_none_or(is_blank)
}

fn calls_of(message: &Value, index: usize) -> Checked {
    let calls = &message["tool_calls"];
    if calls.as_array().is_some_and(Vec::is_empty) {
        return Err(empty_array(&format!("messages[{index}].tool_calls")));
    }
    for (place, call) in items(calls).iter().enumerate() {
        let at = format!("messages[{index}].tool_calls[{place}]");
        if call["id"].as_str().is_none_or(str::is_empty) {
            return Err(missing(&format!("{at}.id")));
        }
        if call["type"] != "function" {
            return Err(missing(&format!("{at}.type")));
        }
        if !call["function"]["name"].as_str().is_some_and(|name| is_name(name, NAME_CHARS_MAX)) {
            return Err(missing(&format!("{at}.function.name")));
        }
        let args = call["function"]["arguments"].as_str();
        if args.is_none_or(|args| serde_json::from_str::<Value>(args).is_err()) {
            let words = format!("Invalid '{at}.function.arguments': expected a string with valid JSON.");
            return Err(refuse(&words).with_param(&format!("{at}.function.arguments")));
        }
    }
    Ok(())
}

/// Every call is answered right behind its message, once, and nothing else is.
fn pairs(messages: &[Value]) -> Checked {
    let mut index = 0;
    while index < messages.len() {
        let calls = items(&messages[index]["tool_calls"]);
        let ids: Vec<&str> = calls.iter().filter_map(|call| call["id"].as_str()).collect();
        if let Some((_, id)) = twice(ids.iter().copied()) {
            return Err(duplicate(id, index));
        }
        let results = messages[index + 1..].iter().take_while(|message| message["role"] == "tool");
        let answered: Vec<&str> =
            results.map(|message| message["tool_call_id"].as_str().unwrap_or("")).collect();
        if messages[index]["role"] == "tool" {
            return Err(orphan(index));
        }
        if let Some(place) = answered.iter().position(|id| !ids.contains(id)) {
            return Err(orphan(index + 1 + place));
        }
        if let Some((place, id)) = twice(answered.iter().copied()) {
            return Err(duplicate(id, index + 1 + place));
        }
        let open: Vec<&str> = ids.iter().copied().filter(|id| !answered.contains(id)).collect();
        if !open.is_empty() {
            let words = format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
                open.join(", ")
            );
            return Err(refuse(&words).with_param("messages"));
        }
        index += 1 + answered.len();
    }
    Ok(())
}

fn orphan(index: usize) -> Failure {
    // The misspelling is theirs.
    refuse(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    )
    .with_param(&format!("messages.[{index}].role"))
}

fn duplicate(id: &str, index: usize) -> Failure {
    refuse(&format!("Duplicate value for 'tool_call_id' of '{id}' in message[{index}]"))
}

fn reasoning_back(messages: &[Value], reasoned: &[Reasoned]) -> Checked {
    let lost = messages.iter().filter(|message| message["role"] == "assistant").any(|message| {
        let calls = items(&message["tool_calls"]);
        let known = reasoned.iter().any(|reply| {
            let called = calls.iter().filter_map(|call| call["id"].as_str());
            let same_text = calls.is_empty() && message["content"].as_str() == Some(reply.text.as_str());
            same_text || called.into_iter().any(|id| reply.ids.iter().any(|sent| sent == id))
        });
        known && message["reasoning_content"].as_str().is_none_or(str::is_empty)
    });
    if lost {
        return Err(refuse("The `reasoning_content` in the thinking mode must be passed back to the API."));
    }
    Ok(())
}
