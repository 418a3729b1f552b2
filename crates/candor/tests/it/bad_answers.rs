//! Models and servers that do not behave: never a panic, never a hang, always an answer or a card.

use std::time::Duration;

use candor_testkit::{Dialect, FakeLlm, Fault, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, events, home_of, home_with, of_type};

/// No second chances: the answer itself is what is looked at.
const ONCE: &str = "retry = { max_retries = 0 }";

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

/// Asserts that a call is answered with an error that the model reads, and that the run goes on.
#[track_caller]
fn check_told(name: &str, raw_args: &str, code: &str, says: &str) {
    for dialect in Dialect::ALL {
        // These two send arguments as values, never as text that could be malformed.
        if matches!(dialect, Dialect::Gemini | Dialect::Ollama)
            && serde_json::from_str::<Value>(raw_args).is_err()
        {
            continue;
        }
        let fake = FakeLlm::start(*dialect);
        fake.push(Reply::empty().and_call_with("call_1", name, raw_args));
        fake.push(Reply::text("I see."));
        fake.push(Reply::text("Still here."));
        let home = home_of(&fake);
        let ran = ask(&home, &["Call it"]).run().ok();
        assert_eq!(ran.stdout, "I see.\n", "{}", dialect.name());
        let told = fake.requests()[1].tool_results()[0].clone();
        assert!(told.contains(code) && told.contains(says), "{}: {told}", dialect.name());
        ask(&home, &["-c", "Go on"]).run().ok();
        assert!(fake.requests().iter().all(|seen| seen.refused.is_none()), "{}", dialect.name());
    }
}

#[test]
fn arguments_that_cannot_be_read_are_told_to_the_model() {
    check_told("shell_exec", "{\"command\": \"echo hi", "TOOL_ARGUMENTS", "not one JSON object");
    check_told("shell_exec", "rm -rf /", "TOOL_ARGUMENTS", "rm -rf /");
    check_told("shell_exec", "[1, 2]", "TOOL_ARGUMENTS", "");
    check_told("shell_exec", "{\"command\": 7}", "TOOL_ARGUMENTS", "`command` is a number");
    check_told("shell_exec", "{}", "TOOL_ARGUMENTS", "`command` is missing");
    check_told("file_write", "{\"path\": \"x\"}", "TOOL_ARGUMENTS", "`content` is missing");
}

#[test]
fn a_tool_that_nobody_has_is_told_to_the_model() {
    check_told("teleport", "{}", "TOOL_UNKNOWN", "shell_exec, file_read, file_write");
    check_told("weird name/with: odd.characters é", "{}", "TOOL_UNKNOWN", "shell_exec");
    check_told(&"long".repeat(100), "{}", "TOOL_UNKNOWN", "shell_exec");
}

#[test]
fn arguments_with_one_meaning_are_repaired() {
    for raw in [
        "{\"command\":\"echo done\"}",
        "\"{\\\"command\\\":\\\"echo done\\\"}\"",
        " {\"command\":\"echo done\"}\n",
    ] {
        let fake = fake();
        fake.push(Reply::empty().and_call_with("call_1", "shell_exec", raw));
        fake.push(Reply::text("I see."));
        ask(&home_of(&fake), &["Call it"]).run().ok();
        assert!(fake.requests()[1].tool_results()[0].contains("done\\n"), "{raw}");
    }
}

#[test]
fn an_id_that_comes_again_in_each_answer_is_no_confusion() {
    for dialect in Dialect::ALL {
        let fake = FakeLlm::start(*dialect);
        for step in ["one", "two", "three"] {
            let args = json!({ "command": format!("echo {step}") }).to_string();
            fake.push(Reply::empty().and_call_with("call_0", "shell_exec", &args).and_call_with(
                "call_0",
                "shell_exec",
                &args,
            ));
        }
        fake.push(Reply::text("Done."));
        let home = home_of(&fake);
        let ran = ask(&home, &["--json", "Three steps"]).run().ok();
        let seen = fake.requests().pop().expect("a request");
        assert_eq!(seen.refused, None, "{}", dialect.name());
        let said: Vec<bool> = seen
            .tool_results()
            .iter()
            .zip(["one", "one", "two", "two", "three", "three"])
            .map(|(result, word)| result.contains(word))
            .collect();
        assert_eq!(said, [true; 6], "{}", dialect.name());
        let events = events(&ran);
        let mut ids: Vec<_> =
            of_type(&events, "tool_start").iter().map(|event| event["callId"].to_string()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 6, "an id names one call of a session: {}", dialect.name());
    }
}

#[test]
fn two_hundred_calls_in_one_answer_are_all_answered_in_order() {
    let fake = fake();
    let home = home_of(&fake);
    for number in 0..200 {
        home.write_in_workspace(format!("{number}.txt"), format!("number {number}"));
    }
    fake.push(Reply::calls((0..200).map(|number| ("file_read", json!({ "path": format!("{number}.txt") })))));
    fake.push(Reply::text("Read."));
    ask(&home, &["Read them all"]).run().ok();
    let expected: Vec<String> = (0..200).map(|number| format!("number {number}")).collect();
    assert_eq!(fake.requests()[1].tool_results(), expected);
}

#[test]
fn more_calls_than_any_model_means_are_a_card() {
    let fake = fake();
    fake.push(Reply::calls((0..600).map(|_| ("shell_exec", json!({"command": "touch ran"})))));
    let home = home_with(&fake, ONCE);
    let ran = ask(&home, &["Run wild"]).run().code(1);
    assert!(ran.stderr.contains("PROVIDER_ANSWER_TOO_LARGE"), "{}", ran.stderr);
    assert!(!home.workspace().join("ran").exists(), "none of them is run");
}

#[test]
fn a_hundred_thousand_pieces_make_one_answer() {
    for dialect in Dialect::ALL {
        let is_long = matches!(dialect, Dialect::OpenaiChat | Dialect::Anthropic);
        let count = if is_long { 100_000 } else { 20_000 };
        let fake = FakeLlm::start(*dialect);
        fake.push(Reply::many_deltas(count, "abcdefg "));
        let ran = ask(&home_of(&fake), &["Talk"]).run().ok();
        assert_eq!(ran.stdout.len(), count * "abcdefg ".len(), "{}", dialect.name());
    }
}

#[test]
fn a_very_long_answer_arrives_and_a_longer_one_is_a_card() {
    let fake = fake();
    fake.push(Reply::many_deltas(20, &"x".repeat(1 << 20)));
    fake.push(Reply::many_deltas(70, &"x".repeat(1 << 20)));
    fake.push(Reply::text("Still here."));
    let home = home_with(&fake, ONCE);
    let ran = ask(&home, &["Write a book"]).run().ok();
    assert_eq!(ran.stdout.len(), (20 << 20) + 1);
    let ran = ask(&home, &["Write a library"]).run().code(1);
    assert!(ran.stderr.contains("PROVIDER_ANSWER_TOO_LARGE"), "{}", ran.stderr);
    assert_eq!(
        ask(&home, &["-c", "And now?"]).run().ok().stdout,
        "Still here.\n",
        "the session stays usable"
    );
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    for dialect in Dialect::ALL {
        let fake = FakeLlm::start(*dialect);
        fake.push(Reply::text("Broken: ").fault(Fault::InvalidUtf8InText));
        fake.push(Reply::text("Still here."));
        let home = home_of(&fake);
        let ran = ask(&home, &["Say something"]).run().ok();
        assert!(ran.stdout.starts_with("Broken: \u{fffd}"), "{}: {:?}", dialect.name(), ran.stdout);
        ask(&home, &["-c", "Go on"]).run().ok();
    }
}

#[test]
fn what_is_no_answer_at_all_is_a_card() {
    let cases: Vec<(Reply, &str)> = vec![
        (Reply::empty().fault(Fault::Html200), "PROVIDER_NOT_A_SERVER"),
        (Reply::empty().fault(Fault::Html502), "PROVIDER_UNAVAILABLE"),
        (Reply::empty().body("text/plain", "hello"), "PROVIDER_"),
        (Reply::empty().body("application/json", "{}"), "PROVIDER_"),
        (Reply::empty().body("application/json", "[]"), "PROVIDER_"),
        (Reply::empty().body("text/event-stream", "data: {not json\n\ndata: [DONE]\n\n"), "PROVIDER_"),
        (Reply::empty().fault(Fault::EmptyBody(200)), "PROVIDER_"),
        (Reply::empty().fault(Fault::EmptyBody(500)), "PROVIDER_UNAVAILABLE"),
        (Reply::empty().fault(Fault::Raw(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())), "PROVIDER_UNREACHABLE"),
        (Reply::empty().fault(Fault::Raw(vec![0xff; 100_000])), "PROVIDER_UNREACHABLE"),
        (Reply::empty().fault(Fault::BrokenGzip), "PROVIDER_"),
        (Reply::empty().fault(Fault::JsonError200), "PROVIDER_"),
    ];
    for dialect in Dialect::ALL {
        for (reply, code) in &cases {
            let fake = FakeLlm::start(*dialect);
            fake.repeat(reply.clone());
            let home = home_with(&fake, ONCE);
            let ran = ask(&home, &["Hello there"]).time_limit(Duration::from_secs(20)).run();
            let context = format!("{}: {ran}", dialect.name());
            assert!(ran.status == 1 && ran.stdout.is_empty(), "{context}");
            assert!(ran.stderr.contains(&format!("Error Code: {code}")), "{code} {context}");
            assert!(ran.stderr.contains("failed, 0 turns, session "), "{context}");
        }
    }
}

#[test]
fn a_tool_may_print_anything() {
    let fake = fake();
    fake.push(Reply::calls([(
        "shell_exec",
        json!({"command": "head -c 300 /dev/urandom; printf '\\000\\033[31m'"}),
    )]));
    fake.push(Reply::calls([(
        "shell_exec",
        json!({"command": "head -c 5000000 /dev/zero | tr '\\0' x; echo the end"}),
    )]));
    fake.push(Reply::text("Seen."));
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "Print"]).run().ok();
    let results = fake.requests()[2].tool_results();
    assert!(serde_json::from_str::<Value>(&results[0]).is_ok(), "{}", results[0]);
    assert!(results[1].len() <= 210_000 && results[1].contains("the end"), "{} bytes", results[1].len());
    assert!(ran.stdout.len() < 1_000_000, "{} bytes", ran.stdout.len());
    assert!(!home.path().join("outputs").exists(), "nothing unmasked is put on the disk");
}

#[test]
fn arguments_of_any_depth_are_no_reason_to_fall_over() {
    let deep = format!("{{\"command\": {}1{}}}", "[".repeat(20_000), "]".repeat(20_000));
    for dialect in [Dialect::OpenaiChat, Dialect::OpenaiResponses, Dialect::Anthropic] {
        let fake = FakeLlm::start(dialect);
        fake.push(Reply::empty().and_call_with("call_1", "shell_exec", &deep));
        fake.push(Reply::text("I see."));
        let ran = ask(&home_of(&fake), &["Call it"]).run().ok();
        assert_eq!(ran.stdout, "I see.\n", "{}", dialect.name());
        assert!(fake.requests()[1].tool_results()[0].contains("TOOL_ARGUMENTS"), "{}", dialect.name());
    }
}
