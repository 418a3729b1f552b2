//! What Ollama refuses, and two things that it should.

use serde_json::Value;

use super::pictures::is_base64;
use super::{Checked, is_blank, is_name};
use crate::llm::Dialect;
use crate::llm::failure::Failure;
use crate::llm::seen::items;

/// As long as OpenAI's, whose form of a tool this is.
const NAME_CHARS_MAX: usize = 64;

pub(super) fn check(body: &Value) -> Checked {
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Err(refuse("model is required"));
    }
    if !body["messages"].is_array() || items(&body["messages"]).is_empty() {
        return Err(refuse("messages is required: without them the model is only loaded"));
    }
    if body["options"]["num_ctx"].as_u64().is_none_or(|tokens| tokens == 0) {
        return Err(refuse(
            "options.num_ctx is missing: the server's own default cuts the prompt without a word",
        ));
    }
    for (index, tool) in items(&body["tools"]).iter().enumerate() {
        let function = &tool["function"];
        let named = function["name"].as_str().is_some_and(|name| is_name(name, NAME_CHARS_MAX));
        if !named || function["parameters"]["type"] != "object" {
            return Err(refuse(&format!(
                "tools[{index}]: a function needs a name and parameters of type object"
            )));
        }
    }
    let mut open = 0;
    for (index, message) in items(&body["messages"]).iter().enumerate() {
        check_message(message, index)?;
        let calls = items(&message["tool_calls"]).len();
        match message["role"].as_str() {
            Some("tool") if open == 0 => {
                return Err(refuse(&format!("messages[{index}]: a tool message without a call before it")));
            }
            Some("tool") => open -= 1,
            _ if open > 0 => {
                return Err(refuse(&format!(
                    "messages[{index}]: {open} calls before it have no tool message"
                )));
            }
            _ => open = calls,
        }
    }
    match open {
        0 => Ok(()),
        _ => Err(refuse(&format!("messages: the last {open} calls have no tool message"))),
    }
}

fn refuse(message: &str) -> Failure {
    Failure::refusal(Dialect::Ollama, message)
}

fn check_message(message: &Value, index: usize) -> Checked {
    let role = message["role"].as_str().unwrap_or_default();
    if !["system", "user", "assistant", "tool"].contains(&role) {
        return Err(refuse(&format!("invalid role: {role}, must be one of [system user assistant tool]")));
    }
    if !(message["content"].is_string() || message["content"].is_null()) {
        return Err(refuse(
            "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        ));
    }
    let says_nothing = message["content"].as_str().is_none_or(is_blank);
    let carries = !items(&message["tool_calls"]).is_empty() || !items(&message["images"]).is_empty();
    if says_nothing && role != "tool" && !carries {
        return Err(refuse(&format!("messages[{index}]: the content is blank")));
    }
    let images = items(&message["images"]);
    if role == "tool" && !images.is_empty() {
        return Err(refuse(&format!("messages[{index}]: pictures of a tool message are not looked at")));
    }
    if !images.iter().all(|image| image.as_str().is_some_and(is_base64)) {
        return Err(refuse("illegal base64 data at input byte 0"));
    }
    for call in items(&message["tool_calls"]) {
        if !call["function"]["arguments"].is_object() {
            return Err(refuse(
                "json: cannot unmarshal string into Go struct field \
                 ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
            ));
        }
    }
    Ok(())
}
