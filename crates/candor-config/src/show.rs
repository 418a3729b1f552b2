//! The settings in force, each with where it came from.

use serde_json::Value as Json;

use crate::load::Loaded;
use crate::node::{Table, Value};
use crate::setting::{Field, Kind, Setting};
use crate::settings::Config;

/// One setting in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The dotted key.
    pub key: String,
    /// The value; secrets are masked.
    pub value: Json,
    /// Where it came from: `path:line:column`, or the variable, or the flag, or `default`.
    pub label: String,
}

impl Loaded {
    /// All settings, in the order of the reference page.
    pub fn shown(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        table(&mut shown, "", &self.config.show(), Some(&self.tree), Config::FIELDS);
        for Shown { value, .. } in &mut shown {
            // The usual places are described by the usual home; in force is the one that was found.
            if let Some(name) = value.as_str().and_then(|text| text.strip_prefix("~/.candor/")) {
                *value = self.home.join(name).display().to_string().into();
            }
        }
        shown
    }
}

fn table(
    shown: &mut Vec<Shown>,
    prefix: &str,
    values: &Json,
    tree: Option<&Table>,
    fields: &'static [Field],
) {
    for field in fields {
        let kind = (field.kind)();
        let value = values.get(field.name).unwrap_or(&Json::Null);
        let node = kind.spellings(field.name).iter().find_map(|key| tree?.get(key));
        let key = if prefix.is_empty() { field.name.to_owned() } else { format!("{prefix}.{}", field.name) };
        let inner =
            node.and_then(|node| if let Value::Table(table) = &node.value { Some(table) } else { None });
        match (kind, value) {
            (Kind::Table(fields), _) => table(shown, &key, value, inner, fields),
            (Kind::Map(item), Json::Object(names)) if !names.is_empty() => {
                for (name, value) in names {
                    let within = inner.and_then(|table| table.get(name));
                    let within = within.and_then(|node| {
                        if let Value::Table(table) = &node.value { Some(table) } else { None }
                    });
                    if let Kind::Table(fields) = item() {
                        table(shown, &format!("{key}.{name}"), value, within, fields);
                    }
                }
            }
            _ => shown.push(Shown {
                key,
                value: value.clone(),
                label: node.map_or_else(|| "default".to_owned(), |node| node.place.label()),
            }),
        }
    }
}
