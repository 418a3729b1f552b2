//! Assignments, functions and loops: what the shell remembers.

use tree_sitter::Node;

use super::{At, Walk};
use crate::call::{UNKNOWN, Word};
use crate::env;
use crate::expand;
use crate::flow::Flow;
use crate::rules;
use crate::text::{self, slice};
use crate::variables;
use crate::verdict::Finding;

/// How many values or lines of a loop are tried one by one.
const LOOP_VALUES_MAX: usize = 512;

impl Walk<'_> {
    pub(super) fn assignment(&mut self, node: Node<'_>, at: At<'_>) {
        self.children(node, at);
        let Some(name) = node.child_by_field_name("name").map(|name| at.text(name).to_owned()) else {
            return;
        };
        let value = node.child_by_field_name("value");
        let is_added = at.text(node).starts_with(&format!("{name}+="));
        if let Some(array) = value.filter(|value| value.kind() == "array") {
            return self.array(name, array, is_added, at);
        }
        let evaluator = self.evaluator(at);
        let mut value = value.map(|value| evaluator.word(value).text).unwrap_or_default();
        if is_added {
            let before = expand::parameter(&name, &self.state.variables).joined();
            // What nobody has set is nothing.
            value.insert_str(0, if before == UNKNOWN.to_string() { "" } else { &before });
        }
        self.extend(rules::variable(&name, &value));
        if env::names_a_program(&name) {
            self.inner_script(&value, &[], at.flow, at.depth + 1);
        }
        self.assign(&name, value);
    }

    /// Sets a variable, or an item of an array.
    pub(super) fn assign(&mut self, name: &str, value: String) {
        match expand::subscript(name) {
            Some((array, key, _)) => {
                let key = expand::key(key, &self.state.variables);
                self.state.variables.insert_item(array.to_owned(), &key, value);
            }
            None => self.state.variables.insert(name.to_owned(), value),
        }
    }

    /// `name=(a b [key]=c)`.
    fn array(&mut self, name: String, array: Node<'_>, is_added: bool, at: At<'_>) {
        let evaluator = self.evaluator(at);
        let mut cursor = array.walk();
        let words = array.named_children(&mut cursor).flat_map(|item| evaluator.words(item));
        let words: Vec<String> = words.map(|word| word.text).collect();
        let before = self.state.variables.items(&name).filter(|_| is_added).cloned();
        let single = self.state.variables.get(&name).filter(|_| is_added).cloned();
        let mut items = before.unwrap_or_else(|| variables::numbered(single));
        let mut next = items.len();
        for word in &words {
            let keyed = word.strip_prefix('[').and_then(|rest| rest.split_once("]="));
            let (key, value) = keyed.map_or((next.to_string(), word.as_str()), |(key, value)| {
                (expand::key(key, &self.state.variables), value)
            });
            next = key.parse::<usize>().map_or(next, |number| number.saturating_add(1));
            items.push((key, value.to_owned()));
        }
        self.extend(rules::variable(&name, &words.join(" ")));
        self.state.variables.insert_array(name, items);
    }

    pub(super) fn function(&mut self, node: Node<'_>, at: At<'_>) {
        let (Some(name), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body"))
        else {
            return self.children(node, at);
        };
        let name = at.text(name).to_owned();
        if forks_itself(body, &name, at.source) {
            self.note(rules::bomb());
        }
        // A redirect behind the body belongs to each call.
        let redirect = node.child_by_field_name("redirect");
        let whole = match redirect.filter(|redirect| redirect.kind() == "herestring_redirect") {
            // The grammar takes no text behind a group, but behind this.
            Some(redirect) => format!("if true; then {}\nfi {}", at.text(body), at.text(redirect)),
            None => slice(at.source, body.start_byte()..node.end_byte()).to_owned(),
        };
        let state = self.state.clone();
        if redirect.is_some() {
            self.script(&whole, at.flow, at.depth + 1);
        } else {
            self.visit(body, at);
        }
        self.state = state;
        self.state.functions.insert(name, whole);
    }

    /// A loop over literal values is walked once for each.
    pub(super) fn each(&mut self, node: Node<'_>, at: At<'_>) {
        let evaluator = self.evaluator(at);
        let mut cursor = node.walk();
        let mut values: Vec<Word> = node
            .children_by_field_name("value", &mut cursor)
            .flat_map(|value| evaluator.words(value))
            .collect();
        let is_over_parameters = !node.children(&mut cursor).any(|child| child.kind() == "in");
        if let Some(items) = self.state.variables.items("@").filter(|_| is_over_parameters) {
            values.extend(items.iter().map(|(_, value)| Word::literal(value)));
        }
        let name = node.child_by_field_name("variable").map(|name| at.text(name).to_owned());
        let (Some(name), Some(body)) = (name, node.child_by_field_name("body")) else {
            return self.children(node, at);
        };
        for value in node.children_by_field_name("value", &mut node.walk()) {
            self.visit(value, at);
        }
        let mut rest = values.as_slice();
        while let Some((value, after)) = rest.split_first() {
            if values.len() - rest.len() == LOOP_VALUES_MAX || !self.goes_round() {
                break;
            }
            self.state.variables.insert(name.clone(), value.text.clone());
            self.visit(body, at);
            rest = after;
        }
        if values.is_empty() {
            self.state.variables.insert(name, UNKNOWN.to_string());
            self.visit(body, at);
        }
        if !rest.is_empty() {
            let reason = format!("a loop in it has more than {LOOP_VALUES_MAX} values");
            self.note(Finding::ask("too-many", reason).surroundings());
        }
        for value in rest {
            self.extend(rules::loop_value(value, at.text(body), &self.state));
        }
    }

    /// A loop that reads lines is walked once for each, where they are known.
    pub(super) fn each_line(&mut self, node: Node<'_>, at: At<'_>) {
        let condition = node.child_by_field_name("condition");
        let reads = condition.is_some_and(|condition| {
            at.text(condition).split(|c: char| !c.is_alphanumeric()).any(|word| word == "read")
        });
        let lines: Vec<&str> =
            at.flow.text.as_deref().filter(|_| reads).map(|text| text.lines().collect()).unwrap_or_default();
        if lines.len() < 2 {
            return self.each_parameter(node, at);
        }
        for (index, line) in lines.iter().enumerate() {
            if index == LOOP_VALUES_MAX {
                let reason = format!("a loop in it reads more than {LOOP_VALUES_MAX} lines");
                self.note(Finding::ask("too-many", reason).surroundings());
                let rest = lines[index..].iter().flat_map(|line| line.split_whitespace()).map(Word::literal);
                let findings: Vec<Finding> =
                    rest.filter_map(|value| rules::loop_value(&value, at.text(node), &self.state)).collect();
                return self.extend(findings);
            }
            if !self.goes_round() {
                return;
            }
            let flow = Flow::of_text((*line).to_owned());
            self.children(node, At { flow: &flow, ..at });
        }
    }

    /// A loop that takes its parameters one by one is walked once for each.
    fn each_parameter(&mut self, node: Node<'_>, at: At<'_>) {
        let takes = at.text(node).split(|c: char| !c.is_alphanumeric()).any(|word| word == "shift");
        let parameters = self.state.variables.items("@").filter(|_| takes).map_or(0, Vec::len);
        self.children(node, at);
        for _ in 1..parameters {
            if self.goes_round() {
                self.children(node, at);
            }
        }
    }

    /// Substitutions that the grammar takes for text.
    pub(super) fn unparsed(&mut self, node: Node<'_>, at: At<'_>) {
        let text = at.text(node);
        if !text.contains('`') && !text.contains("$(") {
            return;
        }
        let is_quoted = node.parent().is_some_and(|parent| {
            let start = parent.named_child(0).filter(|start| start.kind() == "heredoc_start");
            start.is_some_and(|start| at.text(start).contains(['"', '\'', '\\']))
        });
        if is_quoted {
            return;
        }
        for script in text::substitutions(text) {
            self.inner_script(script, &[], at.flow, at.depth + 1);
        }
    }
}

/// A function that starts itself in the background or twice in a pipeline.
fn forks_itself(node: Node<'_>, name: &str, source: &str) -> bool {
    let is_self = |node: Node<'_>| {
        node.kind() == "command"
            && node.child_by_field_name("name").is_some_and(|child| slice(source, child.byte_range()) == name)
    };
    let mut cursor = node.walk();
    let calls = match node.kind() {
        "pipeline" => node.named_children(&mut cursor).filter(|stage| is_self(*stage)).count(),
        _ => usize::from(is_self(node)),
    };
    let is_in_background = node.next_sibling().is_some_and(|next| next.kind() == "&");
    if calls > 1 || (calls == 1 && is_in_background) {
        return true;
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| forks_itself(child, name, source))
}
