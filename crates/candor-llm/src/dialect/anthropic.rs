//! Anthropic's Messages API.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::Request;
use crate::wire::{Decode, Wire};

/// The version of the API that this file speaks.
const VERSION: &str = "2023-06-01";
/// How a token of a subscription begins; it is no key and goes another way.
const OAUTH_PREFIX: &str = "sk-ant-oat";
/// What lets such a token in.
const OAUTH_BETA: &str = "oauth-2025-04-20";

/// The dialect's name, also in opaque data.
pub(crate) const NAME: &str = "anthropic";

/// Anthropic's Messages API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anthropic;

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn base<'a>(&self, base_url: &'a str) -> &'a str {
        let base = base_url.trim_end_matches('/');
        base.strip_suffix("/v1").unwrap_or(base).trim_end_matches('/')
    }

    fn path(&self, _: &Request) -> String {
        "/v1/messages".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", VERSION.to_owned())];
        match key {
            Some(token) if token.starts_with(OAUTH_PREFIX) => {
                headers.push(("authorization", format!("Bearer {token}")));
                headers.push(("anthropic-beta", OAUTH_BETA.to_owned()));
            }
            Some(key) => headers.push(("x-api-key", key.to_owned())),
            None => {}
        }
        headers
    }

    fn body(&self, request: &Request) -> Value {
        encode::body(request)
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(decode::Decoder::default())
    }

    fn models_path(&self) -> &'static str {
        // A page holds twenty unless told; a thousand is the most that may be asked for.
        "/v1/models?limit=1000"
    }

    fn models(&self, body: &Value) -> Vec<String> {
        let ids = body["data"].as_array().into_iter().flatten();
        ids.filter_map(|model| model["id"].as_str().map(str::to_owned)).collect()
    }
}
