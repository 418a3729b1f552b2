//! What a child wants to do is asked of the person, through its parent.

use candor_testkit::Reply;
use serde_json::json;

use super::{TASK, codes, end, fake, starts, told};
use crate::rig::{ask, events, home_with};
use crate::terminal::Terminal;

const ASK: &str = "security.ask_commands = [\"touch *\"]";

fn touches() -> Reply {
    Reply::calls([("shell_exec", json!({ "command": "touch made" }))])
}

#[test]
fn with_nobody_there_it_is_refused_and_the_run_says_what_it_needs() {
    let fake = fake();
    fake.extend([starts(json!({})), touches()]);
    fake.repeat(Reply::text("Done."));
    let home = home_with(&fake, ASK);
    let ran = ask(&home, &["--json", "Go"]).run().code(6);
    let events = events(&ran);
    assert_eq!(
        (&told(&events)["status"], codes(&events)),
        (&json!("needs_approval"), vec!["TOOL_UNAPPROVED"])
    );
    assert_eq!(end(&events)["status"], "needs_approval");
    assert!(!home.workspace().join("made").exists());
}

#[test]
fn a_person_is_told_who_asks() {
    let fake = fake();
    fake.extend([starts(json!({})), touches()]);
    fake.repeat(Reply::text("Done."));
    let home = home_with(&fake, ASK);
    let mut terminal = Terminal::start(&home, "--no-verify -- Go");
    terminal.wait_for(&format!("? helper \"{TASK}\" asks: shell_exec: touch made"));
    terminal.wait_for("say what to do instead> ");
    assert!(!home.workspace().join("made").exists());
    terminal.enter("y").wait_for("answer: once").wait_for("2 turns, ");
    terminal.finish().ok();
    assert!(home.workspace().join("made").exists());
}
