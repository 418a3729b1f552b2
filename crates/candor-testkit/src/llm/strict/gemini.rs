//! What the generative language API refuses, in Google's words.

use serde_json::Value;

use super::pictures::is_base64;
use super::{Checked, is_blank};
use crate::llm::Dialect;
use crate::llm::failure::Failure;
use crate::llm::http::Incoming;
use crate::llm::seen::items;

/// The longest name of a function.
const NAME_CHARS_MAX: usize = 64;

/// The keys of Google's `Schema`; a JSON Schema has more, and none of those is taken.
const SCHEMA_KEYS: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

/// The kinds of data that may stand in a request.
const DATA_KINDS: &[&str] = &[
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "audio/",
    "video/",
    "text/",
    "application/pdf",
];

/// The models that take data inside of a function's response.
const MULTIMODAL_RESPONSES: &str = "/models/gemini-3";

const CALL_TURN: &str = "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
const RESPONSE_TURN: &str =
    "Please ensure that function response turn comes immediately after a function call turn.";
const RESPONSE_COUNT: &str = "Please ensure that the number of function response parts is equal to the number of \
     function call parts of the function call turn.";

pub(super) fn check(incoming: &Incoming, body: &Value) -> Checked {
    if !incoming.target.split('?').nth(1).is_some_and(|query| query.split('&').any(|pair| pair == "alt=sse"))
    {
        return Err(refuse("this fake serves streams only: the query must have alt=sse"));
    }
    for (index, tool) in items(&body["tools"]).iter().enumerate() {
        for (place, function) in items(&tool["functionDeclarations"]).iter().enumerate() {
            check_function(function, &format!("tools[{index}].function_declarations[{place}]"))?;
        }
    }
    if let Some(parts) = body["systemInstruction"]["parts"].as_array() {
        check_parts(parts, "system_instruction")?;
    }
    let contents = items(&body["contents"]);
    if contents.is_empty() {
        return Err(refuse("* GenerateContentRequest.contents: contents is not specified\n"));
    }
    for (index, content) in contents.iter().enumerate() {
        if content["role"] != "user" && content["role"] != "model" {
            return Err(refuse("Please use a valid role: user, model."));
        }
        let parts = items(&content["parts"]);
        check_parts(parts, &format!("contents[{index}]"))?;
        parts.iter().try_for_each(|part| check_response(part, incoming))?;
    }
    turns(contents)
}

fn refuse(message: &str) -> Failure {
    Failure::refusal(Dialect::Gemini, message)
}

fn check_function(function: &Value, at: &str) -> Checked {
    let name = function["name"].as_str().unwrap_or_default();
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    if !begins || name.len() > NAME_CHARS_MAX || !name.bytes().all(known) {
        return Err(refuse(&format!(
            "* GenerateContentRequest.{at}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an \
             underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a \
             maximum length of {NAME_CHARS_MAX}.\n"
        )));
    }
    if !function["parametersJsonSchema"].is_null() {
        return Ok(());
    }
    let parameters = &function["parameters"];
    if parameters.is_object() {
        let kind = parameters["type"].as_str().unwrap_or_default();
        if !kind.eq_ignore_ascii_case("object") {
            let words = "schema should be non-empty for OBJECT type";
            return Err(refuse(&format!("* GenerateContentRequest.{at}.parameters.type: {words}\n")));
        }
        check_schema(parameters, &format!("{at}.parameters"))?;
    }
    Ok(())
}

fn check_schema(schema: &Value, at: &str) -> Checked {
    let Some(fields) = schema.as_object() else { return Ok(()) };
    if let Some(key) = fields.keys().find(|key| !SCHEMA_KEYS.contains(&key.as_str())) {
        return Err(refuse(&format!(
            "Invalid JSON payload received. Unknown name \"{key}\" at '{at}': Cannot find field."
        )));
    }
    if !fields.get("type").is_none_or(Value::is_string) {
        return Err(refuse(&format!(
            "Invalid JSON payload received. Unknown name \"type\" at '{at}': Proto field is not repeating, cannot start list."
        )));
    }
    check_schema(&schema["items"], &format!("{at}.items"))?;
    for (index, choice) in items(&schema["anyOf"]).iter().enumerate() {
        check_schema(choice, &format!("{at}.any_of[{index}]"))?;
    }
    for (index, (_, property)) in schema["properties"].as_object().into_iter().flatten().enumerate() {
        check_schema(property, &format!("{at}.properties[{index}].value"))?;
    }
    Ok(())
}

fn check_parts(parts: &[Value], at: &str) -> Checked {
    if parts.is_empty() {
        return Err(refuse(&format!(
            "* GenerateContentRequest.{at}.parts: contents.parts must not be empty.\n"
        )));
    }
    for (place, part) in parts.iter().enumerate() {
        let data = ["functionCall", "functionResponse", "inlineData", "fileData"];
        let full = data.iter().any(|key| part[*key].is_object())
            || part["text"].as_str().is_some_and(|text| !is_blank(text));
        if !full {
            return Err(refuse(&format!(
                "* GenerateContentRequest.{at}.parts[{place}].data: required oneof field 'data' must have one initialized \
                 field\n"
            )));
        }
        check_data(&part["inlineData"])?;
    }
    Ok(())
}

fn check_data(data: &Value) -> Checked {
    if data.is_null() {
        return Ok(());
    }
    let kind = data["mimeType"].as_str().unwrap_or_default();
    if !DATA_KINDS.iter().any(|known| kind.starts_with(known)) {
        return Err(refuse(&format!("Unsupported MIME type: {kind}")));
    }
    match data["data"].as_str() {
        Some(data) if is_base64(data) => Ok(()),
        _ => Err(refuse(
            "Invalid value at 'contents.parts.inline_data.data' (TYPE_BYTES), Base64 decoding failed",
        )),
    }
}

/// The data inside of a function's response.
fn check_response(part: &Value, incoming: &Incoming) -> Checked {
    let parts = items(&part["functionResponse"]["parts"]);
    if !parts.is_empty() && !incoming.target.contains(MULTIMODAL_RESPONSES) {
        return Err(refuse("this fake takes multimodal function responses for Gemini 3 alone"));
    }
    if parts.iter().any(|part| !part["inlineData"].is_object()) {
        return Err(refuse(
            "Invalid JSON payload received. Unknown name at 'function_response.parts': Cannot find field.",
        ));
    }
    parts.iter().try_for_each(|part| check_data(&part["inlineData"]))
}

fn turns(contents: &[Value]) -> Checked {
    if contents[0]["role"] != "user" {
        let calls = !names(&contents[0], "functionCall").is_empty();
        return Err(refuse(if calls {
            CALL_TURN
        } else {
            "Please ensure that multiturn requests start with a user role."
        }));
    }
    if contents.windows(2).any(|pair| pair[0]["role"] == pair[1]["role"]) {
        return Err(refuse("Please ensure that multiturn requests alternate between user and model."));
    }
    if contents[contents.len() - 1]["role"] != "user" {
        return Err(refuse(
            "Please ensure that multiturn requests end with a user role or a function response.",
        ));
    }
    let mut called: Vec<&str> = Vec::new();
    for content in contents {
        let mut answered = names(content, "functionResponse");
        if called.is_empty() && !answered.is_empty() {
            return Err(refuse(RESPONSE_TURN));
        }
        if called.len() != answered.len() {
            return Err(refuse(RESPONSE_COUNT));
        }
        called.sort_unstable();
        answered.sort_unstable();
        if called != answered {
            return Err(refuse(
                "Please ensure that the names of the function response parts match the function calls.",
            ));
        }
        called = names(content, "functionCall");
        if content["role"] == "user" && !called.is_empty() {
            return Err(refuse(CALL_TURN));
        }
    }
    Ok(())
}

/// The names of the calls, or of the responses, of one content.
fn names<'c>(content: &'c Value, key: &str) -> Vec<&'c str> {
    let parts = items(&content["parts"]).iter().map(|part| &part[key]).filter(|value| value.is_object());
    parts.map(|value| value["name"].as_str().unwrap_or_default()).collect()
}
