//! Runs that hand tasks to children, through the real binary.

mod asking;
mod bounds;
mod ending;
mod hooked;
mod telling;

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{candor, home_of, home_with, of_type};

pub(crate) const TASK: &str = "Write made.txt with one word in it.";

pub(crate) fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

/// The model hands this task over.
pub(crate) fn starts(more: Value) -> Reply {
    Reply::calls([("delegate", with(json!({ "action": "start", "task": TASK }), more))])
}

/// The model does something with a child.
pub(crate) fn does(action: &str, id: &str) -> Reply {
    Reply::calls([("delegate", json!({ "action": action, "id": id, "task": "And now?" }))])
}

fn with(mut args: Value, more: Value) -> Value {
    if let (Some(args), Value::Object(more)) = (args.as_object_mut(), more) {
        args.extend(more);
    }
    args
}

pub(crate) fn writes() -> Reply {
    Reply::calls([("file_write", json!({ "path": "made.txt", "content": "word\n" }))])
}

/// A home in which children can ask a model of their own, `child-model`, so that nobody's answer is taken by another.
pub(crate) fn apart(fake: &FakeLlm, other: &FakeLlm) -> Home {
    let home = home_with(fake, "delegate.models = [\"other/child-model\"]");
    let config = std::fs::read_to_string(home.path().join("config.toml")).expect("a config");
    let (dialect, base_url) = (other.dialect().name(), other.base_url());
    let table = format!(
        "[providers.other]\ndialect = \"{dialect}\"\nbase_url = \"{base_url}\"\napi_key_env = \"FAKE_KEY\"\n"
    );
    home.write("config.toml", format!("{config}{table}"));
    home
}

/// The model hands the task to a child with that model, and goes on.
pub(crate) fn starts_apart() -> Reply {
    starts(json!({ "background": true, "model": "child-model" }))
}

/// A workspace whose only check is this command.
pub(crate) fn checked(fake: &FakeLlm, command: &str) -> Home {
    declare(home_of(fake), command)
}

/// Has this command be the only check.
pub(crate) fn declare(home: Home, command: &str) -> Home {
    let plan = format!("only_declared: true\nchecks:\n  - {{ name: unit, run: '{command}', kind: test }}\n");
    home.write_in_workspace(".candor/verify.yaml", plan);
    home
}

/// The sessions of the folder, those that work for another one below it.
#[track_caller]
pub(crate) fn tree(home: &Home) -> Vec<Value> {
    let listed = candor(home, "sessions list --tree --json").run().ok().stdout;
    serde_json::from_str(&listed).expect("JSON")
}

/// How many sessions there are below.
pub(crate) fn below(node: &Value) -> usize {
    let children = node["children"].as_array().map(Vec::as_slice).unwrap_or_default();
    children.len() + children.iter().map(below).sum::<usize>()
}

/// The id of the only child of the only session.
#[track_caller]
pub(crate) fn child(home: &Home) -> String {
    tree(home)[0]["children"][0]["id"].as_str().expect("a child").to_owned()
}

pub(crate) fn end(events: &[Value]) -> &Value {
    of_type(events, "run_end")[0]
}

/// The last result of `delegate` in some events.
#[track_caller]
pub(crate) fn told(events: &[Value]) -> Value {
    let results = of_type(events, "tool_result");
    let result = results.iter().rfind(|event| event["toolName"] == "delegate").expect("a result");
    serde_json::from_str(result["result"].as_str().expect("text")).expect("JSON")
}

/// The codes of the cards in some events.
pub(crate) fn codes(events: &[Value]) -> Vec<&str> {
    of_type(events, "tool_result").iter().filter_map(|event| event["card"]["code"].as_str()).collect()
}
