//! Notes, from the outside.

use std::fs;

use candor_testkit::{Dialect, FakeLlm, Gate, Home, Ran, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, candor, events, home_of, home_with, of_type};

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

fn writes(name: &str, text: &str) -> Reply {
    Reply::calls([("notes", json!({ "action": "write", "name": name, "text": text }))])
}

/// The exit code, and what the verifier found.
fn ended(ran: &Ran) -> (i32, String) {
    let events = events(ran);
    let end = of_type(&events, "run_end")[0];
    (ran.status, end["verdict"]["status"].as_str().unwrap_or_default().to_owned())
}

fn note(home: &Home, name: &str) -> String {
    fs::read_to_string(home.workspace().join(format!(".candor/notes/{name}.md"))).expect("a note")
}

#[test]
fn a_note_outlasts_its_session_and_is_no_work_to_verify() {
    let fake = fake();
    fake.push(writes("release", "# How we release\nTag first, then push."));
    fake.push(Reply::text("Noted."));
    let home = home_of(&fake);
    let done = (0, "not_applicable".to_owned());
    assert_eq!(ended(&ask(&home, &["--json", "Remember how we release"]).run()), done);
    assert_eq!(note(&home, "release"), "# How we release\nTag first, then push.\n");
    // Nor is it owed afterwards.
    fake.push(Reply::text("I did."));
    assert_eq!(ended(&ask(&home, &["--json", "-c", "Did you?"]).run()), done);
    // Within the run that wrote it the prompt stays as it was; the next one names it.
    let requests = fake.requests();
    let system = |at: usize| requests[at].system().expect("a prompt");
    assert_eq!(system(0), system(1));
    assert!(!system(0).contains("## Notes"), "{}", system(0));
    assert!(
        system(2).contains("## Notes\nFrom earlier work, to read with `notes`: release"),
        "{}",
        system(2)
    );
    // Another session reads it.
    fake.push(Reply::calls([("notes", json!({ "action": "read", "name": "release" }))]));
    fake.push(Reply::text("Tag first."));
    ask(&home, &["How do we release?"]).run().ok();
    let read = fake.requests().last().expect("a request").tool_results().remove(0);
    assert!(read.contains("Tag first, then push."), "{read}");
}

#[test]
fn what_was_noted_is_shown_and_taken_back_with_what_was_changed() {
    let fake = fake();
    fake.push(writes("release", "Tag first."));
    fake.push(Reply::text("Noted."));
    let home = home_of(&fake);
    ask(&home, &["Remember it"]).run().ok();
    candor(&home, "sessions diff last").run().ok().stdout_has("+Tag first.");
    candor(&home, "sessions undo last").run().ok().stdout_has("removed ");
    assert!(!home.workspace().join(".candor").exists());
}

#[test]
fn a_search_packs_the_notes_beside_them_and_nothing_elsewhere() {
    let fake = fake();
    fake.push(Reply::calls([("notes", json!({ "action": "search", "query": "pushing releases" }))]));
    fake.push(Reply::text("Found."));
    let home = home_of(&fake);
    home.write_in_workspace(".candor/notes/release.md", "# Releases\n\nWe are pushing them on Mondays.\n");
    home.write_in_workspace(".candor/notes/taste.md", "# Taste\n\nTabs, never spaces.\n");
    home.write("notes/everywhere.md", "# Releases\n\nOf all projects.\n");
    // What git ignores is found all the same.
    home.write_in_workspace(".gitignore", ".candor\n");
    ask(&home, &["When do we release?"]).run().ok();
    let found = fake.requests()[1].tool_results().remove(0);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let hits = found["hits"].as_array().expect("hits");
    let names: Vec<&str> = hits.iter().filter_map(|hit| hit["note"].as_str()).collect();
    assert!(names.contains(&"release") && names.contains(&"everywhere"), "{found}");
    assert!(!names.iter().any(|name| name.contains("_ctx")), "{found}");
    assert!(home.workspace().join(".candor/notes/_ctx/candor_config.json").is_file());
    let top: Vec<String> = fs::read_dir(home.workspace())
        .expect("the workspace")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(top.iter().all(|name| name == ".candor" || name == ".gitignore"), "{top:?}");
    // The pack is no note.
    let listed = candor(&home, "notes list").run().ok().stdout;
    assert_eq!(listed.lines().count(), 3, "{listed}");
}

#[test]
fn people_list_show_and_search_them() {
    let home = Home::new();
    candor(&home, "notes list").run().ok().stderr_has("no notes");
    home.write_in_workspace(".candor/notes/release.md", "# Releases\n\nTag first.\n");
    home.write("notes/taste.md", "Tabs.\n");
    let listed = candor(&home, "notes list").run().ok().stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("release  workspace") && lines[0].ends_with("Releases"), "{listed}");
    assert!(lines[1].starts_with("taste    home"), "{listed}");
    let listed: Value =
        serde_json::from_str(&candor(&home, "notes list --json").run().ok().stdout).expect("JSON");
    assert_eq!((&listed["notes"][1]["name"], &listed["notes"][1]["bytes"]), (&json!("taste"), &json!(6)));
    assert_eq!(candor(&home, "notes show release").run().ok().stdout, "# Releases\n\nTag first.\n");
    candor(&home, "notes show --home release").run().code(2).stderr_has("There are: taste.");
    candor(&home, "notes show ../../config").run().code(2);
    candor(&home, "notes search tag").run().ok().stdout_has("release:");
    let found = candor(&home, "notes search --json tabs").run().ok().stdout;
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!((&found["hits"][0]["name"], &found["hits"][0]["scope"]), (&json!("taste"), &json!("home")));
    candor(&home, "notes search ...").run().code(2);
}

#[test]
fn a_secret_is_not_kept_in_a_note() {
    const PASSWORD: &str = "zebra-Quartz-91-lamp";
    let fake = fake();
    let home = home_of(&fake);
    home.write_in_workspace("settings.ini", format!("password={PASSWORD}\n"));
    let gate = Gate::new();
    fake.push(Reply::calls([("file_read", json!({ "path": "settings.ini" }))]));
    fake.push(Reply::text("Let me think.").gate(&gate).and_call("todo", json!({ "items": [] })));
    let running = ask(&home, &["Note the password"]).spawn();
    gate.wait_reached();
    let read = fake.requests()[1].tool_results()[0].clone();
    let start = read.find("[REDACTED:").expect("a placeholder");
    let end = start + read[start..].find(']').expect("its end");
    let placeholder = &read[start..=end];
    fake.push(writes("access", &format!("The word is {placeholder}, and it is long.")));
    fake.push(Reply::text("Noted."));
    gate.open();
    running.finish().ok();
    assert_eq!(note(&home, "access"), format!("The word is {placeholder}, and it is long.\n"));
}

#[test]
fn with_approval_for_everything_a_person_is_shown_the_note_first() {
    let fake = fake();
    fake.push(writes("release", "Tag first."));
    fake.push(Reply::text("I could not."));
    let home = home_with(&fake, "permission = \"ask\"");
    let ran = ask(&home, &["Remember it"]).run().code(6);
    assert!(!home.workspace().join(".candor").exists(), "{}", ran.stderr);
    fake.push(writes("release", "Tag first."));
    fake.push(Reply::text("No."));
    let home = home_with(&fake, "permission = \"read-only\"");
    ask(&home, &["Remember it"]).run();
    assert!(!home.workspace().join(".candor").exists());
}
