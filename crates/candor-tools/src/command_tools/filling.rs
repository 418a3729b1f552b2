//! Values in the arguments of a program.

use serde_json::{Map, Value};

use super::entry::Entry;

/// The names of the values that an item asks for.
pub(super) fn names_in(item: &str) -> impl Iterator<Item = &str> {
    pieces(item).filter_map(|piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// The arguments of one call, or why a value cannot be one.
pub(super) fn fill(entry: &Entry, given: &Map<String, Value>) -> Result<Vec<String>, String> {
    let groups = entry.optional_args.iter().filter(|(name, _)| value(given, name).is_some());
    entry
        .args
        .iter()
        .chain(groups.flat_map(|(_, items)| items))
        .map(|item| filled(&item.0, entry, given))
        .collect()
}

/// One argument stays one argument, whatever the values hold.
fn filled(item: &str, entry: &Entry, given: &Map<String, Value>) -> Result<String, String> {
    let mut text = String::new();
    for piece in pieces(item) {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Name(name) => {
                let value = value(given, name).map(plain).unwrap_or_default();
                let is_first = text.is_empty() && value.starts_with('-');
                if is_first && !entry.parameters.get(name).is_some_and(super::entry::Parameter::is_narrow) {
                    return Err(format!(
                        "`{name}` begins with `-`, and the program would take it for an option"
                    ));
                }
                text.push_str(&value);
            }
        }
    }
    Ok(text)
}

/// A value that is given; `null` is none.
fn value<'a>(given: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    given.get(name).filter(|value| !value.is_null())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// An item in pieces. What is no `{{name}}` is text, braces and all.
fn pieces(item: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = item;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = name_at(rest) {
            rest = after;
            return Some(Piece::Name(name));
        }
        let from = rest.char_indices().skip(1).map(|(at, _)| at);
        let end = from.into_iter().find(|at| name_at(&rest[*at..]).is_some()).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Text(text))
    })
}

/// The name that a text begins with, and what follows it.
fn name_at(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix("{{")?.split_once("}}")?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    is_name.then_some((name, after))
}
