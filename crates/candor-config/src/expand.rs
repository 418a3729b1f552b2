//! `${NAME}` in texts.

use crate::decode::Decoder;
use crate::node::{Node, Table, Value};

/// Replaces `${NAME}` by the variable and `${NAME:-default}` by the default where it is not set; `$${` stays `${`.
///
/// Done for the owner's files only: a workspace that could name variables could carry a secret into the prompt.
pub(crate) fn expand(table: &mut Table, decoder: &mut Decoder<'_>) {
    for entry in table.iter_mut() {
        let key = entry.key.clone();
        decoder.inside(&key, |decoder| expand_node(&mut entry.node, decoder));
    }
}

fn expand_node(node: &mut Node, decoder: &mut Decoder<'_>) {
    match &mut node.value {
        Value::Text(text) if text.contains("${") => {
            if let Some(expanded) = expand_text(text, &node.place, decoder) {
                node.value = Value::Text(expanded);
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| expand_node(item, decoder)),
        Value::Table(table) => expand(table, decoder),
        _ => {}
    }
}

fn expand_text(text: &str, place: &crate::place::Place, decoder: &mut Decoder<'_>) -> Option<String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        if let Some(before) = before.strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = &from[2..];
            continue;
        }
        expanded.push_str(before);
        let Some((inside, after)) = from[2..].split_once('}') else {
            expanded.push_str(from);
            return Some(expanded);
        };
        let (name, default) =
            inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
        if is_name(name) {
            let Some(value) = decoder.env.get(name).or(default) else {
                let message = format!(
                    "the variable {name} is not set; set it, or write ${{{name}:-default}} \
                     (and $${{{name}}} for the text itself)"
                );
                return decoder.wrong(place, message);
            };
            expanded.push_str(value);
        } else {
            // Not a variable: a shell's or a template's own braces.
            expanded.push_str(&from[..inside.len() + 3]);
        }
        rest = after;
    }
    expanded.push_str(rest);
    Some(expanded)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
