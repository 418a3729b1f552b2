//! What a command sees of our own environment, by its effect.

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, events, home_with, of_type};

/// A line is `hijacks`, `secret` or `passes`, a tab, and a name.
const TABLE: &str = include_str!("../../../candor-gate/tests/it/environment.tsv");

/// The owner lets everything through. A variable that a program obeys would print or write the canary.
#[test]
fn nothing_of_the_environment_table_reaches_a_command() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([("shell_exec", json!({ "command": "env; sh -c env; bash -c env" }))]));
    fake.push(Reply::text("That is all."));
    let home = home_with(&fake, "[security]\nallowed_env = [\"*\"]\n");
    let script = home.write_in_workspace("hijack.sh", "echo hijacked > canary\n");
    let cases: Vec<(&str, &str)> = TABLE.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut candor = ask(&home, &["--json", "Look"]);
    for (_, name) in cases.iter().filter(|(kind, _)| *kind != "passes") {
        candor = candor.env(*name, &script);
    }
    let ran = candor.env("MY_SETTING", "passed").env("LC_ALL", "C.UTF-8").run().ok();
    let events = events(&ran);
    let result = of_type(&events, "tool_result")[0]["result"].as_str().expect("a text");
    let result: Value = serde_json::from_str(result).expect("JSON");
    let said = result["stdout"].as_str().expect("an output");
    let seen: Vec<&str> = said.lines().filter_map(|line| line.split('=').next()).collect();
    let stopped = cases.iter().filter(|(kind, _)| *kind != "passes").map(|(_, name)| *name);
    let reached: Vec<&str> = stopped.filter(|name| seen.contains(name)).collect();
    let (hijacking, secret) = (count(&cases, "hijacks"), count(&cases, "secret"));
    println!(
        "figure: environment table: {hijacking} variables that hijack, {secret} of secrets, {} got through",
        reached.len()
    );
    assert!(reached.is_empty(), "{reached:?}");
    assert!(seen.contains(&"MY_SETTING") && seen.contains(&"LC_ALL"), "{said}");
    assert!(!said.contains("hijack.sh") && !home.workspace().join("canary").exists(), "{said}");
}

fn count(cases: &[(&str, &str)], wanted: &str) -> usize {
    cases.iter().filter(|(kind, _)| *kind == wanted).count()
}
