//! `candor sessions rename`, `delete` and `fork`.

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, candor, events, home_of};
use crate::terminal::Terminal;

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    fake
}

/// Says something in a new session and returns its id.
#[track_caller]
fn session(home: &Home, words: &str) -> String {
    let ran = ask(home, &["--json", words]).run().ok();
    events(&ran)[0]["sessionId"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn names(home: &Home) -> Vec<String> {
    let listed = candor(home, "sessions list --json").run().ok().stdout;
    let listed: Vec<Value> = serde_json::from_str(&listed).expect("JSON");
    listed.iter().map(|session| session["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_session_gets_another_name() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(&home, "The first words");
    let ran = ask(&home, &["sessions", "rename", &id[28..], "A", "better", "name"]).run().ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert_eq!(names(&home), ["A better name"]);
    ask(&home, &["sessions", "rename", "last", "The last name"]).run().ok();
    assert_eq!(names(&home), ["The last name"]);
    let shown = candor(&home, "sessions show last").run().ok().stdout;
    assert!(shown.contains("\nname    The last name\n"), "{shown}");
    assert!(shown.contains("[now called The last name]"), "{shown}");
}

#[test]
fn a_name_that_is_not_kept_as_it_was_given_is_told() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(&home, "The first words");
    let ran = ask(&home, &["sessions", "rename", &id, &"long ".repeat(100)]).run().ok();
    assert_eq!(ran.stderr, format!("it is called: {}\n", names(&home)[0]));
}

#[test]
fn a_name_that_is_none_is_refused() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(&home, "The first words");
    ask(&home, &["sessions", "rename", &id, "  "]).run().code(2).stderr_has("USAGE_INVALID_VALUE");
    ask(&home, &["sessions", "rename", &id]).run().code(2).stderr_has("USAGE_MISSING_ARGUMENT");
    ask(&home, &["sessions", "rename", "00000000", "x"]).run().code(4).stderr_has("SESSION_UNKNOWN");
    assert_eq!(names(&home), ["The first words"]);
}

#[test]
fn deleting_without_a_terminal_needs_a_word() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(&home, "The first words");
    let ran = ask(&home, &["sessions", "delete", &id]).stdin("y\n").run().code(2);
    assert!(ran.stderr.contains("Error Code: USAGE_NEEDS_TERMINAL") && ran.stderr.contains("--yes"), "{ran}");
    assert_eq!(names(&home), ["The first words"]);
}

#[test]
fn a_person_is_asked_before_anything_is_deleted() {
    let fake = fake();
    let home = home_of(&fake);
    session(&home, "The first words");
    let mut terminal = Terminal::start(&home, "sessions delete last");
    terminal.wait_for("The first words").wait_for("Delete this session for good? [y/N]").enter("n");
    terminal.wait_for("nothing was deleted");
    terminal.finish().code(1);
    assert_eq!(names(&home), ["The first words"]);
}

#[test]

fn what_is_deleted_is_gone() {
    let fake = fake();
    let home = home_of(&fake);
    let (first, second) = (session(&home, "The first one"), session(&home, "The second one"));
    session(&home, "The third one");
    // One mistake, and nothing is deleted.
    ask(&home, &["sessions", "delete", "-y", &first, "00000000"]).run().code(4).stderr_has("SESSION_UNKNOWN");
    assert_eq!(names(&home).len(), 3);
    ask(&home, &["sessions", "delete", "-y", &first, &second, &first])
        .run()
        .ok()
        .stderr_has("deleted 2 sessions");
    assert_eq!(names(&home), ["The third one"]);
    candor(&home, &format!("sessions show {first}")).run().code(4).stderr_has("SESSION_UNKNOWN");
    let mut terminal = Terminal::start(&home, "sessions delete last");
    terminal.wait_for("[y/N]").enter("y").wait_for("deleted 1 session");
    terminal.finish().ok();
    assert!(names(&home).is_empty());
}

#[test]
fn a_fork_goes_its_own_way() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(&home, "Shared words");
    let ran = ask(&home, &["sessions", "fork", "last"]).run().ok();
    let fork = ran.stdout.trim_end().to_owned();
    assert!(fork.len() == id.len() && fork != id, "{ran}");
    ask(&home, &["-s", &fork, "Only in the fork"]).run().ok();
    ask(&home, &["-s", &id, "Only in the first"]).run().ok();
    let texts: Vec<_> = fake.requests().iter().map(candor_testkit::Seen::user_texts).collect();
    assert!(texts.contains(&vec!["Shared words".to_owned(), "Only in the fork".to_owned()]), "{texts:?}");
    assert!(texts.contains(&vec!["Shared words".to_owned(), "Only in the first".to_owned()]), "{texts:?}");
    candor(&home, &format!("sessions show {fork}")).run().ok().stdout_has(&format!("forked  from {id}"));
}

#[test]
fn a_fork_can_leave_out_the_end() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(&home, "Shared words");
    let shown = events(&ask(&home, &["sessions", "show", "--json", &id]).run().ok());
    let last = shown.last().and_then(|event| event["seq"].as_u64()).expect("a number");
    ask(&home, &["-c", "Only in the first"]).run().ok();
    let fork = ask(&home, &["sessions", "fork", &id, "--at", &last.to_string()]).run().ok().stdout;
    let shown = ask(&home, &["sessions", "show", fork.trim_end()]).run().ok().stdout;
    assert!(shown.contains("Shared words") && !shown.contains("Only in the first"), "{shown}");
}

#[test]
fn a_place_that_is_not_there_cannot_be_forked_at() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(&home, "Shared words");
    for at in ["0", "100000", "x", "-1"] {
        let ran = ask(&home, &["sessions", "fork", &id, &format!("--at={at}")]).run().code(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("USAGE_INVALID_VALUE"), "{at}: {ran}");
    }
    ask(&home, &["sessions", "fork", "00000000"]).run().code(4).stderr_has("SESSION_UNKNOWN");
    assert_eq!(names(&home), [json!("Shared words")]);
}
