//! The arguments of a call, as models really write them.

use serde_json::{Map, Value};

/// Reads arguments, repairing only what has one meaning: nothing at all, `null`, and an object written as a string.
/// Everything else goes back to the model as it stands; guessing what it meant would run a tool on a guess.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => Ok(Value::Object(Map::new())),
        Ok(Value::String(inner)) if inner.trim().is_empty() => Ok(Value::Object(Map::new())),
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => Ok(object),
            _ => Err("arguments are a text, not an object".to_owned()),
        },
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err("arguments are no object".to_owned()),
        Err(error) => Err(format!("arguments are not valid JSON: {error}")),
    }
}
