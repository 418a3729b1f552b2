//! Small made-up trees and workspaces.

use std::path::PathBuf;

use xtask::tidy::{File, Finding, Severity, Tree};
use xtask::workspace::{Dependency, DependencyKind, Package, Workspace};

/// A tree of these files.
pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
    Tree { files: files.iter().map(|(path, text)| File::new(*path, *text)).collect() }
}

/// A workspace of these members, each with what it is linked with.
pub(crate) fn workspace(members: &[(&str, &[&str])]) -> Workspace {
    let members = members.iter().map(|(name, uses)| {
        let dir =
            if *name == "xtask" { PathBuf::from("xtask") } else { PathBuf::from(format!("crates/{name}")) };
        Package { dir, source: None, ..package(name, uses) }
    });
    Workspace {
        root: PathBuf::from("."),
        target_dir: PathBuf::from("target"),
        members: members.collect(),
        foreign: Vec::new(),
    }
}

/// A package of the public registry under a licence that everybody allows.
pub(crate) fn package(name: &str, uses: &[&str]) -> Package {
    let dependency = |name: &&str| Dependency { name: (*name).to_owned(), kind: DependencyKind::Normal };
    Package {
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        license: Some("MIT".to_owned()),
        source: Some("registry+https://github.com/rust-lang/crates.io-index".to_owned()),
        dir: PathBuf::new(),
        dependencies: uses.iter().map(dependency).collect(),
    }
}

/// Compares findings with `path:line: message` lines; a line need only be the beginning of what was found.
#[track_caller]
pub(crate) fn check(findings: &[Finding], expected: &[&str]) {
    let shown: Vec<String> = findings.iter().map(Finding::to_string).collect();
    let all_match = shown.len() == expected.len()
        && shown.iter().zip(expected).all(|(shown, expected)| shown.starts_with(expected));
    assert!(all_match, "expected {expected:#?}\nfound {shown:#?}");
}

/// How many of the findings fail the check.
pub(crate) fn problems(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Problem).count()
}
