//! Joins what is declared and what was found.

use std::path::{Component, Path, PathBuf};

use super::names::unlike;
use super::shown_place;
use crate::plan::{Check, CheckKind, Plan, Service};

/// What is declared, with what was found where nothing of the kind is declared.
///
/// - Declared checks of a kind take the place of all found checks of that kind. `custom` is no kind in this sense.
/// - Declared services take the place of all found services.
/// - What has the same command in the same folder is the same: the declared one stays, and gets what was found about it and is
///   not declared, such as what it needs, probes and log files.
/// - With [`Plan::only_declared`] nothing that was found counts.
pub fn merge(declared: Plan, found: Plan) -> Plan {
    let mut plan = declared;
    plan.stacks.extend(found.stacks);
    if plan.only_declared {
        let left_out = found.checks.iter().map(|check| check.name.as_str());
        let left_out: Vec<_> =
            left_out.chain(found.services.iter().map(|service| service.name.as_str())).collect();
        if !left_out.is_empty() {
            plan.notes.push(format!(
                "found and left out, because of only_declared in .candor/verify.yaml: {}",
                left_out.join(", ")
            ));
        }
        return plan;
    }
    add_checks(&mut plan, found.checks);
    add_services(&mut plan, found.services);
    plan.problems.extend(found.problems);
    plan.notes.extend(found.notes);
    plan
}

fn add_checks(plan: &mut Plan, found: Vec<Check>) {
    // Where each kind is declared; what was found does not count among them.
    let declared: Vec<(CheckKind, String)> = plan
        .checks
        .iter()
        .filter(|check| check.kind != CheckKind::Custom)
        .map(|check| (check.kind, shown_place(&check.source)))
        .collect();
    let known = plan.checks.len();
    let mut left_out: Vec<(CheckKind, Vec<String>)> = Vec::new();
    for mut check in found {
        let same = |other: &&mut Check| is_same((&other.run, &other.cwd), (&check.run, &check.cwd));
        if let Some(declared) = plan.checks.iter_mut().take(known).find(same) {
            if declared.needs.is_empty() {
                declared.needs = check.needs;
            }
            declared.needs_files = check.needs_files;
            continue;
        }
        if declared.iter().any(|(kind, _)| *kind == check.kind) {
            let label = format!("{} ({})", check.name, check.run);
            match left_out.iter_mut().find(|(kind, _)| *kind == check.kind) {
                Some((_, names)) => names.push(label),
                None => left_out.push((check.kind, vec![label])),
            }
            continue;
        }
        check.name = unlike(&check.name, |name| plan.checks.iter().any(|check| check.name == name));
        plan.checks.push(check);
    }
    for (kind, names) in left_out {
        let place = declared.iter().find(|(declared, _)| *declared == kind).map_or("", |(_, place)| place);
        plan.notes.push(format!("found and left out, because {place} declares {kind}: {}", names.join(", ")));
    }
}

fn add_services(plan: &mut Plan, found: Vec<Service>) {
    if plan.services.is_empty() {
        for mut service in found {
            service.name = unlike(&service.name, |name| plan.services.iter().any(|known| known.name == name));
            plan.services.push(service);
        }
        return;
    }
    let mut left_out = Vec::new();
    for service in found {
        let same =
            |other: &&mut Service| is_same((&other.command, &other.cwd), (&service.command, &service.cwd));
        match plan.services.iter_mut().find(same) {
            Some(declared) => complete(declared, service),
            None => left_out.push(format!("{} ({})", service.name, service.command)),
        }
    }
    if let (Some(first), [_, ..]) = (plan.services.first(), left_out.as_slice()) {
        plan.notes.push(format!(
            "found and left out, because {} declares services: {}",
            shown_place(&first.source),
            left_out.join(", ")
        ));
    }
}

/// Gives a declared service what was found about it and is not declared.
fn complete(declared: &mut Service, found: Service) {
    if declared.probes.is_empty() {
        declared.probes = found.probes;
    }
    if declared.logs.is_empty() {
        declared.logs = found.logs;
    }
    if declared.needs.is_empty() {
        declared.needs = found.needs;
    }
    declared.needs_files = found.needs_files;
    declared.ready = declared.ready.take().or(found.ready);
}

/// Whether two commands are the same, but for blanks. `a`, `./a` and `a/` are one folder.
pub(super) fn is_same(one: (&str, &Path), other: (&str, &Path)) -> bool {
    let parts =
        |path: &'_ Path| -> PathBuf { path.components().filter(|part| *part != Component::CurDir).collect() };
    one.0.split_whitespace().eq(other.0.split_whitespace()) && parts(one.1) == parts(other.1)
}
