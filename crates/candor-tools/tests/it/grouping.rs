//! Which calls may run at once.

use std::ops::Range;
use std::path::PathBuf;

use candor_protocol::ToolCall;
use candor_tools::{Effect, groups};
use serde_json::json;

use crate::rig::{Rig, call};

#[track_caller]
fn check(calls: &[&str], expect: &[Range<usize>]) {
    let rig = Rig::new();
    let made: Vec<ToolCall> = calls
        .iter()
        .map(|text| match text.split_once(' ') {
            Some(("write", path)) => call("file_write", json!({ "path": path, "content": "" })),
            Some(("read", path)) => call("file_read", json!({ "path": path })),
            Some(("shell", command)) => call("bash", json!({ "command": command })),
            _ => call(text, json!({})),
        })
        .collect();
    let made: Vec<&ToolCall> = made.iter().collect();
    assert_eq!(groups(&rig.registry, &made, &rig.context), expect, "{calls:?}");
}

#[test]
#[expect(clippy::single_range_in_vec_init, reason = "one group is meant")]
fn neighbours_that_do_not_meet_run_at_once() {
    check(&[], &[]);
    check(&["read a", "read b", "read a"], &[0..3]);
    check(&["write a", "write b"], &[0..2]);
    check(&["write a", "write ./a"], &[0..1, 1..2]);
    check(&["write a", "write b/../a"], &[0..1, 1..2]);
    check(&["read a", "write a", "read a"], &[0..1, 1..2, 2..3]);
    check(&["shell x", "shell y"], &[0..1, 1..2]);
    check(&["read a", "read b", "shell x", "read c", "read d"], &[0..2, 2..3, 3..5]);
    check(&["nonsense", "read a", "file_write"], &[0..3]);
    check(&["read a"; 40], &[0..16, 16..32, 32..40]);
}

#[test]
fn an_effect_allows_what_it_does_not_meet() {
    let writes = |path: &str| Effect::Writes(PathBuf::from(path));
    assert!(Effect::Reads.allows(&Effect::Reads));
    assert!(writes("a").allows(&writes("b")));
    assert!(!writes("a").allows(&writes("a")));
    assert!(!writes("a").allows(&Effect::Reads) && !Effect::Reads.allows(&writes("a")));
    let several = Effect::WritesSeveral(vec![PathBuf::from("a"), PathBuf::from("b")]);
    assert!(several.allows(&writes("c")) && writes("c").allows(&several));
    assert!(!several.allows(&writes("b")) && !writes("b").allows(&several));
    assert!(!several.allows(&Effect::Reads) && !several.allows(&several));
    assert!(!Effect::Acts.allows(&Effect::Reads) && !Effect::Reads.allows(&Effect::Acts));
    assert!(Effect::Sends.allows(&Effect::Reads) && Effect::Reads.allows(&Effect::Sends));
    assert!(Effect::Sends.allows(&Effect::Sends) && !Effect::Sends.allows(&writes("a")));
    assert!(!Effect::Sends.allows(&Effect::Acts) && !Effect::Alone.allows(&Effect::Sends));
}
