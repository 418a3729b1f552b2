//! Works out the words of a command as far as they are literal.

use std::cell::Cell;

use tree_sitter::Node;

use crate::call::{UNKNOWN, Word};
use crate::expand::{self, BRACE_CLOSE, BRACE_COMMA, BRACE_OPEN, Value};
use crate::flow;
use crate::text::slice;
use crate::variables::Variables;

/// Evaluates nodes of one text.
#[derive(Debug)]
pub(crate) struct Evaluator<'a> {
    pub(crate) source: &'a str,
    pub(crate) variables: &'a Variables,
    pub(crate) home: &'a str,
    /// Whether braces were left as they are, because they unfold to too much.
    pub(crate) overflowed: Cell<bool>,
}

/// Words under construction.
#[derive(Default)]
struct Build {
    done: Vec<Word>,
    word: Word,
    /// An empty pair of quotes is a word, too.
    started: bool,
    /// A dollar was met whose variable comes with the next piece.
    dollar: bool,
    /// It is one text and not words.
    is_text: bool,
    /// What separates words besides blanks.
    separators: String,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(source: &'a str, variables: &'a Variables, home: &'a str) -> Self {
        Self { source, variables, home, overflowed: Cell::new(false) }
    }

    /// The words that this node becomes: none for an empty variable, several for braces.
    pub(crate) fn words(&self, node: Node<'_>) -> Vec<Word> {
        self.run(&[node])
    }

    /// The words that nodes become which touch each other: to a shell they are one piece, whatever the grammar says.
    pub(crate) fn run(&self, nodes: &[Node<'_>]) -> Vec<Word> {
        let mut build = Build::default();
        if let Some(ifs) = self.variables.get("IFS").filter(|ifs| !ifs.trim().is_empty()) {
            build.separators.clone_from(ifs);
        }
        for node in nodes {
            self.unquoted(*node, &mut build);
        }
        build.finish_word();
        let mut words = Vec::with_capacity(build.done.len());
        for word in build.done {
            if !word.text.contains(BRACE_OPEN) {
                words.push(Word { text: expand::plain_braces(word.text), ran: word.ran });
                continue;
            }
            let texts = expand::braces(&word.text).unwrap_or_else(|| {
                self.overflowed.set(true);
                vec![expand::plain_braces(word.text.clone())]
            });
            words.extend(texts.into_iter().map(|text| Word { text, ran: word.ran.clone() }));
        }
        words
    }

    /// The node as one word, as on the right of `=` and after `>`.
    pub(crate) fn word(&self, node: Node<'_>) -> Word {
        let mut words = self.words(node).into_iter();
        let Some(mut first) = words.next() else { return Word::default() };
        for word in words {
            first.text.push(' ');
            first.text.push_str(&word.text);
            first.ran.extend(word.ran);
        }
        first
    }

    /// The text of a here-document, with what it expands.
    pub(crate) fn body(&self, node: Node<'_>) -> String {
        let mut build = Build { is_text: true, ..Build::default() };
        self.quoted(node, node.start_byte(), node.end_byte(), &mut build);
        build.word.text
    }

    pub(crate) fn text(&self, node: Node<'_>) -> &'a str {
        slice(self.source, node.byte_range())
    }

    fn unquoted(&self, node: Node<'_>, build: &mut Build) {
        match node.kind() {
            "raw_string" => build.push_quoted(self.text(node).trim_matches('\'')),
            "ansi_c_string" => {
                let text = self.text(node);
                let inner = text.strip_prefix("$'").and_then(|text| text.strip_suffix('\''));
                build.push_quoted(&expand::ansi(inner.unwrap_or(text)));
            }
            "string" => self.string(node, build),
            "simple_expansion" | "expansion" => {
                let value = self.value(node, build);
                build.push_each(&value);
            }
            "command_substitution" => {
                let value = self.substituted(node, build);
                build.push_split(&value);
            }
            "process_substitution" => {
                build.word.ran.extend(flow::programs(self, node));
                build.push_quoted("\0");
            }
            "arithmetic_expansion" | "array" => build.push_quoted("\0"),
            "concatenation" | "command_name" | "translated_string" => self.pieces(node, build),
            _ => self.bare(self.text(node), build),
        }
    }

    /// Children, and whatever text stands between them.
    fn pieces(&self, node: Node<'_>, build: &mut Build) {
        let mut at = node.start_byte();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.bare(slice(self.source, at..child.start_byte()), build);
            self.unquoted(child, build);
            at = child.end_byte();
        }
        self.bare(slice(self.source, at..node.end_byte()), build);
    }

    /// Text outside of quotes: backslashes, the home, braces.
    fn bare(&self, text: &str, build: &mut Build) {
        if text.is_empty() {
            return;
        }
        if text == "$" {
            // The grammar sometimes cuts a variable off from its dollar.
            build.dollar = true;
            return;
        }
        let joined;
        let text = if std::mem::take(&mut build.dollar) {
            joined = format!("${text}");
            &joined
        } else {
            text
        };
        build.started |= !text.starts_with(is_blank);
        let mut chars = text.chars();
        // Only the first character of a word can be the home.
        if build.word.text.is_empty()
            && text.starts_with('~')
            && let Some((home, rest)) = self.tilde(text)
        {
            build.word.text.push_str(&home);
            chars = rest.chars();
        }
        while let Some(c) = chars.next() {
            match c {
                '$' if chars.as_str().starts_with(|c: char| c.is_ascii_alphabetic() || "_{".contains(c)) => {
                    let (name, rest) = expand::variable(chars.as_str());
                    build.push_each(&expand::parameter(name, self.variables));
                    chars = rest.chars();
                    build.started |= !rest.is_empty();
                }
                '\\' => match chars.next() {
                    Some('\n') | None => {}
                    Some(c) => build.word.text.push(c),
                },
                // The grammar takes `{ {` for one word. The shell never does: what is not quoted ends at a blank.
                c if is_blank(c) => {
                    build.finish_word();
                    build.started = chars.as_str().starts_with(|c| !is_blank(c));
                }
                '{' => build.word.text.push(BRACE_OPEN),
                ',' => build.word.text.push(BRACE_COMMA),
                '}' => build.word.text.push(BRACE_CLOSE),
                c => build.word.text.push(c),
            }
        }
    }

    fn tilde<'t>(&self, text: &'t str) -> Option<(String, &'t str)> {
        let end = text.find('/').unwrap_or(text.len());
        let (user, rest) = (&text[1..end], &text[end..]);
        let home = match user {
            // Without a home of its own the shell asks the system for it.
            "" => {
                let home = self.variables.get("HOME").filter(|home| !home.is_empty());
                home.map_or(self.home, String::as_str).to_owned()
            }
            "+" => self.variables.get("PWD").cloned().unwrap_or_else(|| UNKNOWN.to_string()),
            "root" => "/root".to_owned(),
            user if user.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) => format!("/home/{user}"),
            _ => return None,
        };
        Some((home, rest))
    }

    fn string(&self, node: Node<'_>, build: &mut Build) {
        build.started = true;
        let text = self.text(node);
        let start = node.start_byte() + usize::from(text.starts_with('"'));
        let end = node.end_byte() - usize::from(text.len() > 1 && text.ends_with('"'));
        self.quoted(node, start, end, build);
    }

    /// Text in double quotes. The grammar drops some blanks from its nodes, so what stands between the expansions is
    /// taken from the source.
    fn quoted(&self, node: Node<'_>, start: usize, end: usize, build: &mut Build) {
        let mut at = start;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let mut several = None;
            let value = match child.kind() {
                "simple_expansion" | "expansion" => {
                    let value = self.value(child, build);
                    if value.is_one || build.is_text {
                        value.joined()
                    } else {
                        several = Some(value.texts);
                        String::new()
                    }
                }
                "command_substitution" => self.substituted(child, build),
                "arithmetic_expansion" => UNKNOWN.to_string(),
                _ => continue,
            };
            let before = slice(self.source, at..child.start_byte());
            build.word.text.push_str(&expand::double_quoted(before));
            build.word.text.push_str(&value);
            // The one kind of expansion that becomes several words between quotes, or none at all.
            if let Some(texts) = several {
                build.push_words(&texts, at == start && before.is_empty());
            }
            at = child.end_byte();
        }
        let rest = expand::double_quoted(slice(self.source, at..end));
        build.started |= !rest.is_empty();
        build.word.text.push_str(&rest);
    }

    fn value(&self, node: Node<'_>, build: &mut Build) -> Value {
        let text = self.text(node);
        let inner = text.strip_prefix('$').unwrap_or(text);
        let inner = inner.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() == "command_substitution") {
            build.word.ran.extend(flow::programs(self, child));
        }
        expand::parameter(inner, self.variables)
    }

    fn substituted(&self, node: Node<'_>, build: &mut Build) -> String {
        build.word.ran.extend(flow::programs(self, node));
        if self.text(node).contains("<<") {
            // A text that it is given is no file.
            build.word.ran.push("<<".to_owned());
        }
        flow::printed(self, node)
            .map_or_else(|| UNKNOWN.to_string(), |text| text.trim_end_matches('\n').to_owned())
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

impl Build {
    fn push_quoted(&mut self, text: &str) {
        self.started = true;
        self.word.text.push_str(text);
    }

    /// Adds what an unquoted variable holds: its blanks separate words.
    fn push_split(&mut self, text: &str) {
        let separators = std::mem::take(&mut self.separators);
        let mut parts = text.split(|c| is_blank(c) || separators.contains(c));
        if let Some(first) = parts.next().filter(|first| !first.is_empty()) {
            self.push_quoted(first);
        }
        for part in parts {
            self.finish_word();
            if !part.is_empty() {
                self.push_quoted(part);
            }
        }
        self.separators = separators;
    }

    /// Adds what a variable without quotes holds.
    fn push_each(&mut self, value: &Value) {
        for (index, text) in value.texts.iter().enumerate() {
            if index > 0 {
                self.finish_word();
            }
            self.push_split(text);
        }
    }

    /// Adds words that stay as they are; none of them is no word, where nothing else stands there.
    fn push_words(&mut self, texts: &[String], is_alone: bool) {
        if texts.is_empty() && is_alone && self.word.text.is_empty() {
            self.started = false;
        }
        for (index, text) in texts.iter().enumerate() {
            if index > 0 {
                self.finish_word();
            }
            self.push_quoted(text);
        }
    }

    fn finish_word(&mut self) {
        if std::mem::take(&mut self.dollar) {
            self.push_quoted("$");
        }
        if self.started {
            self.done.push(std::mem::take(&mut self.word));
        }
        self.started = false;
    }
}
