//! A recorded request, and what it says whatever the dialect.

use std::time::Instant;

use serde_json::Value;

use super::Dialect;
use super::http;

/// A model request as the fake has seen it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Always `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null where it was not JSON.
    pub body: Value,
    /// How long the body was.
    pub body_bytes: usize,
    /// The number of the connection it came on, from 1.
    pub connection: usize,
    /// When its last byte was there.
    pub at: Instant,
    /// Why it was refused: what the provider would not have taken, or that no reply was left.
    pub refused: Option<String>,
    pub(super) dialect: Dialect,
}

impl Seen {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        http::header(&self.headers, name)
    }

    /// The system text; none where there is none.
    pub fn system(&self) -> Option<String> {
        let mut found = match self.dialect {
            Dialect::OpenaiChat | Dialect::Ollama => Vec::new(),
            Dialect::OpenaiResponses => texts(&self.body["instructions"]),
            Dialect::Anthropic => texts(&self.body["system"]),
            Dialect::Gemini => texts(&self.body["systemInstruction"]["parts"]),
        };
        for role in ["system", "developer"] {
            found.extend(self.of_role(role).flat_map(|message| texts(&message["content"])));
        }
        (!found.is_empty()).then(|| found.join("\n"))
    }

    /// What the user said: every text of every user message, in order.
    pub fn user_texts(&self) -> Vec<String> {
        self.of_role("user").flat_map(|message| texts(&message[self.content_key()])).collect()
    }

    /// The results of tools, in order.
    pub fn tool_results(&self) -> Vec<String> {
        let blocks = self.messages().iter().flat_map(|message| items(&message[self.content_key()]));
        match self.dialect {
            Dialect::OpenaiChat | Dialect::Ollama => {
                self.of_role("tool").map(|message| texts(&message["content"]).concat()).collect()
            }
            Dialect::OpenaiResponses => {
                let outputs = self.messages().iter().filter(|item| item["type"] == "function_call_output");
                outputs.map(|item| texts(&item["output"]).concat()).collect()
            }
            Dialect::Anthropic => {
                let results = blocks.filter(|block| block["type"] == "tool_result");
                results.map(|block| texts(&block["content"]).concat()).collect()
            }
            Dialect::Gemini => {
                let responses =
                    blocks.map(|part| &part["functionResponse"]).filter(|value| value.is_object());
                responses.map(|value| gemini_result(&value["response"])).collect()
            }
        }
    }

    /// The pictures that the model sees, in base64, in order.
    pub fn pictures(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.messages().iter().for_each(|message| pictures(message, &mut found));
        found
    }

    /// The names of the tools that the model may call.
    pub fn tool_names(&self) -> Vec<String> {
        let tools = items(&self.body["tools"]);
        let names = tools.iter().flat_map(|tool| match self.dialect {
            Dialect::OpenaiChat | Dialect::Ollama => vec![&tool["function"]["name"]],
            Dialect::OpenaiResponses | Dialect::Anthropic => vec![&tool["name"]],
            Dialect::Gemini => {
                items(&tool["functionDeclarations"]).iter().map(|function| &function["name"]).collect()
            }
        });
        names.filter_map(Value::as_str).map(str::to_string).collect()
    }

    fn of_role<'s>(&'s self, role: &'s str) -> impl Iterator<Item = &'s Value> {
        self.messages().iter().filter(move |message| message["role"] == role)
    }

    fn messages(&self) -> &[Value] {
        items(
            &self.body[match self.dialect {
                Dialect::OpenaiChat | Dialect::Anthropic | Dialect::Ollama => "messages",
                Dialect::OpenaiResponses => "input",
                Dialect::Gemini => "contents",
            }],
        )
    }

    fn content_key(&self) -> &'static str {
        if self.dialect == Dialect::Gemini { "parts" } else { "content" }
    }
}

/// The elements of an array; nothing for any other value.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Every picture in a value, in whichever of the five forms.
fn pictures(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|item| pictures(item, found)),
        Value::Object(fields) => {
            let urls =
                [&value["image_url"], &value["image_url"]["url"]].into_iter().filter_map(Value::as_str);
            found.extend(urls.filter_map(|url| url.split_once(";base64,")).map(|(_, data)| data.to_string()));
            if value["type"] == "image"
                || value["mimeType"].as_str().is_some_and(|kind| kind.starts_with("image/"))
            {
                let data = [&value["source"]["data"], &value["data"]].into_iter().filter_map(Value::as_str);
                found.extend(data.map(str::to_string));
            }
            found.extend(items(&value["images"]).iter().filter_map(Value::as_str).map(str::to_string));
            fields.values().for_each(|field| pictures(field, found));
        }
        _ => {}
    }
}

/// A content is a string, or a list of blocks of which some have a text.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        other => items(other).iter().filter_map(|block| block["text"].as_str()).map(str::to_string).collect(),
    }
}

/// The one text of a response object, or all of it as JSON.
fn gemini_result(response: &Value) -> String {
    let keys = ["result", "output", "error", "content"];
    let text = keys.iter().find_map(|key| response[*key].as_str());
    text.map_or_else(|| response.to_string(), str::to_string)
}
