//! The dependencies that a project's manifests name.

use std::collections::BTreeSet;

use serde_json::Value;

use super::manifest::{self, Format, keys};

/// Something that gives the text of a file of the project, by its name.
pub(super) type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What Python projects name, in small letters and with `-` for `_` and `.`.
pub(super) fn python(read: Read<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for name in [
        "requirements.txt",
        "requirements-dev.txt",
        "requirements/base.txt",
        "requirements/dev.txt",
        "dev-requirements.txt",
        "requirements-test.txt",
        "test-requirements.txt",
    ] {
        for line in read(name).unwrap_or_default().lines() {
            add_requirement(&mut found, line);
        }
    }
    if let Some(value) = read("pyproject.toml").and_then(|text| manifest::parse(&text, Format::Toml).ok()) {
        pyproject(&mut found, &value);
    }
    if let Some(value) = read("Pipfile").and_then(|text| manifest::parse(&text, Format::Toml).ok()) {
        for path in ["/packages", "/dev-packages"] {
            found.extend(keys(&value, path).into_iter().map(normal));
        }
    }
    for name in ["setup.py", "setup.cfg", "environment.yml", "tox.ini"] {
        // Their languages are not read; each word that stands in quotes or on a line of its own may be one.
        for line in read(name).unwrap_or_default().lines() {
            for word in line.split(['"', '\'', ',', ' ', '[', ']']) {
                add_requirement(&mut found, word);
            }
        }
    }
    found
}

fn pyproject(found: &mut BTreeSet<String>, value: &Value) {
    let lists = ["/project/dependencies", "/build-system/requires"]
        .into_iter()
        .filter_map(|path| value.pointer(path));
    let groups = ["/project/optional-dependencies", "/dependency-groups", "/tool/pdm/dev-dependencies"]
        .into_iter()
        .filter_map(|path| value.pointer(path)?.as_object())
        .flat_map(|groups| groups.values());
    let uv = value.pointer("/tool/uv/dev-dependencies");
    for list in lists.chain(groups).chain(uv).filter_map(Value::as_array) {
        for item in list.iter().filter_map(Value::as_str) {
            add_requirement(found, item);
        }
    }
    for path in ["/tool/poetry/dependencies", "/tool/poetry/dev-dependencies"] {
        found.extend(keys(value, path).into_iter().map(normal));
    }
    for group in keys(value, "/tool/poetry/group") {
        found
            .extend(keys(value, &format!("/tool/poetry/group/{group}/dependencies")).into_iter().map(normal));
    }
}

/// `Flask[async]>=2 ; python_version > "3"` is `flask`.
fn add_requirement(found: &mut BTreeSet<String>, line: &str) {
    let line = line.trim();
    if line.starts_with(['#', '-']) {
        return;
    }
    let end = line
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_.".contains(letter)))
        .unwrap_or(line.len());
    let name = line.get(..end).unwrap_or_default();
    if name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        found.insert(normal(name));
    }
}

/// A Python package's name as the index compares it.
pub(super) fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// What `package.json` names.
pub(super) fn node(value: &Value) -> BTreeSet<String> {
    ["/dependencies", "/devDependencies", "/optionalDependencies", "/peerDependencies"]
        .into_iter()
        .flat_map(|path| keys(value, path))
        .map(str::to_owned)
        .collect()
}
