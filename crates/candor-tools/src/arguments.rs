//! Whether arguments are what a tool takes.
//!
//! A checker of our own for the few words of JSON Schema that our tools use. An argument that nobody knows is left
//! alone, and `null` is taken for an argument that is not there: models write both, and neither does harm.

use serde_json::{Map, Value};

/// What of the text of a malformed call is repeated.
const WRITTEN_CHARS_MAX: usize = 200;

/// What is wrong with the arguments, in one line. Nothing: they can be used.
pub(crate) fn problem(schema: &Value, args: &Value) -> Option<String> {
    let Some(args) = args.as_object() else { return Some("the arguments are not a JSON object".to_owned()) };
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = |name: &&str| given(args, name).is_none();
    let missing = required.filter(missing).map(|name| format!("`{name}` is missing"));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let wrong = properties.filter_map(|(name, property)| {
        given(args, name)
            .and_then(|value| mismatch(property, value))
            .map(|problem| format!("`{name}` {problem}"))
    });
    let problems: Vec<String> = missing.chain(wrong).collect();
    (!problems.is_empty()).then(|| problems.join("; "))
}

/// Why a call that could not be read was not run.
pub(crate) fn malformed(written: &str) -> String {
    let start: String = written.chars().take(WRITTEN_CHARS_MAX).collect();
    let more = if start.len() < written.len() { " …" } else { "" };
    format!("what was written is not one JSON object: {start}{more}")
}

/// A text argument.
pub(crate) fn text<'a>(args: &'a Value, name: &str) -> Option<&'a str> {
    args.get(name).and_then(Value::as_str)
}

/// A whole number that is not negative.
pub(crate) fn number(args: &Value, name: &str) -> Option<u64> {
    args.get(name).and_then(whole).and_then(|number| u64::try_from(number).ok())
}

fn given<'a>(args: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    args.get(name).filter(|value| !value.is_null())
}

fn mismatch(property: &Value, value: &Value) -> Option<String> {
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
        return Some(format!("is {}, not {wanted}", kind(value)));
    }
    let least = property["minimum"].as_i64()?;
    let number = whole(value)?;
    (number < i128::from(least)).then(|| format!("is {number}, less than {least}"))
}

/// Also `5.0`: to JSON it is the same number as `5`.
fn whole(value: &Value) -> Option<i128> {
    let integer = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    integer.or_else(|| {
        let text = value.as_number()?.to_string();
        let (integer, fraction) = text.split_once('.')?;
        fraction.chars().all(|digit| digit == '0').then(|| integer.parse().ok()).flatten()
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
