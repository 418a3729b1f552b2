//! `todo` and `sleep`.

use std::time::Duration;

use candor_protocol::Code;
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure, check_success};

#[tokio::test]
async fn a_list_is_shown_to_people_and_confirmed_to_the_model() {
    let rig = Rig::new();
    let items = json!([
        { "text": "look", "state": "done" },
        { "text": "think\nhard", "state": "doing" },
        { "text": "write", "state": "open" },
    ]);
    let output = rig.call("todo", json!({ "items": items })).await;
    check_success(&output, "3 items, 1 done.");
    assert_eq!(output.for_people, "[x] look\n[>] think hard\n[ ] write");
    check_success(&rig.call("todo", json!({ "items": [] })).await, "0 items, 0 done.");
}

#[tokio::test]
async fn a_list_that_is_none_is_refused() {
    let rig = Rig::new();
    let many: Vec<Value> = (0..101).map(|_| json!({ "text": "x", "state": "open" })).collect();
    let late = json!([{ "text": "x", "state": "late" }]);
    for items in [json!(many), json!([{ "state": "open" }]), late, json!([1])] {
        check_failure(&rig.call("todo", json!({ "items": items })).await, Code::ToolArguments);
    }
}

#[tokio::test(start_paused = true)]
async fn sleep_waits_as_long_as_asked_whatever_other_calls_may_take() {
    let mut rig = Rig::new();
    let start = tokio::time::Instant::now();
    check_success(&rig.call("sleep", json!({ "seconds": 7 })).await, "waited 7 s");
    // Time stands still here but for the waiting.
    assert_eq!(start.elapsed().as_secs(), 7);
    rig.context.rules.timeout = Duration::from_secs(3);
    check_success(&rig.call("sleep", json!({ "seconds": 300 })).await, "waited 300 s");
    for seconds in [0, 301] {
        check_failure(&rig.call("sleep", json!({ "seconds": seconds })).await, Code::ToolArguments);
    }
}

#[tokio::test(start_paused = true)]
async fn sleep_ends_at_once_when_it_is_cancelled() {
    let rig = Rig::new();
    let start = tokio::time::Instant::now();
    let cancel = rig.context.cancel.clone();
    let (output, ()) = tokio::join!(rig.call("sleep", json!({ "seconds": 300 })), async { cancel.cancel() });
    check_failure(&output, Code::ToolInterrupted);
    assert_eq!(start.elapsed().as_secs(), 0);
}
