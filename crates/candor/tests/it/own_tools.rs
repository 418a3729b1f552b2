//! The tools of a person's own, in `tools.yaml` of the home.

use candor_testkit::{Dialect, FakeLlm, Gate, Reply};
use serde_json::json;

use crate::rig::{ask, candor, home_of, log_lines};

const TOOLS: &str = r#"
tools:
  - name: greet
    description: Greets somebody.
    cmd: sh
    args: ["-c", "echo \"hello $1\" | tee greeting.txt; echo \"$SERVICE_TOKEN\"", greet, "{{name}}"]
    parameters: { name: { type: string, pattern: "[a-z]+" } }
    env: { SERVICE_TOKEN: "${MY_SERVICE_TOKEN}" }
  - { name: broken, description: x }
"#;

#[test]
fn a_tool_of_the_file_is_offered_run_behind_the_walls_and_its_secrets_are_masked() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([("greet", json!({"name": "ada"}))]));
    fake.push(Reply::text("Greeted."));
    let home = home_of(&fake);
    home.write("tools.yaml", TOOLS);
    let ran = ask(&home, &["--no-verify", "Greet ada"])
        .env("MY_SERVICE_TOKEN", "plain-words-7391-zebra")
        .run()
        .ok();
    assert!(ran.stderr.contains("line 9: broken is left out"), "{}", ran.stderr);
    let requests = fake.requests();
    assert!(requests[0].body.to_string().contains("Greets somebody."));
    let result = requests[1].tool_results().join("\n");
    assert!(result.contains("hello ada") && !result.contains("zebra"), "{result}");
    assert!(std::fs::read_to_string(home.workspace().join("greeting.txt")).is_ok());
    assert_eq!(log_lines(&home, "tool_file_invalid")[0]["code"], "TOOL_FILE_INVALID");
}

#[test]
fn the_list_shows_them_and_a_card_for_what_is_left_out() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    home.write("tools.yaml", TOOLS);
    let ran = candor(&home, "tools list").run().ok();
    assert!(ran.stdout.contains("greet") && !ran.stdout.contains("broken"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("TOOL_FILE_INVALID") && ran.stderr.contains("missing field `cmd`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_each_tool_can_do_is_told() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let listed = candor(&home, "tools list --json").run().ok().stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let of = |effect: &str| -> Vec<&str> {
        let tools = listed["tools"].as_array().unwrap().iter();
        tools.filter(|tool| tool["effect"] == effect).filter_map(|tool| tool["name"].as_str()).collect()
    };
    assert_eq!(of("write"), ["file_write", "file_edit", "apply_patch", "notes"]);
    assert_eq!(of("exec"), ["shell_exec", "process", "delegate", "verify"]);
    assert_eq!(of("send"), ["web_fetch"]);
    assert_eq!(of("read"), ["file_read", "search", "find", "list", "todo", "ask_user", "sleep"]);
    candor(&home, "tools show apply_patch").run().ok().stdout_has("effect: write");
    let shown = candor(&home, "tools show file_read --json").run().ok().stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["effect"], "read");
    let lines = candor(&home, "tools list").run().ok().stdout;
    assert!(lines.lines().any(|line| line.starts_with("shell_exec ") && line.contains("  exec ")), "{lines}");
}

#[test]
fn no_tool_of_ours_is_replaced_or_hides_one_without_a_word() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let listed = candor(&home, "tools list --json").run().ok().stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"notes") && names.contains(&"verify"), "{names:?}");
    let entry = |name: &&str| format!("  - {{ name: {name}, description: x, cmd: \"true\" }}\n");
    home.write("tools.yaml", format!("tools:\n{}", names.iter().map(entry).collect::<String>()));
    let told = candor(&home, "tools list").run().ok().stderr;
    for name in names {
        assert!(
            told.contains(&format!("{name} is left out: there is another tool of this name")),
            "{name}: {told}"
        );
    }
}

#[test]
fn a_mistake_that_is_made_during_a_conversation_is_told_once() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let gate = Gate::new();
    fake.push(Reply::text("One.").gate(&gate));
    fake.repeat(Reply::text("More."));
    let home = home_of(&fake);
    let running = ask(&home, &["-r"]).stdin("one\ntwo\nthree\n").spawn();
    gate.wait_reached();
    home.write("tools.yaml", "tools:\n  - { name: broken, description: x }\n");
    gate.open();
    let ran = running.finish().ok();
    assert_eq!(ran.stderr.matches("broken is left out").count(), 1, "{}", ran.stderr);
}
