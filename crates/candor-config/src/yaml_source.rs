//! YAML text into the tree.
//!
//! The parser gives events; the tree is built here with an explicit stack, because a file decides how deep it nests
//! and how often an alias is repeated. Both are bounded, so a bomb is refused instead of unfolded.

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::node::{Entry, Node, Table, Value};
use crate::place::{Place, Source};
use crate::problem::Problem;

/// Deepest nesting that is followed. A configuration has five levels; sixty-four leaves room and no stack to exhaust.
const DEPTH_MAX: usize = 64;
/// Most values a file may unfold to, aliases included: a hundred times a large configuration.
const NODES_MAX: usize = 100_000;

/// Why YAML could not be read.
pub(crate) enum Refused {
    Syntax(Problem),
    /// Too deep or too large once unfolded; says which bound was met.
    TooComplex(String),
}

/// Reads one YAML document.
pub(crate) fn parse(source: &Arc<Source>) -> Result<Table, Refused> {
    let mut builder = Builder {
        source,
        lines: source.text.split('\n').count(),
        stack: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
        root: None,
    };
    let mut parser = Parser::new_from_str(&source.text);
    let mut documents = 0;
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let place = builder.place(Span::new(*error.marker(), *error.marker()));
            syntax(place, format!("this is not valid YAML: {}", error.info()))
        })?;
        match event {
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    return Err(syntax(
                        builder.place(span),
                        "a configuration is one YAML document, not several",
                    ));
                }
            }
            Event::StreamEnd => break,
            event => builder.take(event, span)?,
        }
    }
    let Some(root) = builder.root else { return Ok(Table::default()) };
    match root.value {
        Value::Table(table) => Ok(table),
        Value::Null => Ok(Table::default()),
        other => Err(syntax(
            root.place,
            format!("a configuration is a table of keys and values, but this is {}", other.kind()),
        )),
    }
}

fn syntax(place: Place, message: impl Into<String>) -> Refused {
    Refused::Syntax(Problem { place, key: String::new(), message: message.into() })
}

enum Open {
    List { items: Vec<Node>, place: Place, anchor: usize },
    Table { table: Table, bases: Vec<Node>, key: Option<(String, Place)>, place: Place, anchor: usize },
}

struct Builder<'a> {
    source: &'a Arc<Source>,
    /// How many lines the source has.
    lines: usize,
    stack: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    root: Option<Node>,
}

impl Builder<'_> {
    fn place(&self, span: Span) -> Place {
        let width = if span.start.line() == span.end.line() {
            span.end.col().saturating_sub(span.start.col())
        } else {
            1
        };
        Place {
            source: self.source.clone(),
            // What is missing at the end of the file is reported on the line after it.
            line: span.start.line().clamp(1, self.lines),
            column: span.start.col() + 1,
            width: width.max(1),
        }
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Refused> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let value =
                    if style == ScalarStyle::Plain { plain(&text) } else { Value::Text(text.into_owned()) };
                self.close(Node { value, place: self.place(span) }, anchor)
            }
            Event::Alias(anchor) => self.unfold(anchor, span),
            Event::SequenceStart(anchor, _) => {
                self.open(Open::List { items: Vec::new(), place: self.place(span), anchor })
            }
            Event::MappingStart(anchor, _) => {
                let (table, bases, place) = (Table::default(), Vec::new(), self.place(span));
                self.open(Open::Table { table, bases, key: None, place, anchor })
            }
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(Open::List { items, place, anchor }) => {
                    self.close(Node { value: Value::List(items), place }, anchor)
                }
                Some(Open::Table { mut table, bases, place, anchor, .. }) => {
                    for base in &bases {
                        inherit(&mut table, base);
                    }
                    self.close(Node { value: Value::Table(table), place }, anchor)
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn open(&mut self, open: Open) -> Result<(), Refused> {
        self.check_depth(1)?;
        self.stack.push(open);
        Ok(())
    }

    fn check_depth(&self, more: usize) -> Result<(), Refused> {
        if self.stack.len() + more > DEPTH_MAX {
            return Err(Refused::TooComplex(format!("{DEPTH_MAX} levels of nesting")));
        }
        Ok(())
    }

    fn count(&mut self, more: usize) -> Result<(), Refused> {
        self.nodes += more;
        if self.nodes > NODES_MAX {
            return Err(Refused::TooComplex(format!("{NODES_MAX} values once aliases are unfolded")));
        }
        Ok(())
    }

    /// Puts a copy of an anchored node in place of its alias, after asking what that would cost.
    fn unfold(&mut self, anchor: usize, span: Span) -> Result<(), Refused> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(syntax(self.place(span), "this alias has no anchor before it"));
        };
        let (nodes, depth) = measure(node);
        self.check_depth(depth)?;
        self.count(nodes)?;
        let copy = self.anchors.get(&anchor).cloned();
        copy.map_or(Ok(()), |node| self.close(node, 0))
    }

    /// A node is complete: it becomes a key, a value, an item or the root.
    fn close(&mut self, node: Node, anchor: usize) -> Result<(), Refused> {
        self.count(1)?;
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Table { key: key @ None, .. }) => *key = Some(as_key(node)?),
            Some(Open::Table { table, bases, key, .. }) => match key.take() {
                Some((name, _)) if name == "<<" => bases.push(node),
                Some((name, key_place)) => add(table, name, key_place, node)?,
                None => {}
            },
        }
        Ok(())
    }
}

/// How many nodes a tree has and how deep it is. The tree is already within both bounds.
fn measure(node: &Node) -> (usize, usize) {
    let mut nodes = 0;
    let mut deepest = 0;
    let mut open = vec![(node, 1)];
    while let Some((node, depth)) = open.pop() {
        nodes += 1;
        deepest = deepest.max(depth);
        match &node.value {
            Value::List(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Table(table) => open.extend(table.iter().map(|entry| (&entry.node, depth + 1))),
            _ => {}
        }
    }
    (nodes, deepest)
}

fn as_key(node: Node) -> Result<(String, Place), Refused> {
    let name = match node.value {
        Value::Text(text) => text,
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::Raw(_) => String::new(),
        Value::List(_) | Value::Table(_) => {
            return Err(syntax(node.place, "a key must be a word, not a list or a table"));
        }
    };
    Ok((name, node.place))
}

fn add(table: &mut Table, name: String, key_place: Place, node: Node) -> Result<(), Refused> {
    if let Some(first) = table.entry(&name) {
        let line = first.key_place.line;
        let message = format!("the key {name:?} stands here a second time; the first is on line {line}");
        return Err(syntax(key_place, message));
    }
    table.set(Entry { key: name, key_place, node });
    Ok(())
}

/// `<<: *base` gives the keys that are not written out; of several bases, the first wins.
fn inherit(table: &mut Table, base: &Node) {
    match &base.value {
        Value::Table(base) => {
            for entry in
                base.iter().filter(|entry| table.entry(&entry.key).is_none()).cloned().collect::<Vec<_>>()
            {
                table.set(entry);
            }
        }
        Value::List(bases) => bases.iter().for_each(|base| inherit(table, base)),
        _ => {}
    }
}

/// A plain scalar by the YAML 1.2 core schema: `yes` and `no` are words.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).unwrap_or_else(|| Value::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    let radix = |prefix: &str, radix| {
        text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok())
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(Value::Int(number));
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    text.parse().map(Value::Int).ok().or_else(|| {
        let float = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        if float { text.parse().map(Value::Float).ok() } else { None }
    })
}
