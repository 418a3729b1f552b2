//! Hooks that watch over children.

use std::fs;

use candor_testkit::Reply;
use serde_json::{Value, json};

use super::{child, codes, fake, starts, tree};
use crate::hooks::home_with_hooks;
use crate::rig::{ask, events};

#[test]
fn subagent_start_can_refuse_a_child() {
    let fake = fake();
    fake.push(starts(json!({})));
    fake.push(Reply::text("Then I do it myself."));
    let home = home_with_hooks(&fake, "SubagentStart", "", "echo 'no helpers today' >&2; exit 2");
    let events = events(&ask(&home, &["--json", "Go"]).run());
    assert_eq!(codes(&events), ["HOOK_BLOCKED"]);
    assert!(fake.requests()[1].tool_results()[0].contains("no helpers today"));
    assert_eq!(tree(&home)[0]["children"].as_array().map_or(0, Vec::len), 0);
}

#[test]
fn subagent_start_speaks_to_the_child() {
    let fake = fake();
    fake.push(starts(json!({})));
    fake.push(Reply::text("Nothing was to be done."));
    fake.push(Reply::text("All is well."));
    let home = home_with_hooks(&fake, "SubagentStart", "general-purpose", "echo 'the branch is main'");
    ask(&home, &["Go"]).run().ok();
    assert!(fake.requests()[1].body.to_string().contains("the branch is main"), "the child reads it");
}

#[test]
fn subagent_stop_sends_the_child_on_and_not_the_run_above() {
    let fake = fake();
    fake.push(starts(json!({})));
    fake.push(Reply::text("Done."));
    fake.push(Reply::text("Done: made.txt."));
    fake.push(Reply::text("All is well."));
    let command = "cat > told.json; test -e once && exit 0; touch once; echo 'name the files' >&2; exit 2";
    let home = home_with_hooks(&fake, "SubagentStop", "", command);
    ask(&home, &["--no-verify", "Go"]).run();
    let requests = fake.requests();
    assert_eq!(requests.len(), 4, "the child is asked twice, the run above once more");
    assert!(requests[2].body.to_string().contains("name the files"));
    assert!(requests[3].tool_results()[0].contains("Done: made.txt."));
    let told = fs::read_to_string(home.workspace().join("told.json")).expect("the hook ran");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(
        (&told["hook_event_name"], &told["agent_id"], &told["stop_hook_active"]),
        (&json!("SubagentStop"), &json!(child(&home)), &json!(true))
    );
}
