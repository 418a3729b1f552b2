//! What a server offers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema;

/// The most tools of one server. No model could use more, and a server that goes on listing must come to an end.
pub(crate) const TOOLS_MAX: usize = 1000;
/// The most of a tool's description that is kept.
const DESCRIPTION_CHARS_MAX: usize = 4096;

/// What a server offers, as it was when it was last asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Offer {
    /// What it calls itself, and its version.
    pub server: String,
    /// The version of the protocol that both speak.
    pub protocol: String,
    /// What it says about its use. It is no more to be trusted than the rest.
    pub instructions: Option<String>,
    /// Its tools.
    pub tools: Vec<OfferedTool>,
    /// Its prompts.
    pub prompts: Vec<OfferedPrompt>,
    /// Whether it has resources.
    pub has_resources: bool,
    /// What it offered that cannot be used, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedTool {
    /// What the server calls it.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema of its arguments, as text: most schemas of most runs are never looked at.
    #[serde(with = "as_json")]
    pub schema: String,
    /// Whether the server says that it changes nothing. For people; nothing is decided by it.
    #[serde(default)]
    pub claims_read_only: bool,
}

/// A prompt of a server, for people to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedPrompt {
    /// What it is called.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// What it takes.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
}

/// What a prompt takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    /// What it is called.
    pub name: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// Whether it must be given.
    #[serde(default)]
    pub required: bool,
}

/// Something that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// What it is called, if it has a name.
    pub name: String,
    /// Why it cannot be used.
    pub reason: String,
}

impl Offer {
    /// Takes a tool as it came, if it can be used.
    pub(crate) fn take_tool(&mut self, raw: &Value) {
        let name = raw["name"].as_str().unwrap_or_default();
        let left_out = |reason: &str| LeftOut { name: name.to_owned(), reason: reason.to_owned() };
        if name.is_empty() {
            return self.left_out.push(left_out("it has no name"));
        }
        if self.tools.len() >= TOOLS_MAX {
            return self.left_out.push(left_out("there are too many tools"));
        }
        if self.tools.iter().any(|other| other.name == name) {
            return self.left_out.push(left_out("another tool has the same name"));
        }
        match schema::told(raw.get("inputSchema")) {
            Ok(schema) => self.tools.push(OfferedTool {
                name: name.to_owned(),
                description: described(raw),
                schema: schema.to_string(),
                claims_read_only: raw["annotations"]["readOnlyHint"] == true,
            }),
            Err(reason) => self.left_out.push(left_out(&reason)),
        }
    }

    /// Takes a prompt as it came, if it can be used.
    pub(crate) fn take_prompt(&mut self, raw: &Value) {
        let Some(name) = raw["name"].as_str().filter(|name| !name.is_empty()) else { return };
        let argument = |raw: &Value| {
            Some(PromptArgument {
                name: raw["name"].as_str()?.to_owned(),
                description: described(raw),
                required: raw["required"] == true,
            })
        };
        let arguments = raw["arguments"].as_array().into_iter().flatten().filter_map(argument).collect();
        self.prompts.push(OfferedPrompt { name: name.to_owned(), description: described(raw), arguments });
    }
}

fn described(raw: &Value) -> String {
    let description = raw["description"].as_str().or_else(|| raw["title"].as_str()).unwrap_or_default();
    description.chars().take(DESCRIPTION_CHARS_MAX).collect()
}

/// Writes a text that is JSON as what it is, and reads it back as text: inside a text every quote would have to be undone.
mod as_json {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
    use serde_json::value::RawValue;

    pub(super) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(text.to_owned()).map_err(ser::Error::custom)?.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Ok(Box::<str>::from(Box::<RawValue>::deserialize(deserializer)?).into())
    }
}
