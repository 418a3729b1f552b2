//! Masks known secrets in what a model wrote, before anyone reads it.

use candor_protocol::Part;
use serde_json::Value;

use crate::Mask;

/// Masks known values in an answer. A thought that its provider has signed stays as it is: a changed one would be refused,
/// and the model was given no secret that it could repeat.
pub(crate) fn conceal(parts: &mut [Part], mask: &dyn Mask) {
    for part in parts {
        match part {
            Part::Text { text } => *text = mask.conceal(text),
            Part::Reasoning(reasoning) if reasoning.opaque.is_none() => {
                reasoning.text = mask.conceal(&reasoning.text);
            }
            Part::ToolCall(call) => {
                conceal_value(&mut call.args, mask);
                call.malformed = call.malformed.take().map(|written| mask.conceal(&written));
            }
            _ => {}
        }
    }
}

fn conceal_value(value: &mut Value, mask: &dyn Mask) {
    match value {
        Value::String(text) => *text = mask.conceal(text),
        Value::Array(items) => items.iter_mut().for_each(|item| conceal_value(item, mask)),
        Value::Object(fields) => fields.values_mut().for_each(|field| conceal_value(field, mask)),
        _ => {}
    }
}
