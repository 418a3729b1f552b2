//! A failure that keeps a run from beginning, or a tool from running, has one card: the same code and first step wherever
//! it is read.

use std::os::unix::fs::symlink;

use candor_testkit::{Dialect, FakeLlm, Home, Ran, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, candor, events, home_of, home_with, log_lines, of_type, steps};

/// The code and the first step of the card on a screen.
#[track_caller]
fn on_screen(ran: &Ran) -> (String, String) {
    let code = ran.stderr.lines().find_map(|line| line.strip_prefix("Error Code: ")).expect(&ran.stderr);
    let step = steps(&ran.stderr)[0].strip_prefix("1. ").expect("a first step");
    (code.to_owned(), step.to_owned())
}

/// The same of a card in JSON.
#[track_caller]
fn in_json(card: &Value) -> (String, String) {
    let card: candor_protocol::ErrorCard = serde_json::from_value(card.clone()).expect("a card");
    (card.code.clone(), card.steps[0].to_string())
}

/// The card that the doctor has for this code.
fn at_the_doctor(home: &Home, code: &str) -> (String, String) {
    let ran = candor(home, "doctor --json").run();
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let parts = report["parts"].as_array().expect("parts");
    let part = parts.iter().find(|part| part["card"]["code"] == code).unwrap_or_else(|| panic!("{report:#}"));
    in_json(&part["card"])
}

/// What the log says of commands that ended with a card.
fn in_the_log(home: &Home) -> Vec<(String, String)> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    log_lines(home, "command_failed").iter().map(|line| (text(line, "code"), text(line, "step"))).collect()
}

#[test]
fn a_configuration_that_cannot_be_used() {
    let home = Home::new();
    home.write("config.toml", "max_tokens = \"many\"\n");
    let first = on_screen(&ask(&home, &["Hello"]).run());
    assert_eq!(first.0, "CONFIG_INVALID");
    for words in [
        vec!["--json", "Hello"],
        vec!["-r"],
        vec!["config", "check"],
        vec!["serve"],
        vec!["sessions", "list"],
    ] {
        assert_eq!(on_screen(&ask(&home, &words).run()), first, "{words:?}");
    }
    assert_eq!(at_the_doctor(&home, &first.0), first);
}

#[test]
fn a_store_that_cannot_be_used() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    home.write("candor.db/x", "");
    let first = on_screen(&ask(&home, &["Hello"]).run());
    assert_eq!(first.0, "STORE_UNAVAILABLE");
    for words in [vec!["--json", "Hello"], vec!["serve", "--listen", "127.0.0.1:0"]] {
        assert_eq!(on_screen(&ask(&home, &words).run()), first, "{words:?}");
    }
    assert_eq!(on_screen(&ask(&home, &["-r"]).stdin("Hello\n").run()), first, "in a conversation");
    assert_eq!(on_screen(&candor(&home, "sessions list").run()), first);
    assert_eq!(at_the_doctor(&home, &first.0), first);
    assert_eq!(in_the_log(&home), vec![first; 4], "each that has a log says it there");
    assert!(fake.requests().is_empty());
}

#[test]
fn walls_that_cannot_be_put_up() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    for _ in 0..2 {
        fake.push(Reply::calls([("shell_exec", json!({ "command": "touch made" }))]));
        fake.push(Reply::text("I see."));
    }
    let home = home_with(&fake, "");
    symlink("elsewhere", home.workspace().join(".candor")).expect("a link");
    let ran = ask(&home, &["--json", "Touch"]).run();
    let told = events(&ran);
    let first = in_json(&of_type(&told, "tool_result")[0]["card"]);
    assert_eq!(first.0, "SANDBOX_FAILED");
    let stored = events(&candor(&home, "sessions show --json last").run().ok());
    assert_eq!(in_json(&of_type(&stored, "tool_result")[0]["card"]), first, "stored");
    let model: Value = serde_json::from_str(&fake.requests()[1].tool_results()[0]).expect("JSON");
    assert_eq!(in_json(&model["card"]), first, "for the model");
    let people = ask(&home, &["Touch"]).run();
    // A line holds no more of a step than this.
    let cut: String = first.1.chars().take(100).collect();
    let line = format!("    {}: {cut}", first.0);
    assert!(people.stderr.lines().any(|shown| shown == line), "{line} in {}", people.stderr);
    assert!(log_lines(&home, "card_shown").iter().all(|line| line["code"] == first.0.as_str()), "in the log");
    assert_eq!(log_lines(&home, "card_shown").len(), 2);
}

/// A program that reads lines of JSON would otherwise have to read the text for people.
#[test]
fn with_json_a_failure_before_a_run_is_one_line_with_the_card_of_the_screen() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let good = home_of(&fake);
    let broken = home_with(&fake, "max_tokens = \"many\"");
    let nobody = Home::new();
    let cases: [(&Home, &[&str], &str); 5] = [
        (&broken, &["--json", "Hello"], "CONFIG_INVALID"),
        (&nobody, &["--json", "Hello"], "PROVIDER_NOT_CONFIGURED"),
        (&good, &["--json", "-s", "nosuch", "Hello"], "SESSION_UNKNOWN"),
        (&good, &["--json", "--max-turns", "none", "Hello"], "USAGE_INVALID_VALUE"),
        (&good, &["--json"], "USAGE_MISSING_ARGUMENT"),
    ];
    for (home, words, code) in cases {
        let ran = ask(home, words).run();
        let told = events(&ran);
        assert_eq!(told.len(), 1, "{words:?}: {ran}");
        assert_eq!(told[0]["type"], "error", "{ran}");
        assert_eq!(in_json(&told[0]["card"]), on_screen(&ran));
        assert_eq!(told[0]["card"]["code"], code, "{ran}");
        assert!(told[0]["message"].as_str().is_some_and(|message| !message.is_empty()), "{ran}");
        assert_ne!(ran.status, 0, "{ran}");
    }
    // Without it, and for a command that has a form of its own, nothing is added.
    assert_eq!(ask(&broken, &["Hello"]).run().stdout, "");
    assert_eq!(ask(&good, &["sessions", "list", "--json", "--nope"]).run().stdout, "");
}
