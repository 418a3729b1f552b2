//! Words that must not be in a file: unfinished work, paths of a machine, hosts of package registries.

use crate::tidy::rust_text::RustText;
use crate::tidy::tree::is_test;
use crate::tidy::{Finding, Tree};

/// Unfinished or switched-off code. Each is written in two pieces, here and below, so that this file does not
/// find itself.
const UNFINISHED_CODE: &[(&str, &str)] =
    &[("to", "do!"), ("unimple", "mented!"), ("db", "g!"), ("#[ig", "nore")];
const UNFINISHED_MARKS: &[(&str, &str)] = &[("TO", "DO"), ("FIX", "ME"), ("XX", "X")];
const MACHINE_PATHS: &[(&str, &str)] = &[("/wo", "rk/"), ("/ro", "ot/")];
/// Addresses belong into the configuration of the machine; a name such as "npm" is enough for a reader.
const REGISTRY_HOSTS: &[(&str, &str)] = &[
    ("registry.npm", "js.org"),
    ("registry.yarn", "pkg.com"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("py", "pi.org"),
    ("files.python", "hosted.org"),
    ("deb.deb", "ian.org"),
    ("security.deb", "ian.org"),
    ("archive.ubu", "ntu.com"),
    ("proxy.gol", "ang.org"),
    ("repo.maven.ap", "ache.org"),
    ("ruby", "gems.org"),
];

/// Written by cargo, not by us.
const NOT_OURS: &str = "Cargo.lock";

/// Finds all of them.
pub fn forbidden(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.rust() {
        unfinished(path, source, &mut findings);
    }
    for (path, text) in tree.texts().filter(|(path, _)| *path != NOT_OURS) {
        for (index, line) in text.lines().enumerate() {
            if let Some(found) = machine_path(line) {
                findings.push(Finding::problem(
                    path,
                    index + 1,
                    format!("`{found}` is a path of one machine"),
                ));
            }
            if let Some(host) = first_of(REGISTRY_HOSTS, line) {
                findings.push(Finding::problem(
                    path,
                    index + 1,
                    format!("`{host}` is the address of a registry"),
                ));
            }
        }
    }
    findings
}

/// In a test, a literal may be anything: it is what some program printed. Comments and code may not.
fn unfinished(path: &str, source: &str, findings: &mut Vec<Finding>) {
    let text = RustText::split(source);
    let lines = source.lines().zip(text.code.lines()).zip(text.comments.lines());
    for (index, ((line, code), comment)) in lines.enumerate() {
        let marks = if is_test(path) { comment } else { line };
        let found = first_of(UNFINISHED_CODE, code).or_else(|| first_of(UNFINISHED_MARKS, marks));
        if let Some(found) = found {
            findings.push(Finding::problem(path, index + 1, format!("`{found}`: finish it or leave it out")));
        }
    }
}

fn machine_path(line: &str) -> Option<String> {
    first_of(MACHINE_PATHS, line).or_else(|| {
        let (_, after) = line.split_once("/home/")?;
        let (user, below) = after.split_once('/')?;
        let is_name = !user.is_empty() && user.chars().all(|c| c.is_ascii_lowercase());
        (is_name && below.starts_with(".cargo")).then(|| format!("/home/{user}/.cargo"))
    })
}

fn first_of(pieces: &[(&str, &str)], line: &str) -> Option<String> {
    pieces.iter().map(|(first, second)| format!("{first}{second}")).find(|word| line.contains(word))
}
