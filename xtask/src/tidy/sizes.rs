//! How long a Rust file may be. How long a function may be is clippy's to say.

use crate::tidy::tree::is_test;
use crate::tidy::{Finding, Tree};

/// From here on a file is talked about.
const LINES_WARN: usize = 400;
/// Here it stops.
const LINES_MAX: usize = 600;
/// How near the top a file must say that it is a table or generated.
const HEAD_LINES: usize = 20;
/// What a flat table says of itself, with the reason on the same line.
const TABLE_MARK: &str = "// tidy: table";
const GENERATED_MARK: &str = "@generated";

/// Finds files that outgrew their one job.
pub fn sizes(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.rust().filter(|(path, _)| !is_test(path)) {
        let lines = source.lines().count();
        if lines <= LINES_WARN || is_generated(source) {
            continue;
        }
        match table_reason(source) {
            Some("") => findings.push(Finding::problem(path, 1, format!("`{TABLE_MARK}` needs its reason"))),
            Some(_) => {}
            None if lines > LINES_MAX => {
                let message = format!("{lines} lines; split it (at most {LINES_MAX}, tables aside)");
                findings.push(Finding::problem(path, 1, message));
            }
            None => findings.push(Finding::warning(path, 1, format!("{lines} lines; talk about it"))),
        }
    }
    findings
}

fn is_generated(source: &str) -> bool {
    source.lines().take(HEAD_LINES).any(|line| line.contains(GENERATED_MARK))
}

fn table_reason(source: &str) -> Option<&str> {
    let mut head = source.lines().take(HEAD_LINES);
    head.find_map(|line| line.trim_start().strip_prefix(TABLE_MARK))
        .map(|reason| reason.trim_matches([':', ' ']))
}
