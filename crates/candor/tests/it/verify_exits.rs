//! How `candor verify` ends: 1 says that something was checked and did not pass, and nothing else does. And what it leaves in the log.

use candor_testkit::{Candor, Home};

use crate::rig::{BINARY, candor, is_running, log_lines};

const GOOD: &str = "only_declared: true\nchecks:\n  - { name: unit, run: 'test -d .', kind: test }\n";
const BAD: &str =
    "only_declared: true\nchecks:\n  - { name: unit, run: 'echo boom >&2; exit 3', kind: test }\n";

fn home(yaml: &str) -> Home {
    let home = Home::new();
    home.write_in_workspace(".candor/verify.yaml", yaml);
    home
}

/// Runs it, and demands an exit code and a text on standard error. The card says the same code.
#[track_caller]
fn check(home: &Home, line: &str, code: i32, text: &str) {
    let ran = candor(home, line).run().code(code).stderr_has(text);
    assert_eq!(ran.stdout, "", "{line}");
    if ran.stderr.contains("Exit Code:") {
        assert!(ran.stderr.contains(&format!("Exit Code: {code}\n")), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_bad_usage() {
    let home = home(GOOD);
    home.write("config.toml", "model = [\n");
    for line in ["verify", "verify --json", "verify --plan"] {
        check(&home, line, 2, "CONFIG_SYNTAX");
    }
    home.write("config.toml", "tools.timeout = \"soon\"\n");
    check(&home, "verify", 2, "CONFIG_INVALID");
    // Where 1 has no other meaning, it stays what it was.
    candor(&home, "config show").run().code(1);
}

#[test]
fn a_folder_that_is_not_there_is_bad_usage() {
    let home = home(GOOD);
    check(&home, "verify -w nowhere", 2, "FILE_NOT_FOUND");
    check(&home, "verify --plan -w .candor/verify.yaml", 2, "verify.yaml");
    check(&home, "verify --config nowhere.toml", 2, "CONFIG_NOT_FOUND");
}

#[test]
fn what_makes_no_sense_on_the_command_line_is_bad_usage() {
    let home = home(GOOD);
    for line in [
        "verify --profile lazy",
        "verify --service nope",
        "verify --service",
        "verify --plan --watch",
        "verify --plan --junit",
        "verify --plan --sarif",
        "verify --json --junit",
        "verify --json --sarif",
        "verify --junit --sarif",
        "verify --nope",
        "verify nope",
    ] {
        let ran = candor(&home, line).run().code(2);
        assert_eq!(ran.stdout, "", "{line}");
    }
}

#[test]
fn a_mistake_in_a_declaration_leaves_it_open_and_the_rest_is_checked() {
    let home = home(&GOOD.replace("kind: test", "kind: tset"));
    let ran = candor(&home, "verify").run().code(4);
    assert!(ran.stdout.contains(".candor/verify.yaml") && ran.stdout.contains("3:"), "{}", ran.stdout);
    // What did not pass is worse than what could not be read.
    let more = format!("{BAD}typo: 1\n");
    home.write_in_workspace(".candor/verify.yaml", &more);
    let ran = candor(&home, "verify").run().code(1);
    assert!(ran.stdout.contains("boom") && ran.stdout.contains("unknown key \"typo\""), "{}", ran.stdout);
}

#[test]
fn a_plan_exits_with_0_whatever_is_in_it() {
    candor(&home("typo: 1\n"), "verify --plan").run().ok().stdout_has("mistake: .candor/verify.yaml:1:1:");
    candor(&Home::new(), "verify --plan").run().ok().stdout_has("nothing that can be run was found");
}

#[test]
fn a_reader_that_has_gone_does_not_change_the_verdict() {
    let home = home(BAD);
    // The reader lets go of the pipe before anything is written to it.
    let line = format!(
        "mkfifo gone; {{ read line < gone; {BINARY} verify --watch -w ../workspace; echo \"exit $?\" >&2; }} | {{ exec <&-; echo yes > gone; }}"
    );
    Candor::new("sh", &home).args(["-c", &line]).current_dir(home.tmp()).run().stderr_has("exit 1\n");
}

#[test]
fn a_stop_exits_with_130_says_nothing_and_leaves_nothing_behind() {
    for (signal, kind) in [("INT", "checks"), ("TERM", "services")] {
        let home = Home::new();
        let line = format!("touch began; sleep 1000; : {}", home.path().display());
        let yaml = match kind {
            "checks" => format!("checks:\n  - {{ name: slow, run: {line:?}, kind: test }}\n"),
            _ => format!("services:\n  - {{ name: slow, command: {line:?}, ready: {{ log: never }} }}\n"),
        };
        home.write_in_workspace(".candor/verify.yaml", &yaml);
        let running = candor(&home, "verify").spawn();
        running.wait_for_file(&home.workspace().join("began"));
        assert!(is_running(&home), "{signal}");
        running.signal(signal);
        let ran = running.finish().code(130);
        assert_eq!(ran.stdout, "", "{signal}");
        assert!(!is_running(&home), "{signal}");
    }
}

#[test]
fn every_check_and_the_verdict_are_in_the_log() {
    let home = home(BAD);
    candor(&home, "verify").run().code(1);
    let checks = log_lines(&home, "verification_check");
    assert_eq!(checks.len(), 1, "{checks:?}");
    assert_eq!((&checks[0]["check"], &checks[0]["result"]), (&"unit".into(), &"failed".into()));
    assert!(checks[0].get("sessionId").is_none(), "there is no session: {}", checks[0]);
    let end = log_lines(&home, "verification_end");
    assert_eq!((&end[0]["verdict"], &end[0]["profile"]), (&"failed".into(), &"fast".into()));
    assert!(end[0].get("sessionId").is_none() && end[0]["durationMs"].is_u64(), "{}", end[0]);
}

#[test]
fn what_ends_it_is_in_the_log_and_a_plan_leaves_none() {
    let home = home(GOOD);
    candor(&home, "verify --plan").run().ok();
    assert!(!home.path().join("logs").exists());
    candor(&home, "verify --service nope").run().code(2);
    assert_eq!(log_lines(&home, "command_failed")[0]["code"], "USAGE_INVALID_VALUE");
}

#[test]
fn without_a_log_there_is_a_verdict_all_the_same() {
    let home = home(GOOD);
    // A file where the home should be, as nothing keeps root from writing.
    let taken = home.tmp().join("taken");
    std::fs::write(&taken, "").expect("a file");
    let ran = Candor::new(BINARY, &home).args(["verify"]).env("CANDOR_HOME", taken.join("home")).run();
    let ran = ran.ok().stderr_has("nothing is logged: ");
    assert!(ran.stdout.contains("verified: 1 passed"), "{}", ran.stdout);
}
