//! Google's Gemini API.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde_json::Value;

use crate::Request;
use crate::wire::{Decode, Wire};

/// The dialect's name, also in opaque data.
pub(crate) const NAME: &str = "gemini";

/// What a model's name begins with in lists, and need not in requests.
const MODELS: &str = "models/";

/// Google's Gemini API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gemini;

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn path(&self, request: &Request) -> String {
        let model = request.model.strip_prefix(MODELS).unwrap_or(&request.model);
        format!("/models/{}:streamGenerateContent?alt=sse", percent_encoded(model))
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("x-goog-api-key", key.to_owned())).into_iter().collect()
    }

    fn body(&self, request: &Request) -> Value {
        encode::body(request)
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(decode::Decoder::default())
    }

    fn models_path(&self) -> &'static str {
        // A page holds fifty unless told; a thousand is the most that may be asked for.
        "/models?pageSize=1000"
    }

    fn models(&self, body: &Value) -> Vec<String> {
        let models = body["models"].as_array().into_iter().flatten();
        let names = models.filter_map(|model| model["name"].as_str());
        names.map(|name| name.strip_prefix(MODELS).unwrap_or(name).to_owned()).collect()
    }
}

/// A name as one step of a path, whatever it holds.
fn percent_encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
