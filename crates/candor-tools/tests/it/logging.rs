//! What is logged of a call.

use std::fs;
use std::time::Duration;

use candor_log::Options;
use serde_json::{Value, json};
use tracing_subscriber::layer::SubscriberExt;

use crate::rig::{Rig, fifo};

/// Lets the model call, and reads what was logged meanwhile.
fn logged(rig: &Rig, calls: &[(&str, Value)]) -> Vec<Value> {
    let path = rig.outside("candor.log");
    let (log, guard) = candor_log::start(Options::new(path.clone())).unwrap();
    let subscriber = tracing_subscriber::Registry::default().with(log.layer());
    tracing::subscriber::with_default(subscriber, || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for (tool, args) in calls {
                rig.call(tool, args.clone()).await;
            }
        });
    });
    drop(guard);
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'l>(lines: &'l [Value], event: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["event"] == event).collect()
}

#[test]
fn s14_2_every_call_is_logged_by_the_name_of_its_tool() {
    let rig = Rig::new();
    let calls = [
        ("bash", json!({ "command": "true" })),
        ("file_read", json!({ "path": "none" })),
        ("nonsense", json!({})),
        ("file_write", json!({})),
    ];
    let lines = logged(&rig, &calls);
    let told: Vec<(&str, bool)> = of(&lines, "tool_call")
        .iter()
        .map(|line| (line["tool"].as_str().unwrap(), line["isError"].as_bool().unwrap()))
        .collect();
    assert_eq!(told, [("shell_exec", false), ("file_read", true), ("nonsense", true), ("file_write", true)]);
    assert!(lines.iter().all(|line| line["sessionId"] == rig.context.session.to_string()), "{lines:?}");
}

#[test]
fn what_is_refused_stopped_or_cut_is_logged() {
    let mut rig = Rig::new();
    rig.context.rules.timeout = Duration::from_secs(1);
    let calls = [
        ("file_write", json!({ "path": "../canary", "content": "" })),
        ("shell_exec", json!({ "command": "sleep 100" })),
        ("shell_exec", json!({ "command": "seq 1 100000" })),
    ];
    let lines = logged(&rig, &calls);
    let blocked = of(&lines, "tool_blocked");
    assert_eq!(blocked.len(), 1, "{lines:?}");
    assert_eq!((&blocked[0]["tool"], &blocked[0]["command"]), (&json!("file_write"), &json!("../canary")));
    let stopped = of(&lines, "tool_timeout");
    assert_eq!(stopped.len(), 1, "{lines:?}");
    assert_eq!(stopped[0]["timeoutMs"], 1000);
    let cut = of(&lines, "tool_output_truncated");
    assert_eq!(cut.len(), 1, "{lines:?}");
    assert_eq!((&cut[0]["originalSize"], &cut[0]["truncatedSize"]), (&json!(588_895), &json!(5000)));
}

#[test]
fn what_search_find_and_list_do_not_tell_is_logged() {
    let rig = Rig::new();
    for number in 0..1200 {
        fs::write(rig.inside(&format!("name{number:04}")), "needle\n").unwrap();
    }
    let calls = [
        ("search", json!({ "pattern": "needle", "max": 3 })),
        ("search", json!({ "pattern": "nothing like it" })),
        ("find", json!({ "pattern": "name*", "max": 5 })),
        ("find", json!({ "pattern": "name000*" })),
        ("list", json!({})),
    ];
    let lines = logged(&rig, &calls);
    let cut = of(&lines, "tool_output_truncated");
    let told: Vec<(&str, u64, u64)> = cut
        .iter()
        .map(|line| {
            let size = |name: &str| line[name].as_u64().unwrap();
            (line["tool"].as_str().unwrap(), size("originalSize"), size("truncatedSize"))
        })
        .collect();
    // One result more than is told was found: that much is certain.
    assert_eq!(told, [("search", 72, 54), ("find", 54, 45), ("list", 9009, 9000)]);
}

#[test]
fn what_is_not_told_of_a_process_is_logged() {
    let rig = Rig::new();
    fifo(&rig.inside("gate"));
    let calls = [
        ("process", json!({ "action": "start", "command": "seq 1 100000; cat gate" })),
        ("shell_exec", json!({ "command": "true > gate" })),
        ("process", json!({ "action": "stop", "id": 1 })),
        ("process", json!({ "action": "logs", "id": 1, "after": 588_888 })),
    ];
    let lines = logged(&rig, &calls);
    let cut = of(&lines, "tool_output_truncated");
    let last = cut.last().unwrap();
    assert_eq!((&last["tool"], &last["originalSize"]), (&json!("process"), &json!(588_895)));
    assert!(last["truncatedSize"].as_u64().unwrap() <= 10_000, "{cut:?}");
}
