//! What a session owes is not forgotten between its runs, and what moves was not seen.

use candor_testkit::{Dialect, FakeLlm, Home, Ran, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, events, home_of, of_type};

const VERIFY: &str = "only_declared: true\nchecks:\n  - { name: unit, run: 'sh test.sh', kind: test }\n";
const CLAIM: &str = "Everything is finished and works.";

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

fn writes(path: &str, text: &str) -> Reply {
    Reply::calls([("file_write", json!({"path": path, "content": text}))])
}

fn declared(fake: &FakeLlm) -> Home {
    let home = home_of(fake);
    home.write_in_workspace(".candor/verify.yaml", VERIFY);
    home
}

/// The exit code, how the run ended, and what the verifier found.
fn ended(ran: &Ran) -> (i32, String, String) {
    let events = events(ran);
    let end: &Value = of_type(&events, "run_end")[0];
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (ran.status, word(&end["status"]), word(&end["verdict"]["status"]))
}

fn is(status: i32, word: &str, verdict: &str) -> (i32, String, String) {
    (status, word.to_owned(), verdict.to_owned())
}

#[test]
fn work_that_failed_is_not_done_when_the_model_is_asked_again() {
    let fake = fake();
    fake.push(writes("test.sh", "exit 1\n"));
    fake.repeat(Reply::text(CLAIM));
    let home = declared(&fake);
    assert_eq!(ended(&ask(&home, &["--json", "Write it"]).run()), is(5, "aborted_stuck", "failed"));
    let before = fake.requests().len();
    let ran = ask(&home, &["--json", "-c", "Is it finished?"]).run();
    assert_eq!(ended(&ran), is(3, "done_partial", "failed"), "{}", ran.stdout);
    // Nobody asked for a repair.
    assert_eq!(fake.requests().len() - before, 1);
}

#[test]
fn a_repair_by_hand_settles_what_is_owed() {
    let fake = fake();
    fake.push(writes("test.sh", "exit 1\n"));
    fake.repeat(Reply::text(CLAIM));
    let home = declared(&fake);
    ask(&home, &["--json", "Write it"]).run();
    home.write_in_workspace("test.sh", "exit 0\n");
    let asked = || ended(&ask(&home, &["--json", "-c", "Is it finished?"]).run());
    assert_eq!(asked(), is(0, "done", "verified"));
    assert_eq!(asked(), is(0, "done", "not_applicable"));
}

#[test]
fn work_that_nobody_looked_at_is_checked_by_the_next_run() {
    let fake = fake();
    fake.push(writes("test.sh", "exit 1\n"));
    let home = declared(&fake);
    let ran = ask(&home, &["--json", "--max-turns", "1", "Write it"]).run();
    assert_eq!(ended(&ran), is(4, "aborted_constraint", "unverifiable"), "{}", ran.stdout);
    fake.push(Reply::text(CLAIM));
    fake.push(writes("test.sh", "exit 0\n"));
    fake.push(Reply::text(CLAIM));
    let ran = ask(&home, &["--json", "-c", "Go on"]).run();
    assert_eq!(ended(&ran), is(0, "done", "verified"), "{}", ran.stdout);
    assert!(fake.requests()[2].user_texts().join("\n").contains("the work is not done"));
}

#[test]
fn an_environment_file_that_git_ignores_is_verified_too() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", json!({"command": "echo PORT=none > .env"}))]));
    fake.repeat(Reply::text(CLAIM));
    let home = declared(&fake);
    home.write_in_workspace(".gitignore", ".env\n");
    home.write_in_workspace("test.sh", "! grep -q none .env\n");
    home.write_in_workspace(".git/HEAD", "ref: refs/heads/main\n");
    let ran = ask(&home, &["--json", "Set the port"]).run();
    assert_eq!(ended(&ran), is(5, "aborted_stuck", "failed"), "{}", ran.stdout);
}

#[test]
fn work_that_changes_while_it_is_checked_was_not_seen() {
    let fake = fake();
    fake.push(writes("test.sh", "echo '# again' >> test.sh\nexit 0\n"));
    fake.push(Reply::text(CLAIM));
    let ran = ask(&declared(&fake), &["--json", "Write it"]).run();
    assert_eq!(ended(&ran), is(3, "done_partial", "unverifiable"), "{}", ran.stdout);
    assert!(ran.stdout.contains("changed while they were checked"), "{}", ran.stdout);
}

#[test]
fn a_check_that_formats_is_carried_out_again_and_counts() {
    let fake = fake();
    fake.push(writes("test.sh", "echo formatted > notes.txt\nexit 0\n"));
    fake.push(writes("notes.txt", "as written"));
    fake.push(Reply::text(CLAIM));
    let ran = ask(&declared(&fake), &["--json", "Write it"]).run();
    assert_eq!(ended(&ran), is(0, "done", "verified"), "{}", ran.stdout);
    assert_eq!(of_type(&events(&ran), "verification").len(), 2);
}

#[test]
fn the_model_that_asks_early_is_told_the_same() {
    let fake = fake();
    let lie = "```verify\nonly_declared: true\nchecks:\n  - { name: ok, run: 'sh ok.sh', kind: test }\n```\n";
    fake.push(writes("AGENTS.md", lie));
    fake.push(writes("ok.sh", "exit 0\n"));
    fake.push(Reply::calls([("verify", json!({}))]));
    fake.repeat(Reply::text(CLAIM));
    let home = home_of(&fake);
    home.write_in_workspace("Makefile", "test:\n\tfalse\n");
    let ran = ask(&home, &["--json", "Write it"]).run();
    assert_eq!(ended(&ran).2, "failed", "{}", ran.stdout);
    let results = fake.requests()[3].tool_results();
    let report: Value = serde_json::from_str(results.last().expect("a result")).expect("JSON");
    assert_eq!(report["status"], "failed");
}

#[test]
fn a_service_that_is_to_be_kept_outlives_the_early_look() {
    let fake = fake();
    fake.push(Reply::calls([("verify", json!({}))]));
    fake.push(Reply::calls([("process", json!({"action": "status", "id": 1}))]));
    fake.push(Reply::text(CLAIM));
    let home = home_of(&fake);
    home.write_in_workspace("bot.sh", "echo started; exec sleep 59.5\n");
    let yaml = "services:\n  - { name: bot, command: 'sh bot.sh', settle: 200ms, keep_running: true }\n";
    home.write_in_workspace(".candor/verify.yaml", yaml);
    ask(&home, &["Look at it"]).run().ok();
    let results = fake.requests()[2].tool_results();
    let told = results.last().expect("a result");
    assert!(told.contains("sh bot.sh") && told.contains("running"), "{told}");
}

#[test]
fn a_check_that_failed_and_was_removed_is_no_repair() {
    let fake = fake();
    fake.push(writes("Makefile", "test:\n\ttest -d no-such-folder\n"));
    fake.push(Reply::text(CLAIM));
    fake.push(Reply::calls([("shell_exec", json!({"command": "rm Makefile"}))]));
    fake.repeat(Reply::text(CLAIM));
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "Write it"]).run();
    assert_eq!(ended(&ran).2, "failed", "{}", ran.stdout);
    assert!(ran.stdout.contains("it failed before, and is not there any more"), "{}", ran.stdout);
    assert_eq!(ended(&ask(&home, &["--json", "-c", "Is it done?"]).run()).0, 3);
}

#[test]
fn read_only_changes_nothing_however_a_path_is_written() {
    let fake = fake();
    let patch = "*** Begin Patch\n*** Add File: sub/../patched\n+x\n*** End Patch";
    fake.push(Reply::calls([
        ("file_write", json!({"path": "sub/../written", "content": "x"})),
        ("apply_patch", json!({ "patch": patch })),
        ("shell_exec", json!({"command": "echo x > commanded"})),
    ]));
    fake.push(Reply::text(CLAIM));
    let home = home_of(&fake);
    home.write_in_workspace("sub/file", "");
    ask(&home, &["--permission", "read-only", "Write it"]).run();
    let names = std::fs::read_dir(home.workspace()).unwrap().flatten().map(|entry| entry.file_name());
    let mut names: Vec<_> = names.filter(|name| !name.to_string_lossy().starts_with('.')).collect();
    names.sort();
    assert_eq!(names, ["sub"]);
}
