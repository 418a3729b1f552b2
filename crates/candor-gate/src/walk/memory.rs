//! What built-in commands change for those after them.

use tree_sitter::Node;

use super::{At, Walk};
use crate::call::{Call, UNKNOWN, Word, short_group};
use crate::expand;
use crate::flow::{self, Flow};
use crate::rules;
use crate::variables;

impl Walk<'_> {
    /// What a built-in command changes for those after it.
    pub(super) fn remember(&mut self, call: &Call<'_>) {
        match call.name {
            "cd" | "pushd" | "popd" => self.moves(call),
            "shopt" if call.has_word(&["cdable_vars"]) => {
                // From now on a name may be a variable's.
                self.state.variables.insert("CDPATH".to_owned(), UNKNOWN.to_string());
            }
            "shift" => self.shift(call),
            "unset" => self.forget(call.args()),
            "read" => self.read(call),
            "mapfile" | "readarray" => {
                let name = call.operands().last().unwrap_or("MAPFILE").to_owned();
                let text = call.flow.text.clone().unwrap_or_else(|| UNKNOWN.to_string());
                let lines = text.lines().map(str::to_owned);
                self.state.variables.insert_array(name, variables::numbered(lines));
            }
            "printf" if call.arg(0) == Some("-v") => {
                let Some(name) = call.arg(1) else { return };
                let mut words = vec![Word::literal("printf")];
                words.extend(call.words.iter().skip(3).cloned());
                let printed = flow::printed_by(&Call::new(&words, &Flow::default()));
                self.assign(name, printed.unwrap_or_else(|| UNKNOWN.to_string()));
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

    /// Goes to a directory; where it came from. From one that is not known there is no way back by name.
    pub(super) fn enter(&mut self, directory: &str) -> String {
        let path = self.state.ground.path(directory).unwrap_or_else(|| UNKNOWN.to_string());
        self.state.variables.insert("PWD".to_owned(), path.clone());
        std::mem::replace(&mut self.state.ground.cwd, path)
    }

    fn moves(&mut self, call: &Call<'_>) {
        let unknown = UNKNOWN.to_string();
        let target = call.operands().next();
        let back = call.name == "popd" || (call.name == "pushd" && target.is_none());
        if back {
            let directory = self.state.directories.pop().filter(|_| target.is_none()).unwrap_or(unknown);
            let here = self.enter(&directory);
            if call.name == "pushd" {
                self.state.directories.push(here);
            }
            return;
        }
        let home = self.state.variables.get("HOME").cloned().unwrap_or_else(|| unknown.clone());
        let directory = match target {
            None => home,
            // `+1` and `-1` are places of the stack.
            Some("-") => unknown,
            Some(target) if call.name == "pushd" && target.starts_with(['+', '-']) => unknown,
            Some(target) => self.sought(target),
        };
        let here = self.enter(&directory);
        if call.name == "pushd" {
            self.state.directories.push(here);
        }
    }

    /// Where `cd` leads. With `CDPATH` it may be any of several places, of which the worst is taken.
    fn sought(&self, target: &str) -> String {
        let roots = self.state.variables.get("CDPATH").map(String::as_str).unwrap_or_default();
        let is_plain = target.starts_with(['/', UNKNOWN])
            || matches!(target.split('/').next(), Some("." | ".."))
            || roots.is_empty();
        if is_plain {
            return target.to_owned();
        }
        if roots.contains(UNKNOWN) {
            return UNKNOWN.to_string();
        }
        let beside = roots.split(':').filter(|root| !root.is_empty()).map(|root| format!("{root}/{target}"));
        let mut places = beside.chain([target.to_owned()]);
        let first = places.next().unwrap_or_default();
        let is_precious = |place: &String| self.state.ground.is_precious(place);
        std::iter::once(first.clone()).chain(places).find(is_precious).unwrap_or(first)
    }

    fn shift(&mut self, call: &Call<'_>) {
        let count = call.arg(0).map_or(Some(1), |count| count.parse::<usize>().ok());
        let items = self.state.variables.items("@").cloned().unwrap_or_default();
        let Some(count) = count else { return };
        let rest = items.iter().skip(count).map(|(_, value)| Word::literal(value));
        let name = self.state.variables.get("0").cloned().unwrap_or_default();
        let words: Vec<Word> = std::iter::once(Word::literal(name)).chain(rest).collect();
        // What is no longer there is nothing.
        for index in words.len()..=items.len() {
            self.state.variables.insert(index.to_string(), String::new());
        }
        if !items.is_empty() {
            self.bind(&words);
        }
    }

    /// Variables that are taken away are empty from now on.
    pub(super) fn forget<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let names: Vec<&str> = names.collect();
        if names.contains(&"-f") {
            return;
        }
        let is_name = |name: &&&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        for name in names.iter().filter(is_name) {
            self.state.variables.unset(name);
        }
    }

    /// `${name:=text}` sets the name where it holds nothing.
    pub(super) fn defaulted(&mut self, text: &str) {
        let Some(inner) = text.strip_prefix("${").and_then(|text| text.strip_suffix('}')) else { return };
        let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let (name, operator) = inner.split_at(end);
        if !name.is_empty()
            && operator.starts_with([':', '='])
            && operator.trim_start_matches(':').starts_with('=')
        {
            let value = expand::parameter(inner, &self.state.variables).joined();
            self.state.variables.insert(name.to_owned(), value);
        }
    }

    fn read(&mut self, call: &Call<'_>) {
        let ifs = self.state.variables.get("IFS").cloned().unwrap_or_default();
        let separates = |c: char| c.is_whitespace() || ifs.contains(c);
        let line = call.flow.text.as_deref().and_then(|text| text.lines().next());
        if let Some(array) = call.values(Some('a'), None).first() {
            let words = line.map(|line| line.split(separates).filter(|word| !word.is_empty()));
            let words = words.map(|words| words.map(str::to_owned).collect::<Vec<_>>());
            let items = variables::numbered(words.unwrap_or_else(|| vec![UNKNOWN.to_string()]));
            return self.state.variables.insert_array((*array).to_owned(), items);
        }
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
            let (first, after) = rest.split_once(separates).unwrap_or((rest, ""));
            let value = match (is_last, first.is_empty() || after.is_empty()) {
                (true, _) => rest,
                // Too few words for the names: they may be separated by something else, for this command alone.
                (false, true) => &unknown,
                (false, false) => first,
            };
            self.assign(name, value.to_owned());
            rest = after.trim_start();
        }
    }

    /// `declare`, `export` and their like, as the grammar has them.
    pub(super) fn declaration(&mut self, node: Node<'_>, at: At<'_>) {
        let evaluator = self.evaluator(at);
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
            if keyword == "local" && !refers && child.kind() == "variable_name" {
                // One of its own, that holds nothing yet.
                self.state.variables.unset(at.text(child));
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
