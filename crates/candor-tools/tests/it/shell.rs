//! `shell_exec`.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use candor_protocol::Code;
use candor_tools::{Permission, ToolOutput};
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure, check_success, fifo};

fn told(output: &ToolOutput) -> Value {
    serde_json::from_str(&output.for_model).unwrap()
}

#[tokio::test]
async fn s6_1_a_command_runs_in_the_workspace() {
    let rig = Rig::new();
    fs::write(rig.inside("here"), "").unwrap();
    let output = rig.shell("ls; echo err >&2").await;
    check_success(&output, r#"{"stdout":"here\n","stderr":"err\n","exit_code":0,"timed_out":false}"#);
    assert_eq!(output.for_people, "exit 0, 2 lines");
    assert_eq!(rig.shell("true").await.for_people, "exit 0, 0 lines");
    // Not every shell knows arrays.
    assert_eq!(told(&rig.shell("a=(x y); echo ${a[1]}").await)["stdout"], "y\n");
}

#[tokio::test]
async fn a_command_that_fails_keeps_its_output_and_gets_a_card() {
    let rig = Rig::new();
    let output = rig.shell("echo before; echo 'no such thing' >&2; exit 7").await;
    assert!(output.is_error);
    let told = told(&output);
    let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["stdout", "stderr", "exit_code", "timed_out", "card"]);
    assert_eq!(told["stdout"], "before\n");
    assert_eq!(told["exit_code"], 7);
    assert_eq!(told["timed_out"], false);
    assert_eq!(told["card"]["code"], "TOOL_FAILED");
    assert_eq!(told["card"]["cause"], "The tool shell_exec ended with status 7.\nno such thing");
    assert_eq!(output.for_people, "exit 7, 2 lines");
}

#[tokio::test]
async fn a_command_that_is_killed_has_no_exit_code() {
    let output = Rig::new().shell("kill -KILL $$").await;
    assert!(output.is_error);
    assert_eq!(told(&output)["exit_code"], Value::Null);
    assert_eq!(told(&output)["timed_out"], false);
    assert!(output.card.unwrap().cause.contains("status signal 9"));
}

#[tokio::test]
async fn s6_4_a_command_that_takes_too_long_is_stopped() {
    let mut rig = Rig::new();
    rig.context.rules.timeout = Duration::from_secs(1);
    // More than it is given, so what it is given holds.
    let args = json!({ "command": "echo begun; sleep 100", "timeout": 1000 });
    let started = Instant::now();
    let output = rig.call("shell_exec", args).await;
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(output.is_error);
    let told = told(&output);
    assert_eq!((&told["exit_code"], &told["timed_out"]), (&Value::Null, &Value::Bool(true)));
    assert_eq!(told["stdout"], "begun\n");
    assert_eq!(told["card"]["code"], "TOOL_TIMEOUT");
    assert!(told["card"]["cause"].as_str().unwrap().ends_with("after 1 second."), "{told}");
    assert_eq!(output.for_people, "stopped after 1 s, 1 line");
}

#[tokio::test]
async fn a_command_may_ask_for_less_time() {
    let rig = Rig::new();
    let started = Instant::now();
    let output = rig.call("shell_exec", json!({ "command": "sleep 100", "timeout": 1 })).await;
    assert_eq!(told(&output)["timed_out"], true);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_command_that_is_cancelled_is_told_as_interrupted() {
    let rig = Rig::new();
    fifo(&rig.inside("gate"));
    let (output, ()) = tokio::join!(rig.shell("echo ready > gate; sleep 100"), async {
        tokio::fs::read(rig.inside("gate")).await.unwrap();
        rig.context.cancel.cancel();
    });
    check_failure(&output, Code::ToolInterrupted);
}

#[tokio::test]
async fn s6_6_a_command_sees_the_environment_of_the_context_alone() {
    let mut rig = Rig::new();
    rig.context.rules.env.push(("GREETING".into(), "hello".into()));
    let text = told(&rig.shell("env").await)["stdout"].as_str().unwrap().to_owned();
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    // The shell itself adds three.
    assert_eq!(names, ["CANDOR_CALL", "GREETING", "PATH", "PWD", "SHLVL", "_"]);
}

#[tokio::test]
async fn a_permission_that_allows_no_command_refuses_it() {
    let mut rig = Rig::new();
    rig.context.rules.permission = Permission::ReadOnly;
    let output = rig.shell("touch made").await;
    assert_eq!(told(&output)["exit_code"], 126);
    let card = output.card.unwrap();
    assert_eq!(card.code, Code::ToolBlocked.as_str());
    let cause = card.cause;
    assert!(cause.ends_with("Command: touch made\nReason: the permission is read-only"), "{cause}");
    assert!(!rig.inside("made").exists());
    rig.context.rules.permission = Permission::Full;
    assert!(!rig.shell("touch made").await.is_error);
}

#[tokio::test]
async fn s6_20_a_long_output_is_cut_and_the_whole_is_in_a_file() {
    let mut rig = Rig::new();
    rig.context.rules.spill = Some(rig.outside("spill"));
    let output = rig.shell("seq 1 100000").await;
    assert!(!output.is_error);
    assert!(output.for_model.len() < 12_000, "{}", output.for_model.len());
    let told = told(&output);
    let text = told["stdout"].as_str().unwrap();
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n100000\n"), "{text}");
    let path = PathBuf::from(text.split("the whole output: ").nth(1).unwrap().split("]\n").next().unwrap());
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 100_000);
}

#[tokio::test]
async fn a_workspace_that_is_gone_is_told() {
    let rig = Rig::new();
    fs::remove_dir(&rig.context.workspace).unwrap();
    check_failure(&rig.shell("true").await, Code::FileNotFound);
}
