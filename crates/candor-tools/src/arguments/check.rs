//! Whether arguments are what a schema says: for tools of which nothing else is known.
//!
//! A checker of our own for the few words of JSON Schema that such tools use.

use serde_json::{Map, Value};

use super::kinds::{mismatch, whole};

/// What is wrong with the arguments, in one line. Nothing: they can be used.
pub(crate) fn problem(schema: &Value, args: &Value) -> Option<String> {
    let Some(args) = args.as_object() else { return Some(super::NO_OBJECT.to_owned()) };
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = |name: &&str| given(args, name).is_none();
    let missing = required.filter(missing).map(|name| format!("`{name}` is missing"));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let wrong = properties.filter_map(|(name, property)| {
        given(args, name)
            .and_then(|value| misfit(property, value))
            .map(|problem| format!("`{name}` {problem}"))
    });
    let problems: Vec<String> = missing.chain(wrong).collect();
    (!problems.is_empty()).then(|| problems.join("; "))
}

fn given<'a>(args: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    args.get(name).filter(|value| !value.is_null())
}

fn misfit(property: &Value, value: &Value) -> Option<String> {
    let wanted = property["type"].as_str().unwrap_or_default();
    let fits = match wanted {
        "string" => value.is_string(),
        "integer" => whole(value).is_some(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if !fits {
        return Some(mismatch(value, wanted));
    }
    let least = property["minimum"].as_i64()?;
    let number = whole(value)?;
    (number < i128::from(least)).then(|| format!("is {number}, less than {least}"))
}
