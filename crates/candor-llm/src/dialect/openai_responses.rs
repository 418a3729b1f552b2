//! `/responses`, `OpenAI`'s own dialect: what is said is a list of items rather than of messages.

mod decode;
mod encode;
mod frame;

use serde_json::Value;

use crate::Request;
use crate::wire::{Decode, Wire};

/// The name in configurations and in opaque data.
const NAME: &str = "openai-responses";

/// Models that do not think and refuse to be asked for encrypted thoughts, by how their name begins.
const THOUGHTLESS: [&str; 3] = ["gpt-3", "gpt-4", "chatgpt-4"];

/// The dialect.
pub(super) struct OpenaiResponses;

impl Wire for OpenaiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn path(&self, _: &Request) -> String {
        "/responses".to_owned()
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

/// Whether the model has thoughts that it wants back.
fn thinks(model: &str) -> bool {
    let model = crate::model_name::bare(model);
    !THOUGHTLESS.iter().any(|prefix| model.starts_with(prefix))
}
