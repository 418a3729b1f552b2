//! Secrets that turn up on the way: the model works with them and never reads them.

use candor_testkit::{Dialect, FakeLlm, Gate, Home, Ran, Reply};
use serde_json::{Value, json};

use crate::rig::{KEY, ask, events, home_of, home_with, log_lines, of_type};

/// Has the shape of a key.
const AWS_ID: &str = "AKIAQ7ZPLM3NVXTBWKRC";
/// Has no shape; only its name gives it away.
const PASSWORD: &str = "zebra-Quartz-91-lamp";

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

/// Asserts that a value is in nothing that was sent, printed or kept, the workspace aside.
#[track_caller]
fn check_unseen(value: &str, fake: &FakeLlm, home: &Home, ran: &Ran) {
    for seen in fake.requests() {
        assert!(!seen.body.to_string().contains(value), "the model was sent it: {}", seen.body);
    }
    assert!(!ran.stdout.contains(value), "standard output: {}", ran.stdout);
    assert!(!ran.stderr.contains(value), "standard error: {}", ran.stderr);
    for name in ["candor.db", "candor.db-wal", "logs/candor.log"] {
        let bytes = std::fs::read(home.path().join(name)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(value), "{name}");
    }
}

/// A home with everything logged.
fn home_of_debug(fake: &FakeLlm) -> Home {
    home_with(fake, "logging = { level = \"debug\" }")
}

/// The placeholder in a text.
#[track_caller]
fn placeholder(text: &str) -> String {
    let start = text.find("[REDACTED:").unwrap_or_else(|| panic!("no placeholder in {text}"));
    let end = text[start..].find(']').expect("its end") + start;
    text[start..=end].to_owned()
}

/// Lets the model read a file with a secret, then call a tool with the placeholder it was given.
#[track_caller]
fn with_placeholder(
    content: &str,
    call: impl Fn(&str) -> (&'static str, Value),
) -> (FakeLlm, Home, Ran, String) {
    let fake = fake();
    let home = home_of_debug(&fake);
    home.write_in_workspace("settings.ini", content);
    let gate = Gate::new();
    fake.push(Reply::calls([("file_read", json!({"path": "settings.ini"}))]));
    fake.push(
        Reply::text("I have to think about it.")
            .gate(&gate)
            .and_call("shell_exec", json!({"command": "true"})),
    );
    let running = ask(&home, &["--json", "--no-verify", "Copy the secret"]).spawn();
    gate.wait_reached();
    let read = fake.requests()[1].tool_results()[0].clone();
    let placeholder = placeholder(&read);
    let (name, args) = call(&placeholder);
    fake.push(Reply::calls([(name, args)]));
    fake.push(Reply::text("Done."));
    gate.open();
    let ran = running.finish().ok();
    (fake, home, ran, read)
}

#[test]
fn a_key_in_a_file_can_be_copied_without_being_read() {
    for (value, content) in [
        (AWS_ID, format!("region = eu\naws_access_key_id = {AWS_ID}\n")),
        (PASSWORD, format!("user = bob\npassword = {PASSWORD}\n")),
    ] {
        let (fake, home, ran, read) = with_placeholder(&content, |placeholder| {
            ("file_write", json!({"path": "copy.ini", "content": format!("copied: {placeholder}\n")}))
        });
        assert!(read.starts_with(content.lines().next().unwrap_or_default()), "the rest is legible: {read}");
        let written = std::fs::read_to_string(home.workspace().join("copy.ini")).expect("the copy");
        assert_eq!(written, format!("copied: {value}\n"));
        check_unseen(value, &fake, &home, &ran);
    }
}

#[test]
fn a_secret_that_a_command_prints_back_is_hidden_again() {
    for (value, content) in
        [(AWS_ID, format!("id = {AWS_ID}\n")), (PASSWORD, format!("password = {PASSWORD}\n"))]
    {
        let (fake, home, ran, _) = with_placeholder(&content, |placeholder| {
            ("shell_exec", json!({ "command": format!("echo it is {placeholder} >&2; exit 3") }))
        });
        let result = fake.requests()[3].tool_results()[2].clone();
        assert!(result.contains("it is [REDACTED:"), "{result}");
        check_unseen(value, &fake, &home, &ran);
    }
}

#[test]
fn s11_8_a_jwt_that_a_tool_prints_is_not_in_the_debug_log() {
    let jwt = [
        "eyJ",
        &"hbGciOiJIUzI1NiJ9".repeat(2),
        ".eyJ",
        &"zdWIiOiIxMjM0NTY3".repeat(3),
        ".",
        &"q7Zp".repeat(11),
    ]
    .concat();
    let fake = fake();
    // Once it is only in what the tool says, and once in what the tool was asked, too.
    fake.push(Reply::calls([("shell_exec", json!({"command": "cat token; cat token >&2; exit 1"}))]));
    fake.push(Reply::calls([("shell_exec", json!({ "command": format!("echo jwt is {jwt}") }))]));
    fake.repeat(Reply::text("Seen."));
    let home = home_of_debug(&fake);
    home.write_in_workspace("token", format!("jwt is {jwt}\n"));
    ask(&home, &["--json", "--no-verify", "Look"]).run().ok();
    let calls = log_lines(&home, "tool_call");
    assert!(calls[1]["args"].to_string().contains("echo jwt is [REDACTED"), "it was logged: {calls:?}");
    let results = fake.requests()[1].tool_results();
    assert!(results[0].contains("jwt is [REDACTED"), "the tool printed it: {results:?}");
    let log = std::fs::read_to_string(home.path().join("logs/candor.log")).expect("a log");
    assert!(!log.contains(&jwt), "{log}");
}

#[test]
fn the_output_of_a_failing_command_is_masked_on_its_card() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", json!({"command": "cat credentials; exit 1"}))]));
    fake.push(Reply::text("It failed."));
    let home = home_of_debug(&fake);
    home.write_in_workspace("credentials", format!("aws_access_key_id = {AWS_ID}\npassword = {PASSWORD}\n"));
    let ran = ask(&home, &["--json", "Look"]).run().ok();
    let events = events(&ran);
    assert!(
        of_type(&events, "tool_result")[0]["card"]["cause"]
            .as_str()
            .is_some_and(|cause| cause.contains("REDACTED"))
    );
    check_unseen(AWS_ID, &fake, &home, &ran);
    check_unseen(PASSWORD, &fake, &home, &ran);
}

#[test]
fn a_key_in_a_message_reaches_nobody_but_the_tool_it_is_meant_for() {
    let fake = fake();
    let home = home_of_debug(&fake);
    let gate = Gate::new();
    fake.push(Reply::text("One moment.").gate(&gate).and_call("shell_exec", json!({"command": "true"})));
    let words = format!("Log in with {AWS_ID}, and password={PASSWORD} please");
    let running = ask(&home, &["--json", "--no-verify", &words]).spawn();
    gate.wait_reached();
    let said = fake.requests()[0].user_texts()[0].clone();
    assert!(said.starts_with("Log in with [REDACTED:"), "{said}");
    fake.push(Reply::calls([("file_write", json!({"path": "key", "content": placeholder(&said)}))]));
    fake.push(Reply::text("Done."));
    gate.open();
    let ran = running.finish().ok();
    assert_eq!(std::fs::read_to_string(home.workspace().join("key")).ok().as_deref(), Some(AWS_ID));
    check_unseen(AWS_ID, &fake, &home, &ran);
    check_unseen(PASSWORD, &fake, &home, &ran);
}

#[test]
fn a_long_first_line_with_a_key_at_its_cut_leaves_no_half_of_it_in_the_name() {
    let fake = fake();
    fake.push(Reply::text("Yes."));
    let home = home_of(&fake);
    let words = format!("{} {AWS_ID}", "x".repeat(50));
    let ran = ask(&home, &["--json", &words]).run().ok();
    let name = events(&ran)[0]["name"].as_str().unwrap_or_default().to_owned();
    assert!(!name.contains(&AWS_ID[..6]), "{name}");
}

#[test]
fn a_placeholder_of_another_run_is_told_to_the_model() {
    let fake = fake();
    fake.push(Reply::calls([("file_write", json!({"path": "x", "content": "[REDACTED:abcdef]"}))]));
    fake.push(Reply::text("I see."));
    let home = home_of(&fake);
    ask(&home, &["Write it"]).run().ok();
    assert!(fake.requests()[1].tool_results()[0].contains("PLACEHOLDER_UNKNOWN"));
    assert!(!home.workspace().join("x").exists(), "nothing is written in its place");
}

#[test]
fn a_known_key_that_a_model_says_is_masked_also_when_it_is_cut_short() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::text(&format!("Your key is {KEY}, is it not?")).deltas(200).gate(&gate));
    let home = home_of_debug(&fake);
    let running = ask(&home, &["--json", "Guess it"]).spawn();
    gate.wait_reached();
    running.wait_for_stdout("Your key is");
    running.signal("INT");
    let ran = running.finish().code(130);
    let events = events(&ran);
    let kept = of_type(&events, "message_complete")[0]["content"][0]["text"].to_string();
    assert!(kept.contains("Your key is [REDACTED]"), "{kept}");
    check_unseen(KEY, &FakeLlm::start(Dialect::OpenaiChat), &home, &ran);
}

#[test]
fn a_known_key_in_arguments_that_cannot_be_read_is_masked() {
    let fake = fake();
    fake.push(Reply::empty().and_call_with("call_1", "shell_exec", &format!("{{\"command\": \"{KEY}")));
    fake.push(Reply::text("I see."));
    let home = home_of_debug(&fake);
    let ran = ask(&home, &["--json", "Guess it"]).run().ok();
    check_unseen(KEY, &fake, &home, &ran);
}

#[test]
fn a_secret_in_a_call_that_is_refused_is_not_logged() {
    let fake = fake();
    let home = home_with(&fake, "permission = \"read-only\"");
    home.write_in_workspace("settings.ini", format!("password = {PASSWORD}\n"));
    let gate = Gate::new();
    let read = || ("file_read", json!({"path": "settings.ini"}));
    fake.push(Reply::calls([read()]));
    fake.push(Reply::text("One moment.").gate(&gate).and_call("file_read", read().1));
    let running = ask(&home, &["--json", "Use it"]).spawn();
    gate.wait_reached();
    let held = placeholder(&fake.requests()[1].tool_results()[0]);
    fake.push(Reply::calls([("shell_exec", json!({ "command": format!("echo {held} > /etc/evil") }))]));
    fake.push(Reply::text("I may not."));
    gate.open();
    let ran = running.finish().ok();
    let blocked = log_lines(&home, "tool_blocked");
    assert_eq!(blocked.len(), 1, "{blocked:?}");
    assert_eq!(
        (&blocked[0]["tool"], &blocked[0]["command"]),
        (&json!("shell_exec"), &json!(format!("echo {held} > /etc/evil")))
    );
    check_unseen(PASSWORD, &fake, &home, &ran);
}

#[test]
fn a_key_in_a_file_of_the_system_prompt_is_masked_like_any_other() {
    let fake = fake();
    fake.push(Reply::text("I see."));
    let home = home_of_debug(&fake);
    home.write_in_workspace("AGENTS.md", format!("Deploy with the id {AWS_ID}."));
    let ran = ask(&home, &["Hello there"]).run().ok();
    check_unseen(AWS_ID, &fake, &home, &ran);
    let system = fake.requests()[0].system().expect("a system message");
    assert!(system.contains("Deploy with the id [REDACTED:"), "{system}");
}
