//! One line, understood.

use candor_protocol::Level;
use jiff::Timestamp;
use serde_json::{Map, Value};

/// A line of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When.
    pub ts: Timestamp,
    /// How much it matters.
    pub level: Level,
    /// Which part of the program says it.
    pub module: String,
    /// What happened.
    pub event: String,
    /// The event's own fields, in the order they were written.
    pub fields: Map<String, Value>,
}

impl Entry {
    /// The entry a line holds, if it holds one.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let ts = fields.shift_remove("ts")?.as_str()?.parse().ok()?;
        let level = fields.shift_remove("level")?.as_str()?.parse().ok()?;
        let module = text(fields.shift_remove("module")?)?;
        let event = text(fields.shift_remove("event")?)?;
        Some(Self { ts, level, module, event, fields })
    }

    /// The session it belongs to, if it belongs to one.
    pub fn session(&self) -> Option<&str> {
        self.fields.get("sessionId")?.as_str()
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
