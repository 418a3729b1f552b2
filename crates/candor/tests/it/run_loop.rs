//! Runs: the model, the tools, and how they take turns.

use candor_testkit::{Dialect, FakeLlm, Gate, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, events, home_of, home_with, is_running, of_type};

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

fn file(home: &Home, name: &str) -> String {
    std::fs::read_to_string(home.workspace().join(name)).unwrap_or_default()
}

#[test]
fn s5_1_an_answer_without_tools_is_one_turn() {
    let fake = fake();
    fake.push(Reply::text("Forty-two."));
    let ran = ask(&home_of(&fake), &["What is six times seven?"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "Forty-two.\n"), "{}", ran.stderr);
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn s5_2_a_call_its_result_and_the_answer() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", json!({"command": "echo from-the-shell"}))]));
    fake.push(Reply::text("It said so."));
    let ran = ask(&home_of(&fake), &["Run it, please"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "It said so.\n"), "{}", ran.stderr);
    let results = fake.requests()[1].tool_results();
    let result: Value = serde_json::from_str(&results[0]).expect("the result is JSON");
    assert_eq!(
        result,
        json!({"stdout": "from-the-shell\n", "stderr": "", "exit_code": 0, "timed_out": false})
    );
}

#[test]
fn s5_3_several_calls_in_one_answer_give_all_results_in_order() {
    let fake = fake();
    let home = home_of(&fake);
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(home.workspace().join(name), format!("content of {name}")).expect("a file");
    }
    let read = |name: &str| ("file_read", json!({ "path": name }));
    fake.push(Reply::calls([read("a.txt"), read("b.txt"), read("c.txt")]));
    fake.push(Reply::text("Read."));
    ask(&home, &["Read all three"]).run().ok();
    let expected = ["content of a.txt", "content of b.txt", "content of c.txt"];
    assert_eq!(fake.requests()[1].tool_results(), expected);
}

#[test]
fn s5_4_a_failing_tool_is_content_for_the_model() {
    let fake = fake();
    fake.push(Reply::calls([("file_read", json!({"path": "not-there.txt"}))]));
    fake.push(Reply::text("There is no such file."));
    let ran = ask(&home_of(&fake), &["--json", "Read it"]).run();
    assert_eq!(ran.status, 0);
    let result: Value = serde_json::from_str(&fake.requests()[1].tool_results()[0]).expect("JSON");
    assert!(result["error"].as_str().is_some_and(|error| !error.is_empty()), "{result}");
    assert_eq!(result["card"]["code"], "FILE_NOT_FOUND");
    let events = events(&ran);
    assert_eq!(of_type(&events, "tool_result")[0]["isError"], true);
}

#[test]
fn s5_5_a_stop_in_the_middle_of_an_answer_ends_the_run_cleanly_and_keeps_what_was_said() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::text("Half of it, and then the other half.").gate(&gate));
    let home = home_of(&fake);
    let running = ask(&home, &["--json", "Tell me"]).spawn();
    gate.wait_reached();
    running.signal("INT");
    let ran = running.finish();
    assert_eq!(ran.status, 130, "{}", ran.stderr);
    let events = events(&ran);
    assert_eq!(of_type(&events, "run_end")[0]["status"], "stopped");
    gate.open();
    fake.push(Reply::text("Going on."));
    ask(&home, &["-c", "Go on"]).run().ok();
}

#[test]
fn s5_6_turns_alternate_until_an_answer_has_no_calls() {
    let fake = fake();
    for step in 1..=3 {
        fake.push(Reply::calls([("shell_exec", json!({ "command": format!("echo step-{step}") }))]));
    }
    fake.push(Reply::text("All three."));
    let ran = ask(&home_of(&fake), &["--json", "Three steps"]).run();
    assert_eq!(ran.status, 0);
    assert_eq!(fake.requests().len(), 4);
    let events = events(&ran);
    let end = of_type(&events, "run_end")[0];
    assert_eq!((&end["turns"], &end["toolCalls"]), (&json!(4), &json!(3)));
}

#[test]
fn s5_7_the_turn_limit_ends_the_run_with_a_card() {
    let fake = fake();
    fake.repeat(Reply::calls([("shell_exec", json!({"command": "true"}))]));
    let ran = ask(&home_of(&fake), &["--max-turns", "3", "Never stop"]).run();
    assert_eq!(ran.status, 4);
    assert!(ran.stderr.contains("RUN_TURNS_SPENT"), "{}", ran.stderr);
    assert_eq!(fake.requests().len(), 3);
}

#[test]
fn s5_8_a_stop_reaches_a_running_tool_and_nothing_of_it_is_left() {
    let fake = fake();
    let home = home_of(&fake);
    fake.push(Reply::calls([(
        "shell_exec",
        json!({"command": format!("touch started; sleep 600; touch survived # {}", home.path().display())}),
    )]));
    let running = ask(&home, &["--json", "Wait for ever"]).spawn();
    running.wait_for_file(&home.workspace().join("started"));
    running.signal("INT");
    let ran = running.finish();
    assert_eq!(ran.status, 130, "{}", ran.stderr);
    assert!(!is_running(&home), "the shell still runs");
    assert!(!home.workspace().join("survived").exists());
    // The dangling call has a result, so the strict server takes the next request.
    fake.push(Reply::text("Stopped, then."));
    let next = ask(&home, &["-c", "What now?"]).run();
    assert_eq!(fake.requests().last().and_then(|seen| seen.refused.clone()), None);
    // What the command had made by then is known, and nobody has seen it work.
    assert_eq!(next.status, 3, "{}", next.stderr);
    assert!(next.stderr.contains("VERIFY_NOTHING_TO_RUN"), "{}", next.stderr);
}

#[test]
fn calls_that_only_read_run_side_by_side_and_writes_to_one_file_do_not() {
    let fake = fake();
    let home = home_of(&fake);
    fake.push(Reply::calls([
        ("file_write", json!({"path": "x.txt", "content": "first"})),
        ("file_write", json!({"path": "x.txt", "content": "second"})),
        ("file_read", json!({"path": "x.txt"})),
    ]));
    fake.push(Reply::text("Written."));
    let ran = ask(&home, &["--no-verify", "Write twice"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(file(&home, "x.txt"), "second");
    assert_eq!(fake.requests()[1].tool_results()[2], "second");
}

#[test]
fn the_same_call_failing_the_same_way_three_times_is_stuck() {
    let fake = fake();
    fake.repeat(Reply::calls([("shell_exec", json!({"command": "cat no-such-file"}))]));
    let ran = ask(&home_of(&fake), &["Try"]).run();
    assert_eq!(ran.status, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("RUN_STUCK"), "{}", ran.stderr);
    assert_eq!(fake.requests().len(), 3);
}

#[test]
fn an_empty_answer_is_asked_for_once_more_and_then_is_an_error() {
    let fake = fake();
    fake.push(Reply::empty());
    fake.push(Reply::text("Here I am."));
    let ran = ask(&home_of(&fake), &["Are you there?"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "Here I am.\n"), "{}", ran.stderr);

    let silent = FakeLlm::start(Dialect::OpenaiChat);
    silent.repeat(Reply::empty());
    let ran = ask(&home_of(&silent), &["Are you there?"]).run();
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("PROVIDER_ANSWER_EMPTY"), "{}", ran.stderr);
    assert_eq!(silent.requests().len(), 2);
}

#[test]
fn the_time_limit_ends_the_run_and_its_tool() {
    let fake = fake();
    let home = home_of(&fake);
    fake.push(Reply::calls([("shell_exec", json!({"command": "sleep 600; touch survived"}))]));
    let ran = ask(&home, &["--timeout", "300ms", "Sleep"]).run();
    assert_eq!(ran.status, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("RUN_TIME_SPENT"), "{}", ran.stderr);
    assert!(!home.workspace().join("survived").exists());
}

#[test]
fn the_cost_limit_ends_the_run() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.repeat(Reply::calls([("shell_exec", json!({"command": "true"}))]).usage(1_000_000, 10));
    let home = home_with(&fake, "model = \"claude-sonnet-4-5\"");
    let ran = ask(&home, &["--max-cost", "5", "Spend"]).run();
    assert_eq!(ran.status, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("RUN_COST_SPENT"), "{}", ran.stderr);
    assert_eq!(fake.requests().len(), 2, "three dollars a turn");
}

#[test]
fn a_written_file_is_not_called_done_while_nobody_can_check_it() {
    let fake = fake();
    fake.push(Reply::calls([("file_write", json!({"path": "x.txt", "content": "x"}))]));
    fake.push(Reply::text("Done! Everything works perfectly. Status: done."));
    let ran = ask(&home_of(&fake), &["--json", "Write x"]).run();
    assert_eq!(ran.status, 3);
    let events = events(&ran);
    let end = of_type(&events, "run_end")[0];
    assert_eq!((&end["status"], &end["verdict"]["status"]), (&json!("done_partial"), &json!("unverifiable")));
}

#[test]
fn a_long_conversation_is_shortened_and_the_run_goes_on() {
    let fake = fake();
    let home = home_of(&fake);
    let long = "Words that take room and say little. ".repeat(200);
    fake.push(Reply::text(&long));
    ask(&home, &["Remember: the code word is zebra"]).run().ok();
    fake.push(Reply::text(&long));
    ask(&home, &["-c", "Say something else"]).run().ok();
    fake.push(Reply::error("overflow", "This model's maximum context length is 10 tokens."));
    fake.push(Reply::text("Still here."));
    let ran = ask(&home, &["-c", "--json", "And now?"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let events = events(&ran);
    assert_eq!(of_type(&events, "compacted").len(), 1);
    let last = fake.requests().pop().expect("a request");
    let said = last.user_texts().join("\n");
    assert!(said.contains("zebra") && said.contains("And now?"), "{said}");
    // A model for which nothing is short enough ends the run.
    fake.repeat(Reply::error("overflow", "This model's maximum context length is 10 tokens."));
    let ran = ask(&home, &["-c", "Once more"]).run();
    assert_eq!(ran.status, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("PROVIDER_CONTEXT_TOO_LONG"), "{}", ran.stderr);
}
