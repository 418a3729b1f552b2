//! The checks of the repository itself: what compiles and passes, and still must not be there.
//!
//! Each check is a function from the tracked files, and where it needs them the packages, to findings. None of
//! them touches the disk, so that a test can show each one failing.

mod crate_docs;
mod entry_point;
mod files;
mod floors;
mod forbidden;
mod manifests;
mod names;
mod rust_text;
mod sizes;
mod tests_present;
mod tree;

use anyhow::Result;

use crate::report::StepResult;
use crate::workspace::Workspace;

pub use crate_docs::crate_docs;
pub use entry_point::entry_point;
pub use files::{files, required_files};
pub use floors::{cycles, floors};
pub use forbidden::forbidden;
pub use manifests::{member_manifests, root_manifest};
pub use names::names;
pub use sizes::sizes;
pub use tests_present::tests_present;
pub use tree::{Content, File, Finding, Severity, Tree};

/// `cargo xtask tidy`.
pub fn run(workspace: &Workspace) -> Result<bool> {
    let findings = check(workspace)?;
    for finding in &findings {
        println!("{finding}");
    }
    let problems = findings.iter().filter(|finding| finding.severity == Severity::Problem).count();
    println!("tidy: {problems} problems, {} warnings", findings.len() - problems);
    Ok(problems == 0)
}

/// The step of the test command.
pub fn step(workspace: &Workspace) -> Result<StepResult> {
    let (problems, warnings): (Vec<Finding>, Vec<Finding>) =
        check(workspace)?.into_iter().partition(|finding| finding.severity == Severity::Problem);
    let lines: Vec<String> = problems.iter().map(Finding::to_string).collect();
    let result = if lines.is_empty() { StepResult::passed() } else { StepResult::failed(lines.join("\n")) };
    Ok(result.with_notes(warnings.iter().map(Finding::to_string)))
}

fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let tree = Tree::read(&workspace.root)?;
    Ok([
        floors(&tree, workspace),
        cycles(workspace),
        tests_present(&tree, workspace),
        entry_point(&tree),
        crate_docs(&tree, workspace),
        names(&tree, workspace),
        forbidden(&tree),
        sizes(&tree),
        files(&tree),
        required_files(&tree),
        root_manifest(&tree),
        member_manifests(&tree, workspace),
    ]
    .concat())
}
