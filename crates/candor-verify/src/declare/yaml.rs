//! YAML text into a tree that knows where everything stands.
//!
//! The tree is built with an explicit stack, because a file decides how deep it nests and how often an alias is repeated. Both
//! are bounded, so that a bomb is refused instead of unfolded. A scalar keeps its text as it was written: `1.10` in a table of
//! variables is a version and no number.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value as Json};

/// Deepest nesting that is followed. A declaration has eight levels, and a JSON Schema in it some more.
const DEPTH_MAX: usize = 64;
/// Most values a file may unfold to, aliases included: a hundred services with everything set have fewer.
const NODES_MAX: usize = 50_000;

/// A line and a column, both from 1; the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) place: Place,
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    /// As it was written; plain means without quotes.
    Scalar {
        text: String,
        is_plain: bool,
    },
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key, where it stands, and its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) node: Node,
}

/// Something that is wrong with the text itself.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) place: Place,
    pub(super) message: String,
}

/// What could be read of a text.
#[derive(Debug)]
pub(super) struct Parsed {
    /// Nothing for an empty text.
    pub(super) root: Option<Node>,
    pub(super) mistakes: Vec<Mistake>,
}

impl Node {
    /// Whether nothing stands here: `key:`, `~` or `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, is_plain: true } if is_null(text))
    }

    /// The text of a scalar, as it was written.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// What a person would call it.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            _ if self.is_null() => "nothing",
            Value::Scalar { .. } => "text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The same as JSON, plain scalars by the YAML 1.2 core schema.
    pub(super) fn json(&self) -> Json {
        match &self.value {
            Value::Scalar { text, is_plain: true } => plain(text),
            Value::Scalar { text, is_plain: false } => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::json).collect()),
            Value::Table(entries) => Json::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.node.json())).collect::<Map<_, _>>(),
            ),
        }
    }
}

/// Reads one YAML document whose first line has this number. After a mistake that ends the reading, those items of the lists
/// right under the root that were complete before it are still there.
pub(super) fn parse(text: &str, first_line: u32) -> Parsed {
    let lines = number(text.split('\n').count());
    let last = text.rsplit('\n').next().unwrap_or_default();
    let mut builder = Builder {
        first_line,
        lines,
        end: Place { line: first_line.saturating_add(lines - 1), column: number(last.chars().count() + 1) },
        stack: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
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
                Mistake { place, message: format!("this is not valid YAML: {}", error.info()) }
            })?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        let message = "a second YAML document begins here; only the first is read".to_owned();
                        return Err(Mistake { place: self.place(span), message });
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
        Place {
            line: self.first_line.saturating_add(line - 1),
            column: number(span.start.col()).saturating_add(1),
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
        Err(Mistake { place, message: format!("this nests deeper than {DEPTH_MAX} levels") })
    }

    fn count(&mut self, more: usize, place: Place) -> Result<(), Mistake> {
        self.nodes += more;
        if self.nodes <= NODES_MAX {
            return Ok(());
        }
        Err(Mistake { place, message: format!("these are more than {NODES_MAX} values, aliases unfolded") })
    }

    /// Puts a copy of an anchored node in place of its alias, after asking what that would cost.
    fn unfold(&mut self, anchor: usize, place: Place) -> Result<(), Mistake> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(Mistake { place, message: "this alias has no anchor before it".to_owned() });
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
                        Some(first) => self.mistakes.push(Mistake {
                            place,
                            message: format!(
                                "the key {key:?} stands here a second time; the first is on line {}, and counts",
                                first.place.line
                            ),
                        }),
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
        Value::List(_) | Value::Table(_) => Err(Mistake {
            place: node.place,
            message: "a key must be a word, not a list or a table; text that begins with [ or { needs quotes"
                .to_owned(),
        }),
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

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// A plain scalar: `yes` and `no` are words.
fn plain(text: &str) -> Json {
    match text {
        text if is_null(text) => Json::Null,
        "true" | "True" | "TRUE" => Json::Bool(true),
        "false" | "False" | "FALSE" => Json::Bool(false),
        _ => json_number(text).map_or_else(|| Json::String(text.to_owned()), Json::Number),
    }
}

fn json_number(text: &str) -> Option<Number> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    let whole = text.strip_prefix('+').unwrap_or(text);
    let whole = whole.parse::<i64>().map(Number::from).or_else(|_| whole.parse::<u64>().map(Number::from));
    let is_float = || text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    whole.ok().or_else(|| is_float().then(|| text.parse().ok().and_then(Number::from_f64)).flatten())
}
