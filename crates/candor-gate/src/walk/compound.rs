//! Assignments, functions and loops: what the shell remembers.

use tree_sitter::Node;

use super::{At, Walk};
use crate::call::{UNKNOWN, Word};
use crate::env;
use crate::evaluate::Evaluator;
use crate::rules;
use crate::text::{self, slice};

/// How many values of a `for` are tried one by one.
const LOOP_VALUES_MAX: usize = 16;

impl Walk<'_> {
    pub(super) fn assignment(&mut self, node: Node<'_>, at: At<'_>) {
        self.children(node, at);
        let Some(name) = node.child_by_field_name("name").map(|name| at.text(name).to_owned()) else {
            return;
        };
        let evaluator = Evaluator::new(at.source, &self.state.variables, &self.state.ground.home);
        let value = node.child_by_field_name("value").map(|value| {
            let mut cursor = value.walk();
            if value.kind() == "array" {
                let words = value.named_children(&mut cursor).flat_map(|item| evaluator.words(item));
                return words.map(|word| word.text).collect::<Vec<_>>().join(" ");
            }
            evaluator.word(value).text
        });
        let mut value = value.unwrap_or_default();
        if at.text(node).starts_with(&format!("{name}+=")) {
            let before = self.state.variables.get(&name).cloned().unwrap_or_default();
            value.insert_str(0, &before);
        }
        self.extend(rules::variable(&name, &value));
        if env::names_a_program(&name) {
            self.inner_script(&value, &[], at.flow, at.depth + 1);
        }
        self.state.variables.insert(name, value);
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
        let state = self.state.clone();
        self.visit(body, at);
        self.state = state;
        self.state.functions.insert(name, at.text(body).to_owned());
    }

    /// A loop over literal values is walked once for each.
    pub(super) fn each(&mut self, node: Node<'_>, at: At<'_>) {
        let evaluator = Evaluator::new(at.source, &self.state.variables, &self.state.ground.home);
        let mut cursor = node.walk();
        let values: Vec<Word> = node
            .children_by_field_name("value", &mut cursor)
            .flat_map(|value| evaluator.words(value))
            .collect();
        let name = node.child_by_field_name("variable").map(|name| at.text(name).to_owned());
        let (Some(name), Some(body)) = (name, node.child_by_field_name("body")) else {
            return self.children(node, at);
        };
        for value in node.children_by_field_name("value", &mut node.walk()) {
            self.visit(value, at);
        }
        let (tried, rest) = values.split_at(values.len().min(LOOP_VALUES_MAX));
        for value in tried {
            self.state.variables.insert(name.clone(), value.text.clone());
            self.visit(body, at);
        }
        if tried.is_empty() || !rest.is_empty() {
            self.state.variables.insert(name.clone(), UNKNOWN.to_string());
            self.visit(body, at);
        }
        for value in rest {
            self.extend(rules::loop_value(value, at.text(body), &self.state));
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
