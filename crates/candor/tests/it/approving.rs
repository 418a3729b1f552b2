//! A person at the terminal is asked before a call.

use candor_testkit::{Candor, Dialect, FakeLlm, Gate, Home, Reply};
use serde_json::json;

use crate::rig::{BINARY, KEY, home_of};
use crate::terminal::{CTRL_C, Terminal};

fn making(name: &str) -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([("shell_exec", json!({ "command": format!("touch {name}") }))]));
    fake.repeat(Reply::text("I have it."));
    fake
}

fn is_made(home: &Home, name: &str) -> bool {
    home.workspace().join(name).exists()
}

#[test]
fn a_yes_at_the_terminal_lets_the_call_go_on() {
    let fake = making("made");
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "--permission ask --no-verify -- 'Make it'");
    terminal.wait_for("? shell_exec: touch made").wait_for("because this mode asks before every command");
    terminal.wait_for("n(o), or say what to do instead> ");
    assert!(!is_made(&home, "made"), "it did not wait");
    terminal.enter("y").wait_for("answer: once").wait_for("I have it.").wait_for("2 turns, ");
    terminal.finish().ok();
    assert!(is_made(&home, "made"));
}

#[test]
fn words_in_place_of_a_yes_are_a_no_that_the_model_hears() {
    let fake = making("made");
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "--permission ask -r");
    terminal.wait_for_prompt().enter("Make it").wait_for("? shell_exec: touch made");
    terminal.wait_for("instead> ").enter("only in src, please");
    terminal.wait_for("answer: no: only in src, please").wait_for("I have it.").wait_for("2 turns, ");
    terminal.wait_for_prompt().enter("/quit");
    terminal.finish().ok();
    assert!(!is_made(&home, "made"));
    let told = fake.requests()[1].body["messages"].to_string();
    assert!(told.contains("only in src, please"), "{told}");
}

#[test]
fn ctrl_c_at_the_question_is_no_yes() {
    let fake = making("made");
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "--permission ask --no-verify -- 'Make it'");
    terminal.wait_for("say what to do instead> ").press(CTRL_C).wait_for("stopped");
    terminal.finish().code(130);
    assert!(!is_made(&home, "made"));
}

#[test]
fn with_nobody_at_the_terminal_the_run_ends_with_what_it_needs() {
    let fake = making("made");
    let home = home_of(&fake);
    let ran = Candor::new(BINARY, &home)
        .args(["--permission", "ask", "Make it"])
        .env("FAKE_KEY", KEY)
        .run()
        .code(6);
    assert!(!is_made(&home, "made"));
    assert!(ran.stderr.contains("needs_approval"), "{}", ran.stderr);
}

#[test]
fn ctrl_c_at_a_question_of_a_conversation_stops_the_run() {
    let fake = making("made");
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "--permission ask -r");
    terminal.wait_for_prompt().enter("Make it").wait_for("instead> ").press(CTRL_C).wait_for("stopped, ");
    terminal.wait_for_prompt().enter("/quit");
    terminal.finish();
    assert!(!is_made(&home, "made"));
}

#[test]
fn what_was_typed_before_a_question_is_no_answer_to_it() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let gate = Gate::new();
    fake.push(
        Reply::text("Let me see.").gate(&gate).and_call("shell_exec", json!({ "command": "touch made" })),
    );
    fake.repeat(Reply::text("I have it."));
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "--permission ask --no-verify -- 'Make it'");
    gate.wait_reached();
    terminal.enter("y");
    // The terminal shows what was typed; then it is there to be thrown away.
    terminal.wait_for("y");
    gate.open();
    terminal.wait_for("instead> ").enter("n").wait_for("answer: no").wait_for("I have it.");
    terminal.finish().ok();
    assert!(!is_made(&home, "made"), "an old line was taken for the answer");
}

#[test]
fn a_command_has_no_part_in_the_terminal() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let command = "(echo SPOOF > /dev/tty) 2>/dev/null && echo reached || echo refused";
    fake.push(Reply::calls([("shell_exec", json!({ "command": command }))]));
    fake.repeat(Reply::text("I have it."));
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-- 'Spoof'");
    terminal.wait_for("I have it.");
    let shown = terminal.finish().stdout;
    assert!(!shown.lines().any(|line| line.trim() == "SPOOF"), "{shown}");
    let told = fake.requests()[1].tool_results().join(" ");
    assert!(told.contains("refused"), "{told}");
}
