//! One thing that a server wants to know.

use candor_protocol::Answer;
use serde_json::{Map, Value, json};

use crate::form::LEFT_OUT;
use crate::schema::Schema;

/// How much of a server's words about it is shown.
const WORDS_CHARS_MAX: usize = 300;
/// More choices than this are written, not picked.
const CHOICES_MAX: usize = 12;

/// One thing that a server wants to know.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) is_needed: bool,
    /// What the server takes where nothing is said.
    pub(crate) proposed: Option<Value>,
    kind: Kind,
    schema: Value,
}

/// What its answer looks like.
enum Kind {
    Text,
    Number,
    Truth,
    /// One of these, or several: what people are shown, and what the server gets.
    One(Vec<(String, Value)>),
    Several(Vec<(String, Value)>),
}

impl Field {
    pub(crate) fn new(name: &str, schema: &Value, is_needed: bool) -> Self {
        let kind = match schema["type"].as_str() {
            Some("boolean") => Kind::Truth,
            Some("number" | "integer") => Kind::Number,
            Some("array") => Kind::Several(options(&schema["items"])),
            _ => match options(schema) {
                options if options.is_empty() => Kind::Text,
                options => Kind::One(options),
            },
        };
        let proposed = schema.get("default").filter(|proposed| !proposed.is_null()).cloned();
        Self { name: name.to_owned(), is_needed, proposed, kind, schema: schema.clone() }
    }

    /// What a person is asked. The words are the server's own but for what is in brackets.
    pub(crate) fn question(&self) -> String {
        let words = ["title", "description"].map(|word| self.schema[word].as_str());
        let words: Vec<&str> = words.into_iter().flatten().collect();
        let words = if words.is_empty() { self.name.clone() } else { words.join(": ") };
        let words: String = words.chars().take(WORDS_CHARS_MAX).collect();
        format!("{words} ({})", self.hint())
    }

    fn hint(&self) -> String {
        let labels = |options: &[(String, Value)]| {
            let labels: Vec<&str> = options.iter().map(|(label, _)| label.as_str()).collect();
            labels.join(", ")
        };
        let kind = match &self.kind {
            Kind::Text => "text".to_owned(),
            Kind::Number if self.schema["type"] == "integer" => "a whole number".to_owned(),
            Kind::Number => "a number".to_owned(),
            Kind::Truth => "yes or no".to_owned(),
            Kind::One(options) => format!("one of {}", labels(options)),
            Kind::Several(options) => format!("any of {}, with commas between them", labels(options)),
        };
        match (&self.proposed, self.is_needed) {
            (Some(proposed), _) => format!("{kind}; {LEFT_OUT} for {}", shown(proposed)),
            (None, false) => format!("{kind}; {LEFT_OUT} to leave it out"),
            (None, true) => kind,
        }
    }

    /// What can be picked; nothing, where words are written. The word for an approval is never among them: who picks something here must
    /// not be taken to allow anything.
    pub(crate) fn choices(&self) -> Vec<String> {
        let choices: Vec<String> = match &self.kind {
            Kind::Truth => ["yes", "no"].map(str::to_owned).to_vec(),
            Kind::One(options) => options.iter().map(|(label, _)| label.clone()).collect(),
            Kind::Text | Kind::Number | Kind::Several(_) => Vec::new(),
        };
        let is_odd =
            |choice: &String| choice == Answer::ONCE || choice == LEFT_OUT || choice.trim().is_empty();
        if choices.len() > CHOICES_MAX || choices.iter().any(is_odd) { Vec::new() } else { choices }
    }

    /// What somebody's words mean; nothing, where it is left out. The text is what is wrong with them.
    pub(crate) fn read(&self, said: &str) -> Result<Option<Value>, String> {
        if said == LEFT_OUT && (self.proposed.is_some() || !self.is_needed) {
            return Ok(None);
        }
        let value = match &self.kind {
            Kind::Text => json!(said),
            Kind::Number => number(said).ok_or_else(|| format!("“{said}” is no number"))?,
            Kind::Truth => json!(truth(said).ok_or_else(|| format!("“{said}” is neither yes nor no"))?),
            Kind::One(options) => chosen(options, said)?,
            Kind::Several(options) => {
                let said = said.split(',').map(str::trim).filter(|said| !said.is_empty());
                Value::Array(said.map(|said| chosen(options, said)).collect::<Result<_, _>>()?)
            }
        };
        let whole = json!({ "type": "object", "properties": Map::from_iter([(self.name.clone(), self.schema.clone())]) });
        let given = Value::Object(Map::from_iter([(self.name.clone(), value.clone())]));
        match Schema::default().problem(&whole, &given) {
            None => Ok(Some(value)),
            Some(problem) => {
                // There is only one thing that it can be about.
                let place = format!("at /{}: ", self.name);
                Err(format!("“{said}” does not do: {}", problem.strip_prefix(&place).unwrap_or(&problem)))
            }
        }
    }
}

/// A value as people say it.
fn shown(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A number as JSON writes it.
fn number(said: &str) -> Option<Value> {
    serde_json::from_str(said).ok().filter(Value::is_number)
}

fn truth(said: &str) -> Option<bool> {
    match said.to_lowercase().as_str() {
        "yes" | "y" | "true" => Some(true),
        "no" | "n" | "false" => Some(false),
        _ => None,
    }
}

fn chosen(options: &[(String, Value)], said: &str) -> Result<Value, String> {
    let is_it = |(label, value): &&(String, Value)| label.eq_ignore_ascii_case(said) || value == said;
    options
        .iter()
        .find(is_it)
        .map(|(_, value)| value.clone())
        .ok_or_else(|| format!("“{said}” is none of them"))
}

/// What can be chosen, in each of the ways in which that is written.
fn options(schema: &Value) -> Vec<(String, Value)> {
    if let Some(titled) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let option = |one: &Value| (shown(one.get("title").unwrap_or(&one["const"])), one["const"].clone());
        return titled.iter().map(option).collect();
    }
    let plain = schema["enum"].as_array().map(Vec::as_slice).unwrap_or_default();
    let labels = &schema["enumNames"];
    let option = |(at, value): (usize, &Value)| {
        (labels[at].as_str().map_or_else(|| shown(value), str::to_owned), value.clone())
    };
    plain.iter().enumerate().map(option).collect()
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
