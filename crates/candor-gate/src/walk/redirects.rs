//! Redirects and pipelines: what is written where, and what the next command reads.

use tree_sitter::Node;

use super::{At, Walk};
use crate::call::{Call, Word, base_name};
use crate::evaluate::Evaluator;
use crate::flow::{self, Flow};
use crate::rules::{self, Way};
use crate::verdict::Finding;

impl Walk<'_> {
    /// Redirects, and a here-document, around a command or a group of them.
    pub(super) fn redirected(&mut self, node: Node<'_>, at: At<'_>) {
        let evaluator = Evaluator::new(at.source, &self.state.variables, &self.state.ground.home);
        let mut flow = None;
        let mut more = Vec::new();
        let mut findings = Vec::new();
        let mut cursor = node.walk();
        // Not by the name of the field: a here-string behind a loop has none.
        let redirects: Vec<Node<'_>> =
            node.named_children(&mut cursor).filter(|child| child.kind().ends_with("_redirect")).collect();
        for redirect in &redirects {
            match redirect.kind() {
                "file_redirect" => {
                    let (target, rest) = destinations(&evaluator, *redirect);
                    more.extend(rest);
                    let Some(target) = target else { continue };
                    let way = Way::of(at.text(*redirect));
                    findings.extend(rules::redirect(way, &target.text, &self.state));
                    if way == Way::In {
                        flow = Some(Flow { programs: target.ran, is_file: true, ..Flow::default() });
                    }
                }
                "herestring_redirect" => flow = here_string(&evaluator, *redirect),
                _ => {
                    let mut cursor = redirect.walk();
                    for part in redirect.named_children(&mut cursor) {
                        match part.kind() {
                            "heredoc_body" => flow = Some(Flow::of_text(evaluator.body(part))),
                            "file_redirect" => {
                                let (target, _) = destinations(&evaluator, part);
                                let way = Way::of(at.text(part));
                                findings.extend(
                                    target.and_then(|it| rules::redirect(way, &it.text, &self.state)),
                                );
                            }
                            _ => {}
                        }
                    }
                    more.extend(arguments(&evaluator, *redirect));
                }
            }
        }
        self.extend(findings);
        let inside = At { flow: flow.as_ref().unwrap_or(at.flow), ..at };
        let body = node.child_by_field_name("body");
        let is_last_of_list = body.is_some_and(|body| body.kind() == "list");
        match body {
            Some(body) if body.kind() == "command" => self.command(body, inside, more),
            Some(body) => self.visit(body, inside),
            None => {}
        }
        if is_last_of_list {
            // The grammar puts the redirect of the last command around the whole list: `cd /etc && echo x > hosts`.
            let evaluator = Evaluator::new(at.source, &self.state.variables, &self.state.ground.home);
            let judged = redirects.iter().filter_map(|redirect| {
                let target = destinations(&evaluator, *redirect).0?;
                rules::redirect(Way::of(at.text(*redirect)), &target.text, &self.state)
            });
            let findings: Vec<Finding> = judged.collect();
            self.extend(findings);
        }
        for redirect in redirects {
            let output = body.map(|body| self.output(body, inside)).unwrap_or_default();
            self.around_redirect(redirect, at, &output);
        }
    }

    /// What the grammar has put inside of a redirect: substitutions, and for a here-document the rest of its line.
    pub(super) fn around_redirect(&mut self, redirect: Node<'_>, at: At<'_>, output: &Flow) {
        let mut cursor = redirect.walk();
        for part in redirect.named_children(&mut cursor) {
            match part.kind() {
                "pipeline" => self.stages(part, at, output.clone()),
                _ => self.visit(part, at),
            }
        }
    }

    pub(super) fn pipeline(&mut self, node: Node<'_>, at: At<'_>) {
        self.stages(node, at, at.flow.clone());
    }

    pub(super) fn stages(&mut self, node: Node<'_>, at: At<'_>, first: Flow) {
        let mut flow = first;
        let mut cursor = node.walk();
        for stage in node.named_children(&mut cursor) {
            let state = self.state.clone();
            let inside = At { flow: &flow, ..at };
            self.visit(stage, inside);
            let next = self.output(stage, inside);
            self.state = state;
            flow = next;
        }
    }

    /// What a stage hands to the next one.
    pub(super) fn output(&self, stage: Node<'_>, at: At<'_>) -> Flow {
        let evaluator = Evaluator::new(at.source, &self.state.variables, &self.state.ground.home);
        let mut programs = at.flow.programs.clone();
        programs.extend(flow::programs(&evaluator, stage));
        let mut text = flow::printed(&evaluator, stage);
        let mut found_by = Vec::new();
        if stage.kind() == "command" {
            let mut cursor = stage.walk();
            let words: Vec<Word> =
                stage.named_children(&mut cursor).flat_map(|child| evaluator.words(child)).collect();
            let call = Call::new(&words, at.flow);
            text = text.or_else(|| flow::printed_by(&call));
            if matches!(base_name(call.name), "find" | "ls" | "fd") {
                found_by = words;
            }
        }
        Flow { text, programs, found_by, is_file: false }
    }
}

/// The target of a redirect, and the words behind it that belong to the command.
pub(super) fn destinations(evaluator: &Evaluator<'_>, redirect: Node<'_>) -> (Option<Word>, Vec<Word>) {
    let mut cursor = redirect.walk();
    let mut nodes = redirect.children_by_field_name("destination", &mut cursor);
    let target = nodes.next().map(|node| evaluator.word(node));
    (target, nodes.flat_map(|node| evaluator.words(node)).collect())
}

/// Arguments that stand behind the start of a here-document.
pub(super) fn arguments(evaluator: &Evaluator<'_>, redirect: Node<'_>) -> Vec<Word> {
    let mut cursor = redirect.walk();
    redirect.children_by_field_name("argument", &mut cursor).flat_map(|node| evaluator.words(node)).collect()
}

pub(super) fn here_string(evaluator: &Evaluator<'_>, redirect: Node<'_>) -> Option<Flow> {
    let word = evaluator.word(redirect.named_child(0)?);
    if word.is_known() {
        return Some(Flow::of_text(word.text));
    }
    // Something unknown: the programs that made it are what is read.
    let programs = if word.ran.is_empty() { vec!["a variable".to_owned()] } else { word.ran };
    Some(Flow { programs, text: None, ..Flow::default() })
}
