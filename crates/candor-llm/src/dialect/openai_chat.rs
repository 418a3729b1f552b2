//! `/chat/completions`, the dialect that nearly every server understands, each a little differently.

mod decode;
mod encode;
mod frame;

use serde_json::Value;

use crate::Request;
use crate::wire::{Decode, Wire};

/// The name in configurations and in opaque data.
const NAME: &str = "openai-chat";

/// Models that refuse `max_tokens` and want `max_completion_tokens`, by how their name begins.
const COMPLETION_TOKENS: [&str; 4] = ["gpt-5", "o1", "o3", "o4"];

/// The dialect.
pub(super) struct OpenaiChat;

impl Wire for OpenaiChat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn path(&self, _: &Request) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        super::bearer(key)
    }

    fn body(&self, request: &Request) -> Value {
        encode::body(request)
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(decode::Decoder::default())
    }

    fn models_path(&self) -> &'static str {
        "/models"
    }

    fn models(&self, body: &Value) -> Vec<String> {
        super::model_ids(body)
    }
}

/// Under which name the longest answer is sent.
fn max_tokens_field(model: &str) -> &'static str {
    let model = crate::model_name::bare(model);
    let wants = COMPLETION_TOKENS.iter().any(|prefix| model.starts_with(prefix));
    if wants { "max_completion_tokens" } else { "max_tokens" }
}
