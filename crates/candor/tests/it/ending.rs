//! How a prompt ends: exit codes, signals, and readers that have gone.

use candor_testkit::{Candor, Dialect, FakeLlm, Gate, Home, Reply};
use serde_json::json;

use crate::rig::{BINARY, KEY, ask, candor, events, home_of, home_with, is_running, of_type};

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

/// A shell line in which `$CANDOR` is the binary.
fn shell<'h>(home: &'h Home, line: &str) -> Candor<'h> {
    Candor::new("sh", home).args(["-c", line]).env("CANDOR", BINARY).env("FAKE_KEY", KEY)
}

/// The stored events of the only session.
#[track_caller]
fn stored(home: &Home) -> Vec<serde_json::Value> {
    let listed = candor(home, "sessions list --json").run().ok().stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let id = listed[0]["id"].as_str().expect("a session");
    events(&candor(home, &format!("sessions show --json {id}")).run().ok())
}

#[track_caller]
fn check_status(replies: Vec<Reply>, words: &[&str], code: i32, status: &str) {
    let fake = fake();
    for reply in replies {
        fake.push(reply);
    }
    let home = home_with(&fake, "retry = { max_retries = 0 }");
    let ran = ask(&home, &[&["--json"], words].concat()).run().code(code);
    let events = events(&ran);
    let end = events.last().expect("an event");
    assert_eq!((&end["type"], &end["status"]), (&json!("run_end"), &json!(status)));
    assert_eq!(of_type(&events, "run_end").len(), 1);
    let is_explained = end.get("card").is_some();
    assert_eq!(is_explained, status != "done", "{end}");
}

#[test]
fn the_status_of_a_run_is_the_exit_code() {
    let write = || Reply::calls([("file_write", json!({"path": "a.txt", "content": "a"}))]);
    let fail = || Reply::calls([("shell_exec", json!({"command": "exit 7"}))]);
    let done = || Reply::text("Done.");
    check_status(vec![done()], &["Say it"], 0, "done");
    check_status(vec![Reply::status(401)], &["Say it"], 1, "failed");
    check_status(vec![write(), done()], &["Write it"], 3, "done_partial");
    check_status(vec![write(), done()], &["--profile", "strict", "Write it"], 4, "aborted_constraint");
    check_status(vec![write(), done()], &["--no-verify", "Write it"], 0, "done");
    check_status(vec![write()], &["--max-turns", "1", "Write it"], 4, "aborted_constraint");
    check_status(vec![fail(), fail(), fail()], &["Try it"], 5, "aborted_stuck");
}

#[test]
fn success_says_nothing_but_the_answer_and_failure_says_which_session() {
    let fake = fake();
    fake.push(Reply::text("Forty-two."));
    let home = home_of(&fake);
    let ran = ask(&home, &["Well?"]).run().ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("Forty-two.\n", ""));
    fake.push(Reply::status(401));
    let ran = ask(&home, &["And now?"]).run().code(1);
    assert_eq!(ran.stdout, "");
    let last = ran.stderr.trim_end().lines().last().unwrap_or_default();
    assert!(last.starts_with("failed, 0 turns, session "), "{}", ran.stderr);
}

#[test]
fn work_that_nobody_checked_says_so_whatever_the_profile() {
    for (profile, code) in [("strict", 4), ("fast", 3)] {
        let fake = fake();
        fake.push(Reply::calls([("file_write", json!({"path": "a.txt", "content": "a"}))]));
        fake.push(Reply::text("Done."));
        let ran = ask(&home_of(&fake), &["--profile", profile, "Write it"]).run().code(code);
        assert!(
            ran.stderr.contains("not verified (verification: there is nothing to run)"),
            "{profile}: {}",
            ran.stderr
        );
    }
}

#[test]
fn what_is_said_between_calls_is_no_part_of_the_answer() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", json!({"command": "true"}))]).and_text("Let me look."));
    fake.push(Reply::text("All is well."));
    let ran = ask(&home_of(&fake), &["Well?"]).run().ok();
    assert_eq!(ran.stdout, "All is well.\n");
    assert!(
        ran.stderr.contains("Let me look.") && ran.stderr.contains("> shell_exec true"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_stop_prints_the_session_and_the_words_so_far() {
    for signal in ["INT", "TERM", "HUP"] {
        let fake = fake();
        let gate = Gate::new();
        fake.push(Reply::text("Half of it, and then the other half.").deltas(8).gate(&gate));
        let home = home_of(&fake);
        let running = ask(&home, &["Tell me"]).spawn();
        gate.wait_reached();
        running.signal(signal);
        let ran = running.finish().code(130);
        let id = stored(&home)[0]["sessionId"].as_str().expect("an id").to_owned();
        assert!(ran.stderr.contains(&format!("stopped, 0 turns, session {id}")), "{signal}: {}", ran.stderr);
        let events = stored(&home);
        assert_eq!(events.last().map(|event| event["status"].clone()), Some(json!("stopped")), "{signal}");
    }
}

#[test]
fn a_second_stop_does_not_wait_for_a_tool_that_will_not_end() {
    let fake = fake();
    let home = home_of(&fake);
    let deaf =
        format!("trap '' INT TERM; mkfifo fifo; touch started; read line < fifo # {}", home.path().display());
    fake.push(Reply::calls([("shell_exec", json!({ "command": deaf }))]));
    let running = ask(&home, &["Wait for ever"]).spawn();
    running.wait_for_file(&home.workspace().join("started"));
    running.signal("INT").signal("INT").signal("INT");
    let ran = running.finish().code(130);
    assert!(ran.stderr.contains("session "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("nothing more was written"), "{}", ran.stderr);
    assert!(!is_running(&home), "the shell still runs");
}

#[test]
fn a_reader_that_leaves_ends_the_run_quietly_and_in_order() {
    let fake = fake();
    let home = home_of(&fake);
    let command = format!("sleep 600; touch survived # {}", home.path().display());
    fake.push(Reply::calls([("shell_exec", json!({ "command": command }))]));
    fake.repeat(Reply::text("Never heard."));
    let line = "{ \"$CANDOR\" --json 'Go on and on'; echo \"status $?\" >&2; } | head -n 1";
    let ran = shell(&home, line).run().ok();
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(ran.stderr, "status 130\n");
    let kinds: Vec<_> = stored(&home).iter().map(|event| event["type"].clone()).collect();
    assert_eq!(kinds.last(), Some(&json!("run_end")), "{kinds:?}");
    assert!(!is_running(&home), "the command still runs");
}

#[test]
fn an_answer_that_cannot_be_written_is_a_card() {
    for flag in ["", "--json"] {
        let fake = fake();
        fake.push(Reply::text("Lost."));
        let home = home_of(&fake);
        shell(&home, &format!("\"$CANDOR\" {flag} 'Well then?' > /dev/full"))
            .run()
            .code(4)
            .stderr_has("Error Code: DISK_FULL")
            .stderr_has("for /dev/full");
        assert_eq!(stored(&home).last().map(|event| event["type"].clone()), Some(json!("run_end")), "{flag}");
    }
}

#[test]
fn closed_streams_are_no_reason_to_panic() {
    for streams in [">&-", "2>&-", "<&-", "<&- >&- 2>&-"] {
        let fake = fake();
        fake.push(Reply::text("Said."));
        let home = home_of(&fake);
        let ran = shell(&home, &format!("\"$CANDOR\" 'Well then?' {streams}")).run();
        assert!(ran.status < 100 && !ran.stderr.contains("INTERNAL"), "{streams}: {ran}");
        assert_eq!(fake.requests().len(), 1, "{streams}: {ran}");
    }
}

#[test]
fn a_terminal_sees_the_answer_as_it_is_written() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::text("First piece. Second piece.").deltas(13).gate(&gate));
    let home = home_of(&fake);
    let line = format!("{BINARY} 'Tell me'");
    let running = Candor::new("script", &home)
        .args(["-qec", &line, "/dev/null"])
        .env("FAKE_KEY", KEY)
        .env("TERM", "xterm")
        .spawn();
    running.wait_for_stdout("First piece.");
    gate.open();
    let ran = running.finish().ok();
    assert!(ran.stdout.contains("Second piece.\r\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("session "), "a person is told how to go on: {}", ran.stdout);
}

#[test]
fn a_stop_gets_through_to_a_run_that_never_pauses() {
    let fake = fake();
    fake.push(Reply::many_deltas(20_000_000, "and so on "));
    let home = home_of(&fake);
    let running = ask(&home, &["--json", "Talk for ever"]).spawn();
    running.wait_for_stdout("stream_delta");
    running.signal("INT");
    let ran = running.finish().code(130);
    assert!(ran.stdout.ends_with("}\n") && ran.stdout.contains("\"status\":\"stopped\""));
}

#[test]
fn an_answer_shown_on_a_terminal_cannot_command_it() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::text("Look:\u{1b}]0;owned\u{7}\u{1b}[2J\r\tgone\nnext"));
    let home = home_of(&fake);
    let line = format!("{BINARY} 'Say something wild'");
    let ran = Candor::new("script", &home)
        .args(["-qec", &line, "/dev/null"])
        .env("FAKE_KEY", KEY)
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .run()
        .ok();
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{7}'), "{:?}", ran.stdout);
    assert!(ran.stdout.contains("]0;owned") && ran.stdout.contains("\tgone\r\nnext"), "{:?}", ran.stdout);
}

#[test]
fn a_refused_approval_is_never_done() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", json!({"command": "touch made"}))]));
    fake.push(Reply::text("Done!"));
    let home = home_of(&fake);
    let ran = ask(&home, &["--permission", "ask", "Make it"]).run().code(6);
    assert!(ran.stderr.contains("needs a person's yes"), "{}", ran.stderr);
    assert!(!home.workspace().join("made").exists());
    // Without approvals in the way, a refusal is the model's to deal with.
    fake.push(Reply::calls([("shell_exec", json!({"command": "touch made"}))]));
    fake.push(Reply::text("I may not."));
    ask(&home, &["--permission", "read-only", "Make it"]).run().ok();
}

#[test]
fn a_reader_that_has_gone_does_not_change_the_status() {
    let fake = fake();
    fake.push(Reply::calls([("file_write", json!({"path": "x", "content": "x"}))]));
    fake.push(Reply::text("Done!"));
    let home = home_of(&fake);
    let ran = shell(&home, "(\"$CANDOR\" 'Write x'; echo rc=$? >&2) | true").run();
    assert!(ran.stderr.contains("rc=3"), "{}", ran.stderr);
}

#[test]
fn the_end_of_a_run_is_logged() {
    let fake = fake();
    fake.push(Reply::text("Hello."));
    fake.push(Reply::status(401));
    let home = home_of(&fake);
    ask(&home, &["Hello there"]).run().ok();
    ask(&home, &["Hello again"]).run().code(1);
    let ends: Vec<_> = crate::rig::log_lines(&home, "run_end")
        .iter()
        .map(|line| (line["status"].clone(), line["code"].clone()))
        .collect();
    assert_eq!(ends, [(json!("done"), json!(null)), (json!("failed"), json!("PROVIDER_UNAUTHORIZED"))]);
}

#[test]
fn a_cost_limit_that_cannot_be_kept_is_said() {
    let fake = fake();
    fake.push(Reply::text("Hello."));
    let ran = ask(&home_of(&fake), &["--max-cost", "1", "Hello there"]).run().ok();
    assert!(ran.stderr.contains("The price of fake-model is not known"), "{}", ran.stderr);
}

#[test]
fn the_line_of_a_tool_says_what_came_of_it() {
    let fake = fake();
    fake.push(Reply::calls([
        ("shell_exec", json!({"command": "echo one; echo two"})),
        ("shell_exec", json!({"command": "cat nope.txt"})),
        ("shell_exec", json!({"command": "seq 100000"})),
        ("file_write", json!({"path": "x", "content": "12345"})),
        ("file_read", json!({"path": "x"})),
        ("file_read", json!({"path": "missing"})),
        ("file_edit", json!({"path": "x", "edits": [{"old": "123", "new": "6"}]})),
        ("search", json!({"pattern": "645"})),
        ("list", json!({})),
        ("todo", json!({"items": [{"text": "look", "state": "done"}, {"text": "leap"}]})),
        ("sleep", json!({"seconds": "long"})),
    ]));
    fake.push(Reply::text("Done."));
    let ran = ask(&home_of(&fake), &["--no-verify", "Do it"]).run().ok();
    for said in [
        "shell_exec: ok, exit 0, 2 lines (",
        "shell_exec: failed, exit 1: cat: nope.txt: No such file or directory (",
        " lines (cut) (",
        "file_write: ok, wrote 5 bytes to x (",
        "file_read: ok, 5 bytes, 1 line (",
        "file_read: failed, ",
        "file_edit: ok, x: 1 place (",
        "search: ok, 1 match in 1 file (",
        "list: ok, 1 entry (",
        "todo: ok (",
        "\n    [x] look\n    [ ] leap\n",
        // Lists are counted, and a tool is named once.
        "> file_edit x edits=1\n",
        "> todo items=2\n",
        "  sleep: was not run: ",
    ] {
        assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
    }
}

#[test]
fn an_answer_in_a_pipe_cannot_command_the_terminal_behind_it() {
    let fake = fake();
    fake.push(Reply::text("red \u{1b}[31m and\r\nplain"));
    let ran = ask(&home_of(&fake), &["Say something wild"]).run().ok();
    assert_eq!(ran.stdout, "red \u{fffd}[31m and\nplain\n");
}

#[test]
fn a_word_near_a_command_can_be_asked() {
    let fake = fake();
    fake.repeat(Reply::text("Yes."));
    let home = home_of(&fake);
    ask(&home, &["do"]).run().code(2).stderr_has("USAGE_UNKNOWN_COMMAND");
    ask(&home, &["--", "do"]).run().ok();
    ask(&home, &["--max-turns", "2", "do"]).run().ok();
}

#[test]
fn a_refused_key_shows_what_the_server_said() {
    let fake = fake();
    fake.push(Reply::error("unauthorized", "Incorrect API key provided: ask your admin."));
    let ran = ask(&home_of(&fake), &["Hello there"]).run().code(1);
    assert!(ran.stderr.contains("It said: Incorrect API key provided: ask your admin."), "{}", ran.stderr);
    assert!(ran.stderr.contains("Key from: providers.fake.api_key"), "{}", ran.stderr);
}
