//! Redirects and pipelines: what is written where, and what the next command reads.

use tree_sitter::Node;

use super::{At, Walk};
use crate::call::{Call, Word, base_name};
use crate::evaluate::Evaluator;
use crate::flow::{self, Flow};
use crate::rules::{self, Way};
use crate::text::slice;
use crate::verdict::Finding;

impl Walk<'_> {
    /// Redirects, and a here-document, around a command or a group of them.
    pub(super) fn redirected(&mut self, node: Node<'_>, at: At<'_>) {
        let evaluator = self.evaluator(at);
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
                        let source = redirect.child_by_field_name("destination");
                        let source = source.filter(|node| node.kind() == "process_substitution");
                        let text = source.and_then(|node| flow::printed(&evaluator, node));
                        flow = Some(Flow { text, programs: target.ran, is_file: true, ..Flow::default() });
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
                    let line_end = line_end(&evaluator, *redirect);
                    more.extend(arguments(&evaluator, *redirect, line_end));
                    flow = swallowed(&evaluator, *redirect, line_end).or(flow);
                }
            }
        }
        self.extend(findings);
        let inside = At { flow: flow.as_ref().unwrap_or(at.flow), ..at };
        let body = node.child_by_field_name("body");
        let is_last_of_list = body.is_some_and(|body| body.kind() == "list");
        match body {
            Some(body) if body.kind() == "command" => {
                // The grammar drops a dash before a here-document: `make -f - <<EOF`.
                let end = redirects.first().map_or(body.end_byte(), Node::start_byte);
                if slice(at.source, body.end_byte()..end).trim() == "-" {
                    more.insert(0, Word::literal("-"));
                }
                self.command(body, inside, more);
            }
            Some(body) => self.visit(body, inside),
            None => {}
        }
        if is_last_of_list {
            // The grammar puts the redirect of the last command around the whole list: `cd /etc && echo x > hosts`.
            let evaluator = self.evaluator(at);
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
                "process_substitution" if at.text(part).starts_with('>') => {
                    self.visit(part, At { flow: output, ..at });
                }
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
            if self.is_over() {
                return;
            }
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
        let evaluator = self.evaluator(at);
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

/// Where the line ends that a here-document starts in.
fn line_end(evaluator: &Evaluator<'_>, redirect: Node<'_>) -> usize {
    let mut cursor = redirect.walk();
    let start = redirect.named_children(&mut cursor).find(|part| part.kind() == "heredoc_start");
    let start = start.map_or(redirect.end_byte(), |start| start.end_byte());
    let rest = slice(evaluator.source, start..redirect.end_byte());
    // A line that is continued with a backslash goes on.
    let breaks = rest.match_indices('\n').find(|(at, _)| !rest[..*at].ends_with('\\'));
    breaks.map_or(redirect.end_byte(), |(at, _)| start + at)
}

/// Arguments that stand behind the start of a here-document.
fn arguments(evaluator: &Evaluator<'_>, redirect: Node<'_>, line_end: usize) -> Vec<Word> {
    let mut cursor = redirect.walk();
    let arguments = redirect.children_by_field_name("argument", &mut cursor);
    arguments.filter(|node| node.start_byte() < line_end).flat_map(|node| evaluator.words(node)).collect()
}

/// The text of a here-document whose first line begins with a backslash: the grammar takes that line for arguments.
fn swallowed(evaluator: &Evaluator<'_>, redirect: Node<'_>, line_end: usize) -> Option<Flow> {
    let mut cursor = redirect.walk();
    let parts: Vec<Node<'_>> = redirect.named_children(&mut cursor).collect();
    let is_text = |part: &&Node<'_>| !matches!(part.kind(), "heredoc_body" | "heredoc_end");
    parts.iter().filter(is_text).find(|part| part.start_byte() >= line_end)?;
    let end = parts.iter().find(|part| part.kind() == "heredoc_end")?.start_byte();
    Some(Flow::of_text(slice(evaluator.source, line_end + 1..end).to_owned()))
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
