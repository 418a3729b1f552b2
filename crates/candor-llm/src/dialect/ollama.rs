//! Ollama's own API. Its OpenAI-compatible one cannot be told how much context to make room for.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::Request;
use crate::wire::{Decode, Framing, Wire};

/// The dialect's name, also in opaque data.
pub(crate) const NAME: &str = "ollama";

/// Ollama's own API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ollama;

impl Wire for Ollama {
    fn name(&self) -> &'static str {
        NAME
    }

    fn base<'a>(&self, base_url: &'a str) -> &'a str {
        // Many know the address of the OpenAI-compatible API.
        let base = base_url.trim_end_matches('/');
        base.strip_suffix("/v1").unwrap_or(base).trim_end_matches('/')
    }

    fn path(&self, _: &Request) -> String {
        "/api/chat".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
    }

    fn body(&self, request: &Request) -> Value {
        encode::body(request)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(decode::Decoder::default())
    }

    fn models_path(&self) -> &'static str {
        "/api/tags"
    }

    fn models(&self, body: &Value) -> Vec<String> {
        let models = body["models"].as_array().into_iter().flatten();
        models.filter_map(|model| model["name"].as_str().map(str::to_owned)).collect()
    }
}
