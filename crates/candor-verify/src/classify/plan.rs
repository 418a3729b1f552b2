//! What a plan calls by the wrong name.

use super::{does_nothing, ends_well_anyway, service};
use crate::plan::{Check, CheckKind, HttpProbe, PROBE_TIMEOUT, Plan, Probe, ProbeHow, Service};

/// Takes the wrappers off services, gives those without probes the usual ones, and makes a service of every check that starts
/// one: `timeout 3s python3 bot.py || true` ends well whatever the bot does. A check that does nothing is left out, whoever
/// declares it: it can show that a kind of check is not wanted, and not that the work is good.
pub fn unwrap(mut plan: Plan) -> Plan {
    for known in &mut plan.services {
        if let Some(found) = service(&known.command) {
            known.command = found.command;
            known.cwd = known.cwd.join(found.cwd);
            known.env.extend(found.env);
        }
    }
    let (idle, checks): (Vec<_>, Vec<_>) =
        std::mem::take(&mut plan.checks).into_iter().partition(|check| does_nothing(&check.run));
    plan.checks = checks;
    plan.notes.extend(idle.iter().map(|check| {
        format!("{}: {} ({}) is left out, because it does nothing", shown(check), check.name, check.run)
    }));
    // A service that is started like this becomes one below.
    let tells_nothing = |check: &Check| {
        check.kind != CheckKind::Test && ends_well_anyway(&check.run) && service(&check.run).is_none()
    };
    let (hushed, checks): (Vec<_>, Vec<_>) = plan.checks.into_iter().partition(tells_nothing);
    plan.checks = checks;
    plan.notes.extend(hushed.iter().map(|check| {
        format!(
            "{}: {} ({}) is left out, because it ends well whatever fails",
            shown(check),
            check.name,
            check.run
        )
    }));
    let (services, checks) = plan.checks.into_iter().partition(|check| service(&check.run).is_some());
    plan.checks = checks;
    let services: Vec<Check> = services;
    for check in services {
        let Some(found) = service(&check.run) else { continue };
        let cwd = check.cwd.join(&found.cwd);
        if plan.services.iter().any(|known| known.command == found.command && known.cwd == cwd) {
            continue;
        }
        plan.notes.push(format!("{} is a service and is verified as one: {}", check.name, found.why));
        plan.services.push(of_check(check, found.command, cwd, found.env));
    }
    for service in plan.services.iter_mut().filter(|service| service.probes.is_empty()) {
        service.probes = ["/", "/health", "/healthz"].map(get).to_vec();
    }
    plan
}

/// Where a check stands.
fn shown(check: &Check) -> String {
    let file = check.source.file.display();
    check.source.line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}"))
}

/// A question that nobody declared, and that any service that listens can be asked.
fn get(path: &str) -> Probe {
    Probe {
        name: format!("GET {path}"),
        how: ProbeHow::Http(HttpProbe { url: path.to_owned(), ..HttpProbe::default() }),
        timeout: PROBE_TIMEOUT,
        retries: 0,
        derived: true,
    }
}

fn of_check(check: Check, command: String, cwd: std::path::PathBuf, env: Vec<(String, String)>) -> Service {
    let Check { name, env: own, needs, needs_files, source, .. } = check;
    let env = own.into_iter().chain(env).collect();
    Service { env, needs, needs_files, ..Service::new(name, command, cwd, source) }
}
