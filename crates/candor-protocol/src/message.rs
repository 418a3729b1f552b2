//! What is said between a person, a model and its tools, in the form that no provider dictates.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ErrorCard, Moment, Usage};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The system prompt. It is put before a copy of the messages for each request and is never stored among them.
    System,
    /// A person, or whoever speaks for one.
    User,
    /// The model.
    Assistant,
    /// The results of the calls that the message before it asked for, in the order of the calls.
    Tool,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// Which model said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// When.
    pub at: Moment,
}

impl Message {
    /// A message of one text, said now.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, vec![Part::text(text)])
    }

    /// A message of these parts, said now.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self { role, parts, model: None, usage: None, at: Moment::now() }
    }

    /// The calls it asks for.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// Its text parts, joined.
    pub fn plain_text(&self) -> String {
        plain_text(&self.parts)
    }
}

/// The text parts, joined.
pub fn plain_text(parts: &[Part]) -> String {
    let text = |part: &Part| match part {
        Part::Text { text } => Some(text.clone()),
        _ => None,
    };
    parts.iter().filter_map(text).collect()
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
    /// A document.
    File {
        /// What it is called.
        name: String,
        /// Such as `application/pdf`.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
    /// What the model thought before it spoke.
    Reasoning(Reasoning),
    /// The model wants a tool to run.
    ToolCall(ToolCall),
    /// What came of a call.
    ToolResult(ToolResult),
}

impl Part {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// What the model thought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reasoning {
    /// The thought, as far as the provider shows it.
    pub text: String,
    /// What the provider wants back with it: a signature, an encrypted block, an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// Names the call; unique in its session.
    pub call_id: String,
    /// The tool.
    pub tool_name: String,
    /// What it is called with: always an object.
    pub args: Value,
    /// What the model wrote instead of arguments, when that could not be read. The arguments are empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
    /// What the provider wants back with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// What stands between the id of a call and the number of a step that the runtime takes by itself about it.
const RECOVERY_MARK: &str = ".r";

impl ToolCall {
    /// The id of a step that the runtime takes by itself about this call, counted from 1.
    pub fn recovery_id(&self, number: usize) -> String {
        format!("{}{RECOVERY_MARK}{number}", self.call_id)
    }

    /// Whether an id is that of such a step, and not of a call that a model asked for.
    pub fn is_recovery_id(call_id: &str) -> bool {
        let number = call_id.rsplit_once(RECOVERY_MARK).map_or("", |(_, number)| number);
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// Which call.
    pub call_id: String,
    /// The tool.
    pub tool_name: String,
    /// What the model reads.
    pub content: String,
    /// Whether it failed.
    pub is_error: bool,
    /// The card of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<ErrorCard>,
    /// What the model sees beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// A picture that came of a call.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    /// Its bytes in base64.
    pub data: String,
}

/// Whether a text is a picture in base64, of a kind that models take: PNG, JPEG, GIF or WebP. Only such a text is left as it
/// is where secrets are looked for.
pub fn is_picture(text: &str) -> bool {
    let starts = ["iVBORw0KGgo", "/9j/", "R0lGODdh", "R0lGODlh", "UklGR"];
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    starts.iter().any(|start| text.starts_with(start)) && text.trim_end_matches('=').bytes().all(known)
}

/// Megabytes of base64 tell nobody anything.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} bytes of base64)", self.media_type, self.data.len())
    }
}

/// Data of one provider that is carried for it unread, and only ever given back to the dialect that it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    /// The dialect.
    pub dialect: String,
    /// The data.
    pub data: Value,
}
