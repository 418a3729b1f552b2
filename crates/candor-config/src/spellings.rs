//! Other ways to write the same thing.
//!
//! The systems Candor descends from disagreed about a few names. Each source is brought to the canonical form before
//! layers are merged, so that a later layer replaces an earlier one whichever spelling either used.

use crate::decode::Decoder;
use crate::node::{Entry, Node, Table, Value};
use crate::problem::WarningKind;
use crate::setting::SECRET_SUFFIXES;

pub(crate) fn normalise(table: &mut Table, decoder: &mut Decoder<'_>) {
    model(table, decoder);
    system_prompt(table);
    channels(table, decoder);
    if let Some(Node { value: Value::Table(telegram), .. }) = table.get_mut("telegram") {
        for suffix in SECRET_SUFFIXES {
            rename(telegram, &format!("token{suffix}"), &format!("bot_token{suffix}"), decoder);
        }
        rename(telegram, "allowed_users", "allow_from", decoder);
    }
    if let Some(Node { value: Value::Table(logging), .. }) = table.get_mut("logging") {
        decoder.inside("logging", |decoder| logs(logging, decoder));
    }
    if let Some(Node { value: Value::Table(server), .. }) = table.get_mut("server") {
        decoder.inside("server", |decoder| listen(server, decoder));
    }
}

fn rename(table: &mut Table, from: &str, to: &str, decoder: &mut Decoder<'_>) {
    let Some(mut entry) = table.remove(from) else { return };
    if table.get(to).is_some() {
        decoder.wrong::<()>(
            &entry.key_place,
            format!("{from:?} is the same setting as {to:?}: give one of them"),
        );
        return;
    }
    to.clone_into(&mut entry.key);
    table.set(entry);
}

/// `model = { provider, name }`.
fn model(table: &mut Table, decoder: &mut Decoder<'_>) {
    let Some(Entry { node: Node { value: Value::Table(model), .. }, .. }) = table.entry("model") else {
        return;
    };
    let mut model = model.clone();
    let Some(whole) = table.remove("model") else { return };
    for (key, canonical) in [("provider", "provider"), ("name", "model")] {
        match model.remove(key) {
            Some(mut entry) => {
                canonical.clone_into(&mut entry.key);
                table.set(entry);
            }
            None => decoder.inside(&format!("model.{key}"), |decoder| {
                let message = format!(
                    "missing: a model given as a table has a provider and a name, for example \
                     model = {{ provider = \"anthropic\", name = \"claude-sonnet-4-5\" }} ({key} is not there)"
                );
                decoder.wrong(&whole.key_place, message)
            }).unwrap_or(()),
        }
    }
    for entry in model.iter() {
        let message = "unknown key, ignored; a model given as a table has a provider and a name";
        decoder.inside(&format!("model.{}", entry.key), |decoder| {
            decoder.warn(&entry.key_place, WarningKind::UnknownKey { nearest: None }, message);
        });
    }
}

/// `system_prompt = "text"` and `system_prompt_file`.
fn system_prompt(table: &mut Table) {
    if let Some(node) = table.get_mut("system_prompt")
        && matches!(node.value, Value::Text(_) | Value::Raw(_))
    {
        let place = node.place.clone();
        let identity = Entry { key: "identity".to_owned(), key_place: place, node: node.clone() };
        let mut inner = Table::default();
        inner.set(identity);
        node.value = Value::Table(inner);
    }
    let file = table.remove("system_prompt_file");
    if let Some(mut file) = file
        && let Some(inner) = table.table_mut("system_prompt", &file.key_place)
    {
        "identity_file".clone_into(&mut file.key);
        inner.set(file);
    }
}

/// A file named in a later layer replaces the text of an earlier one, which would otherwise win. Done when it is clear
/// that the layer may name a file.
pub(crate) fn prompt_file_wins(table: &mut Table) {
    if let Some(Node { value: Value::Table(inner), .. }) = table.get_mut("system_prompt")
        && let Some(file) = inner.entry("identity_file").cloned()
        && inner.get("identity").is_none()
    {
        let node = Node { value: Value::Null, place: file.node.place };
        inner.set(Entry { key: "identity".to_owned(), key_place: file.key_place, node });
    }
}

/// `channels.telegram`.
fn channels(table: &mut Table, decoder: &mut Decoder<'_>) {
    let Some(Node { value: Value::Table(channels), .. }) = table.get_mut("channels") else { return };
    let telegram = channels.remove("telegram");
    let is_empty = channels.is_empty();
    if is_empty {
        table.remove("channels");
    }
    if let Some(telegram) = telegram {
        table.set(Entry { key: "channels.telegram".to_owned(), ..telegram });
        rename(table, "channels.telegram", "telegram", decoder);
    }
}

/// `rotation = "daily"`, `directory` and `max_files`.
fn logs(logging: &mut Table, decoder: &mut Decoder<'_>) {
    if let Some(Node { value: Value::Text(word) | Value::Raw(word), place }) = logging.get("rotation") {
        if word != "daily" {
            let message = format!("the log is rotated daily and by size; {word:?} has no effect");
            decoder.inside("rotation", |decoder| decoder.warn(place, WarningKind::NoEffect, message));
        }
        logging.remove("rotation");
    }
    if let Some(mut directory) = logging.remove("directory") {
        if let Value::Text(path) | Value::Raw(path) = &mut directory.node.value {
            *path = format!("{}/candor.log", path.trim_end_matches('/'));
        }
        "file".clone_into(&mut directory.key);
        if logging.get("file").is_none() {
            logging.set(directory);
        }
    }
    if let Some(mut files) = logging.remove("max_files") {
        // One file a day, so as many files as days.
        "max_days".clone_into(&mut files.key);
        let place = files.key_place.clone();
        if let Some(rotation) = logging.table_mut("rotation", &place)
            && rotation.get("max_days").is_none()
        {
            rotation.set(files);
        }
    }
}

/// `host` and `port`.
fn listen(server: &mut Table, decoder: &mut Decoder<'_>) {
    let (host, port) = (server.remove("host"), server.remove("port"));
    let Some(given) = port.as_ref().or(host.as_ref()).cloned() else { return };
    if server.get("listen").is_some() {
        decoder.wrong::<()>(
            &given.key_place,
            "\"host\" and \"port\" are the same setting as \"listen\": give one of them",
        );
        return;
    }
    let port = match port.as_ref().map(|entry| &entry.node) {
        None => 7777,
        Some(node) => match decoder.inside("port", |decoder| port_number(node, decoder)) {
            Some(port) => port,
            None => return,
        },
    };
    let host = match host.as_ref().map(|entry| &entry.node) {
        None => "127.0.0.1".to_owned(),
        Some(node) => match decoder.inside("host", |decoder| decoder.text(node)) {
            Some(host) if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
            Some(host) => host,
            None => return,
        },
    };
    let node = Node { value: Value::Text(format!("{host}:{port}")), place: given.node.place };
    server.set(Entry { key: "listen".to_owned(), key_place: given.key_place, node });
}

fn port_number(node: &Node, decoder: &mut Decoder<'_>) -> Option<u16> {
    let number = match &node.value {
        Value::Int(number) => u16::try_from(*number).ok(),
        Value::Raw(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|port| *port > 0).or_else(|| decoder.expected("a port from 1 to 65535", node))
}
