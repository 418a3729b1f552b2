//! What built-in commands change for those after them.

use tree_sitter::Node;

use super::{At, Walk};
use crate::call::{Call, UNKNOWN, Word, short_group};
use crate::evaluate::Evaluator;
use crate::flow::{self, Flow};
use crate::rules;

impl Walk<'_> {
    /// What a built-in command changes for those after it.
    pub(super) fn remember(&mut self, call: &Call<'_>) {
        match call.name {
            "cd" | "pushd" => {
                let home = self.state.ground.home.clone();
                let target = call.operands().next().unwrap_or(&home);
                let unknown = UNKNOWN.to_string();
                let target = if target == "-" { &unknown } else { target };
                self.state.ground.cwd = self.state.ground.path(target).unwrap_or(unknown);
                self.state.variables.insert("PWD".to_owned(), self.state.ground.cwd.clone());
            }
            "read" => self.read(call),
            "mapfile" | "readarray" => {
                let name = call.operands().last().unwrap_or("MAPFILE").to_owned();
                let value = call.flow.text.clone().unwrap_or_else(|| UNKNOWN.to_string());
                self.state.variables.insert(name, value.trim_end_matches('\n').to_owned());
            }
            "printf" if call.arg(0) == Some("-v") => {
                let Some(name) = call.arg(1) else { return };
                let mut words = vec![Word::literal("printf")];
                words.extend(call.words.iter().skip(3).cloned());
                let printed = flow::printed_by(&Call::new(&words, &Flow::default()));
                self.state.variables.insert(name.to_owned(), printed.unwrap_or_else(|| UNKNOWN.to_string()));
            }
            "set" => {
                let is_option = |word: &&Word| word.text.starts_with(['-', '+']) && word.text != "--";
                let start = 1 + call.words.iter().skip(1).take_while(is_option).count();
                match call.words.get(start) {
                    Some(word) if word.text == "--" => self.bind(&call.words[start..]),
                    Some(_) if call.has_short("o") => {}
                    Some(_) => self.bind(&call.words[start - 1..]),
                    None => {}
                }
            }
            "declare" | "typeset" | "local" | "export" | "readonly" => {
                self.declared(call.name, call.words.get(1..).unwrap_or_default());
            }
            "hash" => self.hashed(call),
            "alias" => {
                for (name, text) in call.operands().filter_map(|operand| operand.split_once('=')) {
                    self.stand_for(name, text);
                }
            }
            _ => self.state.downloads.extend(rules::downloaded(call, &self.state.ground)),
        }
    }

    fn read(&mut self, call: &Call<'_>) {
        let line = call.flow.text.as_deref().and_then(|text| text.lines().next());
        let names: Vec<&str> = call.operands().collect();
        let unknown = UNKNOWN.to_string();
        let Some(line) = line else {
            for name in names {
                self.state.variables.insert(name.to_owned(), unknown.clone());
            }
            return;
        };
        let mut rest = line.trim();
        for (index, name) in names.iter().enumerate() {
            let is_last = index + 1 == names.len();
            let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let value = match (is_last, first.is_empty() || after.is_empty()) {
                (true, _) => rest,
                // Too few words for the names: they may be separated by something else, for this command alone.
                (false, true) => &unknown,
                (false, false) => first,
            };
            self.state.variables.insert((*name).to_owned(), value.to_owned());
            rest = after.trim_start();
        }
    }

    /// `declare`, `export` and their like, as the grammar has them.
    pub(super) fn declaration(&mut self, node: Node<'_>, at: At<'_>) {
        let evaluator = Evaluator::new(at.source, &self.state.variables, &self.state.ground.home);
        let keyword = node.child(0).map(|first| at.text(first)).unwrap_or_default();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let is_word =
            |child: &&Node<'_>| !matches!(child.kind(), "variable_assignment" | "variable_name" | "comment");
        let mut words: Vec<Word> =
            children.iter().filter(is_word).flat_map(|child| evaluator.words(*child)).collect();
        let refers = makes_references(keyword, &words);
        if refers {
            let declared = children.iter().filter(|child| !is_word(child));
            words.extend(declared.flat_map(|child| match child.child_by_field_name("value") {
                Some(value) => {
                    let name = child.child_by_field_name("name").map(|name| at.text(name));
                    let target = evaluator.word(value).text;
                    vec![Word::literal(format!("{}={target}", name.unwrap_or_default()))]
                }
                None => evaluator.words(*child),
            }));
        }
        for child in children {
            if refers && child.kind() == "variable_assignment" {
                self.children(child, at);
            } else {
                self.visit(child, at);
            }
        }
        self.declared(keyword, &words);
    }

    /// Assignments in words: `export "x=1"`, `builtin declare x=1`, and after `-n` names that stand for others.
    fn declared(&mut self, keyword: &str, words: &[Word]) {
        let refers = makes_references(keyword, words);
        for word in words.iter().filter(|word| !word.text.starts_with(['-', '+'])) {
            let pair = word.text.split_once('=');
            match pair {
                Some((name, target)) if refers => {
                    self.state.variables.refer(name.to_owned(), target.to_owned());
                }
                None if refers => self.state.variables.refer(word.text.clone(), String::new()),
                Some((name, value)) => {
                    self.extend(rules::variable(name, value));
                    self.state.variables.insert(name.to_owned(), value.to_owned());
                }
                None => {}
            }
        }
    }

    /// `hash -p program name`: from now on the name is that program.
    fn hashed(&mut self, call: &Call<'_>) {
        let Some(program) = call.values(Some('p'), None).first().copied() else { return };
        let quoted = format!("'{}'", program.replace('\'', "'\\''"));
        for name in call.operands().filter(|operand| *operand != program) {
            self.stand_for(name, if program.contains(UNKNOWN) { "$?" } else { &quoted });
        }
    }

    /// From now on a name runs this text, with what stands behind the name.
    fn stand_for(&mut self, name: &str, text: &str) {
        let body = format!("{} \"$@\"", text.replace(UNKNOWN, "$?"));
        self.state.functions.insert(name.to_owned(), body);
    }
}

fn makes_references(keyword: &str, words: &[Word]) -> bool {
    let is_flag = |word: &Word| short_group(&word.text).is_some_and(|group| group.contains('n'));
    matches!(keyword, "declare" | "typeset" | "local") && words.iter().any(is_flag)
}
