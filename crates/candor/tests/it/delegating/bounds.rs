//! Children have bounds: how deep, how many, with which tools, for how much.

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::{Value, json};

use super::{TASK, below, child, codes, does, fake, starts, told, tree};
use crate::rig::{ask, candor, events, home_of, home_with, of_type};

#[test]
fn children_that_start_children_without_end_come_to_one() {
    let fake = fake();
    fake.repeat(starts(json!({})));
    let home = home_of(&fake);
    let ran = ask(&home, &["Go"]).run();
    assert_ne!(ran.status, 0, "{}", ran.stderr);
    let tree = tree(&home);
    assert!((1..=8).contains(&below(&tree[0])), "{}", below(&tree[0]));
    let deepest = tree[0]["children"][0]["children"][0].clone();
    assert_eq!(deepest["children"], json!([]), "two below the first is the deepest");
    let shown =
        candor(&home, &format!("sessions show --json {}", deepest["id"].as_str().unwrap_or_default()));
    assert!(shown.run().ok().stdout.contains("DELEGATE_LIMIT"));
    // The last one is not even told that it could.
    let requests = fake.requests();
    assert!(requests[0].tool_names().contains(&"delegate".to_owned()));
    assert!(requests.iter().any(|seen| !seen.tool_names().contains(&"delegate".to_owned())));
}

#[test]
fn twenty_at_once_are_too_many() {
    let fake = fake();
    let call = |number: u32| ("delegate", json!({ "action": "start", "task": format!("{TASK} {number}") }));
    fake.push(Reply::calls((0..20).map(call)));
    fake.repeat(Reply::text("Fine."));
    let home = home_of(&fake);
    let events = events(&ask(&home, &["--json", "Go"]).run().ok());
    let (started, refused) = (below(&tree(&home)[0]), codes(&events).len());
    assert!((4..=8).contains(&started), "{started}");
    assert_eq!(started + refused, 20);
    assert!(codes(&events).iter().all(|code| *code == "DELEGATE_LIMIT"), "{:?}", codes(&events));
}

#[test]
fn a_child_has_the_tools_that_it_was_given_and_no_others() {
    let fake = fake();
    fake.push(starts(json!({ "tools": ["file_read"] })));
    fake.push(super::writes());
    fake.repeat(Reply::text("Then not."));
    let home = home_of(&fake);
    ask(&home, &["Go"]).run().ok();
    assert_eq!(fake.requests()[1].tool_names(), ["file_read"]);
    assert!(!home.workspace().join("made.txt").exists());
    let shown = candor(&home, &format!("sessions show --json {}", child(&home))).run().ok();
    assert_eq!(codes(&events(&shown)), ["TOOL_UNKNOWN"]);
    // It is the same when it is told more, in another process.
    fake.push(does("message", &child(&home)));
    ask(&home, &["-c", "More"]).run().ok();
    let last = fake.requests().iter().rev().nth(1).map(candor_testkit::Seen::tool_names);
    assert_eq!(last, Some(vec!["file_read".to_owned()]));
}

#[track_caller]
fn check_refused(args: Value, word: &str) {
    let fake = fake();
    fake.push(Reply::calls([("delegate", args)]));
    fake.push(Reply::text("Then not."));
    let home = home_of(&fake);
    let events = events(&ask(&home, &["--json", "Go"]).run().ok());
    assert_eq!(codes(&events), ["TOOL_ARGUMENTS"], "{word}");
    let told = of_type(&events, "tool_result")[0]["result"].as_str().unwrap_or_default().to_owned();
    assert!(told.contains(word), "{word} is not in {told}");
    assert_eq!(below(&tree(&home)[0]), 0, "{word}");
}

#[test]
fn what_cannot_be_asked_for_is_refused_with_what_there_is() {
    let start = |more: Value| super::with(json!({ "action": "start", "task": TASK }), more);
    check_refused(start(json!({ "tools": ["nope"] })), "there is no tool nope; there are: shell_exec, ");
    check_refused(start(json!({ "model": "nope" })), "there is no model nope; there are: fake-model");
    check_refused(start(json!({ "task": "x".repeat(300_000) })), "is longer than 262144 bytes");
    check_refused(start(json!({ "max_cost": -1 })), "`max_cost` is no amount above 0");
    check_refused(json!({ "action": "start" }), "`task` is missing");
    check_refused(json!({ "action": "result" }), "`id` is missing");
    check_refused(json!({ "action": "result", "id": "0000-0000" }), "none has been started");
}

#[test]
fn the_child_of_another_session_is_nobody_here() {
    let fake = fake();
    fake.extend([starts(json!({})), Reply::text("Nothing."), Reply::text("Done.")]);
    let home = home_of(&fake);
    ask(&home, &["Go"]).run().ok();
    let id = child(&home);
    for action in ["message", "result", "stop", "status"] {
        fake.extend([does(action, &id), Reply::text("Then not.")]);
        let events = events(&ask(&home, &["--json", "Another session"]).run().ok());
        assert_eq!(codes(&events), ["TOOL_ARGUMENTS"], "{action}");
    }
    assert_eq!(fake.left(), 0, "no child was asked anything");
}

#[test]
fn children_spend_what_their_parent_may_and_one_answer_more_at_most() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    let dear = |reply: Reply| reply.usage(1_000_000, 10);
    let call = || ("delegate", json!({ "action": "start", "task": TASK, "background": true }));
    fake.push(dear(Reply::calls([call(), call()])));
    fake.repeat(dear(Reply::calls([("list", json!({}))])));
    let home = home_with(&fake, "model = \"claude-sonnet-4-5\"");
    let ran = ask(&home, &["--json", "--max-cost", "10", "Spend"]).run().code(4);
    // Three dollars an answer: the fourth one goes beyond ten.
    assert_eq!(fake.requests().len(), 4);
    let events = events(&ran);
    let end = super::end(&events);
    let cost = |value: &Value| value.as_f64().unwrap_or_default();
    let sum = cost(&end["costUsd"]) + cost(&end["children"]["costUsd"]);
    assert!((12.0..12.1).contains(&sum), "{end}");
    assert_eq!(end["card"]["code"], "RUN_COST_SPENT");
}

#[test]
fn a_child_has_the_budget_that_it_was_given() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(starts(json!({ "max_turns": 2, "max_cost": 1000 })));
    fake.extend([Reply::calls([("list", json!({}))]), Reply::calls([("list", json!({}))])]);
    fake.push(Reply::text("It was not done."));
    let events = events(&ask(&home_of(&fake), &["--json", "Go"]).run().ok());
    assert_eq!(codes(&events), ["RUN_TURNS_SPENT"]);
    assert_eq!(told(&events)["turns"], 2);
}

#[test]
fn an_answer_of_megabytes_is_told_in_part() {
    let fake = fake();
    fake.push(starts(json!({})));
    fake.push(Reply::many_deltas(2_000, &"long ".repeat(200)));
    fake.push(Reply::text("Much."));
    let events = events(&ask(&home_of(&fake), &["--json", "Go"]).run().ok());
    let result = of_type(&events, "tool_result")[0]["result"].as_str().unwrap_or_default().len();
    assert!((16_000..20_000).contains(&result), "{result}");
}

#[test]
fn a_read_only_parent_has_read_only_children() {
    let fake = fake();
    fake.extend([starts(json!({})), super::writes()]);
    fake.repeat(Reply::text("Then not."));
    let home = home_of(&fake);
    ask(&home, &["--permission", "read-only", "Go"]).run().ok();
    assert!(!home.workspace().join("made.txt").exists());
    let shown = candor(&home, &format!("sessions show --json {}", child(&home))).run().ok();
    assert_eq!(codes(&events(&shown)), ["TOOL_BLOCKED"]);
}

#[test]
fn a_person_can_do_without_and_a_workspace_can_only_lower_the_bounds() {
    for (settings, workspace, expected) in [
        ("delegate.enabled = false", "", false),
        ("delegate.enabled = false", "delegate.enabled = true", false),
        ("delegate.max_children = 0", "delegate.max_children = 5", false),
        ("", "delegate.max_children = 0", false),
        ("", "", true),
    ] {
        let fake = fake();
        fake.push(Reply::text("Well."));
        let home = home_with(&fake, settings);
        home.write_in_workspace(".candor/config.toml", workspace);
        ask(&home, &["Go"]).run().ok();
        let names = fake.requests()[0].tool_names();
        assert_eq!(names.contains(&"delegate".to_owned()), expected, "{settings}, {workspace}");
    }
}
