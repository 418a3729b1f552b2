//! Every crate opens with what it does, what it leaves out, and where to start reading.

use crate::tidy::{Finding, Tree};
use crate::workspace::Workspace;

const LINES_MIN: usize = 4;
const SENTENCES_MIN: usize = 3;

/// Finds crates whose first lines do not say it.
pub fn crate_docs(tree: &Tree, workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        let roots = ["lib.rs", "main.rs"].map(|name| format!("{}/src/{name}", member.dir.display()));
        let Some(path) = roots.iter().find(|path| tree.text(path).is_some()) else {
            let message = format!("`{}` has neither lib.rs nor main.rs", member.name);
            findings.push(Finding::problem(&roots[0], 1, message));
            continue;
        };
        let docs = tree.text(path).map(opening_docs).unwrap_or_default();
        findings.extend(complaints(&docs).into_iter().map(|message| Finding::problem(path, 1, message)));
    }
    findings
}

fn opening_docs(source: &str) -> Vec<&str> {
    source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect()
}

fn complaints(docs: &[&str]) -> Vec<String> {
    let text = docs.join(" ");
    let sentences = text.split_whitespace().filter(|word| word.ends_with(['.', '?', '!'])).count();
    let mut complaints = Vec::new();
    if docs.len() < LINES_MIN || sentences < SENTENCES_MIN {
        complaints.push(format!(
            "opens with too little: at least {LINES_MIN} lines and {SENTENCES_MIN} sentences of `//!`"
        ));
    }
    let lower = text.to_lowercase();
    if !lower.contains("deliberately") && !lower.contains("does not") {
        complaints
            .push("does not say what the crate leaves out (\"does not\" or \"deliberately\")".to_owned());
    }
    if !lower.contains("start reading") {
        complaints.push("does not say where to start reading".to_owned());
    }
    complaints
}
