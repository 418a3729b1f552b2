//! Tools that a person describes in a file.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use candor_protocol::Code;
use candor_tools::command_tools::CommandTools;
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure};

/// A rig whose tools are those of a file, and that file.
fn rig(text: &str) -> (Rig, Arc<CommandTools>, PathBuf) {
    let rig = Rig::new();
    let path = rig.outside("tools.yaml");
    fs::write(&path, text).unwrap();
    let env = vec![("HOST_TOKEN".to_owned(), "from the host".to_owned())];
    let tools = Arc::new(CommandTools::new(path.clone(), env));
    rig.registry.add_source(Arc::clone(&tools) as _);
    (rig, tools, path)
}

fn output(told: &str) -> String {
    let told: Value = serde_json::from_str(told).unwrap();
    told["output"].as_str().unwrap().to_owned()
}

/// Prints each of its arguments in a line of its own.
const SHOW: &str = r#"
tools:
  - name: show
    description: Shows what it is given.
    category: examples
    cmd: printf
    args: ["<%s>\n", "{{word}}", "as {{word}} of {{count}}"]
    optional_args:
      more: ["--more={{more}}", "{{flag}}"]
    parameters:
      word: { type: string, description: what to show }
      count: { type: number, optional: true }
      more: { type: string, optional: true, maxLength: 5 }
      flag: { type: boolean, optional: true }
"#;

#[tokio::test]
async fn s6_7_a_tool_of_the_file_is_there_and_can_be_called() {
    let (rig, tools, _) = rig(SHOW);
    assert!(tools.broken().is_empty(), "{:?}", tools.broken());
    let spec = rig.registry.find("show").unwrap().spec().clone();
    assert_eq!(spec.description, "Shows what it is given.");
    assert_eq!(
        spec.parameters["properties"]["word"],
        json!({"type": "string", "description": "what to show"})
    );
    assert_eq!(spec.parameters["required"], json!(["word"]));
    let told = rig.call("show", json!({ "word": "it", "count": 2 })).await;
    assert!(!told.is_error, "{}", told.for_model);
    assert_eq!(output(&told.for_model), "<it>\n<as it of 2>\n");
}

#[tokio::test]
async fn what_is_not_given_is_empty_and_its_group_is_left_out() {
    let (rig, ..) = rig(SHOW);
    let none = rig.call("show", json!({ "word": "it", "more": null })).await;
    assert_eq!(output(&none.for_model), "<it>\n<as it of >\n");
    let more = rig.call("show", json!({ "word": "it", "more": "x", "flag": true })).await;
    assert_eq!(output(&more.for_model), "<it>\n<as it of >\n<--more=x>\n<true>\n");
}

#[tokio::test]
async fn s6_8_there_is_no_shell_and_one_argument_stays_one() {
    let (rig, ..) = rig(SHOW);
    let word = "a b; touch canary && $(touch canary) `touch canary` | > canary\n\"'{{count}}";
    let told = rig.call("show", json!({ "word": word, "count": 1 })).await;
    assert_eq!(output(&told.for_model), format!("<{word}>\n<as {word} of 1>\n"));
    assert!(!rig.inside("canary").exists());
}

#[tokio::test]
async fn s6_9_a_value_that_the_file_does_not_allow_is_refused() {
    let text = r#"
tools:
  - name: deploy
    description: Deploys.
    cmd: echo
    args: ["{{stage}}", "{{version}}"]
    parameters:
      stage: { type: string, enum: [test, live] }
      version: { type: string, pattern: "v[0-9]+" }
"#;
    let (rig, ..) = rig(text);
    let good = rig.call("deploy", json!({ "stage": "live", "version": "v12" })).await;
    assert_eq!(output(&good.for_model), "live v12\n");
    for (stage, version) in [
        ("live; rm -rf /", "v1"),
        ("--help", "v1"),
        ("live", "v1; rm -rf /"),
        ("live", "v1\nv2"),
        ("live", "x v1"),
        ("live", ""),
    ] {
        let told = rig.call("deploy", json!({ "stage": stage, "version": version })).await;
        check_failure(&told, Code::ToolArguments);
    }
    check_failure(&rig.call("deploy", json!({ "stage": "live" })).await, Code::ToolArguments);
    check_failure(&rig.call("deploy", json!({ "stage": 1, "version": "v1" })).await, Code::ToolArguments);
}

#[tokio::test]
async fn a_value_cannot_become_an_option() {
    let text = r#"
tools:
  - { name: count, description: Counts., cmd: wc, args: ["{{file}}"], parameters: { file: { type: string } } }
  - { name: number, description: Shows., cmd: echo, args: ["{{n}}"], parameters: { n: { type: number } } }
  - { name: named, description: Shows., cmd: echo, args: ["--n={{n}}", 7, no], parameters: { n: { type: string } } }
"#;
    let (rig, ..) = rig(text);
    let told = rig.call("count", json!({ "file": "--files0-from=/etc/passwd" })).await;
    check_failure(&told, Code::ToolArguments);
    check_failure(&rig.call("number", json!({ "n": -3 })).await, Code::ToolArguments);
    assert_eq!(output(&rig.call("number", json!({ "n": 3 })).await.for_model), "3\n");
    assert_eq!(output(&rig.call("named", json!({ "n": "-3" })).await.for_model), "--n=-3 7 no\n");
}

#[tokio::test]
async fn s6_13_the_environment_of_an_entry_reaches_the_program_and_nothing_else_does() {
    let text = r#"
tools:
  - name: env
    description: Shows the environment.
    cmd: /usr/bin/env
    env: { PLAIN: as written, TOKEN: "${HOST_TOKEN}", GONE: "${NO_SUCH}", PART: "x${HOST_TOKEN}" }
"#;
    let (rig, tools, _) = rig(text);
    let told = output(&rig.call("env", json!({})).await.for_model);
    let lines: Vec<&str> = told.lines().collect();
    for line in ["PLAIN=as written", "TOKEN=from the host", "GONE=", "PART=x${HOST_TOKEN}"] {
        assert!(lines.contains(&line), "{line} is not in {told}");
    }
    assert!(!told.contains("HOST_TOKEN=") && !told.contains("CARGO"), "{told}");
    assert_eq!(tools.asked_for(), ["NO_SUCH", "HOST_TOKEN"]);
}

#[tokio::test]
async fn a_program_that_fails_says_why_and_gets_a_card() {
    let text = r#"
tools:
  - { name: look, description: Lists., cmd: ls, args: ["no-such-folder"] }
  - { name: gone, description: Is not there., cmd: no-such-program }
"#;
    let (rig, ..) = rig(text);
    let told = rig.call("look", json!({})).await;
    assert!(told.is_error && output(&told.for_model).contains("no-such-folder"), "{}", told.for_model);
    assert_eq!(told.card.unwrap().code, "SYS_NO_SUCH_FILE");
    let told = rig.call("gone", json!({})).await;
    assert!(told.is_error && told.card.is_some(), "{}", told.for_model);
}

#[tokio::test]
async fn time_and_output_have_limits_of_their_own() {
    let text = r#"
tools:
  - { name: wait, description: Waits., cmd: sleep, args: ["600"], timeout: 1 }
  - { name: flood, description: Writes., cmd: seq, args: ["100000"], output_limit: 400 }
"#;
    let (rig, ..) = rig(text);
    let told = rig.call("wait", json!({})).await;
    assert_eq!(told.card.unwrap().code, "COMMAND_TIMED_OUT");
    let told = output(&rig.call("flood", json!({})).await.for_model);
    assert!(told.len() < 1_000 && told.starts_with("1\n2\n") && told.contains("100000"), "{told}");
}

#[tokio::test]
async fn a_tool_of_the_file_is_judged_as_a_command() {
    let text = r#"
tools:
  - { name: wipe, description: Removes., cmd: rm, args: ["-rf", "{{path}}"], parameters: { path: { type: string } } }
"#;
    let (rig, ..) = rig(text);
    check_failure(&rig.call("wipe", json!({ "path": "/" })).await, Code::ToolBlocked);
    fs::create_dir(rig.inside("old")).unwrap();
    let told = rig.call("wipe", json!({ "path": "old" })).await;
    assert!(!told.is_error && !rig.inside("old").exists(), "{}", told.for_model);
}

#[tokio::test]
async fn a_bad_entry_is_left_out_and_the_others_work() {
    let text = r#"
tools:
  - { name: good, description: Works., cmd: echo, args: [yes] }
  - { name: "bad name", description: x, cmd: echo }
  - { name: bash, description: takes the name of another, cmd: echo }
  - { name: good, description: comes second, cmd: echo }
  - { name: no-cmd, description: x }
  - { name: typo, description: x, cmd: echo, argz: [x] }
  - { name: unknown, description: x, cmd: echo, args: ["{{word}}"] }
  - { name: pattern, description: x, cmd: echo, parameters: { a: { type: string, pattern: "(" } } }
  - { name: kind, description: x, cmd: echo, parameters: { a: { type: list } } }
  - { name: choices, description: x, cmd: echo, parameters: { a: { type: number, enum: [one] } } }
  - { name: chosen, description: x, cmd: "{{program}}", parameters: { program: { type: string } } }
  - { name: group, description: x, cmd: echo, optional_args: { other: [x] } }
  - { name: mcp__a__b, description: x, cmd: echo }
  - just a word
"#;
    let (rig, tools, _) = rig(text);
    let broken = tools.broken();
    let lines: Vec<u64> =
        broken.iter().map(|failure| failure.fact("line").unwrap().parse().unwrap()).collect();
    assert_eq!(lines, (4..=16).collect::<Vec<u64>>());
    assert!(broken.iter().all(|failure| failure.code == Code::ToolFileInvalid));
    assert_eq!(output(&rig.call("good", json!({})).await.for_model), "yes\n");
    for name in ["bad name", "no-cmd", "typo", "chosen", "mcp__a__b"] {
        assert!(rig.registry.find(name).is_none(), "{name}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_gives_no_tools_and_says_why() {
    for text in ["tools: [", "- a\n- b\n", "tools: 3\n", "tools:\n  - &a [*a]\n"] {
        let (rig, tools, _) = rig(text);
        let broken = tools.broken();
        assert_eq!(broken.len(), 1, "{text}: {broken:?}");
        assert_eq!(broken[0].fact("tool"), Some("the whole file"), "{text}");
        assert!(rig.registry.find("shell_exec").is_some());
    }
    for text in ["", "# nothing yet\n", "tools: []\n"] {
        let (_rig, tools, _) = rig(text);
        assert!(tools.broken().is_empty(), "{text}: {:?}", tools.broken());
    }
}

#[tokio::test]
async fn the_file_is_read_again_when_it_changes() {
    let (rig, _, path) = rig("tools:\n  - { name: one, description: x, cmd: echo }\n");
    assert!(rig.registry.find("one").is_some());
    fs::write(&path, "tools:\n  - { name: another, description: x, cmd: echo, args: [again] }\n").unwrap();
    assert!(rig.registry.find("one").is_none());
    assert_eq!(output(&rig.call("another", json!({})).await.for_model), "again\n");
    fs::remove_file(&path).unwrap();
    assert!(rig.registry.find("another").is_none());
}
