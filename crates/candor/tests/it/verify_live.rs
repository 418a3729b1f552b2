//! `candor verify` while somebody looks on: the checklist on a terminal, `--watch`, services that take their time.

use std::fs;

use candor_testkit::{Candor, Home};

use crate::rig::{BINARY, candor, is_running};
use crate::terminal::{CTRL_C, Terminal};

fn home(yaml: &str) -> Home {
    let home = Home::new();
    home.write_in_workspace(".candor/verify.yaml", yaml);
    home
}

#[test]
fn a_change_is_verified_again_until_somebody_ends_it() {
    for (signal, end, code) in [("INT", "exit 0 # repaired\n", 0), ("TERM", "exit 4 # worse\n", 1)] {
        let home = home(
            "only_declared: true\nchecks:\n  - { name: unit, run: 'sh test.sh; exit $?', kind: test }\n",
        );
        home.write_in_workspace("test.sh", "exit 3\n");
        let running = candor(&home, "verify --watch").spawn();
        let seen = running.wait_for_stdout_after("failed: 1 failed; profile fast", 0);
        running.wait_for_stderr("waiting for a change; Ctrl-C ends it");
        home.write_in_workspace("test.sh", end);
        let verdict = if code == 0 { "verified: 1 passed" } else { "exit code 4" };
        running.wait_for_stderr("changed: test.sh\n").wait_for_stdout_after(verdict, seen);
        // What it exits with is the last verdict.
        running.signal(signal);
        running.finish().code(code);
    }
}

#[test]
fn programs_can_watch_too_one_report_after_the_other() {
    let home = home("only_declared: true\nchecks:\n  - { name: unit, run: 'sh test.sh', kind: test }\n");
    home.write_in_workspace("test.sh", "exit 3\n");
    let running = candor(&home, "verify --watch --json").spawn();
    running.wait_for_stderr("waiting for a change");
    home.write_in_workspace("test.sh", "exit 0 # repaired\n");
    running.wait_for_stdout("\"status\": \"verified\"");
    running.signal("INT");
    let ran = running.finish().ok();
    let reports: Result<Vec<serde_json::Value>, _> =
        serde_json::Deserializer::from_str(&ran.stdout).into_iter().collect();
    assert_eq!(reports.expect("JSON").len(), 2);
}

#[test]
fn on_a_terminal_checks_appear_one_by_one_with_their_marks() {
    let home = home(
        "only_declared: true\nchecks:\n  - { name: first, run: 'test -d .', kind: build }\n  - { name: second, run: 'read line < go', kind: custom }\n  - { name: third, run: 'echo boom; exit 7', kind: test }\n",
    );
    let go = home.workspace().join("go");
    Candor::new("mkfifo", &home).args([&go]).run().ok();
    let mut terminal = Terminal::start(&home, "verify");
    // The second waits for us: that the first is shown by then shows that they come one by one.
    terminal.wait_for("passed       first").wait_for("second: read line < go (0 s)");
    fs::write(&go, "on\n").expect("somebody reads");
    terminal.wait_for("passed       second").wait_for("failed       third").wait_for("boom");
    terminal.wait_for("failed: 2 passed, 1 failed; profile fast");
    let ran = terminal.finish().code(1);
    let last = ran.stdout.rsplit("\r\n").find(|line| !line.is_empty()).unwrap_or_default();
    assert!(last.contains("profile fast"), "the line that was drawn is gone: {last:?}");
    assert_eq!(ran.stdout.matches("passed       first").count(), 1, "each item is shown once");
}

#[test]
fn on_a_narrow_terminal_the_line_that_is_drawn_does_not_wrap() {
    let home = home(
        "only_declared: true\nchecks:\n  - { name: long, run: 'read line < go && test -n this-is-much-longer-than-the-terminal-is-wide', kind: custom }\n  - { name: next, run: 'read line < on', kind: test }\n",
    );
    let fifos = ["go", "on"].map(|name| home.workspace().join(name));
    Candor::new("mkfifo", &home).args(&fifos).run().ok();
    let line = format!("stty cols 30; exec {BINARY} verify");
    let mut terminal = Terminal::shell(&home, &line);
    terminal.wait_for("long: read line < g").wait_for(" (0 s)");
    fs::write(&fifos[0], "on\n").expect("somebody reads");
    terminal.wait_for("passed       long").wait_for("next: read line");
    fs::write(&fifos[1], "on\n").expect("somebody reads");
    let shown = terminal.finish().ok().stdout;
    // What is drawn begins anew with a return; of what is over nothing is drawn again.
    for drawn in shown.split("\r\u{1b}[K").filter(|drawn| drawn.ends_with(" s)")) {
        assert!(drawn.chars().count() < 30, "{drawn:?}");
    }
    let (_, after) = shown.split_once("passed       long").expect("it passed");
    assert!(!after.contains("long: "), "{after:?}");
}

#[test]
fn a_stop_on_a_terminal_leaves_a_clean_line() {
    let home = Home::new();
    let line = format!("touch began; sleep 1000; : {}", home.path().display());
    home.write_in_workspace(
        ".candor/verify.yaml",
        format!("checks:\n  - {{ name: slow, run: {line:?}, kind: test }}\n"),
    );
    let mut terminal = Terminal::start(&home, "verify");
    terminal.wait_for("slow: touch began").press(CTRL_C);
    let ran = terminal.finish().code(130);
    assert!(ran.stdout.trim_end().ends_with("stopped"), "{:?}", ran.stdout);
    assert!(!is_running(&home));
}

#[test]
fn a_service_that_is_kept_runs_until_somebody_stops_it() {
    let home = Home::new();
    let line = format!("echo waiting for messages; sleep 1000; : {}", home.path().display());
    home.write_in_workspace(
        ".candor/verify.yaml",
        format!("services:\n  - {{ name: bot, command: {line:?}, settle: 100ms, keep_running: true }}\n"),
    );
    let mut terminal = Terminal::start(&home, "verify");
    terminal.wait_for("verified: ").wait_for("still running: bot; Ctrl-C stops it");
    assert!(is_running(&home));
    terminal.press(CTRL_C);
    terminal.finish().ok();
    assert!(!is_running(&home));
}

/// A service that says that it is ready after two seconds.
fn slow_service(timeout: &str) -> Home {
    home(&format!(
        "services:\n  - name: slow\n    command: 'echo starting; sleep 2; echo now it is up; exec sleep 1000'\n    ready: {{ log: 'now it is up', timeout: {timeout} }}\n    settle: 100ms\n"
    ))
}

#[test]
fn the_declared_time_decides_how_long_a_service_may_take_to_start() {
    // Two seconds are more than a service without `ready` would have to stay alive, and are waited for.
    let ran = candor(&slow_service("50s"), "verify").run().ok();
    assert!(ran.stdout.contains("it said \"now it is up\""), "{}", ran.stdout);
    // The default would have been enough.
    let ran = candor(&slow_service("300ms"), "verify").run().code(1);
    for shown in ["not ready after", "no line matches now it is up", "VERIFY_NOT_READY", "starting"] {
        assert!(ran.stdout.contains(shown), "{shown} is not in\n{}", ran.stdout);
    }
    // And more than the default is what it says.
    candor(&slow_service("3m"), "verify --plan").run().ok().stdout_has("within 180s");
}
