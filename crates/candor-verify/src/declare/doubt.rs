//! What the work declares about itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::merge;
use super::merge::is_same;
use super::names::unlike;
use crate::plan::{Plan, Service};

/// What is declared and what was found, as [`merge()`] joins them, except for what stands in Markdown files and in files that the
/// work itself has changed: that takes the place of nothing that was found. Agents write such files, and whoever did the work
/// could otherwise declare it good.
pub fn merge_doubting(declared: Plan, found: Plan, doubted: &BTreeSet<PathBuf>) -> Plan {
    let is_doubted = |file: &Path| !file.starts_with(".candor") || doubted.contains(file);
    let is_own_changed = doubted.iter().any(|file| file.starts_with(".candor"));
    let Plan { checks, services, only_declared, remote_probes, .. } = declared;
    let (own_checks, checks): (Vec<_>, Vec<_>) =
        checks.into_iter().partition(|check| is_doubted(&check.source.file));
    let (own_services, services): (Vec<_>, Vec<_>) =
        services.into_iter().partition(|service| is_doubted(&service.source.file));
    let trusted = Plan {
        checks,
        services,
        only_declared: only_declared && !is_own_changed,
        remote_probes: remote_probes && !is_own_changed,
        ..declared
    };
    let mut plan = merge(trusted, found);
    for mut check in own_checks {
        if plan.checks.iter().any(|known| is_same((&known.run, &known.cwd), (&check.run, &check.cwd))) {
            continue;
        }
        check.name = unlike(&check.name, |name| plan.checks.iter().any(|known| known.name == name));
        plan.checks.push(check);
    }
    for mut service in own_services {
        let same = |known: &Service| is_same((&known.command, &known.cwd), (&service.command, &service.cwd));
        // What was found about it is known twice; what is said about it holds more.
        plan.services.retain(|known| !same(known));
        service.name = unlike(&service.name, |name| plan.services.iter().any(|known| known.name == name));
        plan.services.push(service);
    }
    plan
}
