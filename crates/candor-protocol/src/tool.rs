//! What a model is told about a tool.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name it is called by.
    pub name: String,
    /// What it does. Its first line stands in the system prompt.
    pub description: String,
    /// The JSON Schema of its arguments, an object. It is shared: every request names every tool.
    pub parameters: Arc<Value>,
}
