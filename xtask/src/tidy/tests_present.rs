//! Every crate has its tests, in the one place where they are looked for.

use crate::tidy::{Finding, Tree};
use crate::workspace::Workspace;

/// Finds crates without `tests/it/main.rs`, or with one that holds no test.
pub fn tests_present(tree: &Tree, workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        let folder = format!("{}/tests/it/", member.dir.display());
        let main = format!("{folder}main.rs");
        if tree.text(&main).is_none() {
            findings.push(Finding::problem(main, 1, format!("`{}` has no tests of its own", member.name)));
            continue;
        }
        let mut tests = tree.rust().filter(|(path, _)| path.starts_with(&folder));
        // A property test's macro holds the attribute in its body, so both are found by it.
        if !tests.any(|(_, source)| source.contains("#[test]") || source.contains("#[tokio::test")) {
            findings.push(Finding::problem(main, 1, format!("the tests of `{}` hold no test", member.name)));
        }
    }
    findings
}
