//! `candor sessions export` and `import`.

use std::os::unix::fs::PermissionsExt;

use candor_testkit::{Dialect, FakeLlm, Home, Reply};

use crate::rig::{ask, candor, events, home_of};

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    fake
}

/// A home with one session, and the session's id.
fn with_session(fake: &FakeLlm) -> (Home, String) {
    let home = home_of(fake);
    let ran = ask(&home, &["--json", "Carry me over"]).run().ok();
    let id = events(&ran)[0]["sessionId"].as_str().expect("an id").to_owned();
    (home, id)
}

#[test]
fn an_exported_session_is_gone_on_with_in_another_home() {
    let fake = fake();
    let (home, id) = with_session(&fake);
    let exported = candor(&home, "sessions export last").run().ok().stdout;
    assert_eq!(exported, candor(&home, &format!("sessions show --json {id}")).run().ok().stdout);
    let other = home_of(&fake);
    let ran = candor(&other, "sessions import -").stdin(exported.clone()).run().ok();
    assert_eq!(ran.stdout, format!("{id}\n"));
    ask(&other, &["-s", &id, "And on it goes"]).run().ok();
    assert_eq!(fake.requests().pop().expect("a request").user_texts(), ["Carry me over", "And on it goes"]);
}

#[test]
fn a_session_that_is_here_is_imported_only_as_a_new_one() {
    let fake = fake();
    let (home, id) = with_session(&fake);
    let file = home.tmp().join("export.jsonl").display().to_string();
    ask(&home, &["sessions", "export", &id, "-o", &file]).run().ok();
    ask(&home, &["sessions", "import", &file]).run().code(4).stderr_has("SESSION_EXISTS");
    let new = ask(&home, &["sessions", "import", "--as-new", &file]).run().ok().stdout;
    assert!(new.trim_end().len() == id.len() && new.trim_end() != id, "{new}");
    candor(&home, &format!("sessions show {}", new.trim_end())).run().ok().stdout_has("Carry me over");
}

#[test]
fn an_export_is_for_its_owner_and_replaces_nothing() {
    let fake = fake();
    let (home, id) = with_session(&fake);
    let path = home.tmp().join("export.jsonl");
    let file = path.display().to_string();
    let ran = ask(&home, &["sessions", "export", &id, "-o", &file]).run().ok();
    assert!(ran.stdout.is_empty() && ran.stderr.contains(" events to "), "{ran}");
    let mode = || std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777;
    let whole = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(mode(), 0o600);
    ask(&home, &["sessions", "export", &id, "-o", &file]).run().code(1).stderr_has("FILE_EXISTS");
    std::fs::write(&path, "something else").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("set");
    ask(&home, &["sessions", "export", &id, "--force", "-o", &file]).run().ok();
    assert_eq!((std::fs::read_to_string(&path).expect("a file"), mode()), (whole, 0o600));
    ask(&home, &["sessions", "export", &id, "--force"]).run().code(2).stderr_has("USAGE_MISSING_ARGUMENT");
}

#[test]
fn what_cannot_be_written_or_read_is_a_card() {
    let fake = fake();
    let (home, id) = with_session(&fake);
    let folder = home.tmp().display().to_string();
    let cases: &[(&[&str], &str)] = &[
        (&["export", "00000000"], "SESSION_UNKNOWN"),
        (&["export", &id, "-o", "no/such/folder/x"], "FILE_NOT_FOUND"),
        (&["export", &id, "--force", "-o", &folder], "FILE_IS_DIRECTORY"),
        (&["import", "missing.jsonl"], "FILE_NOT_FOUND"),
        (&["import", &folder], "FILE_IS_DIRECTORY"),
    ];
    for (words, code) in cases {
        let ran = ask(&home, &[&["sessions"], *words].concat()).run();
        assert!(ran.status != 0 && ran.stderr.contains(&format!("Error Code: {code}")), "{words:?}: {ran}");
    }
}

#[test]
fn a_missing_folder_is_named_and_not_the_file() {
    let fake = fake();
    let (home, id) = with_session(&fake);
    let ran = ask(&home, &["sessions", "export", &id, "-o", "no/such/folder/x"]).run();
    assert!(ran.stderr.contains("Cause:\nno/such/folder does not exist."), "{ran}");
}

#[test]
fn one_event_is_one_event() {
    let fake = fake();
    let (home, _) = with_session(&fake);
    let exported = candor(&home, "sessions export last").run().ok().stdout;
    let first = exported.lines().next().expect("a line").to_owned();
    let ran = candor(&home, "sessions import --as-new -").stdin(first).run().ok();
    assert_eq!(ran.stderr, "1 event from standard input\n");
}

#[test]
fn what_is_no_export_is_refused_whole() {
    let fake = fake();
    let (home, _) = with_session(&fake);
    let exported = candor(&home, "sessions export last").run().ok().stdout;
    let broken = [String::new(), "hello\n".to_owned(), "{}\n".to_owned(), format!("{exported}torn {{\n")];
    let other = home_of(&fake);
    for text in broken {
        let ran = candor(&other, "sessions import -").stdin(text.clone()).run();
        assert!(ran.status != 0 && ran.stdout.is_empty(), "{text:?}: {ran}");
        assert!(ran.stderr.contains("Error Code: IMPORT_INVALID"), "{text:?}: {ran}");
    }
    assert_eq!(candor(&other, "sessions list").run().ok().stdout, "");
}
