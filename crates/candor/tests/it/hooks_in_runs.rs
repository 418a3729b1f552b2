//! Each event of a run and of a session, through the real binary.

use std::fs;

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::hooks::{calling, file, home_with_hooks};
use crate::repl::piped;
use crate::rig::{ask, candor, events, home_of, home_with, log_lines, of_type};

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("That is all."));
    fake
}

/// What a hook was told that wrote it down.
#[track_caller]
fn told(home: &Home, name: &str) -> Value {
    let text = fs::read_to_string(home.workspace().join(name)).expect("the hook ran");
    serde_json::from_str(&text).expect("JSON")
}

fn end(events: &[Value]) -> &Value {
    of_type(events, "run_end")[0]
}

#[test]
fn pre_tool_use_cannot_allow_what_the_rules_deny() {
    let allow =
        r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"#;
    let fake = calling("shell_exec", json!({ "command": "rm -rf /" }));
    let home = home_with_hooks(&fake, "PreToolUse", "", allow);
    ask(&home, &["Go"]).run();
    assert!(fake.requests()[1].tool_results()[0].contains("TOOL_BLOCKED"));
    assert_eq!(log_lines(&home, "hook_run").len(), 1);
}

#[test]
fn permission_request_answers_in_the_place_of_a_person() {
    for (behavior, is_made) in [("allow", true), ("deny", false)] {
        let answer = json!({ "hookSpecificOutput": {
            "hookEventName": "PermissionRequest", "decision": { "behavior": behavior, "message": "never" } } });
        let fake = calling("shell_exec", json!({ "command": "touch made" }));
        let home = home_with_hooks(&fake, "PermissionRequest", "Bash", &format!("echo '{answer}'"));
        ask(&home, &["--permission", "ask", "--no-verify", "Go"]).run();
        assert_eq!(home.workspace().join("made").exists(), is_made, "{behavior}");
    }
}

#[test]
fn post_tool_use_speaks_to_the_model() {
    let fake = calling("shell_exec", json!({ "command": "echo hello" }));
    let home = home_with_hooks(
        &fake,
        "PostToolUse",
        "Bash",
        "cat > told.json; echo 'and now the linter' >&2; exit 2",
    );
    ask(&home, &["Go"]).run();
    let results = fake.requests()[1].tool_results();
    assert!(results[0].contains("hello") && results[0].contains("and now the linter"), "{results:?}");
    assert_eq!(told(&home, "told.json")["tool_input"]["command"], "echo hello");
}

#[test]
fn a_prompt_that_is_refused_leaves_nothing_behind() {
    let fake = fake();
    let command = "grep -q password && { echo 'no passwords, please' >&2; exit 2; }; exit 0";
    let home = home_with_hooks(&fake, "UserPromptSubmit", "", command);
    let ran = ask(&home, &["my password is x"]).run();
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.stderr.contains("HOOK_BLOCKED") && ran.stderr.contains("no passwords, please"),
        "{}",
        ran.stderr
    );
    assert!(fake.requests().is_empty());
    assert_eq!(candor(&home, "sessions list --json").run().ok().stdout.trim(), "[]");
    ask(&home, &["my dog is brown"]).run().ok();
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn a_prompt_guard_that_cannot_be_asked_refuses() {
    let fake = fake();
    let home = home_with_hooks(&fake, "UserPromptSubmit", "", "no-such-program-7391");
    ask(&home, &["Hello"]).run().code(4).stderr_has("HOOK_FAILED");
    assert!(fake.requests().is_empty());
}

#[test]
fn what_a_hook_adds_to_a_prompt_is_seen_by_all() {
    let fake = fake();
    let home = home_with_hooks(&fake, "UserPromptSubmit", "", "cat > told.json; echo 'The branch is main.'");
    ask(&home, &["Hello"]).run().ok();
    assert_eq!(told(&home, "told.json")["prompt"], "Hello");
    let said = fake.requests()[0].user_texts().join("\n");
    assert!(
        said.contains("Hello") && said.contains("A UserPromptSubmit hook adds:\nThe branch is main."),
        "{said}"
    );
    assert!(candor(&home, "sessions show last").run().ok().stdout.contains("The branch is main."));
}

#[test]
fn a_session_begins_and_ends_with_its_hooks() {
    let fake = fake();
    let home = home_of(&fake);
    let hook = |command: &str| json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let hooks = json!({ "hooks": {
        "SessionStart": hook("cat > start.json; echo 'The milk is sour.'"),
        "SessionEnd": hook("cat > end.json; exec >&- 2>&-; sleep 98765432"),
    } });
    home.write("hooks.json", hooks.to_string());
    ask(&home, &["Hello"]).run().ok();
    assert_eq!(told(&home, "start.json")["source"], "startup");
    assert_eq!(told(&home, "end.json")["reason"], "other");
    assert!(fake.requests()[0].system().unwrap().contains("A SessionStart hook says:\nThe milk is sour."));
    ask(&home, &["-c", "Again"]).run().ok();
    assert_eq!(told(&home, "start.json")["source"], "resume");
    // Two messages of one process are one session.
    fs::remove_file(home.workspace().join("end.json")).unwrap();
    piped(&home, &[], "one\ntwo\n").run().ok();
    let outcomes: Vec<Value> =
        log_lines(&home, "hook_run").iter().map(|line| line["hookEvent"].clone()).collect();
    assert_eq!(outcomes, ["SessionStart", "SessionEnd"].repeat(3));
    assert_eq!(told(&home, "end.json")["hook_event_name"], "SessionEnd");
}

#[test]
fn a_stop_hook_sends_the_model_on_and_not_for_ever() {
    let fake = fake();
    let command = "cat > told.json; grep -q true told.json && exit 0; echo 'write the tests' >&2; exit 2";
    let home = home_with_hooks(&fake, "Stop", "", command);
    let ran = ask(&home, &["--no-verify", "Go"]).run().ok();
    assert!(ran.stderr.contains("a hook has more for the model to do"), "{}", ran.stderr);
    let requests = fake.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].user_texts().join("\n").contains("write the tests"));
    let told = told(&home, "told.json");
    assert_eq!(
        (&told["stop_hook_active"], &told["last_assistant_message"]),
        (&json!(true), &json!("That is all."))
    );
    assert!(candor(&home, "sessions show last").run().ok().stdout.contains("hook> A Stop hook"));
    // What was said is said to the next process, too.
    ask(&home, &["-c", "--no-verify", "And?"]).run().ok();
    assert!(fake.requests().pop().unwrap().user_texts().join("\n").contains("write the tests"));
}

#[test]
fn a_stop_hook_that_is_never_content_is_asked_eight_times() {
    let fake = fake();
    let home = home_with_hooks(&fake, "Stop", "", "exit 2");
    ask(&home, &["Go"]).run().ok();
    assert_eq!(fake.requests().len(), 9);
    assert_eq!(log_lines(&home, "hook_run").len(), 8);
}

#[test]
fn what_a_stop_hook_changes_is_verified_and_can_be_undone() {
    let fake = fake();
    let home = home_with_hooks(&fake, "Stop", "", "echo formatted > made.txt");
    let ran = ask(&home, &["--json", "Go"]).run();
    let events = events(&ran);
    assert_eq!(end(&events)["verdict"]["status"], "unverifiable", "{}", ran.stdout);
    assert!(home.workspace().join("made.txt").exists());
    candor(&home, "sessions undo last").run().ok();
    assert!(!home.workspace().join("made.txt").exists());
}

const VERIFY: &str = "only_declared: true\nchecks:\n  - { name: unit, run: 'sh test.sh', kind: test }\n";

fn verified(command: &str) -> (FakeLlm, Home) {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([("file_write", json!({ "path": "test.sh", "content": "exit 0\n" }))]));
    fake.push(Reply::text("Done."));
    let home = home_with_hooks(&fake, "Verified", "", command);
    home.write_in_workspace(".candor/verify.yaml", VERIFY);
    (fake, home)
}

#[test]
fn a_verdict_is_told_and_a_hook_can_find_fault_with_it() {
    let (fake, home) =
        verified("cat > $TMPDIR/told.json; test -e notes.md || { echo 'notes.md is missing' >&2; exit 2; }");
    fake.push(Reply::calls([("file_write", json!({ "path": "notes.md", "content": "x" }))]));
    fake.repeat(Reply::text("Done now."));
    let ran = ask(&home, &["--json", "Go"]).run();
    let events = events(&ran);
    assert_eq!((ran.status, &end(&events)["verdict"]["status"]), (0, &json!("verified")), "{}", ran.stdout);
    let told = fake.requests()[2].user_texts().join("\n");
    assert!(told.contains("the work is not done") && told.contains("notes.md is missing"), "{told}");
    let seen = of_type(&events, "verification");
    assert!(seen.iter().any(|seen| seen["check"] == "hook" && seen["result"] == "failed"), "{seen:?}");
}

#[test]
fn a_hook_never_makes_a_verdict_better() {
    for command in ["exit 0", "echo '{\"decision\": \"approve\", \"verdict\": \"verified\"}'", "exit 1"] {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        fake.push(Reply::calls([("file_write", json!({ "path": "test.sh", "content": "exit 1\n" }))]));
        fake.repeat(Reply::text("Done."));
        let home = home_with_hooks(&fake, "Verified", "", command);
        home.write_in_workspace(".candor/verify.yaml", VERIFY);
        let ran = ask(&home, &["--json", "Go"]).run();
        assert_eq!(end(&events(&ran))["verdict"]["status"], "failed", "{command}");
    }
}

#[test]
fn what_a_hook_changes_after_a_verdict_was_not_verified() {
    let (fake, home) = verified("echo 'exit 1' > test.sh");
    fake.repeat(Reply::text("Done."));
    let ran = ask(&home, &["--json", "Go"]).run();
    assert_eq!(end(&events(&ran))["verdict"]["status"], "unverifiable", "{}", ran.stdout);
}

/// A session that is worth shortening.
fn long(event: &str, matcher: &str, command: &str) -> (FakeLlm, Home) {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, "compaction = { keep_recent_tokens = 1024 }");
    home.write("hooks.json", file(event, matcher, command));
    let long = "Words that take room and say little. ".repeat(200);
    fake.push(Reply::text(&long)).push(Reply::text(&long));
    ask(&home, &["Remember: the code word is zebra"]).run().ok();
    ask(&home, &["-c", "Say something else"]).run().ok();
    (fake, home)
}

#[test]
fn shortening_that_must_be_goes_on_and_what_is_ordered_can_be_refused() {
    let (fake, home) = long("PreCompact", "", "cat > told.json; echo 'keep it all' >&2; exit 2");
    fake.push(Reply::error("overflow", "This model's maximum context length is 10 tokens."));
    fake.repeat(Reply::text("Still here."));
    let ran = ask(&home, &["-c", "--json", "And now?"]).run();
    let shown = events(&ran);
    assert_eq!((ran.status, of_type(&shown, "compacted").len()), (0, 1), "{}", ran.stderr);
    assert!(ran.stdout.contains("shortened all the same"), "{}", ran.stdout);
    assert_eq!(told(&home, "told.json")["trigger"], "auto");
    let (fake, home) = long("PreCompact", "manual", "cat > told.json; echo 'keep it all' >&2; exit 2");
    fake.repeat(Reply::text("A summary."));
    let ran = piped(&home, &["-c", "--json"], "/compact\n").run();
    let shown = events(&ran);
    assert!(of_type(&shown, "compacted").is_empty(), "{}", ran.stdout);
    assert!(ran.stdout.contains("HOOK_BLOCKED") && ran.stdout.contains("keep it all"), "{}", ran.stdout);
    assert_eq!(told(&home, "told.json")["trigger"], "manual");
}

#[test]
fn that_a_conversation_was_shortened_is_told() {
    let (fake, home) = long("PostCompact", "auto", "cat > told.json");
    fake.push(Reply::error("overflow", "This model's maximum context length is 10 tokens."));
    fake.repeat(Reply::text("Still here."));
    ask(&home, &["-c", "And now?"]).run().ok();
    let told = told(&home, "told.json");
    assert_eq!(told["trigger"], "auto");
    assert!(told["compact_summary"].as_str().unwrap().contains("zebra"), "{told}");
}

#[test]
fn a_hook_that_says_continue_false_ends_the_run() {
    let answer =
        json!({ "continue": false, "stopReason": "the budget is spent", "systemMessage": "hello, person" });
    let fake = calling("shell_exec", json!({ "command": "true" }));
    let home = home_with_hooks(&fake, "PostToolUse", "", &format!("echo '{answer}'"));
    let ran = ask(&home, &["--json", "Go"]).run();
    let events = events(&ran);
    assert_eq!(
        (&end(&events)["status"], &end(&events)["card"]["code"]),
        (&json!("aborted_constraint"), &json!("HOOK_BLOCKED")),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("the budget is spent") && ran.stdout.contains("hello, person"),
        "{}",
        ran.stdout
    );
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn without_hooks_nothing_is_run() {
    let fake = calling("shell_exec", json!({ "command": "true" }));
    let home = home_of(&fake);
    home.write_in_workspace(".claude/settings.json", "{ \"permissions\": {} }");
    let ran = ask(&home, &["Go"]).run();
    assert!(!ran.stderr.contains("hook"), "{}", ran.stderr);
    assert!(log_lines(&home, "hook_run").is_empty());
}
