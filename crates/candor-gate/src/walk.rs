//! Walks through a script, finds every simple command in it, and follows what the shell's state would be.

mod bounds;
mod compound;
mod memory;
mod redirects;

use std::collections::HashMap;

use tree_sitter::Node;

use crate::call::{Call, UNKNOWN, Word};
use crate::evaluate::Evaluator;
use crate::flow::Flow;
use crate::gate::{Gate, USER_ASK};
use crate::interactive;
use crate::places::Ground;
use crate::rules::{self, Way};
use crate::scene::Scene;
use crate::syntax::Parsed;
use crate::text::{self, slice};
use crate::variables::{self, Variables};
use crate::verdict::{About, Finding, Verdict};
use crate::wrappers::{self, Inner};
use bounds::Progress;
use redirects::{destinations, here_string};

/// What the shell knows at one point of the script.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) variables: Variables,
    pub(crate) ground: Ground,
    /// The bodies of functions.
    functions: HashMap<String, String>,
    /// Files that the script has fetched from a network.
    pub(crate) downloads: Vec<String>,
    /// Where `popd` leads back to.
    directories: Vec<String>,
}

/// The text a node is in, and what surrounds it.
#[derive(Debug, Clone, Copy)]
struct At<'t> {
    source: &'t str,
    flow: &'t Flow,
    depth: usize,
}

impl<'t> At<'t> {
    fn text(&self, node: Node<'_>) -> &'t str {
        slice(self.source, node.byte_range())
    }
}

/// Variables that are set for one command, and all as they were before it.
struct Kept {
    before: Variables,
    names: Vec<String>,
}

/// One judgement in the making.
pub(crate) struct Walk<'g> {
    gate: &'g Gate,
    state: State,
    progress: Progress,
    findings: Vec<Finding>,
    denied: bool,
    spared: bool,
    reads_commands: bool,
    /// What is typed at the terminal that the text runs at.
    typed: Option<String>,
}

impl<'g> Walk<'g> {
    pub(crate) fn new(gate: &'g Gate, scene: &Scene<'_>) -> Self {
        let ground = Ground::new(scene);
        let assumed =
            [("HOME", ground.home.as_str()), ("PWD", &ground.cwd), ("IFS", " "), ("TMPDIR", "/tmp")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let state = State {
            variables: Variables::from(assumed),
            ground,
            functions: HashMap::new(),
            downloads: Vec::new(),
            directories: Vec::new(),
        };
        let mut walk = Self {
            gate,
            state,
            progress: Progress::default(),
            findings: Vec::new(),
            denied: false,
            spared: false,
            reads_commands: false,
            typed: None,
        };
        // A shell does not believe where it is told to be.
        for (name, value) in scene.variables.iter().filter(|(name, _)| name != "PWD") {
            walk.extend(rules::variable(name, value));
            walk.state.variables.insert(name.clone(), value.clone());
        }
        walk
    }

    fn evaluator<'a>(&'a self, at: At<'a>) -> Evaluator<'a> {
        Evaluator::new(at.source, &self.state.variables, &self.state.ground.home)
    }

    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Whether an entry of the allow list answered a question.
    pub(crate) fn spared(&self) -> bool {
        self.spared
    }

    /// Whether a shell would read what the text is given when it runs; also where not all of it was looked at.
    pub(crate) fn reads_commands(&self) -> bool {
        self.reads_commands || self.is_over() || self.findings.iter().any(Finding::is_about_unread)
    }

    /// Judges a command by what it would do with this input.
    pub(crate) fn fed(&mut self, command: &str, input: &str) {
        if text::before_parsing(command).is_none() {
            // Keys that are no letters end what was typed before them.
            let input: String =
                input.chars().map(|c| if c.is_control() && c != '\t' { '\n' } else { c }).collect();
            self.typed = Some(input.clone());
            self.script(command, &Flow::of_text(input), 0);
        }
    }

    /// Judges a whole text.
    pub(crate) fn text(&mut self, text: &str) {
        if let Some(finding) = text::before_parsing(text) {
            self.note(finding);
            self.listed(text);
            return self.rough(text);
        }
        self.script(text, &Flow::default(), 0);
    }

    /// Holds a text against the lists.
    fn listed(&mut self, source: &str) {
        if let Some(entry) = self.gate.deny.text(source) {
            self.note(Finding::deny("user-deny", format!("the rules deny `{entry}`")).surroundings());
        }
        if let Some(entry) = self.gate.ask.text(source) {
            self.note(Finding::ask(USER_ASK, format!("the rules ask before `{entry}`")).surroundings());
        }
    }

    /// Judges a script: the command itself, or one inside of it.
    fn script(&mut self, source: &str, flow: &Flow, depth: usize) {
        if self.is_over() {
            return;
        }
        self.listed(source);
        if self.is_too_deep(depth) {
            return self.rough_inside(source, depth);
        }
        let at = At { source, flow, depth };
        match self.gate.parsers.parse(source) {
            Parsed::Script(tree) => {
                self.extend(text::invisible(source, &tree));
                self.visit(tree.root_node(), at);
            }
            Parsed::Broken(tree) => {
                self.visit(tree.root_node(), at);
                self.rough_inside(source, depth);
                self.note(Finding::ask("unparsable", "it cannot be read as a shell script").surroundings());
            }
            Parsed::Refused => {
                self.rough_inside(source, depth);
                self.note(
                    Finding::ask("unparsable", "it nests too deep to be looked through").surroundings(),
                );
            }
        }
        self.finish(source, depth);
    }

    fn visit(&mut self, node: Node<'_>, at: At<'_>) {
        if self.is_over() {
            return self.stops_at(node.start_byte());
        }
        match node.kind() {
            "command" => self.command(node, at, Vec::new()),
            "redirected_statement" => self.redirected(node, at),
            "pipeline" => self.pipeline(node, at),
            "process_substitution" if at.flow.is_empty() && at.text(node).starts_with('>') => {
                // It reads what the command around it writes there, which is not known.
                let flow = Flow { programs: vec!["a program".to_owned()], ..Flow::default() };
                let state = self.state.clone();
                self.children(node, At { flow: &flow, ..at });
                self.state = state;
            }
            "subshell" | "command_substitution" | "process_substitution" => {
                let state = self.state.clone();
                self.children(node, at);
                self.state = state;
            }
            "function_definition" => self.function(node, at),
            "variable_assignment" => self.assignment(node, at),
            "for_statement" => self.each(node, at),
            "while_statement" => self.each_line(node, at),
            "heredoc_body" => {
                self.children(node, at);
                self.unparsed(node, at);
            }
            "expansion" => {
                self.extend(rules::arithmetic(at.text(node)));
                self.children(node, at);
                self.unparsed(node, at);
                self.defaulted(at.text(node));
            }
            "word" => self.unparsed(node, at),
            "heredoc_start" if !at.text(node).is_ascii() => {
                // Where the text ends could then be mistaken, and with it everything behind.
                self.note(
                    Finding::ask("unparsable", "the end of its here-document is not plain text")
                        .surroundings(),
                );
            }
            "comment" | "raw_string" | "ansi_c_string" => {}
            "declaration_command" => {
                self.extend(rules::arithmetic(at.text(node)));
                self.declaration(node, at);
            }
            "arithmetic_expansion" | "test_command" | "unset_command" => {
                self.extend(rules::arithmetic(at.text(node)));
                self.children(node, at);
                if node.kind() == "unset_command" {
                    self.forget(at.text(node).split_whitespace().skip(1));
                }
            }
            _ => self.children(node, at),
        }
    }

    fn children(&mut self, node: Node<'_>, at: At<'_>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, at);
        }
    }

    /// A simple command; `more` are arguments that the grammar has put behind a redirect.
    fn command(&mut self, node: Node<'_>, at: At<'_>, more: Vec<Word>) {
        let mut words = Vec::new();
        let mut piped = None;
        let mut run = Vec::new();
        let mut cursor = node.walk();
        let evaluator = self.evaluator(at);
        let mut findings = Vec::new();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "variable_assignment" => {}
                "herestring_redirect" => piped = here_string(&evaluator, child),
                "file_redirect" => {
                    let (target, rest) = destinations(&evaluator, child);
                    words.extend(evaluator.run(&std::mem::take(&mut run)));
                    words.extend(rest);
                    let way = Way::of(at.text(child));
                    findings
                        .extend(target.and_then(|target| rules::redirect(way, &target.text, &self.state)));
                }
                _ => {
                    if run.last().is_some_and(|last: &Node<'_>| !touches(*last, child, at.source)) {
                        words.extend(evaluator.run(&run));
                        run.clear();
                    }
                    run.push(child);
                }
            }
        }
        words.extend(evaluator.run(&run));
        words.extend(more);
        if evaluator.overflowed.get() {
            findings.push(Finding::ask("too-many", "its braces unfold to too many words").surroundings());
        }
        self.extend(findings);
        let flow = piped.as_ref().unwrap_or(at.flow);
        let kept = self.prefixed(node, At { flow, ..at });
        if let Some(kept) = kept.as_ref().filter(|_| words.first().is_none_or(|name| name.text != "read")) {
            // Words are separated before it holds, but for those that are read.
            self.state.variables.restore("IFS", &kept.before);
        }
        self.words(&words, flow, at.depth);
        if let Some(Kept { before, names }) = kept {
            for name in names {
                self.state.variables.restore(&name, &before);
            }
        }
        self.stops_at(node.start_byte());
    }

    /// What stands before and inside of a command: substitutions, and assignments that hold for it alone.
    fn prefixed(&mut self, node: Node<'_>, at: At<'_>) -> Option<Kept> {
        let mut kept: Option<Kept> = None;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "variable_assignment" {
                let before = || Kept { before: self.state.variables.clone(), names: Vec::new() };
                let kept = kept.get_or_insert_with(before);
                let name = child.child_by_field_name("name").map(|name| at.text(name).to_owned());
                kept.names.extend(name);
            }
            self.visit(child, at);
        }
        kept
    }

    /// Judges one simple command by its words, then what it would run in turn.
    fn words(&mut self, words: &[Word], flow: &Flow, depth: usize) {
        if words.is_empty() || self.is_over() {
            return;
        }
        if self.is_too_deep(depth) {
            return self.innermost(words, flow);
        }
        if !self.counts() {
            return;
        }
        let call = Call::new(words, flow);
        let here = wrappers::directory(&call).map(|directory| self.enter(&directory));
        let given = wrappers::given(&call);
        let before = (!given.is_empty()).then(|| self.state.variables.clone());
        for (name, value) in &given {
            self.state.variables.insert(name.clone(), value.clone());
        }
        let findings = rules::judge(&call, &self.state);
        self.resolve(&call, findings);
        if let Some(body) = self.state.functions.get(call.name).cloned() {
            self.call_function(&call, &body, depth);
        }
        let mut inner = wrappers::inner(&call);
        if let Some(typed) = &self.typed {
            inner.extend(wrappers::typed(&call, typed));
        }
        self.reads_commands |= interactive::reads_commands(&call, &inner);
        for inner in inner {
            match inner {
                Inner::Words(words) => self.words(&words, flow, depth + 1),
                Inner::Script { text, parameters } => {
                    // A script reads the same input as the shell it runs in, unless it came from there.
                    let nothing = Flow::default();
                    let flow = if flow.text.as_ref() == Some(&text) { &nothing } else { flow };
                    if matches!(call.name, "eval" | "source" | ".") {
                        // No shell of its own: what it sets stays.
                        self.script(&text.replace(UNKNOWN, "$?"), flow, depth + 1);
                    } else {
                        self.inner_script(&text, &parameters, flow, depth + 1);
                    }
                }
            }
        }
        if let Some(before) = before {
            for (name, _) in given {
                self.state.variables.restore(&name, &before);
            }
        }
        if let Some(here) = here {
            self.enter(&here);
        }
        self.remember(&call);
    }

    /// A script in a shell of its own: what it does to variables and directories ends with it.
    fn inner_script(&mut self, text: &str, parameters: &[Word], flow: &Flow, depth: usize) {
        let state = self.state.clone();
        self.bind(parameters);
        // What is not known is some value; `$?` is the shortest way to say so in bash.
        self.script(&text.replace(UNKNOWN, "$?"), flow, depth);
        self.state = state;
    }

    fn call_function(&mut self, call: &Call<'_>, body: &str, depth: usize) {
        // A function that calls itself would never end; the second round says nothing new.
        let state = self.state.clone();
        self.state.functions.remove(call.name);
        self.bind(call.words);
        self.script(body, call.flow, depth + 1);
        self.state = state;
    }

    fn bind(&mut self, parameters: &[Word]) {
        for (index, word) in parameters.iter().enumerate() {
            self.state.variables.insert(index.to_string(), word.text.clone());
        }
        if !parameters.is_empty() {
            let rest = parameters.iter().skip(1).map(|word| word.text.clone());
            self.state.variables.insert_array("@".to_owned(), variables::numbered(rest));
        }
    }

    /// Holds the findings of the rules against the user's lists.
    fn resolve(&mut self, call: &Call<'_>, findings: Vec<Finding>) {
        if let Some(entry) = self.gate.deny.words(call.words) {
            self.note(Finding::deny("user-deny", format!("the rules deny `{entry}`")));
        }
        if let Some(entry) = self.gate.ask.words(call.words) {
            self.note(Finding::ask(USER_ASK, format!("the rules ask before `{entry}`")));
        }
        let mut allowed = None;
        for finding in findings {
            let can_be_spared = finding.verdict == Verdict::Ask && finding.about == About::Words;
            let is_allowed =
                can_be_spared && *allowed.get_or_insert_with(|| self.gate.allow.words(call.words).is_some());
            if is_allowed {
                self.spared = true;
            } else {
                self.note(finding);
            }
        }
    }

    fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        for finding in findings {
            self.note(finding);
        }
    }

    fn note(&mut self, finding: Finding) {
        self.denied |= finding.verdict == Verdict::Deny;
        self.findings.push(finding);
    }
}

/// Is there nothing between two nodes that a shell would take for the end of a word?
fn touches(before: Node<'_>, after: Node<'_>, source: &str) -> bool {
    matches!(slice(source, before.end_byte()..after.start_byte()), "" | "\\\n")
}
