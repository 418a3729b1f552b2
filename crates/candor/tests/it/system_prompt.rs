//! The system prompt: assembled for each request, never stored.

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::Value;

use crate::rig::{ask, home_of, home_with};

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    fake
}

#[track_caller]
fn system(fake: &FakeLlm) -> String {
    fake.requests().last().and_then(candor_testkit::Seen::system).expect("a system message")
}

fn write(home: &Home, name: &str, text: &str) {
    std::fs::write(home.workspace().join(name), text).expect("a file in the workspace");
}

#[test]
fn s13_1_the_identity_of_the_config_heads_every_request() {
    let fake = fake();
    let home = home_with(&fake, "system_prompt = \"You are a Rust tutor.\"");
    ask(&home, &["Explain lifetimes"]).run().ok();
    assert!(system(&fake).starts_with("You are a Rust tutor."));
    let plain = home_of(&fake);
    ask(&plain, &["Explain lifetimes"]).run().ok();
    assert!(system(&fake).starts_with("You are an AI agent running on a dedicated virtual machine."));
}

#[test]
fn s13_2_the_prompt_names_every_tool_that_the_request_offers() {
    let fake = fake();
    ask(&home_of(&fake), &["Hello there"]).run().ok();
    let names = fake.requests()[0].tool_names();
    assert_eq!(names.len(), 16);
    for name in names {
        assert!(system(&fake).contains(&format!("- **{name}**: ")), "{name}");
    }
}

#[test]
fn s13_5_custom_instructions_come_last() {
    let fake = fake();
    let home = home_of(&fake);
    home.write("instructions.md", "Always answer in haiku.\n");
    ask(&home, &["Hello there"]).run().ok();
    assert!(system(&fake).ends_with("Always answer in haiku."));
}

#[test]
fn s13_6_a_missing_instructions_file_is_skipped() {
    let fake = fake();
    let home = home_with(&fake, "system_prompt = { custom_instructions_file = \"/no/such/file.md\" }");
    let ran = ask(&home, &["Hello there"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn the_workspaces_own_files_are_layers_and_a_change_is_seen_by_the_next_request() {
    let fake = fake();
    let home = home_of(&fake);
    write(&home, "SYSTEM_PROMPT.md", "This project is written in COBOL.");
    write(&home, "AGENTS.md", "Run make before you commit.");
    ask(&home, &["Hello there"]).run().ok();
    let prompt = system(&fake);
    let places: Vec<_> = ["---", "COBOL", "Run make"].iter().map(|part| prompt.find(part)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{prompt}");
    write(&home, "AGENTS.md", "Run just before you commit.");
    ask(&home, &["-c", "And now?"]).run().ok();
    assert!(system(&fake).contains("Run just"), "a resumed session uses today's prompt");
}

#[test]
fn a_file_that_is_no_text_is_told_as_that_and_not_sent() {
    let fake = fake();
    let home = home_of(&fake);
    write(&home, "AGENTS.md", "\0".repeat(40_000).as_str());
    ask(&home, &["Hello there"]).run().ok();
    let prompt = system(&fake);
    assert!(prompt.contains("[left out: the file is not UTF-8 text]") && !prompt.contains('\0'), "{prompt}");
}

#[test]
fn an_empty_system_prompt_sends_no_system_message() {
    let fake = fake();
    ask(&home_with(&fake, "system_prompt = \"\""), &["Hello there"]).run().ok();
    let seen = fake.requests().pop().expect("a request");
    assert_eq!(seen.system(), None);
    assert_eq!(seen.user_texts(), ["Hello there"]);
}

#[test]
fn test_agent_complete_with_system_prompt() {
    let fake = fake();
    let ran = ask(&home_of(&fake), &["--system-prompt", "Be brief.", "Hello there"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "Yes.\n"));
    assert!(system(&fake).starts_with("Be brief."));
}

#[test]
fn no_byte_of_the_prompt_is_stored() {
    let fake = fake();
    let home = home_with(&fake, "system_prompt = \"Canary-identity-7713\"");
    home.write("instructions.md", "Canary-custom-7714");
    write(&home, "SYSTEM_PROMPT.md", "Canary-workspace-7715");
    ask(&home, &["Hello there, question-7716"]).run().ok();
    ask(&home, &["-c", "Once more"]).run().ok();
    assert!(system(&fake).contains("Canary-workspace-7715"));
    let mut stored = Vec::new();
    for name in ["candor.db", "candor.db-wal"] {
        stored.extend(std::fs::read(home.path().join(name)).unwrap_or_default());
    }
    let stored = String::from_utf8_lossy(&stored);
    assert!(stored.contains("question-7716"), "the conversation is there");
    assert!(!stored.contains("Canary-"), "the prompt is not");
}

#[test]
fn prompt_show_prints_the_layers_with_their_sizes() {
    let fake = fake();
    let home = home_of(&fake);
    let ran = ask(&home, &["prompt", "show", "--json"]).run().ok();
    let shown: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let layers = shown["layers"].as_array().expect("a list");
    let names: Vec<_> = layers.iter().filter_map(|layer| layer["layer"].as_str()).collect();
    assert_eq!(names, ["identity", "harness", "tools"]);
    for layer in layers {
        assert_eq!(layer["bytes"].as_u64(), layer["text"].as_str().map(|text| text.len() as u64));
    }
    assert_eq!(fake.requests().len(), 0, "nothing is asked for");
}
