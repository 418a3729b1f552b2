//! Hooks that do not behave.

use std::fs;

use candor_protocol::Code;
use candor_tools::hooks::Occasion::{self, PostToolUse, PreToolUse};
use serde_json::{Value, json};

use crate::hooking::{Hooked, check_blocked, one};

fn with_time(occasion: Occasion, command: &str, seconds: f64) -> Hooked {
    let hooks = json!([{ "type": "command", "command": command, "timeout": seconds }]);
    Hooked::with_own(&json!({ "hooks": { occasion.as_str(): [{ "hooks": hooks }] } }))
}

/// Whether a process is there whose arguments hold this.
fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).contains(word))
}

#[tokio::test]
async fn a_guard_that_hangs_blocks_and_leaves_nothing_running() {
    // A number that no other process sleeps for.
    let hooked = with_time(PreToolUse, "sleep 98765431 & sleep 98765431", 0.2);
    check_blocked(&hooked.shell("touch made").await, Code::HookFailed, "its time was over");
    assert!(!hooked.rig.inside("made").exists());
    assert!(!is_running("98765431"));
}

#[tokio::test]
async fn a_guard_that_cannot_be_asked_blocks() {
    for (command, says) in [
        ("kill -9 $$", "signal 9"),
        ("echo '{\"decision\": \"block\", \"rea'", "begins like JSON and is none"),
        ("no-such-program-7391", "exit code 127"),
        ("./plain.sh", "exit code 126"),
        (
            "echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"denied\"}}'",
            "`denied` is none of allow",
        ),
    ] {
        let hooked = Hooked::with(PreToolUse, "", command);
        fs::write(hooked.rig.inside("plain.sh"), "exit 0\n").unwrap();
        check_blocked(&hooked.shell("touch made").await, Code::HookFailed, says);
        assert!(!hooked.rig.inside("made").exists(), "{command}");
    }
}

#[tokio::test]
async fn trouble_after_a_call_takes_nothing_back() {
    for command in ["kill -9 $$", "echo '{\"decision\": '", "no-such-program-7391", "exit 7"] {
        let hooked = Hooked::with(PostToolUse, "", command);
        assert!(!hooked.rig.write("x", "x").await.is_error, "{command}");
        assert!(hooked.ear.told().contains("A PostToolUse hook is in trouble"), "{}", hooked.ear.told());
    }
}

#[tokio::test]
async fn a_flood_is_bounded() {
    let hooked = Hooked::with(PreToolUse, "", "head -c 50000000 /dev/zero | tr '\\0' x");
    assert!(!hooked.shell("true").await.is_error);
    let hooked = Hooked::with(PostToolUse, "", "head -c 50000000 /dev/zero | tr '\\0' x >&2; exit 2");
    let output = hooked.rig.write("x", "x").await;
    assert!(!output.is_error && output.for_model.len() < 20_000, "{}", output.for_model.len());
}

#[tokio::test]
async fn one_that_never_listens_is_not_waited_for() {
    let content = "x".repeat(1 << 20);
    let hooked = Hooked::with(PreToolUse, "", "exec 0<&-; exit 0");
    assert!(!hooked.rig.write("a", &content).await.is_error);
    let hooked = Hooked::with(PreToolUse, "", "echo no >&2; exit 2");
    check_blocked(&hooked.rig.write("a", &content).await, Code::HookBlocked, "no");
    // And one that does gets all of it.
    let hooked = Hooked::with(PostToolUse, "", "wc -c > count");
    assert!(!hooked.rig.write("a", &content).await.is_error);
    assert!(hooked.read("count").trim().parse::<usize>().unwrap() > content.len());
}

#[tokio::test]
async fn a_run_keeps_its_hooks_whatever_becomes_of_the_file() {
    let mut hooked = Hooked::new();
    let command = format!("rm -f {}; echo no >&2; exit 2", hooked.own().display());
    hooked.write_own(&one(PreToolUse, "", &command).to_string());
    hooked.take_up();
    for _ in 0..2 {
        check_blocked(&hooked.shell("touch made").await, Code::HookBlocked, "no");
        assert!(!hooked.own().exists());
    }
    hooked.take_up();
    assert!(!hooked.shell("touch made").await.is_error);
}

#[tokio::test]
async fn a_pattern_cannot_take_for_ever() {
    let mut hooked = Hooked::new();
    let hook = |command: &str| json!([{ "type": "command", "command": command }]);
    let groups: Vec<Value> = ["((a{1,1000}){1,1000}){1,1000}", "^(\\w+\\s?)*$", "(.*)*_exec"]
        .iter()
        .map(|matcher| json!({ "matcher": matcher, "hooks": hook("exit 2") }))
        .collect();
    hooked.write_own(&json!({ "hooks": { "PreToolUse": groups } }).to_string());
    assert_eq!(hooked.files.now().len(), 2, "the first one is too large");
    hooked.take_up();
    check_blocked(&hooked.shell("true").await, Code::HookBlocked, "no reason");
}
