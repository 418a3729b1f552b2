//! What single arguments can be.

use serde_json::{Map, Value, json};

use super::Argument;

/// A whole number that is not less than this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtLeast<const LEAST: u64>(pub u64);

impl<'a> Argument<'a> for &'a str {
    fn schema() -> Value {
        json!({ "type": "string" })
    }

    fn read(value: &'a Value) -> Result<Self, String> {
        value.as_str().ok_or_else(|| mismatch(value, "string"))
    }
}

impl Argument<'_> for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }

    fn read(value: &Value) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| mismatch(value, "boolean"))
    }
}

impl Argument<'_> for u64 {
    fn schema() -> Value {
        AtLeast::<0>::schema()
    }

    fn read(value: &Value) -> Result<Self, String> {
        AtLeast::<0>::read(value).map(|number| number.0)
    }
}

impl<const LEAST: u64> Argument<'_> for AtLeast<LEAST> {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": LEAST })
    }

    fn read(value: &Value) -> Result<Self, String> {
        let number = whole(value).ok_or_else(|| mismatch(value, "integer"))?;
        if number < i128::from(LEAST) {
            return Err(format!("is {number}, less than {LEAST}"));
        }
        // More than anybody can mean: every tool has a bound of its own far below.
        Ok(Self(u64::try_from(number).unwrap_or(u64::MAX)))
    }
}

/// Names with values of any kind.
impl<'a> Argument<'a> for &'a Map<String, Value> {
    fn schema() -> Value {
        json!({ "type": "object" })
    }

    fn read(value: &'a Value) -> Result<Self, String> {
        value.as_object().ok_or_else(|| mismatch(value, "object"))
    }
}

impl<'a, T: Argument<'a>> Argument<'a> for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }

    fn read(value: &'a Value) -> Result<Self, String> {
        let items = value.as_array().ok_or_else(|| mismatch(value, "array"))?;
        let read = |(index, item)| T::read(item).map_err(|problem| format!("at {}: {problem}", index + 1));
        items.iter().enumerate().map(read).collect()
    }
}

/// What need not be given.
impl<'a, T: Argument<'a>> Argument<'a> for Option<T> {
    fn schema() -> Value {
        T::schema()
    }

    fn read(value: &'a Value) -> Result<Self, String> {
        T::read(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// What the schema says of a word out of these.
pub fn one_of(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// What is wrong with something that is none of these words.
pub fn none_of(value: &Value, words: &[&str]) -> String {
    let words = words.join(", ");
    match value.as_str() {
        Some(text) => format!("is {text}, none of {words}"),
        None => mismatch(value, &format!("one of {words}")),
    }
}

/// A whole number. Also `5.0`: to JSON it is the same number as `5`.
pub(super) fn whole(value: &Value) -> Option<i128> {
    let integer = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it stops at the ends, which are far beyond every bound"
    )]
    integer.or_else(|| value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i128))
}

pub(super) fn mismatch(value: &Value, wanted: &str) -> String {
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("is {is}, not {wanted}")
}
