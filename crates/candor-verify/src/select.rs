//! Which part of a plan a profile asks for.

use std::path::Path;

use crate::plan::{Check, CheckKind, Plan, Service};
use crate::profile::Profile;
use crate::report::LeftOut;

/// What is carried out of a plan, in this order.
#[derive(Debug, Default)]
pub struct Selection<'p> {
    /// Commands that end.
    pub checks: Vec<&'p Check>,
    /// Commands that do not.
    pub services: Vec<&'p Service>,
    /// What the profile has no room for although it asks for it.
    pub no_room: Vec<&'p str>,
}

impl Selection<'_> {
    /// What would not run, and why.
    pub fn left_out(&self, plan: &Plan, profile: Profile) -> Vec<LeftOut> {
        let checks =
            plan.checks.iter().filter(|check| !self.checks.iter().any(|taken| taken.name == check.name));
        let services = plan
            .services
            .iter()
            .filter(|service| !self.services.iter().any(|taken| taken.name == service.name));
        let names =
            checks.map(|check| check.name.as_str()).chain(services.map(|service| service.name.as_str()));
        let why = |name: &str| {
            let verb = if self.no_room.contains(&name) { "has no room" } else { "does not ask" };
            format!("the profile {profile} {verb} for it")
        };
        names.map(|name| LeftOut { name: name.to_owned(), why: why(name) }).collect()
    }
}

/// The order in which checks are carried out: what the others need comes first, and what takes longest last.
const ORDER: &[CheckKind] = &[
    CheckKind::Install,
    CheckKind::Syntax,
    CheckKind::Build,
    CheckKind::Types,
    CheckKind::Lint,
    CheckKind::Custom,
    CheckKind::Test,
];

/// Of what is quick, what says most; a syntax check says least.
const QUICKEST: &[CheckKind] =
    &[CheckKind::Types, CheckKind::Build, CheckKind::Custom, CheckKind::Test, CheckKind::Syntax];

/// What a profile asks for, of what there is; or only one service.
pub fn select<'p>(plan: &'p Plan, profile: Profile, service: Option<&str>) -> Selection<'p> {
    if let Some(name) = service {
        let services = plan.services.iter().filter(|service| service.name == name).collect();
        return Selection { services, ..Selection::default() };
    }
    let services: Vec<&Service> = plan.services.iter().collect();
    let mut checks = match profile {
        Profile::Strict => plan.checks.iter().collect(),
        Profile::Fast => plan.checks.iter().filter(|check| is_fast(check, plan)).collect(),
        Profile::Smoke if services.is_empty() => quickest(plan, QUICKEST),
        Profile::Yolo if services.is_empty() => {
            let tests = of_kinds(plan, &[CheckKind::Test, CheckKind::Custom]);
            if tests.is_empty() { quickest(plan, QUICKEST) } else { tests }
        }
        Profile::Smoke | Profile::Yolo => Vec::new(),
    };
    if profile.limits().installs {
        if !matches!(profile, Profile::Strict) {
            checks.extend(of_kinds(plan, &[CheckKind::Install]));
        }
    } else {
        checks.retain(|check| check.kind != CheckKind::Install);
    }
    checks.sort_by_key(|check| ORDER.iter().position(|kind| *kind == check.kind));
    within(Selection { checks, services, no_room: Vec::new() }, profile)
}

/// `syntax, build or types, tests`: where something is built, its types are checked by that. Its syntax may not be: a build of one
/// language says nothing about a file of another.
fn is_fast(check: &Check, plan: &Plan) -> bool {
    let is_built =
        || plan.checks.iter().any(|other| other.kind == CheckKind::Build && covers(&other.cwd, &check.cwd));
    match check.kind {
        CheckKind::Test | CheckKind::Custom | CheckKind::Build | CheckKind::Syntax => true,
        CheckKind::Types => check.source.declared || !is_built(),
        CheckKind::Lint | CheckKind::Install => false,
    }
}

/// Whether a check in one folder looks at the other one, too.
fn covers(outer: &Path, inner: &Path) -> bool {
    inner.starts_with(outer)
}

fn of_kinds<'p>(plan: &'p Plan, kinds: &[CheckKind]) -> Vec<&'p Check> {
    plan.checks.iter().filter(|check| kinds.contains(&check.kind)).collect()
}

fn quickest<'p>(plan: &'p Plan, kinds: &[CheckKind]) -> Vec<&'p Check> {
    let first = kinds.iter().find_map(|kind| plan.checks.iter().find(|check| check.kind == *kind));
    first.into_iter().collect()
}

/// Leaves out what there is no room for: first what says least, and of what counts the last.
fn within(mut selection: Selection<'_>, profile: Profile) -> Selection<'_> {
    let limits = profile.limits();
    let over = |selection: &Selection<'_>| {
        (selection.checks.len() + selection.services.len()).saturating_sub(limits.commands)
    };
    for kind in [CheckKind::Lint, CheckKind::Syntax] {
        while over(&selection) > 0 {
            let is_found = |check: &&Check| check.kind == kind && !check.source.declared;
            let Some(at) = selection.checks.iter().rposition(is_found) else { break };
            selection.checks.remove(at);
        }
    }
    while selection.checks.iter().filter(|check| check.kind == CheckKind::Test).count() > limits.tests {
        let Some(at) = selection.checks.iter().rposition(|check| check.kind == CheckKind::Test) else {
            break;
        };
        selection.no_room.push(&selection.checks.remove(at).name);
    }
    while over(&selection) > 0 {
        let left = match selection.checks.pop() {
            Some(check) => &check.name,
            None => match selection.services.pop() {
                Some(service) => &service.name,
                None => break,
            },
        };
        selection.no_room.push(left);
    }
    selection
}
