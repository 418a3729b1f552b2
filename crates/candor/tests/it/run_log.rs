//! What a run writes to the log.

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::json;

use crate::rig::{KEY, ask, home_with, log_lines};

const QUICK: &str = "retry = { base_delay_ms = 100, max_delay_ms = 1000 }";

#[test]
fn s14_1_s14_3_every_turn_is_logged_with_its_tokens() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(Reply::calls([("shell_exec", json!({"command": "true"}))]).usage(100, 20));
    fake.push(Reply::text("Done.").usage(150, 5));
    let home = home_with(&fake, "");
    ask(&home, &["Two turns"]).run().ok();
    let starts = log_lines(&home, "turn_start");
    let ends = log_lines(&home, "turn_end");
    assert_eq!((starts.len(), ends.len()), (2, 2));
    assert_eq!((&starts[0]["model"], &starts[0]["messageCount"]), (&json!("fake-model"), &json!(1)));
    let tokens = |at: usize| [&ends[at]["inputTokens"], &ends[at]["outputTokens"], &ends[at]["totalTokens"]];
    assert_eq!(tokens(0), [&json!(100), &json!(20), &json!(120)]);
    assert_eq!(tokens(1), [&json!(150), &json!(5), &json!(155)]);
    assert_eq!((&ends[0]["toolCallCount"], &ends[1]["toolCallCount"]), (&json!(1), &json!(0)));
    assert!(ends[0]["durationMs"].is_number() && ends[0]["sessionId"].is_string());
}

#[test]
fn s14_2_tool_calls_are_logged_with_name_duration_and_error_flag() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([
        ("shell_exec", json!({"command": "exit 3"})),
        ("file_read", json!({"path": "/etc/hostname"})),
    ]));
    fake.push(Reply::text("Done."));
    let home = home_with(&fake, "");
    ask(&home, &["Two tools"]).run().ok();
    let calls = log_lines(&home, "tool_call");
    let facts: Vec<_> = calls.iter().map(|call| (call["tool"].clone(), call["isError"].clone())).collect();
    assert_eq!(facts, [(json!("shell_exec"), json!(true)), (json!("file_read"), json!(false))]);
    assert!(calls.iter().all(|call| call["durationMs"].is_number()));
}

#[test]
fn s14_5_provider_errors_are_logged_with_provider_status_and_attempt() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::status(503));
    fake.push(Reply::text("Back again."));
    let home = home_with(&fake, QUICK);
    ask(&home, &["Are you there?"]).run().ok();
    let errors = log_lines(&home, "provider_error");
    assert_eq!(errors.len(), 1);
    let error = &errors[0];
    assert_eq!(
        [&error["provider"], &error["statusCode"], &error["retryAttempt"]],
        [&json!("fake"), &json!(503), &json!(0)]
    );
    assert_eq!(error["level"], "error");
}

#[test]
fn the_key_is_in_no_byte_that_a_run_leaves_behind() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::error("bad_request", &format!("Your key {KEY} is not welcome.")));
    let home = home_with(&fake, "logging = { level = \"debug\" }");
    let ran = ask(&home, &["Hello there"]).run();
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("is not welcome"), "{}", ran.stderr);
    let mut left = ran.stdout + &ran.stderr;
    for name in ["candor.db", "candor.db-wal", "logs/candor.log"] {
        left += &String::from_utf8_lossy(&std::fs::read(home.path().join(name)).unwrap_or_default());
    }
    assert!(!left.contains(KEY));
    assert_eq!(fake.requests()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}
