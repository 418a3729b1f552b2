//! One failure has one card, whoever reads it.

use candor_testkit::{Dialect, FakeLlm, Reply, Seen};
use serde_json::{Value, json};

use super::{converse, serve};
use crate::rig::{ask, candor, events, home_with, log_lines, of_type};

/// The card of the first event of a kind.
#[track_caller]
fn card(events: &[Value], kind: &str) -> Value {
    let card = of_type(events, kind).first().map(|event| event["card"].clone()).unwrap_or_default();
    assert!(card.is_object(), "{kind}: {events:#?}");
    card
}

/// Runs it in the terminal and over the socket; the card of this kind of event must be the same in both, and in the store.
#[track_caller]
fn check(settings: &str, replies: &dyn Fn(&FakeLlm), kind: &str, code: &str) {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, settings);
    replies(&fake);
    let ran = ask(&home, &["--json", "Hello there"]).run();
    let in_terminal = card(&events(&ran), kind);
    assert_eq!(in_terminal["code"], code);
    let stored = candor(&home, "sessions show --json last").run().ok();
    assert_eq!(card(&events(&stored), kind), in_terminal, "stored");
    let served = serve(&home);
    replies(&fake);
    let frames = converse(&mut served.connect(), "Hello there");
    assert_eq!(card(&frames, kind), in_terminal, "on the socket");
    if kind == "error" {
        assert_eq!(card(&frames, "run_end"), in_terminal, "at the end of the run");
        assert!(log_lines(&home, "run_end").iter().all(|line| line["code"] == code), "in the log");
    } else {
        let results = fake.requests().iter().flat_map(Seen::tool_results).collect::<Vec<_>>();
        for result in results {
            let told: Value = serde_json::from_str(&result).expect("JSON");
            assert_eq!(told["card"], in_terminal, "for the model");
        }
        assert!(log_lines(&home, "card_shown").iter().all(|line| line["code"] == code), "in the log");
    }
}

#[test]
fn a_failure_of_the_provider() {
    let quick = "retry = { max_retries = 0, base_delay_ms = 100, max_delay_ms = 1000 }";
    check(quick, &answering(503), "error", "PROVIDER_UNAVAILABLE");
    check(quick, &answering(401), "error", "PROVIDER_UNAUTHORIZED");
}

fn answering(status: u16) -> impl Fn(&FakeLlm) {
    move |fake| {
        fake.push(Reply::status(status));
    }
}

fn calling(name: &'static str, args: Value) -> impl Fn(&FakeLlm) {
    move |fake| {
        fake.push(Reply::calls([(name, args.clone())]));
        fake.push(Reply::text("I see."));
    }
}

#[test]
fn a_failure_of_a_command_of_a_tool_and_of_a_rule() {
    let shell = |command: &str| calling("shell_exec", json!({ "command": command }));
    check("", &shell("git status"), "tool_result", "GIT_NOT_A_REPOSITORY");
    check("", &shell("exit 3"), "tool_result", "COMMAND_FAILED");
    check(
        "permission = \"read-only\"",
        &calling("file_write", json!({ "path": "x", "content": "x" })),
        "tool_result",
        "TOOL_BLOCKED",
    );
    check("", &calling("file_read", json!({ "path": "nowhere" })), "tool_result", "FILE_NOT_FOUND");
}

#[test]
fn the_end_of_a_run_that_goes_in_circles() {
    let failing = |fake: &FakeLlm| {
        fake.extend([0; 3].map(|_| Reply::calls([("shell_exec", json!({ "command": "exit 7" }))])));
    };
    check("", &failing, "error", "RUN_STUCK");
}
