//! What compilers, linters and test runners complain about, read from what they print for people.
//!
//! Every tool has its own form, and a command may run several of them. So each form is a reader that looks at the lines from
//! some place on, and says what it read there and how many lines that took. The first one that recognises its form wins; the
//! order of `READERS` goes from the particular to the general.

mod builds;
mod compilers;
mod ledger;
mod node;
mod python;
mod runners;
mod rust;
mod scripts;
mod text;

use std::collections::HashSet;

use crate::found::Diagnostic;
pub use ledger::{Ledger, Seen};
use text::Lines;

/// How many are read from one output.
const DIAGNOSTICS_MAX: usize = 200;

/// What a reader found, and how many lines it took.
struct Read {
    diagnostics: Vec<Diagnostic>,
    lines: usize,
}

#[expect(clippy::unnecessary_wraps, reason = "what a reader gives, which may also recognise nothing")]
impl Read {
    /// One diagnostic.
    fn one(diagnostic: Diagnostic, lines: usize) -> Option<Self> {
        Some(Self { diagnostics: vec![diagnostic], lines: lines.max(1) })
    }

    /// Lines that are recognised and say nothing that is not said elsewhere.
    fn none(lines: usize) -> Option<Self> {
        Some(Self { diagnostics: Vec::new(), lines })
    }
}

/// Reads one form, from the first of the lines on.
type Reader = fn(Lines<'_>) -> Option<Read>;

const READERS: &[Reader] = &[
    rust::panic,
    rust::compiler,
    python::unit_test,
    python::traceback,
    python::syntax,
    python::pytest_block,
    python::pytest_summary,
    python::pyright,
    node::tap,
    node::spec,
    node::jest,
    node::vitest,
    node::deno_test,
    node::deno_check,
    node::eslint,
    node::eslint_unix,
    node::thrown,
    runners::phpunit,
    runners::minitest,
    runners::exunit,
    runners::rspec,
    runners::mocha,
    runners::dotnet_test,
    runners::ctest,
    runners::go_test,
    runners::gradle_test,
    builds::maven,
    builds::maven_test,
    builds::kotlin,
    builds::cmake,
    builds::make,
    builds::linker,
    compilers::with_parentheses,
    compilers::with_dash,
    compilers::lint_code,
    compilers::ruff,
    compilers::mix,
    compilers::shellcheck,
    compilers::general,
    scripts::php,
    scripts::ruby,
    scripts::elixir,
    scripts::shell,
    scripts::perl,
    compilers::go,
];

/// What an output complains about, each once, in the order it stands there.
pub fn parse(output: &str) -> Vec<Diagnostic> {
    let text = text::clean(output);
    let lines: Vec<&str> = text.lines().map(text::shortened).collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut seen = HashSet::new();
    let mut at = 0;
    while at < lines.len() && found.len() < DIAGNOSTICS_MAX {
        let rest = Lines::new(lines.get(at..).unwrap_or_default());
        // Most lines are none; an empty one never is.
        let read = if rest.first().trim().is_empty() {
            None
        } else {
            READERS.iter().find_map(|reader| reader(rest))
        };
        let Some(Read { diagnostics, lines }) = read else {
            at += 1;
            continue;
        };
        at += lines.max(1);
        for diagnostic in diagnostics {
            let same = python::is_named_again(&diagnostic, &mut found);
            let key = (
                diagnostic.file.clone(),
                diagnostic.line,
                diagnostic.code.clone(),
                diagnostic.message.clone(),
            );
            if !same && seen.insert(key) {
                found.push(diagnostic);
            }
        }
    }
    found.truncate(DIAGNOSTICS_MAX);
    found
}
