//! What people see of the cards of a run, while it goes on and afterwards.

use std::fs;

use candor_testkit::{Candor, Reply};
use serde_json::{Value, json};

use crate::cards_in_runs::{GATE, fake, home_with_recipe, recipe, shell, told};
use crate::rig::{BINARY, ask, candor, events, home_of, log_lines, of_type};

const AUTO: &str = "recovery = \"auto\"";

fn safe(command: &str) -> String {
    format!("      - {{ run: '{command}', safe: true }}")
}

#[test]
fn a_failed_call_is_followed_by_its_code_and_its_first_step() {
    let fake = fake();
    let home = home_with_recipe(&fake, "", &recipe("      - { run: touch open }", "test -e open"));
    fake.push(shell(GATE));
    fake.push(Reply::text("It is shut."));
    let ran = ask(&home, &["--no-verify", "Through the gate"]).run().ok();
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let call = lines
        .iter()
        .position(|line| line.starts_with("  shell_exec: failed, exit 9: the gate is shut ("))
        .expect(&ran.stderr);
    assert_eq!(lines.get(call + 1), Some(&"    GATE_SHUT: Run: touch open"), "{}", ran.stderr);
}

/// Numbers say nothing by themselves, and the time that the runtime gives its own steps nothing at all.
#[test]
fn a_step_of_the_runtime_has_a_name_and_no_limit_beside_it() {
    let fake = fake();
    let home = home_with_recipe(&fake, AUTO, &recipe(&safe("touch open"), "test -e open"));
    fake.push(Reply::calls([("shell_exec", json!({ "command": GATE, "timeout": 77 }))]));
    fake.push(Reply::text("I see."));
    let ran = ask(&home, &["--no-verify", "Through the gate"]).run().ok();
    assert!(ran.stderr.contains(&format!("> shell_exec {GATE} timeout=77\n")), "{}", ran.stderr);
    for command in ["touch open", "test -e open"] {
        assert!(ran.stderr.contains(&format!("\n> recovery: shell_exec {command}\n")), "{}", ran.stderr);
    }
    let later = candor(&home, "sessions show last").run().ok();
    assert!(later.stdout.contains("\n> recovery: shell_exec touch open\n  exit 0\n"), "{}", later.stdout);
    assert_eq!(
        later.stdout.matches("\n> ").count(),
        3,
        "the call of the model is named once: {}",
        later.stdout
    );
}

/// The limit is still there, and it is not the model's.
#[test]
fn a_step_of_the_runtime_is_not_bound_by_the_limit_of_the_failed_call() {
    let fake = fake();
    let home = home_with_recipe(&fake, AUTO, &recipe(&safe("sleep 1.5; touch open"), "test -e open"));
    fake.push(Reply::calls([("shell_exec", json!({ "command": GATE, "timeout": 1 }))]));
    fake.push(Reply::text("I see."));
    ask(&home, &["--no-verify", "Through the gate"]).run().ok();
    assert_eq!(told(&fake, 1)["recovery"]["recovered"], true, "{}", told(&fake, 1));
}

#[test]
fn a_recipe_that_is_left_out_is_named_at_the_start_of_a_run() {
    let fake = fake();
    let home = home_of(&fake);
    let path = home.write("recipes/broken.yaml", "rules: [");
    fake.repeat(Reply::text("Hello."));
    let ran = ask(&home, &["--no-verify", "Hello"]).run().ok();
    let warning = format!("warning: {} is left out: line 1: unclosed bracket", path.display());
    assert!(ran.stderr.contains(&warning) && ran.stderr.contains("(RECIPE_INVALID)"), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("`candor errors check {}`", path.display())), "{}", ran.stderr);
    assert_eq!(ran.stdout, "Hello.\n");
    assert_eq!(log_lines(&home, "recipe_invalid").len(), 1);
    let talk = ask(&home, &["--no-verify", "-r"]).stdin("Hello\n").run();
    assert!(talk.stderr.contains(&warning), "{}", talk.stderr);
    fs::remove_file(path).expect("a file");
    assert!(!ask(&home, &["--no-verify", "Hello"]).run().ok().stderr.contains("warning"));
}

/// What was done is told and can be taken back; what was not done is not called done.
#[test]
fn a_recovery_that_is_stopped_midway_says_so_and_keeps_what_it_changed() {
    let fake = fake();
    let steps = [safe("echo 1 > first"), safe("touch begun; sleep 300"), safe("touch third")].join("\n");
    let home = home_with_recipe(&fake, AUTO, &recipe(&steps, "touch checked"));
    fake.push(shell(GATE));
    let running = ask(&home, &["--no-verify", "--json", "Through the gate"]).spawn();
    running.wait_for_file(&home.workspace().join("begun"));
    running.signal("INT");
    let ran = running.finish().code(130);
    let events = events(&ran);
    let of_call = |event: &&&Value| event["callId"].as_str().is_some_and(|id| !id.contains(".r"));
    let results = of_type(&events, "tool_result");
    let result = results.iter().find(of_call).expect("the result of the call");
    let told: Value = serde_json::from_str(result["result"].as_str().expect("a text")).expect("JSON");
    let recovery = &told["recovery"];
    assert_eq!(recovery["recovered"], false, "{told}");
    assert!(recovery["note"].as_str().is_some_and(|note| note.contains("broken off")), "{told}");
    assert_eq!(recovery["steps"].as_array().map(Vec::len), Some(2), "{told}");
    let changed: Vec<&str> = result["changes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|change| change["path"].as_str())
        .collect();
    assert!(changed.iter().any(|path| path.ends_with("first")), "{result}");
    assert_eq!(of_type(&events, "run_end")[0]["status"], "stopped");
    for name in ["third", "checked"] {
        assert!(!home.workspace().join(name).exists(), "{name}");
    }
    candor(&home, "sessions undo last").run().ok();
    assert!(!home.workspace().join("first").exists(), "it is taken back");
}

/// A part is not passed off as the whole.
#[test]
fn undo_names_what_it_leaves_and_its_exit_code_tells() {
    let fake = fake();
    let home = home_of(&fake);
    fake.push(shell("echo x > made; git init -q sub"));
    fake.push(Reply::calls([("process", json!({ "action": "start", "command": "echo y > by_process" }))]));
    fake.push(Reply::text("Done."));
    ask(&home, &["--no-verify", "Make it"]).run();
    let diff = candor(&home, "sessions diff last").run().ok();
    let ran = candor(&home, "sessions undo last").run().code(1);
    let workspace = home.workspace().canonicalize().expect("a folder");
    let process =
        format!("{}: what process 1 changed in it while it ran was not kept\n", workspace.display());
    let git =
        format!("{}/sub/.git: a repository was made; remove it if nobody wants it\n", workspace.display());
    for line in [&process, &git] {
        assert!(ran.stdout.contains(&format!("left     {line}")), "{ran}");
        assert!(diff.stdout.contains(line.as_str()), "{diff}");
    }
    assert!(ran.stdout.contains(&format!("removed  {}/made\n", workspace.display())), "{ran}");
    assert!(!workspace.join("made").exists() && workspace.join("by_process").exists());
}

#[test]
fn no_color_holds_for_the_help_too() {
    let home = candor_testkit::Home::new();
    let help = |line: &str| {
        let line = format!("{BINARY} {line}");
        Candor::new("script", &home).args(["-qefc", &line, "/dev/null"]).env("TERM", "xterm")
    };
    let escape = '\u{1b}';
    assert!(help("--help").without_env("NO_COLOR").run().ok().stdout.contains(escape), "there are colours");
    assert!(!help("--help").env("NO_COLOR", "1").run().ok().stdout.contains(escape));
    assert!(!help("--no-color card --help").without_env("NO_COLOR").run().ok().stdout.contains(escape));
    assert!(!help("--help").without_env("NO_COLOR").env("TERM", "dumb").run().ok().stdout.contains(escape));
}
