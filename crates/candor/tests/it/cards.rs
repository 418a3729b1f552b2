//! `candor card`: a command runs as it would without it, and its failure has a card.

use std::fs;
use std::time::Duration;

use candor_testkit::{Candor, Home};
use serde_json::Value;

fn card<'h>(home: &'h Home, words: &[&str]) -> Candor<'h> {
    Candor::new(env!("CARGO_BIN_EXE_candor"), home).args(["card"]).args(words)
}

fn results(home: &Home) -> Vec<Value> {
    let text = fs::read_to_string(home.workspace().join(".candor/telemetry/harness_results.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_command_that_works_says_what_it_says_and_nothing_else() {
    let home = Home::new();
    let ran = card(&home, &["--", "sh", "-c", "echo out; echo err >&2"]).run().ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("out\n", "err\n"));
    let results = results(&home);
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["success"], true);
    assert_eq!(results[0]["returncode"], 0);
    assert!(results[0].get("error_card").is_none());
}

#[test]
fn a_command_that_fails_keeps_its_exit_code_and_gets_a_card() {
    let home = Home::new();
    let ran = card(&home, &["--", "sh", "-c", "echo 'error: the lid is open' >&2; exit 42"]).run().code(42);
    let card = ran.stderr.split_once("error: the lid is open\n").unwrap().1;
    assert!(card.starts_with("❌ Command Failed: sh -c "), "{card}");
    assert!(card.contains("\nExit Code: 42\nError Class: Runtime\nError Code: COMMAND_FAILED\n"), "{card}");
    assert!(
        card.contains("Cause:\nThe command ended with exit code 42.\nerror: the lid is open\n"),
        "{card}"
    );
    assert_eq!(results(&home)[0]["error_prompt"].as_str(), Some(card.trim_end()));
}

#[test]
fn quiet_prints_no_card_and_still_writes_it_down() {
    let home = Home::new();
    let ran = card(&home, &["--quiet", "--", "false"]).run().code(1);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert_eq!(results(&home)[0]["error_card"]["code"], "COMMAND_FAILED");
}

#[test]
fn json_prints_the_result_and_nothing_else() {
    let home = Home::new();
    let ran = card(&home, &["--json", "--", "sh", "-c", "echo noise; exit 3"]).run().code(3);
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(result["returncode"], 3);
    assert_eq!(ran.stderr, "");
    assert_eq!(results(&home), [result]);
}

#[test]
fn results_go_where_the_segment_keeps_them_or_where_one_says() {
    let home = Home::new();
    fs::create_dir(home.workspace().join("_ctx")).unwrap();
    card(&home, &["--", "true"]).run().ok();
    assert!(home.workspace().join("_ctx/telemetry/harness_results.jsonl").is_file());
    card(&home, &["--out", "deep/er.jsonl", "--", "true"]).run().ok();
    assert!(home.workspace().join("deep/er.jsonl").is_file());
    assert!(!home.workspace().join(".candor").exists());
}

#[test]
fn a_result_that_cannot_be_written_is_a_warning_and_no_more() {
    let home = Home::new();
    home.write_in_workspace("file", "");
    let ran = card(&home, &["--out", "file/x.jsonl", "--", "sh", "-c", "exit 7"]).run().code(7);
    assert!(ran.stderr.contains("warning: the result was not written to"), "{ran}");
}

#[test]
fn signals_and_programs_that_do_not_start_are_told() {
    let home = Home::new();
    for (words, exit, code) in [
        (vec!["sh", "-c", "kill -9 $$"], 137, "COMMAND_KILLED"),
        (vec!["sh", "-c", "kill -15 $$"], 143, "COMMAND_TERMINATED"),
        (vec!["sh", "-c", "kill -11 $$"], 139, "COMMAND_CRASHED"),
    ] {
        let ran = card(&home, &["--"]).args(words).run().code(exit);
        assert!(ran.stderr.contains(&format!("Error Code: {code}\n")), "{ran}");
        assert!(ran.stderr.contains(&format!("Exit Code: {exit}\n")), "{ran}");
    }
    let ran = card(&home, &["--", "no-such-program-at-all"]).run().code(127);
    assert!(ran.stderr.contains("NOT_FOUND\n"), "{ran}");
    home.write_in_workspace("plain", "text");
    let ran = card(&home, &["--", "./plain"]).run().code(126);
    assert!(ran.stderr.contains("Exit Code: 126\n"), "{ran}");
}

#[test]
fn a_command_that_never_ends_is_ended_with_all_it_started() {
    let home = Home::new();
    let line = "(sleep 300; echo lived > canary) & echo $! > pid; sleep 300";
    let ran = card(&home, &["--timeout", "500ms", "--", "sh", "-c", line])
        .time_limit(Duration::from_secs(30))
        .run()
        .code(124);
    assert!(ran.stderr.contains("Error Code: COMMAND_TIMED_OUT\n"), "{ran}");
    assert!(ran.stderr.contains("had not finished after 0.5 s."), "{ran}");
    let pid = fs::read_to_string(home.workspace().join("pid")).unwrap();
    // It is gone, or dead and not yet collected by whoever inherited it.
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "what it started lives on: {stat}");
}

#[test]
fn a_flood_of_output_passes_through_and_is_explained() {
    let home = Home::new();
    let line = "head -c 64000000 /dev/zero | tr '\\0' 'x'; echo 'error: at the very end' >&2; exit 9";
    let ran = card(&home, &["--", "sh", "-c", line]).run().code(9);
    assert_eq!(ran.stdout.len(), 64_000_000);
    assert!(
        ran.stderr.contains("Cause:\nThe command ended with exit code 9.\nerror: at the very end\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_output_that_was_captured_is_explained_from_a_file_or_from_standard_input() {
    let home = Home::new();
    let output = "fatal: not a git repository (or any of the parent directories): .git\n";
    home.write_in_workspace("build.log", output);
    let words = ["--command", "git status", "--exit-code", "128"];
    let from_file = card(&home, &["--from-file", "build.log"]).args(words).run().ok();
    let from_stdin = card(&home, &words).stdin(output).run().ok();
    assert!(from_file.stderr.starts_with("❌ Command Failed: git status\n\nExit Code: 128\n"), "{from_file}");
    assert!(from_file.stderr.contains("Error Code: GIT_NOT_A_REPOSITORY\n"), "{from_file}");
    assert_eq!(from_file.stderr, from_stdin.stderr);
    card(&home, &[]).run().code(2).stderr_has("USAGE_MISSING_ARGUMENT");
    card(&home, &["--from-file", "missing.log"]).run().code(1).stderr_has("FILE_NOT_FOUND");
    card(&home, &["--from-file", "build.log", "--", "true"]).run().code(2);
}

#[test]
fn a_secret_in_a_card_is_masked_and_the_command_s_own_output_is_not_touched() {
    let home = Home::new();
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let ran = card(&home, &["--", "sh", "-c", "echo \"error: token=$T refused\" >&2; exit 1"])
        .env("T", secret)
        .run()
        .code(1);
    let (own, card) = ran.stderr.split_once('\n').unwrap();
    assert!(own.contains(secret));
    assert!(card.contains("refused") && !card.contains(secret), "{card}");
    let written =
        fs::read_to_string(home.workspace().join(".candor/telemetry/harness_results.jsonl")).unwrap();
    assert!(!written.contains(secret), "{written}");
}

const RECIPE: &str = "
ecosystem: lids
rules:
  - code: LID_OPEN
    class: Precondition
    title: The lid is open
    command: '^(box|sh|echo)'
    match: 'lid (?P<name>\\w+) is open'
    cause: The lid {name} is open.
    steps: [{ run: 'closelid {name}', safe: true }]
    examples: [{ from: docs, command: box, exit: 1, output: 'lid a is open', steps: [closelid a] }]
";

#[test]
fn recipes_of_one_s_own_are_used_and_a_broken_one_disturbs_no_other() {
    let home = Home::new();
    home.write("recipes/lids.yaml", RECIPE);
    home.write("recipes/broken.yaml", "ecosystem: x\nrules: [{ code: lower }]\n");
    let ran = card(&home, &["--", "sh", "-c", "echo lid b is open; exit 1"]).run().code(1);
    assert!(ran.stderr.contains("Error Code: LID_OPEN\n"), "{ran}");
    assert!(ran.stderr.contains("1. Run: closelid b\n"), "{ran}");
    assert!(
        ran.stderr.contains("Error Code: RECIPE_INVALID\n") && ran.stderr.contains("broken.yaml"),
        "{ran}"
    );
}

#[test]
fn steps_of_a_workspace_s_recipes_are_never_safe() {
    let home = Home::new();
    home.write_in_workspace(".candor/recipes/lids.yaml", RECIPE);
    let ran = card(&home, &["--json", "--", "sh", "-c", "echo lid b is open; exit 1"]).run().code(1);
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(result["error_card"]["code"], "LID_OPEN");
    assert!(result["error_card"]["steps"][0].get("safety").is_none(), "{result}");
}

#[test]
fn the_linter_names_the_line_and_what_is_wrong() {
    let home = Home::new();
    let check = |text: &str| {
        home.write_in_workspace("r.yaml", text);
        Candor::new(env!("CARGO_BIN_EXE_candor"), &home).args(["errors", "check", "r.yaml"]).run()
    };
    check(RECIPE).ok().stdout_has("r.yaml: good; 1 rule, 0 examples from real runs, 1 from documentation");
    check(&RECIPE.replace("LID_OPEN", "lid")).code(1).stdout_has("r.yaml:4: lid: a code has capital letters");
    check(&RECIPE.replace("closelid {name}'", "closelid {!name}'"))
        .code(1)
        .stdout_has("write {name}, which is quoted");
    check(&RECIPE.replace("closelid {name}'", "closelid {nome}'"))
        .code(1)
        .stdout_has("uses {nome}, which nothing gives");
    check(&RECIPE.replace("[closelid a]", "[closelid z]"))
        .code(1)
        .stdout_has("gives the steps: closelid a; expected: closelid z");
    check(&RECIPE.replace("Precondition", "Odd"))
        .code(1)
        .stdout_has("LID_OPEN: there is no class Odd; there are Usage, ");
    check(&RECIPE.replace("lid (?P<name>\\w+) is open", "(?P<name>\\w+)"))
        .code(1)
        .stdout_has("no fixed text");
    check(&RECIPE.replace("match:", "mach:")).code(1).stdout_has("r.yaml:8: unknown field `mach`");
    check("rules: [")
        .code(1)
        .stdout_has("r.yaml:1: unclosed bracket")
        .stdout_has("r.yaml: 1 problem; 0 rules");
}

/// One file that is not there does not keep the others from being checked.
#[test]
fn the_linter_goes_on_after_a_file_that_cannot_be_read() {
    let home = Home::new();
    home.write_in_workspace("r.yaml", RECIPE);
    let words = ["errors", "check", "missing.yaml", "r.yaml"];
    let ran = Candor::new(env!("CARGO_BIN_EXE_candor"), &home).args(words).run().code(1);
    assert!(ran.stdout.contains("r.yaml: good; 1 rule,") && ran.stderr.contains("FILE_NOT_FOUND"), "{ran}");
}

/// A reader of ours that takes its time gets everything.
#[test]
fn nothing_is_lost_to_a_slow_reader() {
    let home = Home::new();
    let binary = env!("CARGO_BIN_EXE_candor");
    let line = format!("{binary} card -- sh -c 'seq 1 200000 >&2' 2>&1 >/dev/null | (sleep 1; wc -l)");
    let ran = card(&home, &["--", "sh", "-c", &line]).run().ok();
    assert_eq!(ran.stdout.trim(), "200000");
}

/// A cloned folder may hold anything.
#[test]
fn results_are_not_written_through_links_or_into_pipes() {
    let home = Home::new();
    let canary = home.write_in_workspace("canary", "untouched");
    fs::create_dir_all(home.workspace().join(".candor/telemetry")).unwrap();
    std::os::unix::fs::symlink(&canary, home.workspace().join(".candor/telemetry/harness_results.jsonl"))
        .unwrap();
    card(&home, &["--", "false"]).run().code(1).stderr_has("was not written");
    assert_eq!(fs::read_to_string(&canary).unwrap(), "untouched");
    let elsewhere = home.workspace().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::remove_dir_all(home.workspace().join(".candor/telemetry")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, home.workspace().join(".candor/telemetry")).unwrap();
    card(&home, &["--", "false"]).run().code(1).stderr_has("was not written");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    card(&home, &["--out", "pipe", "--", "sh", "-c", "mkfifo pipe; exit 1"])
        .run()
        .code(1)
        .stderr_has("was not written");
}

#[test]
fn results_are_kept_out_of_version_control() {
    let home = Home::new();
    card(&home, &["--", "true"]).run().ok();
    assert_eq!(fs::read_to_string(home.workspace().join(".candor/telemetry/.gitignore")).unwrap(), "*\n");
}

#[test]
fn a_command_without_the_two_dashes_is_shown_with_them() {
    let home = Home::new();
    let ran = card(&home, &["--timeout", "3s", "ls", "-l", "a b"]).run().code(2);
    assert!(ran.stderr.contains("Error Code: USAGE_UNKNOWN_ARGUMENT\n"), "{ran}");
    assert!(ran.stderr.contains("1. Run: candor card --timeout 3s -- ls -l 'a b'\n"), "{ran}");
    // A mistyped option of ours is no command.
    let ran = card(&home, &["--tmeout", "3s", "--", "ls"]).run().code(2);
    assert!(!ran.stderr.contains("Run: candor card"), "{ran}");
}

/// What was read a moment ago is not read again; the record has it all the same.
#[test]
fn a_card_that_the_command_has_printed_itself_is_not_shown_twice() {
    let home = Home::new();
    let binary = env!("CARGO_BIN_EXE_candor");
    let ran = card(&home, &["--", binary, "ctx", "sync", "-s", "not here"]).run().code(1);
    assert_eq!(ran.stderr.matches("Error Code: INVALID_SEGMENT_PATH\n").count(), 1, "{ran}");
    assert_eq!(results(&home)[0]["error_card"]["code"], "INVALID_SEGMENT_PATH");
    // One that is cut off, or that something else wrote, is no card yet.
    let ran = card(&home, &["--", "sh", "-c", "echo 'Error Code: PACK_MISSING' >&2; exit 1"]).run().code(1);
    assert_eq!(ran.stderr.matches("❌ Command Failed: ").count(), 1, "{ran}");
}

#[test]
fn a_command_runs_in_the_folder_that_w_names() {
    let home = Home::new();
    home.write_in_workspace("app/.candor/recipes/lids.yaml", RECIPE);
    home.write_in_workspace("said.log", "lid b is open\n");
    let ran = Candor::new(env!("CARGO_BIN_EXE_candor"), &home)
        .args([
            "-w",
            "app",
            "card",
            "--out",
            "out.jsonl",
            "--",
            "sh",
            "-c",
            "pwd; echo lid b is open; exit 1",
        ])
        .run()
        .code(1);
    let app = home.workspace().join("app").canonicalize().unwrap();
    assert!(ran.stdout.starts_with(&format!("{}\n", app.display())), "{ran}");
    assert!(ran.stderr.contains("Error Code: LID_OPEN\n"), "its recipes: {ran}");
    assert!(home.workspace().join("out.jsonl").is_file(), "a file is named from where one stands");
    card(&home, &["-w", "app", "--", "true"]).run().ok();
    assert!(app.join(".candor/telemetry/harness_results.jsonl").is_file());
    let words = ["-w", "app", "--from-file", "said.log", "--command", "box", "--exit-code", "1"];
    card(&home, &words).run().ok().stderr_has("LID_OPEN");
    card(&home, &["-w", "nowhere", "--", "true"]).run().code(1).stderr_has("FILE_NOT_FOUND");
}
