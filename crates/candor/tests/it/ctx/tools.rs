//! The tools by which a model looks things up.

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use super::{home, ids, run};
use crate::rig::{ask, home_of};

#[test]
fn they_are_offered_where_the_workspace_is_a_segment_and_stay_short() {
    let home = home();
    assert!(!run(&home, "tools list").ok().stdout.contains("context_"));
    run(&home, "ctx create").ok();
    let listed = run(&home, "tools list --json").ok().stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.iter().filter(|tool| tool["name"].as_str().unwrap().starts_with("context_")).count(), 2);
    // Every request pays for them: those that are there everywhere, and these two besides.
    let bytes = |is_meant: &dyn Fn(&str) -> bool| -> usize {
        let meant = tools.iter().filter(|tool| is_meant(tool["name"].as_str().unwrap_or_default()));
        meant.map(|tool| bare(tool).len() + 1).sum()
    };
    let (found, others) =
        (bytes(&|name| name.starts_with("context_")), bytes(&|name| !name.starts_with("context_")));
    assert!(others < 5_000 && found < 640, "{others} and {found}");
    run(&home, "tools show context_get").ok().stdout_has("context_search");
}

/// A tool as a model is told of it.
fn bare(tool: &Value) -> String {
    let mut tool = tool.clone();
    tool.as_object_mut().unwrap().remove("effect");
    tool.to_string()
}

fn segment(fake: &FakeLlm) -> Home {
    let home = home_of(fake);
    home.write_in_workspace("src/lib.rs", "/// Says hello.\npub fn greet(name: &str) {}\n");
    run(&home, "ctx create").ok();
    run(&home, "ctx sync").ok();
    home
}

#[test]
fn a_model_finds_a_section_and_reads_it() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = segment(&fake);
    let id = ids(&home, "src/lib.rs").remove(0);
    fake.push(Reply::calls([("context_search", json!({ "query": "greet" }))]));
    fake.push(Reply::calls([("context_get", json!({ "ids": [id] }))]));
    fake.push(Reply::calls([("context_get", json!({ "ids": ["code:nothing"] }))]));
    fake.push(Reply::text("It says hello."));
    let ran = ask(&home, &["what", "does", "greet", "do?"]).run().ok();
    assert!(ran.stdout.contains("It says hello."), "{}", ran.stdout);
    let seen = fake.requests();
    let last = seen.last().unwrap().body.to_string();
    for text in ["lib.rs > fn greet", "pub fn greet(name: &str) {}", "UNKNOWN_ID"] {
        assert!(last.contains(text), "{text} is not in {last}");
    }
}
