//! The JSON Schema, for editors that complete and check while one types.

use serde_json::{Map, Value as Json, json};

use crate::setting::{Field, Kind};
use crate::settings::Config;

/// The schema of a config file, in either format.
pub fn schema() -> Json {
    let mut schema = object(Config::FIELDS);
    if let Json::Object(root) = &mut schema {
        root.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        root.insert("title".to_owned(), "Candor configuration".into());
        root.sort_keys_first(&["$schema", "title"]);
        also_accepted(root);
    }
    schema
}

trait KeysFirst {
    fn sort_keys_first(&mut self, first: &[&str]);
}

impl KeysFirst for Map<String, Json> {
    fn sort_keys_first(&mut self, first: &[&str]) {
        let mut rest = std::mem::take(self);
        for key in first {
            if let Some(value) = rest.shift_remove(*key) {
                self.insert((*key).to_owned(), value);
            }
        }
        self.extend(rest);
    }
}

/// The spellings of the seeds that are not of their key's own type.
fn also_accepted(root: &mut Map<String, Json>) {
    let Some(Json::Object(keys)) = root.get_mut("properties") else { return };
    either(
        keys,
        "model",
        &json!({ "type": "object", "properties": { "provider": { "type": "string" }, "name": { "type": "string" } }, "required": ["provider", "name"] }),
    );
    either(keys, "system_prompt", &json!({ "type": "string" }));
    keys.insert(
        "system_prompt_file".to_owned(),
        json!({ "type": "string", "description": "The same as system_prompt.identity_file." }),
    );
    keys.insert(
        "channels".to_owned(),
        json!({ "type": "object", "description": "channels.telegram is the same as telegram." }),
    );
    if let Some(Json::Object(logging)) =
        keys.get_mut("logging").and_then(|section| section.get_mut("properties"))
    {
        either(logging, "rotation", &json!({ "const": "daily" }));
        logging.insert(
            "directory".to_owned(),
            json!({ "type": "string", "description": "The folder of candor.log." }),
        );
        logging.insert(
            "max_files".to_owned(),
            json!({ "type": "integer", "description": "The same as rotation.max_days." }),
        );
    }
    if let Some(Json::Object(server)) =
        keys.get_mut("server").and_then(|section| section.get_mut("properties"))
    {
        server.insert(
            "host".to_owned(),
            json!({ "type": "string", "description": "The first half of listen." }),
        );
        server.insert("port".to_owned(), json!({ "type": "integer", "minimum": 1, "maximum": 65535, "description": "The second half of listen." }));
    }
}

fn either(keys: &mut Map<String, Json>, key: &str, other: &Json) {
    if let Some(own) = keys.get_mut(key) {
        let description = own.get("description").cloned();
        *own = json!({ "anyOf": [own.take(), other] });
        if let (Json::Object(own), Some(description)) = (own, description) {
            own.insert("description".to_owned(), description);
        }
    }
}

fn object(fields: &'static [Field]) -> Json {
    let mut properties = Map::new();
    for field in fields {
        for (key, schema) in keys(field) {
            properties.insert(key, schema);
        }
    }
    json!({ "type": "object", "properties": properties })
}

/// A field's keys: a secret has four, a quantity two.
fn keys(field: &Field) -> Vec<(String, Json)> {
    let kind = (field.kind)();
    let spellings = kind.spellings(field.name);
    let described = |mut schema: Json, description: String| {
        if let Json::Object(schema) = &mut schema {
            schema.insert("description".to_owned(), description.into());
        }
        schema
    };
    spellings
        .iter()
        .enumerate()
        .map(|(index, key)| {
            let description = match index {
                0 => doc(field),
                _ if key.ends_with("_env") => format!("The variable that holds {}.", field.name),
                _ if key.ends_with("_file") => format!("The file that holds {}.", field.name),
                _ if key.ends_with("_command") => format!("The command that prints {}.", field.name),
                _ => format!("The same as {}.", field.name),
            };
            let mut schema = described(of(kind), description);
            let default = (field.default)();
            if index == 0
                && !default.is_null()
                && !matches!(kind, Kind::Table(_) | Kind::Map(_))
                && let Json::Object(schema) = &mut schema
            {
                schema.insert("default".to_owned(), default);
            }
            (key.clone(), schema)
        })
        .collect()
}

/// A doc comment as one paragraph.
pub(crate) fn doc(field: &Field) -> String {
    field.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn of(kind: Kind) -> Json {
    match kind {
        Kind::Text | Kind::Path | Kind::Secret => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole { min, max: u64::MAX } => json!({ "type": "integer", "minimum": min }),
        Kind::Whole { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Amount => json!({ "type": "number", "minimum": 0 }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Duration { min, .. } | Kind::Size { min, .. } => {
            json!({ "anyOf": [{ "type": "integer", "minimum": min }, { "type": "string" }] })
        }
        Kind::List(item) => json!({ "type": "array", "items": of(item()) }),
        Kind::Map(item) => json!({ "type": "object", "additionalProperties": of(item()) }),
        Kind::Table(fields) => object(fields),
    }
}
