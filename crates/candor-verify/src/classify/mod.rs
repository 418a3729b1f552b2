//! Whether a shell line starts something that goes on until it is stopped. It is judged by its words alone; no file is read.
//!
//! A line is cut into simple commands (`shell`). Of each, what is put in front of a program to time it, detach it, restart it
//! or give it an environment is looked through (`wrappers`); the program and its arguments are then looked up (`programs`,
//! `names`). What would end a service, hide its death or take its output away is left off the command that is given back.

mod names;
mod nothing;
mod plan;
mod programs;
mod shell;
mod tools;
mod wrappers;

use std::path::PathBuf;

pub(crate) use names::is_service_name;
use shell::{Link, Simple, Word};

pub(crate) use nothing::does_nothing_by;
pub use nothing::{does_nothing, ends_well_anyway};
pub use plan::unwrap;

/// A long-lived command, without what was wrapped around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classified {
    /// The shell line that starts it in the foreground.
    pub command: String,
    /// Where it starts, relative to where the line would have run; empty: there. Absolute where the line says so.
    pub cwd: PathBuf,
    /// Variables that the line sets for it.
    pub env: Vec<(String, String)>,
    /// Why it is thought to be long-lived, for people.
    pub why: String,
}

/// How many shells inside each other are looked into.
const NESTING_MAX: usize = 8;

/// Whether this shell line starts something long-lived; through wrappers. Gives the command without the wrapper.
pub fn service(line: &str) -> Option<Classified> {
    find(line, 0)
}

fn find(line: &str, depth: usize) -> Option<Classified> {
    if depth > NESTING_MAX {
        return None;
    }
    let commands = shell::split(line)?;
    if let Some(found) = endless_loop(line, &commands) {
        return Some(found);
    }
    let mut before = Before::default();
    let mut pipe = Vec::new();
    for command in &commands {
        if let Some(mut found) = one(command, depth) {
            found.command = with_pipe(&pipe, found.command);
            return Some(before.around(found));
        }
        if command.link == Link::Pipe {
            pipe.push(raw(command));
        } else {
            before.take(command, pipe.is_empty());
            pipe.clear();
        }
    }
    None
}

/// `while true; do …`: it goes on, whatever it does.
fn endless_loop(line: &str, commands: &[Simple]) -> Option<Classified> {
    let first = texts(&commands.first()?.words);
    let is_endless = match first.as_slice() {
        ["while", "true" | ":" | "1"] | ["while", "[", "1" | "true", "]"] | ["until", "false"] => true,
        [first, ..] => first.starts_with("for((;;"),
        [] => false,
    };
    is_endless.then(|| Classified {
        command: line.trim().trim_end_matches('&').trim_end().to_owned(),
        cwd: PathBuf::new(),
        env: Vec::new(),
        why: "the line is a loop without an end".to_owned(),
    })
}

fn one(command: &Simple, depth: usize) -> Option<Classified> {
    let words = without_keywords(&command.words);
    let stripped = wrappers::strip(words);
    if let Some(script) = stripped.script {
        let mut found = find(&script, depth + 1)?;
        found.env = [stripped.env, found.env].concat();
        return Some(found);
    }
    let plain = texts(&stripped.seen);
    let why = programs::judge(&plain)?;
    let mut command_line = stripped.kept.join(" ");
    for input in &command.input {
        command_line.push(' ');
        command_line.push_str(input);
    }
    Some(Classified { command: command_line, cwd: stripped.cwd, env: stripped.env, why })
}

/// The words of a shell's grammar that may stand before a command.
fn without_keywords(words: &[Word]) -> &[Word] {
    let keywords = words
        .iter()
        .take_while(|word| matches!(word.raw.as_str(), "{" | "then" | "do" | "else" | "!"))
        .count();
    words.get(keywords..).unwrap_or_default()
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

fn raw(command: &Simple) -> String {
    command.words.iter().map(|word| word.raw.as_str()).collect::<Vec<_>>().join(" ")
}

fn with_pipe(pipe: &[String], command: String) -> String {
    if pipe.is_empty() { command } else { format!("{} | {command}", pipe.join(" | ")) }
}

/// What a line does before it starts the service.
#[derive(Default)]
struct Before {
    cwd: PathBuf,
    env: Vec<(String, String)>,
    /// What prepares the shell or the program, and must come with it.
    kept: String,
}

impl Before {
    fn take(&mut self, command: &Simple, is_alone: bool) {
        let words = without_keywords(&command.words);
        let plain = texts(words);
        match plain.as_slice() {
            ["cd" | "pushd", rest @ ..] => {
                if let Some(folder) = rest.iter().find(|word| !word.starts_with('-')) {
                    self.cwd.push(folder);
                }
            }
            ["export", rest @ ..] if rest.iter().all(|word| wrappers::assignment(word).is_some()) => {
                self.env.extend(rest.iter().filter_map(|word| wrappers::assignment(word)));
            }
            _ if is_alone && !command.is_writing && programs::prepares(&plain) => {
                let link = if command.link == Link::And { "&&" } else { ";" };
                self.kept = format!("{}{} {link} ", self.kept, raw(command));
            }
            _ => {}
        }
    }

    fn around(self, found: Classified) -> Classified {
        Classified {
            command: format!("{}{}", self.kept, found.command).replace(" ; ", "; "),
            cwd: self.cwd.join(found.cwd),
            env: [self.env, found.env].concat(),
            why: found.why,
        }
    }
}
