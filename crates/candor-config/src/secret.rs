//! Secrets: a value that cannot be printed by accident, and the four ways to give one.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::decode::Decoder;
use crate::env::Env;
use crate::error::Error;
use crate::node::{Node, Table, Value};
use crate::setting::{Kind, SECRET_SUFFIXES, Setting};

/// Largest secret read from a file: a private key chain fits, a wrong path to a video does not.
const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// A secret value. It has no `Display`, and its `Debug` shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value, without the newline that files and commands end with.
    pub fn new(value: impl Into<String>) -> Self {
        let mut value = value.into();
        value.truncate(value.trim_end_matches(['\n', '\r']).len());
        Self(value)
    }

    /// The value itself, for the one call that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[REDACTED]")
    }
}

/// Where a secret comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// Written in the configuration.
    Inline(Secret),
    /// A variable of the environment.
    Env(String),
    /// The content of a file.
    File(PathBuf),
    /// The output of a command.
    Command(String),
}

/// What resolving gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// The secret.
    Value(Secret),
    /// Run this shell line and take its output: this crate starts no processes.
    Run(String),
}

impl SecretSource {
    /// Fetches the secret, as far as that needs no process. `key` names the setting in a failure.
    pub fn resolve(&self, key: &str, env: &Env) -> Result<Resolved, Error> {
        match self {
            Self::Inline(secret) => Ok(Resolved::Value(secret.clone())),
            Self::Command(line) => Ok(Resolved::Run(line.clone())),
            Self::File(path) => read(path).map(Resolved::Value).map_err(|source| Error::SecretFile {
                key: key.to_owned(),
                path: path.clone(),
                source,
            }),
            Self::Env(variable) => match env.get(variable) {
                Some(value) => Ok(Resolved::Value(Secret::new(value))),
                None => Err(Error::SecretMissing { key: key.to_owned(), variable: variable.clone() }),
            },
        }
    }
}

fn read(path: &Path) -> std::io::Result<Secret> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(SECRET_BYTES_MAX).read_to_string(&mut text)?;
    Ok(Secret::new(text))
}

impl Setting for SecretSource {
    fn kind() -> Kind {
        Kind::Secret
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        match &node.value {
            Value::Text(text) | Value::Raw(text) => Some(Self::Inline(Secret::new(text))),
            // The value may be the secret all the same: neither it nor its line is shown.
            other => decoder
                .wrong(&node.place.unseen(), format!("expected text in quotes, found {}", other.kind())),
        }
    }

    fn decode_in(table: &Table, name: &'static str, decoder: &mut Decoder<'_>) -> Option<Self> {
        let entry = decoder.one_of(table, &Self::kind().spellings(name))?;
        let suffix = SECRET_SUFFIXES.iter().find(|suffix| entry.key == format!("{name}{suffix}"));
        decoder.inside(&entry.key, |decoder| match suffix.copied() {
            Some("_env") => decoder.text(&entry.node).map(Self::Env),
            Some("_file") => decoder.path(&entry.node).map(Self::File),
            Some("_command") => decoder.text(&entry.node).map(Self::Command),
            _ => Self::decode(&entry.node, decoder),
        })
    }

    fn show(&self) -> Json {
        match self {
            Self::Inline(_) => "[REDACTED]".into(),
            Self::Env(variable) => json!({ "env": variable }),
            Self::File(path) => json!({ "file": path.display().to_string() }),
            Self::Command(line) => json!({ "command": line }),
        }
    }
}

/// Whether a table holds a secret in the open under this name, and where.
pub(crate) fn inline<'a>(table: &'a Table, name: &str) -> Option<&'a Node> {
    table.get(name).filter(|node| matches!(&node.value, Value::Text(text) if !text.is_empty()))
}
