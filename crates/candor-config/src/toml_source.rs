//! TOML text into the tree.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::node::{Entry, Node, Table, Value};
use crate::place::{Lines, Source};
use crate::problem::Problem;

/// Reads a whole TOML document. A syntax error stops at the first.
pub(crate) fn parse(source: &Arc<Source>) -> Result<Table, Problem> {
    let lines = Lines::of(source);
    match DeTable::parse(&source.text) {
        Ok(root) => table(root.get_ref(), &lines),
        Err(error) => Err(Problem {
            place: lines.place(error.span().unwrap_or(0..0)),
            key: String::new(),
            message: format!("this is not valid TOML: {}", error.message().replace('\n', ", ")),
        }),
    }
}

fn table(table: &DeTable<'_>, lines: &Lines<'_>) -> Result<Table, Problem> {
    let mut entries: Vec<_> = table.iter().collect();
    // The parser's map is sorted by name; people expect the order they wrote.
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut found = Table::default();
    for (key, value) in entries {
        // The parser has refused a key that stands twice.
        found.push(Entry {
            key: key.get_ref().to_string(),
            key_place: lines.place(key.span()),
            node: node(value, lines)?,
        });
    }
    Ok(found)
}

fn node(value: &Spanned<DeValue<'_>>, lines: &Lines<'_>) -> Result<Node, Problem> {
    let place = lines.place(value.span());
    let out_of_range = |what: &str| Problem {
        place: place.clone(),
        key: String::new(),
        message: format!("this {what} is too large to be stored"),
    };
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => Value::Int(
            i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| out_of_range("whole number"))?,
        ),
        DeValue::Float(number) => Value::Float(number.as_str().parse().map_err(|_| out_of_range("number"))?),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| node(item, lines)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(inner) => Value::Table(table(inner, lines)?),
    };
    Ok(Node { value, place })
}
