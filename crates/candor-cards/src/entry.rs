//! What the catalogue says about one failure, before its facts are known.

use candor_protocol::{Class, Code};

use crate::template::{self, Piece};

/// One failure of the catalogue.
///
/// `cause`, the steps and `verify` are templates: `{path}` stands for the fact called `path`. In prose a fact is
/// inserted as it is. In a command it is quoted for the shell, unless the template says `{!help}`: such a fact is
/// itself a shell line. `{{` and `}}` stand for braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which failure.
    pub code: Code,
    /// What kind of failure it is.
    pub class: Class,
    /// The failure in a few words, without facts, so that it can be searched for.
    pub title: &'static str,
    /// What happened: a template in prose.
    pub cause: &'static str,
    /// What to do, in order; the first is what most likely leads to the repair.
    pub steps: &'static [StepTemplate],
    /// A shell command, as a template, that succeeds once the failure is repaired.
    ///
    /// Absent where only doing the failed thing again could tell, as with most requests to a provider.
    pub verify: Option<&'static str>,
    /// Whether doing the same again, unchanged, can succeed.
    pub retryable: bool,
    /// What the process exits with when this failure ends it outside a run.
    pub exit_code: u8,
}

/// One recovery step before its facts are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepTemplate {
    /// Run this command.
    Run {
        /// The shell line.
        command: &'static str,
    },
    /// Look whether something holds.
    Check {
        /// What to look at.
        text: &'static str,
        /// The shell line that shows it.
        command: &'static str,
    },
    /// Something only a person can do.
    Do {
        /// What to do.
        text: &'static str,
    },
}

/// The names of the facts an entry uses, each once, in the order they first appear.
pub fn facts(entry: &Entry) -> impl Iterator<Item = &'static str> {
    let mut names = Vec::new();
    for template in templates(entry) {
        for piece in template::pieces(template) {
            if let Piece::Fact { name, .. } = piece
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
    names.into_iter()
}

fn templates(entry: &Entry) -> impl Iterator<Item = &'static str> {
    let steps = entry.steps.iter().flat_map(|step| match *step {
        StepTemplate::Run { command } => [Some(command), None],
        StepTemplate::Check { text, command } => [Some(text), Some(command)],
        StepTemplate::Do { text } => [Some(text), None],
    });
    std::iter::once(entry.cause).chain(steps.flatten()).chain(entry.verify)
}

// The three spellings of a step in the tables, kept short so that a table reads like the card it makes.

pub(crate) const fn run(command: &'static str) -> StepTemplate {
    StepTemplate::Run { command }
}

pub(crate) const fn check(text: &'static str, command: &'static str) -> StepTemplate {
    StepTemplate::Check { text, command }
}

pub(crate) const fn by_hand(text: &'static str) -> StepTemplate {
    StepTemplate::Do { text }
}
