//! Small projects on a real disk.

use std::fs;
use std::path::Path;

use candor_verify::detect::detect;
use candor_verify::plan::{Check, CheckKind, Plan, ProbeHow, Service};
use tempfile::TempDir;

/// A folder with these files.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    add(folder.path(), files);
    folder
}

/// Puts files into a folder.
pub(crate) fn add(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// What is found in a folder with these files.
pub(crate) fn plan(files: &[(&str, &str)]) -> Plan {
    detect(tree(files).path())
}

/// The lines of the checks of a kind.
pub(crate) fn runs(plan: &Plan, kind: CheckKind) -> Vec<&str> {
    plan.checks.iter().filter(|check| check.kind == kind).map(|check| check.run.as_str()).collect()
}

/// The check of this name.
#[track_caller]
pub(crate) fn named<'p>(plan: &'p Plan, name: &str) -> &'p Check {
    let names: Vec<_> = plan.checks.iter().map(|check| &check.name).collect();
    plan.checks
        .iter()
        .find(|check| check.name == name)
        .unwrap_or_else(|| panic!("{name} is not in {names:?}"))
}

/// The only service.
#[track_caller]
pub(crate) fn only(plan: &Plan) -> &Service {
    let commands = commands(plan);
    assert_eq!(commands.len(), 1, "{commands:?} {:?}", plan.notes);
    &plan.services[0]
}

/// The lines of all services.
pub(crate) fn commands(plan: &Plan) -> Vec<&str> {
    plan.services.iter().map(|service| service.command.as_str()).collect()
}

/// The paths that a service is asked for.
pub(crate) fn paths(service: &Service) -> Vec<&str> {
    let http = service.probes.iter().filter_map(|probe| match &probe.how {
        ProbeHow::Http(http) => Some(http.url.as_str()),
        _ => None,
    });
    http.collect()
}
