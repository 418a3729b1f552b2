//! One place for versions, one line of reason for each dependency, the same settings for every member.

use toml::de::{DeTable, DeValue};

use crate::tidy::{Finding, Tree};
use crate::workspace::Workspace;

const ROOT: &str = "Cargo.toml";
const DEPENDENCY_TABLES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];
/// A reason of one word is none.
const REASON_WORDS_MIN: usize = 2;
/// What every member takes from the workspace: the table, and the key in it where there is one.
const INHERITED: &[(&str, Option<&str>)] = &[
    ("package", Some("edition")),
    ("package", Some("rust-version")),
    ("package", Some("license")),
    ("lints", None),
];

/// Finds dependencies of the workspace that do not say why they are there.
pub fn root_manifest(tree: &Tree) -> Vec<Finding> {
    let text = tree.text(ROOT).unwrap_or_default();
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => return vec![Finding::problem(ROOT, 1, format!("is not TOML: {}", error.message()))],
    };
    let dependencies = table(document.get_ref(), &["workspace", "dependencies"]);
    let mut findings = Vec::new();
    for (name, value) in dependencies.into_iter().flatten() {
        let is_ours = value.get_ref().as_table().is_some_and(|table| table.contains_key("path"));
        let rest_of_line = text[value.span().end..].lines().next().unwrap_or_default();
        let reason = rest_of_line.trim_start().strip_prefix('#').unwrap_or_default();
        if !is_ours && reason.split_whitespace().count() < REASON_WORDS_MIN {
            let message =
                format!("`{}` does not say why it is there (`# reason` on its line)", name.get_ref());
            findings.push(Finding::problem(ROOT, line_of(text, name.span().start), message));
        }
    }
    findings
}

/// Finds members that go their own way.
pub fn member_manifests(tree: &Tree, workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        let path = format!("{}/Cargo.toml", member.dir.display());
        let text = tree.text(&path).unwrap_or_default();
        let problems = match DeTable::parse(text) {
            Ok(document) => member_problems(document.get_ref(), text),
            Err(error) => vec![(1, format!("is not TOML: {}", error.message()))],
        };
        findings.extend(problems.into_iter().map(|(line, message)| Finding::problem(&path, line, message)));
    }
    findings
}

fn member_problems(document: &DeTable<'_>, text: &str) -> Vec<(usize, String)> {
    let mut problems = Vec::new();
    for (name, key) in INHERITED {
        let path: Vec<&str> = std::iter::once(*name).chain(*key).collect();
        if !table(document, &path).is_some_and(is_inherited) {
            problems.push((1, format!("`{}` is not taken from the workspace", path.join("."))));
        }
    }
    for dependencies in dependency_tables(document) {
        for (name, value) in dependencies {
            if !value.get_ref().as_table().is_some_and(is_inherited) {
                let line = line_of(text, name.span().start);
                problems.push((line, format!("`{}` is not taken from the workspace", name.get_ref())));
            }
        }
    }
    problems
}

/// The three tables, at the top and for each target.
fn dependency_tables<'t, 'i>(document: &'t DeTable<'i>) -> Vec<&'t DeTable<'i>> {
    let targets = table(document, &["target"]).into_iter().flatten();
    let targets = targets.filter_map(|(_, target)| target.get_ref().as_table());
    let owners = std::iter::once(document).chain(targets);
    owners.flat_map(|owner| DEPENDENCY_TABLES.iter().filter_map(|name| table(owner, &[name]))).collect()
}

fn table<'t, 'i>(mut table: &'t DeTable<'i>, path: &[&str]) -> Option<&'t DeTable<'i>> {
    for key in path {
        table = table.get(*key)?.get_ref().as_table()?;
    }
    Some(table)
}

fn is_inherited(table: &DeTable<'_>) -> bool {
    table.get("workspace").is_some_and(|value| matches!(value.get_ref(), DeValue::Boolean(true)))
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}
