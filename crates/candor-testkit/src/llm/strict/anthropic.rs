//! What the Messages API refuses, in Anthropic's words.

use serde_json::Value;

use super::pictures::{KINDS, is_base64};
use super::{Checked, is_blank, is_name, twice};
use crate::llm::Dialect;
use crate::llm::failure::Failure;
use crate::llm::http::Incoming;
use crate::llm::seen::items;

/// The longest name of a tool.
const NAME_CHARS_MAX: usize = 128;

/// The longest picture, in base64.
const IMAGE_BYTES_MAX: usize = 5 << 20;

/// How many places of a request may be marked for the cache.
const CACHE_MARKS_MAX: usize = 4;

pub(super) fn check(incoming: &Incoming, body: &Value) -> Checked {
    if incoming.header("anthropic-version").is_none() {
        return Err(refuse("anthropic-version: header is required"));
    }
    for field in ["model", "max_tokens", "messages"] {
        if body[field].is_null() {
            return Err(refuse(&format!("{field}: Field required")));
        }
    }
    if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
        return Err(refuse("max_tokens: Input should be greater than or equal to 1"));
    }
    tools(items(&body["tools"]))?;
    system(&body["system"])?;
    let marks = cache_marks(body);
    if marks > CACHE_MARKS_MAX {
        let words = format!(
            "A maximum of {CACHE_MARKS_MAX} blocks with cache_control may be provided. Found {marks}."
        );
        return Err(refuse(&words));
    }
    let messages = items(&body["messages"]);
    if messages.is_empty() {
        return Err(refuse("messages: at least one message is required"));
    }
    for (index, message) in messages.iter().enumerate() {
        check_message(message, index, index + 1 == messages.len())?;
    }
    if messages[0]["role"] != "user" {
        return Err(refuse("messages: first message must use the \"user\" role"));
    }
    pairs(messages)?;
    last_words(&messages[messages.len() - 1])
}

fn refuse(message: &str) -> Failure {
    Failure::refusal(Dialect::Anthropic, message)
}

fn tools(tools: &[Value]) -> Checked {
    for (index, tool) in tools.iter().enumerate() {
        let at = format!("tools.{index}.custom");
        if !tool["name"].as_str().is_some_and(|name| is_name(name, NAME_CHARS_MAX)) {
            let words =
                format!("{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,{NAME_CHARS_MAX}}}$'");
            return Err(refuse(&words));
        }
        if !tool["input_schema"].is_object() {
            return Err(refuse(&format!("{at}.input_schema: Field required")));
        }
        match tool["input_schema"]["type"].as_str() {
            Some("object") => {}
            None => return Err(refuse(&format!("{at}.input_schema.type: Field required"))),
            Some(_) => return Err(refuse(&format!("{at}.input_schema.type: Input should be 'object'"))),
        }
    }
    match twice(tools.iter().filter_map(|tool| tool["name"].as_str())) {
        Some(_) => Err(refuse("tools: Tool names must be unique.")),
        None => Ok(()),
    }
}

fn system(system: &Value) -> Checked {
    for block in items(system) {
        if block["text"].as_str().is_none_or(is_blank) {
            return Err(refuse("system: text content blocks must be non-empty"));
        }
    }
    Ok(())
}

fn cache_marks(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(cache_marks).sum(),
        Value::Object(fields) => {
            let own = usize::from(fields.get("cache_control").is_some_and(Value::is_object));
            // A schema or the arguments of a call may have a field of that name, and it means nothing there.
            let inner = fields.iter().filter(|(key, _)| *key != "input_schema" && *key != "input");
            own + inner.map(|(_, value)| cache_marks(value)).sum::<usize>()
        }
        _ => 0,
    }
}

fn check_message(message: &Value, index: usize, is_last: bool) -> Checked {
    let role = message["role"].as_str().unwrap_or_default();
    if role != "user" && role != "assistant" {
        let words = format!(
            "messages: Unexpected role \"{role}\". The Messages API accepts a top-level `system` parameter, not \
             \"system\" as an input message role."
        );
        return Err(refuse(&words));
    }
    let empty = match &message["content"] {
        Value::String(text) => text.is_empty(),
        other => items(other).is_empty(),
    };
    if empty && !(is_last && role == "assistant") {
        let words = format!(
            "messages.{index}: all messages must have non-empty content except for the optional final assistant message"
        );
        return Err(refuse(&words));
    }
    if let (Some(text), false) = (message["content"].as_str(), empty) {
        check_text(text)?;
    }
    let blocks = items(&message["content"]);
    for (place, block) in blocks.iter().enumerate() {
        check_block(block, role, &format!("messages.{index}.content.{place}"))?;
    }
    thoughts_first(blocks, index)
}

fn check_block(block: &Value, role: &str, at: &str) -> Checked {
    let kind = block["type"].as_str().unwrap_or_default();
    match (kind, role) {
        ("text", _) => check_text(block["text"].as_str().unwrap_or_default()),
        ("thinking", "assistant") => {
            if block["signature"].as_str().is_none_or(str::is_empty) {
                return Err(refuse(&format!("{at}.thinking.signature: Field required")));
            }
            no_cache_mark(block, &format!("{at}.thinking"))
        }
        ("redacted_thinking", "assistant") => no_cache_mark(block, &format!("{at}.redacted_thinking")),
        ("tool_use", "assistant") => check_use(block, &format!("{at}.tool_use")),
        ("tool_result", "user") => check_result(block, &format!("{at}.tool_result")),
        ("image", "user") => check_image(block, &format!("{at}.image")),
        ("document", "user") => Ok(()),
        _ => Err(refuse(&format!("{at}: `{kind}` blocks cannot be used in `{role}` messages"))),
    }
}

fn check_text(text: &str) -> Checked {
    match text {
        "" => Err(refuse("messages: text content blocks must be non-empty")),
        text if is_blank(text) => {
            Err(refuse("messages: text content blocks must contain non-whitespace text"))
        }
        _ => Ok(()),
    }
}

fn check_use(block: &Value, at: &str) -> Checked {
    if !block["id"].as_str().is_some_and(|id| is_name(id, usize::MAX)) {
        return Err(refuse(&format!("{at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")));
    }
    if !block["name"].as_str().is_some_and(|name| is_name(name, NAME_CHARS_MAX)) {
        return Err(refuse(&format!("{at}.name: String should have at least 1 character")));
    }
    if !block["input"].is_object() {
        return Err(refuse(&format!("{at}.input: Input should be a valid dictionary")));
    }
    Ok(())
}

fn check_result(block: &Value, at: &str) -> Checked {
    for (place, part) in items(&block["content"]).iter().enumerate() {
        match part["type"].as_str().unwrap_or_default() {
            "text" => check_text(part["text"].as_str().unwrap_or_default())?,
            "image" => check_image(part, &format!("{at}.content.{place}.image"))?,
            "document" | "search_result" => {}
            kind => {
                let words =
                    format!("{at}.content.{place}: Input tag '{kind}' found using 'type' does not match");
                return Err(refuse(&words));
            }
        }
    }
    Ok(())
}

fn check_image(block: &Value, at: &str) -> Checked {
    let source = &block["source"];
    if source["type"] != "base64" {
        return Err(refuse(&format!("{at}.source: this fake takes base64 alone")));
    }
    let at = format!("{at}.source.base64");
    if !source["media_type"].as_str().is_some_and(|kind| KINDS.contains(&kind)) {
        let words = "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'";
        return Err(refuse(&format!("{at}.media_type: {words}")));
    }
    match source["data"].as_str() {
        Some(data) if data.len() > IMAGE_BYTES_MAX => Err(refuse(&format!(
            "{at}: image exceeds 5 MB maximum: {} bytes > {IMAGE_BYTES_MAX} bytes",
            data.len()
        ))),
        Some(data) if is_base64(data) => Ok(()),
        _ => Err(refuse(&format!("{at}: invalid base64 data"))),
    }
}

fn no_cache_mark(block: &Value, at: &str) -> Checked {
    if block["cache_control"].is_null() {
        return Ok(());
    }
    Err(refuse(&format!("{at}.cache_control: Extra inputs are not permitted")))
}

fn thoughts_first(blocks: &[Value], index: usize) -> Checked {
    let is_thought = |block: &Value| block["type"] == "thinking" || block["type"] == "redacted_thinking";
    let ahead = blocks.iter().take_while(|block| is_thought(block)).count();
    let late = blocks.iter().skip(ahead).any(is_thought);
    if !late {
        return Ok(());
    }
    let found = blocks[ahead]["type"].as_str().unwrap_or_default();
    Err(refuse(&format!(
        "messages.{index}.content.{ahead}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`."
    )))
}

/// Every `tool_use` has its one result at the front of the next message, and every result its `tool_use`.
fn pairs(messages: &[Value]) -> Checked {
    let mut known: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let uses = ids(message, "tool_use", "id");
        for (place, id) in &uses {
            if known.contains(id) {
                return Err(refuse(&format!(
                    "messages.{index}.content.{place}: `tool_use` ids must be unique"
                )));
            }
            known.push(id);
        }
        let next = messages.get(index + 1).unwrap_or(&Value::Null);
        let in_front = items(&next["content"]).iter().take_while(|block| block["type"] == "tool_result");
        let answered: Vec<&str> = in_front.filter_map(|block| block["tool_use_id"].as_str()).collect();
        let open: Vec<&str> = uses.iter().map(|(_, id)| *id).filter(|id| !answered.contains(id)).collect();
        if !open.is_empty() {
            return Err(refuse(&format!(
                "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
                 `tool_use` block must have a corresponding `tool_result` block in the next message.",
                open.join(", ")
            )));
        }
        let before =
            index.checked_sub(1).map(|before| ids(&messages[before], "tool_use", "id")).unwrap_or_default();
        results(message, index, &before)?;
    }
    Ok(())
}

fn results(message: &Value, index: usize, uses: &[(usize, &str)]) -> Checked {
    let results = ids(message, "tool_result", "tool_use_id");
    for (place, id) in &results {
        if !uses.iter().any(|(_, used)| used == id) {
            return Err(refuse(&format!(
                "messages.{index}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )));
        }
    }
    if let Some((place, id)) = twice(results.iter().map(|(_, id)| *id)) {
        let place = results[place].0;
        return Err(refuse(&format!(
            "messages.{index}.content.{place}: each tool_use must have a single result. Found multiple `tool_result` \
             blocks with id: {id}"
        )));
    }
    Ok(())
}

/// The places of the blocks of a kind, and their ids.
fn ids<'m>(message: &'m Value, kind: &str, key: &str) -> Vec<(usize, &'m str)> {
    let blocks = items(&message["content"]).iter().enumerate().filter(|(_, block)| block["type"] == kind);
    blocks.map(|(place, block)| (place, block[key].as_str().unwrap_or_default())).collect()
}

fn last_words(message: &Value) -> Checked {
    let text = match &message["content"] {
        Value::String(text) => Some(text.as_str()),
        other => items(other).last().and_then(|block| block["text"].as_str()),
    };
    let trails = text.is_some_and(|text| text != text.trim_end());
    if message["role"] == "assistant" && trails {
        return Err(refuse("messages: final assistant content cannot end with trailing whitespace"));
    }
    Ok(())
}
