//! What the Responses API refuses, in OpenAI's words.

use serde_json::Value;

use super::openai_chat::{empty_array, empty_string, function, image, missing, refuse};
use super::{Checked, is_blank, twice};
use crate::llm::failure::Failure;
use crate::llm::seen::items;

/// What may be said to the model.
const INPUT: &[&str] = &["input_text", "input_image", "input_file"];

pub(super) fn check(body: &Value) -> Checked {
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Err(missing("model"));
    }
    for (index, tool) in items(&body["tools"]).iter().enumerate() {
        if tool["type"] != "function" {
            return Err(missing(&format!("tools[{index}].type")));
        }
        function(tool, &format!("tools[{index}]"))?;
    }
    match &body["input"] {
        Value::String(text) if is_blank(text) => Err(empty_string("input")),
        Value::String(_) => Ok(()),
        Value::Array(input) if input.is_empty() => Err(empty_array("input")),
        Value::Array(input) => {
            for (index, item) in input.iter().enumerate() {
                check_item(item, index, body["store"] == false)?;
            }
            pairs(input)?;
            followed(input)
        }
        _ => Err(missing("input")),
    }
}

fn check_item(item: &Value, index: usize, stateless: bool) -> Checked {
    let at = format!("input[{index}]");
    match item["type"].as_str() {
        None | Some("message") => message(item, &at),
        Some("function_call") => {
            for field in ["call_id", "name", "arguments"] {
                if item[field].as_str().is_none_or(|text| field != "arguments" && text.is_empty()) {
                    return Err(missing(&format!("{at}.{field}")));
                }
            }
            Ok(())
        }
        Some("function_call_output") => {
            let at = format!("{at}.output");
            match &item["output"] {
                Value::String(_) => Ok(()),
                Value::Array(parts) => check_parts(parts, &at, INPUT),
                _ => Err(missing(&at)),
            }
        }
        Some("reasoning") => {
            if !item["summary"].is_array() {
                return Err(missing(&format!("{at}.summary")));
            }
            if stateless && item["encrypted_content"].as_str().is_none_or(str::is_empty) {
                return Err(not_kept(item));
            }
            Ok(())
        }
        Some(other) => {
            let words = format!("Invalid value: '{other}'.");
            Err(refuse(&words).with_param(&format!("{at}.type")).with_code("invalid_value"))
        }
    }
}

fn not_kept(item: &Value) -> Failure {
    let id = item["id"].as_str().unwrap_or_default();
    let words = format!(
        "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set \
         to true, or remove this item from your input."
    );
    refuse(&words).with_param("input").with_status(404)
}

fn message(item: &Value, at: &str) -> Checked {
    let role = item["role"].as_str().unwrap_or_default();
    let allowed: &[&str] = match role {
        "assistant" => &["output_text", "refusal"],
        "user" | "system" | "developer" => INPUT,
        _ => {
            let words = format!(
                "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."
            );
            return Err(refuse(&words).with_param(&format!("{at}.role")).with_code("invalid_value"));
        }
    };
    match &item["content"] {
        Value::String(text) if is_blank(text) => Err(empty_string(&format!("{at}.content"))),
        Value::String(_) => Ok(()),
        Value::Array(parts) if parts.is_empty() => Err(empty_array(&format!("{at}.content"))),
        Value::Array(parts) => check_parts(parts, &format!("{at}.content"), allowed),
        _ => Err(missing(&format!("{at}.content"))),
    }
}

fn check_parts(parts: &[Value], at: &str, allowed: &[&str]) -> Checked {
    let mut places = parts.iter().enumerate();
    places.try_for_each(|(place, part)| check_part(part, &format!("{at}[{place}]"), allowed))
}

fn check_part(part: &Value, at: &str, allowed: &[&str]) -> Checked {
    let kind = part["type"].as_str().unwrap_or_default();
    if !allowed.contains(&kind) {
        let list: Vec<String> = allowed.iter().map(|name| format!("'{name}'")).collect();
        let words = format!("Invalid value: '{kind}'. Supported values are: {}.", list.join(" and "));
        return Err(refuse(&words).with_param(at).with_code("invalid_value"));
    }
    if kind.ends_with("_text") && part["text"].as_str().is_none_or(is_blank) {
        return Err(empty_string(&format!("{at}.text")));
    }
    if kind == "input_image" { image(&part["image_url"]) } else { Ok(()) }
}

/// Every call has its one output behind it, and every output its call before it.
fn pairs(input: &[Value]) -> Checked {
    let ids = |kind: &str| -> Vec<(usize, &str)> {
        let found = input.iter().enumerate().filter(|(_, item)| item["type"] == kind);
        found.map(|(index, item)| (index, item["call_id"].as_str().unwrap_or_default())).collect()
    };
    let (calls, outputs) = (ids("function_call"), ids("function_call_output"));
    for list in [&calls, &outputs] {
        if let Some((_, id)) = twice(list.iter().map(|(_, id)| *id)) {
            return Err(refuse(&format!("Duplicate item found with call_id {id}.")).with_param("input"));
        }
    }
    for (index, id) in &outputs {
        if !calls.iter().any(|(before, call)| call == id && before < index) {
            let words = format!("No tool call found for function call output with call_id {id}.");
            return Err(refuse(&words).with_param("input"));
        }
    }
    for (_, id) in &calls {
        if !outputs.iter().any(|(_, output)| output == id) {
            let words = format!("No tool output found for function call {id}.");
            return Err(refuse(&words).with_param("input"));
        }
    }
    Ok(())
}

/// A thought belongs to what came of it.
fn followed(input: &[Value]) -> Checked {
    for (index, item) in input.iter().enumerate().filter(|(_, item)| item["type"] == "reasoning") {
        let next = input.get(index + 1);
        let own = next.is_some_and(|next| {
            matches!(next["type"].as_str(), Some("reasoning" | "function_call"))
                || next["role"] == "assistant"
        });
        if !own {
            let id = item["id"].as_str().unwrap_or_default();
            let words =
                format!("Item '{id}' of type 'reasoning' was provided without its required following item.");
            return Err(refuse(&words).with_param("input"));
        }
    }
    Ok(())
}
