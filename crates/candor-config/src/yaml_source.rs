//! YAML text into the tree.

use std::sync::Arc;

use candor_yaml::{DEPTH_MAX, Mistake, Plain, Text, Wrong};

use crate::node::{Entry, Node, Table, Value};
use crate::place::{Place, Source};
use crate::problem::Problem;

/// Most values a file may unfold to, aliases included: a hundred times a large configuration.
const NODES_MAX: usize = 100_000;

/// Why YAML could not be read.
pub(crate) enum Refused {
    Syntax(Problem),
    /// Too deep or too large once unfolded; says which bound was met.
    TooComplex(String),
}

/// Reads one YAML document. The first mistake refuses it: half a configuration is none.
pub(crate) fn parse(source: &Arc<Source>) -> Result<Table, Refused> {
    let text = Text { text: &source.text, first_line: 1, nodes_max: NODES_MAX };
    let parsed = candor_yaml::parse(text);
    if let Some(mistake) = parsed.mistakes.into_iter().next() {
        return Err(refused(mistake, source));
    }
    let Some(root) = parsed.root else { return Ok(Table::default()) };
    let root = node(root, source);
    match root.value {
        Value::Table(table) => Ok(table),
        Value::Null => Ok(Table::default()),
        other => Err(syntax(
            root.place,
            format!("a configuration is a table of keys and values, but this is {}", other.kind()),
        )),
    }
}

fn refused(mistake: Mistake, source: &Arc<Source>) -> Refused {
    match mistake.wrong {
        Wrong::TooDeep => Refused::TooComplex(format!("{DEPTH_MAX} levels of nesting")),
        Wrong::TooLarge(most) => Refused::TooComplex(format!("{most} values once aliases are unfolded")),
        Wrong::SecondDocument => {
            syntax(place(mistake.place, source), "a configuration is one YAML document, not several")
        }
        wrong => syntax(place(mistake.place, source), wrong.to_string()),
    }
}

fn syntax(place: Place, message: impl Into<String>) -> Refused {
    Refused::Syntax(Problem { place, key: String::new(), message: message.into() })
}

fn place(place: candor_yaml::Place, source: &Arc<Source>) -> Place {
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    Place {
        source: Arc::clone(source),
        line: number(place.line),
        column: number(place.column),
        width: number(place.width),
    }
}

/// The same in our own tree, which other formats share. It is no deeper than its bound, so it may be followed like this.
fn node(read: candor_yaml::Node, source: &Arc<Source>) -> Node {
    let value = match read.value {
        candor_yaml::Value::Scalar { text, is_plain } => scalar(text, is_plain),
        candor_yaml::Value::List(items) => {
            Value::List(items.into_iter().map(|item| node(item, source)).collect())
        }
        candor_yaml::Value::Table(entries) => {
            let mut table = Table::default();
            for entry in entries {
                table.push(Entry {
                    key: entry.key,
                    key_place: place(entry.place, source),
                    node: node(entry.node, source),
                });
            }
            Value::Table(table)
        }
    };
    Node { value, place: place(read.place, source) }
}

fn scalar(text: String, is_plain: bool) -> Value {
    match Plain::of(&text) {
        _ if !is_plain => Value::Text(text),
        Plain::Null => Value::Null,
        Plain::Bool(flag) => Value::Bool(flag),
        Plain::Int(number) => Value::Int(number),
        Plain::Float(number) => Value::Float(number),
        Plain::Text => Value::Text(text),
    }
}
