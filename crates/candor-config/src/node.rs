//! A configuration as it was written: values with their places, before anyone asked what they mean.
//!
//! Both formats, the environment and the flags become this one tree, so that layers, spellings and checks are
//! written once.

use crate::place::Place;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    /// Text from a variable or a flag, where everything is text: each type reads it in its own way.
    Raw(String),
    List(Vec<Node>),
    Table(Table),
}

impl Value {
    /// A default, as it is shown, back into the tree.
    pub(crate) fn from_json(json: &serde_json::Value, place: &Place) -> Self {
        match json {
            serde_json::Value::Null | serde_json::Value::Object(_) => Self::Null,
            serde_json::Value::Bool(flag) => Self::Bool(*flag),
            serde_json::Value::Number(number) => {
                number.as_i64().map_or_else(|| number.as_f64().map_or(Self::Null, Self::Float), Self::Int)
            }
            serde_json::Value::String(text) => Self::Text(text.clone()),
            serde_json::Value::Array(items) => Self::List(
                items
                    .iter()
                    .map(|item| Node { value: Self::from_json(item, place), place: place.clone() })
                    .collect(),
            ),
        }
    }

    /// The text, from a file or from a variable.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Raw(text) => Some(text),
            _ => None,
        }
    }

    /// What a person would call it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Int(_) => "a whole number",
            Self::Float(_) => "a number with a fraction",
            Self::Text(_) | Self::Raw(_) => "text",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// Keys in the order they were written; few enough that a scan beats a map.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: Place,
    pub(crate) node: Node,
}

impl Table {
    /// No keys at all.
    pub(crate) const EMPTY: &'static Self = &Self { entries: Vec::new() };

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    pub(crate) fn into_entries(self) -> impl Iterator<Item = Entry> {
        self.entries.into_iter()
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&mut Entry) -> bool) {
        self.entries.retain_mut(keep);
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at))
    }

    /// Adds a key that is known not to be there.
    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Sets a key, replacing what was there.
    pub(crate) fn set(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    /// The table under a key, made if it is not there; nothing if the key holds something else.
    pub(crate) fn table_mut(&mut self, key: &str, place: &Place) -> Option<&mut Table> {
        if self.get(key).is_none() {
            let node = Node { value: Value::Table(Table::default()), place: place.clone() };
            self.set(Entry { key: key.to_owned(), key_place: place.clone(), node });
        }
        match &mut self.get_mut(key)?.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Finds a node by its dotted path.
    pub(crate) fn find(&self, path: &str) -> Option<&Node> {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let node = self.get(first)?;
        match (rest, &node.value) {
            (None, _) => Some(node),
            (Some(rest), Value::Table(table)) => table.find(rest),
            (Some(_), _) => None,
        }
    }
}
