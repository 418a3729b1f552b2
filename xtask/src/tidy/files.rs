//! What may be in the repository at all, and what must be.

use crate::tidy::{Content, Finding, Tree};

/// Larger than any source, smaller than a corpus somebody meant to leave out.
const FILE_KILOBYTES_MAX: u64 = 600;

/// Folders that a build makes.
const BUILD_FOLDERS: &[&str] = &["node_modules", "target"];

/// The next engineer reads it to the end, or not at all.
const ARCHITECTURE_LINES_MAX: usize = 400;

/// Finds large files, binaries and build outputs.
pub fn files(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let mut problem = |message: String| findings.push(Finding::problem(&file.path, 1, message));
        if file.bytes > FILE_KILOBYTES_MAX * 1024 {
            problem(format!("{} KB; at most {FILE_KILOBYTES_MAX}", file.bytes / 1024));
        }
        if matches!(file.content, Content::Binary) {
            problem("a binary; only text can be reviewed".to_owned());
        }
        if file.path.split('/').any(|part| BUILD_FOLDERS.contains(&part)) {
            problem("the output of a build".to_owned());
        }
    }
    findings
}

/// Finds what a visitor expects and does not get.
pub fn required_files(tree: &Tree) -> Vec<Finding> {
    let has = |path: &str| tree.files.iter().any(|file| file.path == path);
    let mut missing: Vec<&str> =
        ["ARCHITECTURE.md", "CHANGELOG.md", "README.md"].into_iter().filter(|path| !has(path)).collect();
    let licensed = has("LICENSE") || (has("LICENSE-MIT") && has("LICENSE-APACHE"));
    if !licensed {
        missing.push("LICENSE");
    }
    let mut findings: Vec<Finding> =
        missing.into_iter().map(|path| Finding::problem(path, 1, "is not there")).collect();
    let lines = tree.text("ARCHITECTURE.md").map_or(0, |text| text.lines().count());
    if lines > ARCHITECTURE_LINES_MAX {
        let message = format!("{lines} lines; at most {ARCHITECTURE_LINES_MAX}");
        findings.push(Finding::problem("ARCHITECTURE.md", lines, message));
    }
    findings
}
