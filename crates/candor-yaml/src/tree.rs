//! Builds the tree.
//!
//! With an explicit stack, because a text decides how deep it nests and how often an alias is repeated. Both are bounded, so
//! that a bomb is refused instead of unfolded.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::mistake::{Mistake, Wrong};
use crate::node::{Entry, Node, Place, Value};

/// Deepest nesting that is followed. What people write has ten levels; sixty-four leaves room and no stack to exhaust.
pub const DEPTH_MAX: usize = 64;

/// What is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The text.
    pub text: &'a str,
    /// The number of its first line: it may be a part of another text.
    pub first_line: u32,
    /// Most values it may unfold to, aliases included.
    pub nodes_max: usize,
}

/// What could be read of a text.
#[derive(Debug)]
pub struct Parsed {
    /// Nothing for an empty text.
    pub root: Option<Node>,
    /// What is wrong, in the order in which it was met.
    pub mistakes: Vec<Mistake>,
}

/// Reads one YAML document. After a mistake that ends the reading, those items of the lists right under the root that were
/// complete before it are still there.
pub fn parse(text: Text<'_>) -> Parsed {
    let Text { text, first_line, nodes_max } = text;
    let lines = number(text.split('\n').count());
    let last = text.rsplit('\n').next().unwrap_or_default();
    let mut builder = Builder {
        first_line,
        lines,
        end: Place::at(first_line.saturating_add(lines - 1), number(last.chars().count() + 1)),
        stack: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
        nodes_max,
        root: None,
        mistakes: Vec::new(),
    };
    if let Err(mistake) = builder.read(text) {
        builder.mistakes.push(mistake);
        builder.salvage();
    }
    Parsed { root: builder.root, mistakes: builder.mistakes }
}

enum Open {
    List { items: Vec<Node>, place: Place, anchor: usize },
    Table { entries: Vec<Entry>, bases: Vec<Node>, key: Option<(String, Place)>, place: Place, anchor: usize },
}

struct Builder {
    first_line: u32,
    lines: u32,
    /// Where the text ends.
    end: Place,
    stack: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    nodes_max: usize,
    root: Option<Node>,
    mistakes: Vec<Mistake>,
}

impl Builder {
    fn read(&mut self, text: &str) -> Result<(), Mistake> {
        let mut documents = 0;
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| {
                let place = self.place(Span::new(*error.marker(), *error.marker()));
                Mistake { place, wrong: Wrong::Syntax(error.info().to_owned()) }
            })?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(Mistake { place: self.place(span), wrong: Wrong::SecondDocument });
                    }
                }
                event => self.take(event, span)?,
            }
        }
        Ok(())
    }

    fn place(&self, span: Span) -> Place {
        let line = number(span.start.line()).max(1);
        if line > self.lines {
            // What is missing at the end of the text is reported on the line after it, which there is not.
            return self.end;
        }
        let is_one_line = span.start.line() == span.end.line();
        let width = if is_one_line { span.end.col().saturating_sub(span.start.col()) } else { 1 };
        Place {
            line: self.first_line.saturating_add(line - 1),
            column: number(span.start.col()).saturating_add(1),
            width: number(width.max(1)),
        }
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Mistake> {
        let place = self.place(span);
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_plain = style == ScalarStyle::Plain;
                self.close(Node { value: Value::Scalar { text: text.into_owned(), is_plain }, place }, anchor)
            }
            Event::Alias(anchor) => self.unfold(anchor, place),
            Event::SequenceStart(anchor, _) => {
                self.open(Open::List { items: Vec::new(), place, anchor }, place)
            }
            Event::MappingStart(anchor, _) => {
                let (entries, bases) = (Vec::new(), Vec::new());
                self.open(Open::Table { entries, bases, key: None, place, anchor }, place)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(Open::List { items, place, anchor }) => {
                    self.close(Node { value: Value::List(items), place }, anchor)
                }
                Some(Open::Table { mut entries, bases, place, anchor, .. }) => {
                    for base in &bases {
                        inherit(&mut entries, base);
                    }
                    self.close(Node { value: Value::Table(entries), place }, anchor)
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn open(&mut self, open: Open, place: Place) -> Result<(), Mistake> {
        self.check_depth(1, place)?;
        self.stack.push(open);
        Ok(())
    }

    fn check_depth(&self, more: usize, place: Place) -> Result<(), Mistake> {
        if self.stack.len() + more <= DEPTH_MAX {
            return Ok(());
        }
        Err(Mistake { place, wrong: Wrong::TooDeep })
    }

    fn count(&mut self, more: usize, place: Place) -> Result<(), Mistake> {
        self.nodes += more;
        if self.nodes <= self.nodes_max {
            return Ok(());
        }
        Err(Mistake { place, wrong: Wrong::TooLarge(self.nodes_max) })
    }

    /// Puts a copy of an anchored node in place of its alias, after asking what that would cost.
    fn unfold(&mut self, anchor: usize, place: Place) -> Result<(), Mistake> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(Mistake { place, wrong: Wrong::NoAnchor });
        };
        let (nodes, depth) = measure(node);
        self.check_depth(depth, place)?;
        self.count(nodes, place)?;
        let copy = self.anchors.get(&anchor).cloned();
        copy.map_or(Ok(()), |node| self.close(node, 0))
    }

    /// A node is complete: it becomes a key, a value, an item or the root.
    fn close(&mut self, mut node: Node, anchor: usize) -> Result<(), Mistake> {
        self.count(1, node.place)?;
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Table { key: key @ None, .. }) => *key = Some(as_key(node)?),
            Some(Open::Table { entries, bases, key, .. }) => match key.take() {
                Some((name, _)) if name == "<<" => bases.push(node),
                Some((key, place)) => {
                    if node.is_null() {
                        // Nothing stands nowhere: the parser names the token that follows.
                        node.place = place;
                    }
                    match entries.iter().find(|first| first.key == key) {
                        Some(first) => {
                            let wrong = Wrong::SecondKey { first: first.place.line, key };
                            self.mistakes.push(Mistake { place, wrong });
                        }
                        None => entries.push(Entry { key, place, node }),
                    }
                }
                None => {}
            },
        }
        Ok(())
    }

    /// Keeps what was complete when the reading ended early.
    fn salvage(&mut self) {
        let mut open = std::mem::take(&mut self.stack).into_iter();
        let Some(Open::Table { mut entries, key, place, .. }) = open.next() else { return };
        if let (Some((key, at)), Some(Open::List { items, place, .. })) = (key, open.next()) {
            entries.push(Entry { key, place: at, node: Node { value: Value::List(items), place } });
        }
        self.root = Some(Node { value: Value::Table(entries), place });
    }
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// How many nodes a tree has and how deep it is. The tree is already within both bounds.
fn measure(node: &Node) -> (usize, usize) {
    let (mut nodes, mut deepest) = (0, 0);
    let mut open = vec![(node, 1)];
    while let Some((node, depth)) = open.pop() {
        nodes += 1;
        deepest = deepest.max(depth);
        match &node.value {
            Value::List(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Table(entries) => open.extend(entries.iter().map(|entry| (&entry.node, depth + 1))),
            Value::Scalar { .. } => {}
        }
    }
    (nodes, deepest)
}

fn as_key(node: Node) -> Result<(String, Place), Mistake> {
    match node.value {
        Value::Scalar { text, .. } => Ok((text, node.place)),
        Value::List(_) | Value::Table(_) => Err(Mistake { place: node.place, wrong: Wrong::KeyIsNoWord }),
    }
}

/// `<<: *base` gives the keys that are not written out; of several bases, the first wins.
fn inherit(entries: &mut Vec<Entry>, base: &Node) {
    match &base.value {
        Value::Table(base) => {
            for entry in base {
                if !entries.iter().any(|known| known.key == entry.key) {
                    entries.push(entry.clone());
                }
            }
        }
        Value::List(bases) => bases.iter().for_each(|base| inherit(entries, base)),
        Value::Scalar { .. } => {}
    }
}
