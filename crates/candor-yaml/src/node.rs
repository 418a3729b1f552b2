//! The tree.

use serde_json::{Map, Number, Value as Json};

use crate::plain::Plain;

/// A line and a column, both from 1, the column in characters; and how many characters of the line are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// How many characters are meant.
    pub width: u32,
}

impl Place {
    /// One character.
    pub const fn at(line: u32, column: u32) -> Self {
        Self { line, column, width: 1 }
    }
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum Value {
    /// A scalar.
    Scalar {
        /// As it was written.
        text: String,
        /// Whether without quotes.
        is_plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A table, in the order in which it was written, without a key that is there twice.
    Table(Vec<Entry>),
}

/// A key, where it stands, and its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Whether nothing stands here: `key:`, `~` or `null`.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, is_plain: true } if Plain::of(text) == Plain::Null)
    }

    /// The text of a scalar, as it was written.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// What a person would call it.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            _ if self.is_null() => "nothing",
            Value::Scalar { .. } => "text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The same as JSON.
    pub fn json(&self) -> Json {
        match &self.value {
            Value::Scalar { text, is_plain: true } => plain_json(text),
            Value::Scalar { text, is_plain: false } => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::json).collect()),
            Value::Table(entries) => Json::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.node.json())).collect::<Map<_, _>>(),
            ),
        }
    }
}

fn plain_json(text: &str) -> Json {
    let number = match Plain::of(text) {
        Plain::Null => return Json::Null,
        Plain::Bool(flag) => return Json::Bool(flag),
        Plain::Text => None,
        Plain::Int(number) => Some(number.into()),
        // A whole number that is too large for the one kind may fit the other.
        Plain::Float(number) => {
            text.parse::<u64>().ok().map(Number::from).or_else(|| Number::from_f64(number))
        }
    };
    number.map_or_else(|| Json::String(text.to_owned()), Json::Number)
}
