//! What can be written about one tool.

use std::collections::BTreeMap;
use std::time::Duration;

use candor_protocol::ToolSpec;
use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::filling::names_in;

/// The longest name that every provider takes.
const NAME_CHARS_MAX: usize = 64;
/// The most arguments, those of all groups together.
const ARGS_MAX: usize = 256;
/// The longest time that one call may be given.
const TIMEOUT_SECS_MAX: u64 = 24 * 60 * 60;
/// What the names of other kinds of tools begin with.
const FOREIGN: &str = "mcp__";

/// One tool of the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) description: String,
    /// For people who sort their tools; nothing here reads it.
    #[serde(default, rename = "category")]
    _category: Option<String>,
    pub(super) cmd: String,
    #[serde(default)]
    pub(super) args: Vec<Word>,
    /// Arguments that are there only when a value is given for the parameter that they are named by.
    #[serde(default)]
    pub(super) optional_args: BTreeMap<String, Vec<Word>>,
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Parameter>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, Word>,
    /// In seconds.
    #[serde(default)]
    timeout: Option<u64>,
    /// In bytes.
    #[serde(default)]
    pub(super) output_limit: Option<usize>,
}

/// A text. Numbers and truths are written without quotes, and mean what they look like.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Scalar")]
pub(super) struct Word(pub(super) String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Other(Value),
}

impl From<Scalar> for Word {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Text(text) => Self(text),
            Scalar::Other(Value::Null) => Self(String::new()),
            Scalar::Other(value) => Self(value.to_string()),
        }
    }
}

/// What a model may fill in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "enum")]
    choices: Option<Vec<Value>>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    optional: bool,
    #[serde(default, rename = "maxLength")]
    length_max: Option<usize>,
    #[serde(skip)]
    regex: Option<Regex>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    String,
    Number,
    Boolean,
}

impl Entry {
    /// Reads an entry, or says what is wrong with it.
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        let mut entry: Self = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        entry.check()?;
        for (name, parameter) in &mut entry.parameters {
            parameter.compile().map_err(|why| format!("parameters.{name}: {why}"))?;
        }
        Ok(entry)
    }

    /// The variables that its environment takes from ours.
    pub(super) fn asked_for(&self) -> impl Iterator<Item = &str> {
        self.env.values().filter_map(|value| variable(&value.0))
    }

    pub(super) fn timeout(&self) -> Option<Duration> {
        self.timeout.map(Duration::from_secs)
    }

    /// What the model is told.
    pub(super) fn spec(&self) -> ToolSpec {
        let properties: Map<String, Value> =
            self.parameters.iter().map(|(name, parameter)| (name.clone(), parameter.schema())).collect();
        let required: Vec<&String> = self
            .parameters
            .iter()
            .filter(|(_, parameter)| !parameter.optional)
            .map(|(name, _)| name)
            .collect();
        let mut parameters = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            parameters["required"] = json!(required);
        }
        ToolSpec {
            name: self.name.clone(),
            description: self.description.clone(),
            parameters: parameters.into(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let begins = self.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || self.name.len() > NAME_CHARS_MAX || !self.name.chars().all(is_letter) {
            return Err(format!(
                "`name` has letters, digits, _ and - only, begins with a letter, and has at most {NAME_CHARS_MAX}"
            ));
        }
        if self.name.starts_with(FOREIGN) {
            return Err(format!("`name` begins with {FOREIGN}, as the tools of MCP servers do"));
        }
        if self.description.trim().is_empty() {
            return Err("`description` is empty: the model would not know when to use it".to_owned());
        }
        if self.cmd.trim().is_empty() {
            return Err("`cmd` is empty".to_owned());
        }
        if self.cmd.contains("{{") {
            return Err("`cmd` holds a value: which program runs is not for a model to say".to_owned());
        }
        if self.timeout.is_some_and(|seconds| seconds == 0 || seconds > TIMEOUT_SECS_MAX) {
            return Err(format!("`timeout` is a number of seconds from 1 to {TIMEOUT_SECS_MAX}"));
        }
        self.check_args()
    }

    /// Every value that is put in is a parameter's, and every group is one's.
    fn check_args(&self) -> Result<(), String> {
        let words = self.args.iter().chain(self.optional_args.values().flatten());
        let all: Vec<&String> = words.map(|word| &word.0).collect();
        if all.len() > ARGS_MAX {
            return Err(format!("there are more than {ARGS_MAX} arguments"));
        }
        if all.iter().any(|arg| arg.contains('\0')) {
            return Err("an argument holds a NUL byte".to_owned());
        }
        let unknown =
            all.iter().flat_map(|arg| names_in(arg)).find(|name| !self.parameters.contains_key(*name));
        if let Some(name) = unknown {
            return Err(format!("`{{{{{name}}}}}` is none of the parameters"));
        }
        match self.optional_args.keys().find(|name| !self.parameters.contains_key(*name)) {
            Some(name) => Err(format!("`optional_args.{name}` is none of the parameters")),
            None => Ok(()),
        }
    }
}

/// The variable that a value stands for, when it is nothing but that.
pub(super) fn variable(value: &str) -> Option<&str> {
    value.strip_prefix("${").and_then(|name| name.strip_suffix('}'))
}

impl Parameter {
    fn compile(&mut self) -> Result<(), String> {
        if let Some(choices) = &self.choices {
            if choices.is_empty() {
                return Err("`enum` is empty: nothing could be given".to_owned());
            }
            if let Some(wrong) = choices.iter().find(|choice| !self.kind.fits(choice)) {
                return Err(format!("`enum` holds {wrong}, which is no {}", self.kind.as_str()));
            }
        }
        if let Some(pattern) = &self.pattern {
            // Of a value all has to match: half of it could be anything.
            let whole = Regex::new(&format!("^(?:{pattern})$"));
            self.regex = Some(whole.map_err(|error| format!("`pattern` is no regular expression: {error}"))?);
        }
        Ok(())
    }

    fn schema(&self) -> Value {
        let mut schema = json!({ "type": self.kind.as_str() });
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                schema[name] = value;
            }
        };
        put("description", self.description.clone().map(Value::from));
        put("enum", self.choices.clone().map(Value::from));
        put("pattern", self.pattern.clone().map(Value::from));
        put("maxLength", self.length_max.map(Value::from));
        schema
    }

    /// What is wrong with a value of the right type.
    pub(super) fn problem(&self, value: &Value) -> Option<String> {
        if self.choices.as_ref().is_some_and(|choices| !choices.contains(value)) {
            return Some("is none of the values that are allowed".to_owned());
        }
        let text = value.as_str()?;
        if text.contains('\0') {
            return Some("holds a NUL byte".to_owned());
        }
        if self.length_max.is_some_and(|most| text.chars().count() > most) {
            return Some(format!("is longer than {} characters", self.length_max.unwrap_or_default()));
        }
        match &self.regex {
            Some(regex) if !regex.is_match(text) => {
                Some(format!("does not match {}", self.pattern.as_deref().unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// Whether whoever wrote the file has said what may be given.
    pub(super) fn is_narrow(&self) -> bool {
        self.choices.is_some() || self.regex.is_some() || self.kind == Kind::Boolean
    }
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
        }
    }
}
