//! What is declared, and what was found, become one plan.

use candor_verify::declare::{merge, read};
use candor_verify::plan::{Check, CheckKind, Plan, Probe, ProbeHow, Problem, Service, Source};

use crate::declare::workspace;

fn source() -> Source {
    Source { file: "package.json".into(), line: None, declared: false, why: "a script".to_owned() }
}

fn check(name: &str, kind: CheckKind, run: &str) -> Check {
    Check {
        name: name.to_owned(),
        kind,
        run: run.to_owned(),
        cwd: std::path::PathBuf::new(),
        env: Vec::new(),
        timeout: None,
        needs: Vec::new(),
        needs_files: Vec::new(),
        source: source(),
    }
}

fn service(name: &str, command: &str) -> Service {
    Service {
        name: name.to_owned(),
        command: command.to_owned(),
        cwd: std::path::PathBuf::new(),
        env: Vec::new(),
        ready: None,
        settle: None,
        stop_signal: None,
        keep_running: false,
        probes: vec![Probe {
            name: "GET /".to_owned(),
            how: ProbeHow::Tcp("127.0.0.1:1".to_owned()),
            timeout: std::time::Duration::from_secs(2),
            retries: 0,
            derived: true,
        }],
        logs: vec!["logs/*.log".to_owned()],
        log_deny: Vec::new(),
        log_allow: Vec::new(),
        needs: vec!["node".to_owned()],
        needs_files: vec!["node_modules".into()],
        source: source(),
    }
}

fn found() -> Plan {
    Plan {
        stacks: vec!["node (npm)".to_owned()],
        checks: vec![
            check("test", CheckKind::Test, "npm test"),
            check("e2e", CheckKind::Test, "npm run e2e"),
            check("lint", CheckKind::Lint, "npm run lint"),
            check("extra", CheckKind::Custom, "make extra"),
        ],
        services: vec![service("web", "node  server.js"), service("worker", "node worker.js")],
        problems: vec![Problem { file: "package.json".into(), line: 1, column: 2, message: "x".to_owned() }],
        notes: vec!["found".to_owned()],
        ..Plan::default()
    }
}

fn merged(declared: &str) -> Plan {
    merge(read(workspace(".candor/verify.yaml", declared).path()), found())
}

fn runs(plan: &Plan) -> Vec<(&str, &str)> {
    plan.checks.iter().map(|check| (check.name.as_str(), check.run.as_str())).collect()
}

#[test]
fn without_declarations_what_was_found_stands() {
    assert_eq!(merge(Plan::default(), found()), found());
}

#[test]
fn declared_checks_take_the_place_of_those_of_their_kind() {
    let plan = merged("checks:\n  - { name: unit, run: pytest, kind: test }\n");
    assert_eq!(runs(&plan), [("unit", "pytest"), ("lint", "npm run lint"), ("extra", "make extra")]);
    assert_eq!(plan.services.len(), 2);
    assert_eq!(
        plan.notes,
        [
            "found and left out, because .candor/verify.yaml:2 declares test: test (npm test), e2e (npm run e2e)",
            "found"
        ]
    );
    assert_eq!((plan.stacks.len(), plan.problems.len()), (1, 1));
}

#[test]
fn declared_checks_without_a_kind_take_no_place_and_the_same_command_runs_once() {
    let plan = merged("checks:\n  - { name: lint, run: mine }\n  - { run: 'npm  test', cwd: . }\n");
    assert_eq!(
        runs(&plan),
        [
            ("lint", "mine"),
            ("npm  test", "npm  test"),
            ("e2e", "npm run e2e"),
            ("lint 2", "npm run lint"),
            ("extra", "make extra")
        ]
    );
    let plan = merged("checks:\n  - { run: npm test, cwd: sub }\n");
    assert_eq!(plan.checks.len(), 5, "another folder is another check");
}

#[test]
fn a_declared_check_that_was_found_as_well_needs_what_was_found() {
    let mut found = found();
    (found.checks[0].needs, found.checks[0].needs_files) =
        (vec!["npm".to_owned()], vec!["node_modules".into()]);
    let declared =
        read(workspace(".candor/verify.yaml", "checks:\n  - { run: npm test, kind: test }\n").path());
    let plan = merge(declared.clone(), found.clone());
    assert!(plan.checks[0].source.declared);
    assert_eq!(
        (plan.checks[0].needs.as_slice(), plan.checks[0].needs_files.len()),
        (&["npm".to_owned()][..], 1)
    );
    let mut declared = declared;
    declared.checks[0].needs = vec!["own".to_owned()];
    assert_eq!(merge(declared, found).checks[0].needs, ["own"]);
}

#[test]
fn declared_services_take_the_place_of_all_that_were_found() {
    let plan = merged("services:\n  - { name: api, command: ./api }\n");
    assert_eq!(plan.services.len(), 1);
    assert_eq!(plan.checks.len(), 4);
    assert_eq!(
        plan.notes[0],
        "found and left out, because .candor/verify.yaml:2 declares services: web (node  server.js), worker (node worker.js)"
    );
}

#[test]
fn a_declared_service_that_was_found_as_well_gets_what_is_not_declared() {
    let plan = merged("services:\n  - { name: api, command: node server.js }\n");
    let api = &plan.services[0];
    assert_eq!((plan.services.len(), api.name.as_str(), api.source.declared), (1, "api", true));
    assert_eq!((api.probes.len(), api.probes[0].derived), (1, true));
    assert_eq!((api.logs.len(), api.needs.len(), api.needs_files.len()), (1, 1, 1));
    assert!(!plan.notes[0].contains("server.js"), "{:?}", plan.notes);
    let plan = merged(
        "services:\n  - { command: node server.js, probes: [{ tcp: \"a:1\" }], logs: x.log, needs: deno }\n",
    );
    let api = &plan.services[0];
    assert_eq!((api.probes.len(), api.probes[0].derived), (1, false));
    assert_eq!(
        (api.logs.as_slice(), api.needs.as_slice()),
        (&["x.log".to_owned()][..], &["deno".to_owned()][..])
    );
}

#[test]
fn only_declared_leaves_out_all_that_was_found_and_says_so() {
    let plan = merged("only_declared: true\nchecks:\n  - run: x\n");
    assert_eq!((plan.checks.len(), plan.services.len(), plan.problems.len()), (1, 0, 0));
    assert_eq!(
        plan.notes,
        [
            "found and left out, because of only_declared in .candor/verify.yaml: test, e2e, lint, extra, web, worker"
        ]
    );
}

#[test]
fn names_are_given_once() {
    let mut found = found();
    found.checks.push(check("test", CheckKind::Build, "npm run build"));
    found.services.push(service("web", "other"));
    let plan = merge(Plan::default(), found);
    let mut names: Vec<_> = plan.checks.iter().map(|check| &check.name).collect();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), plan.services[2].name.as_str()), (5, "web 2"));
}
