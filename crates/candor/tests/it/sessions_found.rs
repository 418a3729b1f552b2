//! `candor sessions list`, `show` and `search`; the word `last`; the log of one session.

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::repl::piped;
use crate::rig::{ask, candor, events, home_of};
use crate::terminal::Terminal;

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    fake
}

#[track_caller]
fn json_of(home: &Home, words: &[&str]) -> Vec<Value> {
    let ran = ask(home, words).run().ok();
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

#[test]
fn sessions_are_listed_by_where_they_came_from() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["From the command line"]).run().ok();
    piped(&home, &[], "From a conversation\n").run().ok();
    for (source, count) in [("cli", 1), ("repl", 1), ("cron", 0)] {
        let listed = json_of(&home, &["sessions", "list", "--json", "--source", source]);
        assert_eq!(listed.len(), count, "{source}");
        assert!(listed.iter().all(|session| session["source"] == source), "{listed:?}");
    }
    candor(&home, "sessions list --source cron").run().ok().stderr_has("no sessions from cron");
    candor(&home, "sessions list --source moon").run().code(2).stderr_has("USAGE_INVALID_VALUE");
    assert_eq!(json_of(&home, &["sessions", "list", "--json", "-n", "1"]).len(), 1);
}

#[test]
fn a_list_of_nothing_is_refused() {
    let home = home_of(&fake());
    for line in ["sessions list -n 0", "sessions search -n 0 x"] {
        candor(&home, line).run().code(2).stderr_has("USAGE_INVALID_VALUE");
    }
}

#[test]
fn a_person_is_told_what_the_columns_are() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["Hello there"]).run().ok();
    let ran = Terminal::start(&home, "sessions list").finish().ok();
    assert!(ran.stdout.contains("LAST USED (UTC)"), "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() < 80), "fits: {}", ran.stdout);
    let piped = candor(&home, "sessions list").run().ok().stdout;
    assert_eq!(piped.lines().count(), 1, "a program counts lines: {piped}");
    // What a person is shown names the session as well as the whole id does.
    let short = ran.stdout.lines().nth(1).and_then(|line| line.split_whitespace().next()).expect("a line");
    let shown = candor(&home, &format!("sessions show {short}")).run().ok().stdout;
    assert!(shown.starts_with(&format!("session {}", &piped[..36])), "{shown}");
}

#[test]
fn results_of_tools_are_shown_as_a_person_reads_them() {
    let fake = fake();
    fake.push(Reply::calls([
        ("shell_exec", json!({"command": "echo out; echo err >&2; exit 3"})),
        ("file_write", json!({"path": "x", "content": "12345"})),
        ("file_read", json!({"path": "missing"})),
    ]));
    let home = home_of(&fake);
    ask(&home, &["--no-verify", "Do it"]).run().ok();
    let shown = candor(&home, "sessions show last").run().ok().stdout;
    assert!(shown.contains("  exit 3\n  out\n  err\n"), "{shown}");
    assert!(shown.contains("  wrote 5 bytes\n"), "{shown}");
    assert!(!shown.contains("exit_code") && !shown.contains("\\n"), "{shown}");
    let raw = candor(&home, "sessions show --json last").run().ok();
    assert!(
        events(&raw)
            .iter()
            .any(|event| event["result"].as_str().is_some_and(|text| text.contains("exit_code")))
    );
}

#[test]
fn last_is_the_latest_session_of_this_folder() {
    let fake = fake();
    let home = home_of(&fake);
    candor(&home, "sessions show last").run().code(4).stderr_has("SESSION_NONE");
    ask(&home, &["The older one"]).run().ok();
    ask(&home, &["The newer one"]).run().ok();
    let elsewhere = home.tmp().display().to_string();
    ask(&home, &["-w", &elsewhere, "The one elsewhere"]).run().ok();
    candor(&home, "sessions show last").run().ok().stdout_has("The newer one");
    ask(&home, &["-s", "last", "And then?"]).run().ok();
    assert_eq!(fake.requests().pop().expect("a request").user_texts(), ["The newer one", "And then?"]);
}

#[test]
fn what_was_said_is_found() {
    let fake = fake();
    fake.push(Reply::text("Bananas are yellow."));
    let home = home_of(&fake);
    ask(&home, &["Which colour?"]).run().ok();
    ask(&home, &["Pears are green"]).run().ok();
    let ran = candor(&home, "sessions search yellow bananas").run().ok();
    assert!(
        ran.stdout.contains("Which colour?") && ran.stdout.contains("model: Bananas are yellow."),
        "{ran}"
    );
    assert!(!ran.stdout.contains("Pears"), "{ran}");
    let hits = json_of(&home, &["sessions", "search", "--json", "pears"]);
    assert_eq!(hits.len(), 1);
    assert_eq!((&hits[0]["sessionName"], &hits[0]["role"]), (&json!("Pears are green"), &json!("user")));
    assert!(hits[0]["seq"].as_u64().is_some_and(|seq| seq > 0), "{hits:?}");
    let none = candor(&home, "sessions search plums").run().ok();
    assert!(none.stdout.is_empty() && none.stderr.contains("nothing found"), "{none}");
}

#[test]
fn a_search_has_a_folder_and_a_limit() {
    let fake = fake();
    let home = home_of(&fake);
    let elsewhere = home.tmp().display().to_string();
    for words in ["Pears are green", "Pears are sweet"] {
        ask(&home, &[words]).run().ok();
    }
    ask(&home, &["-w", &elsewhere, "Pears elsewhere"]).run().ok();
    let count =
        |flags: &[&str]| json_of(&home, &[&["sessions", "search", "--json", "pears"], flags].concat()).len();
    assert_eq!((count(&[]), count(&["-a"]), count(&["-a", "-n", "1"])), (2, 3, 1));
    candor(&home, "sessions search").run().code(2).stderr_has("USAGE_MISSING_ARGUMENT");
    ask(&home, &["sessions", "search", " "]).run().code(2).stderr_has("USAGE_INVALID_VALUE");
}

#[test]
fn the_log_of_a_session_is_found_by_a_piece_of_its_id() {
    let fake = fake();
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "The first one"]).run().ok();
    let id = events(&ran)[0]["sessionId"].as_str().expect("an id").to_owned();
    ask(&home, &["The second one"]).run().ok();
    let lines = |piece: &str| candor(&home, &format!("logs --json --session {piece}")).run().ok().stdout;
    let all = lines(&id);
    assert!(all.lines().count() > 2 && all.lines().all(|line| line.contains(&id)), "{all}");
    assert_eq!(lines(&id[28..]), all);
    assert!(!lines("last").contains(&id) && lines("last").contains("run_end"));
    candor(&home, &format!("logs --session {}", &id[..8])).run().code(4).stderr_has("SESSION_AMBIGUOUS");
    assert_eq!(lines("deadbeef"), "", "a session that is not there has no lines");
}

#[test]
fn an_option_of_a_prompt_before_a_command_is_not_ignored() {
    let home = Home::new();
    for (line, option) in [
        ("--json sessions list", "--json"),
        ("--json errors list", "--json"),
        ("-s abcd sessions list", "--session"),
        ("-r sessions list", "--repl"),
        ("--max-turns 3 doctor", "--max-turns"),
    ] {
        let ran = candor(&home, line).run().code(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("Error Code: USAGE_CONFLICT"), "{line}: {ran}");
        assert!(ran.stderr.contains(&format!("{option} is an option of a prompt")), "{line}: {ran}");
    }
    candor(&home, "--no-color sessions list").run().ok();
}
