//! The words of a prompt, standard input, and which session they go to.

use candor_testkit::{Candor, Dialect, FakeLlm, Home, Reply};
use serde_json::Value;

use crate::rig::{ask, events, home_of, of_type};

/// The most that is read from standard input.
const STDIN_BYTES_MAX: usize = 10 * 1024 * 1024;

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    fake
}

/// Asserts what the model is asked when the binary is started like this.
#[track_caller]
fn check_prompt(words: &[&str], stdin: Option<&str>, expected: &str) {
    let fake = fake();
    let home = home_of(&fake);
    let candor = ask(&home, words);
    let candor = match stdin {
        Some(text) => candor.stdin(text),
        None => candor,
    };
    candor.run().ok();
    assert_eq!(fake.requests().pop().expect("a request").user_texts(), [expected], "{words:?}");
}

/// Asserts that this is refused with a card, before anything is asked.
#[track_caller]
fn check_refused(home: &Home, fake: &FakeLlm, words: &[&str], status: i32, code: &str) -> String {
    let before = fake.requests().len();
    let ran = ask(home, words).run().code(status).stderr_has(&format!("Error Code: {code}"));
    // A program that reads lines is told the failure in one.
    let lines = usize::from(words.contains(&"--json"));
    assert_eq!((fake.requests().len(), ran.stdout.lines().count()), (before, lines), "{words:?}");
    ran.stderr
}

/// Has a conversation of one message and returns its session.
#[track_caller]
fn session(candor: Candor<'_>) -> String {
    let ran = candor.run().ok();
    events(&ran)[0]["sessionId"].as_str().expect("an id").to_owned()
}

#[test]
fn words_and_standard_input_make_the_prompt() {
    check_prompt(&["What", "is", "this?"], None, "What is this?");
    check_prompt(&["What is this?"], Some("a log line\n"), "What is this?\n\na log line");
    check_prompt(&[], Some("only this\n"), "only this");
    check_prompt(&["--"], Some("only this\n"), "only this");
    check_prompt(&["  spaces around  "], Some("\n"), "spaces around");
    check_prompt(
        &["Keep the shape:"],
        Some("  indented\n\tand\r\nmore\n\n\n"),
        "Keep the shape:\n\n  indented\n\tand\r\nmore",
    );
}

#[test]
fn a_prompt_may_look_like_a_command() {
    check_prompt(&["--", "init"], None, "init");
    check_prompt(&["--", "sessions", "list"], None, "sessions list");
    check_prompt(&["--", "serve"], None, "serve");
    check_prompt(&["--", "--json"], None, "--json");
    check_prompt(&["init a repository here"], None, "init a repository here");
    check_prompt(&["help me with this"], None, "help me with this");
    check_prompt(&["sessions are lost, why?"], None, "sessions are lost, why?");
    check_prompt(&["please", "init"], None, "please init");
    check_prompt(&["--max-turns", "3", "hello", "there"], None, "hello there");
    check_prompt(&["-m", "init", "hello there"], None, "hello there");
    check_prompt(&["hello", "--max-turns", "3", "there"], None, "hello there");
}

#[test]
fn a_first_word_that_is_a_command_is_one() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["sessions", "list"]).run().ok();
    ask(&home, &["-m", "x", "errors", "list"]).run().ok();
    check_refused(&home, &fake, &["cron", "hello"], 2, "USAGE_NOT_IN_THIS_BUILD");
    check_refused(&home, &fake, &["sesions", "list"], 2, "USAGE_UNKNOWN_COMMAND");
    check_refused(&home, &fake, &["modls"], 2, "USAGE_UNKNOWN_COMMAND");
    assert_eq!(fake.requests().len(), 0);
}

#[test]
fn nothing_to_say_is_bad_usage() {
    let fake = fake();
    let home = home_of(&fake);
    let ran = ask(&home, &[]).run().code(2);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("Usage: candor"), "{}", ran.stderr);
    for words in [&["--json"][..], &["-c"], &["-s", "abcd"], &["--json", "   "]] {
        check_refused(&home, &fake, words, 2, "USAGE_MISSING_ARGUMENT");
    }
    ask(&home, &["--json"]).stdin(" \n\t\n").run().code(2).stderr_has("USAGE_MISSING_ARGUMENT");
}

#[test]
fn standard_input_has_a_limit_and_all_below_it_arrives() {
    let fake = fake();
    let home = home_of(&fake);
    let long = "x".repeat(STDIN_BYTES_MAX + 1);
    let ran = ask(&home, &["Read this"]).stdin(long.clone()).run().code(2);
    assert!(
        ran.stderr.contains("Error Code: USAGE_INVALID_VALUE") && ran.stderr.contains("10 MiB"),
        "{}",
        ran.stderr
    );
    assert_eq!(fake.requests().len(), 0);
    ask(&home, &["Read this"]).stdin(&long[1..]).run().ok();
    let texts = fake.requests()[0].user_texts();
    assert_eq!(texts[0].len(), STDIN_BYTES_MAX + "Read this\n\n".len());
}

#[test]
fn bytes_that_are_no_text_arrive_as_text() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["What is this?"]).stdin(b"\x7fELF\x00\xff\xfe\xc3(ok)\x1b[31m".to_vec()).run().ok();
    let texts = fake.requests()[0].user_texts();
    assert_eq!(texts, ["What is this?\n\n\u{7f}ELF\0\u{fffd}\u{fffd}\u{fffd}(ok)\u{1b}[31m"]);
    ask(&home, &["-c", "And again?"]).run().ok();
    assert_eq!(fake.requests()[1].refused, None, "the stored message can be sent again");
}

#[test]
fn a_session_is_found_by_its_id_its_beginning_and_its_end() {
    let fake = fake();
    let home = home_of(&fake);
    let id = session(ask(&home, &["--json", "The first one"]));
    session(ask(&home, &["--json", "Another one"]));
    let digits = id.replace('-', "");
    let pieces =
        [id.clone(), id.to_uppercase(), digits.clone(), digits[26..].to_owned(), digits[..30].to_owned()];
    for (turn, piece) in pieces.iter().enumerate() {
        let ran = ask(&home, &["--json", "-s", piece, "Go on there"]).run().ok();
        assert_eq!(events(&ran)[0]["sessionId"], id.as_str(), "{piece}");
        let said = fake.requests().pop().expect("a request").user_texts();
        assert_eq!((said[0].as_str(), said.len()), ("The first one", turn + 2));
    }
}

#[test]
fn a_session_that_is_not_there_or_not_one_is_a_card() {
    let fake = fake();
    let home = home_of(&fake);
    let first = session(ask(&home, &["--json", "The first one"]));
    let second = session(ask(&home, &["--json", "The second one"]));
    let unknown = ["0000000000000000", "zzzz", "abc", "", "' OR 1=1 --", "%%%%", "____"];
    for piece in unknown {
        check_refused(&home, &fake, &["-s", piece, "Go on there"], 4, "SESSION_UNKNOWN");
    }
    // Made in the same minute, their ids begin alike.
    let shared = &first[..8];
    assert!(second.starts_with(shared), "{first} {second}");
    let card = check_refused(&home, &fake, &["-s", shared, "Go on there"], 4, "SESSION_AMBIGUOUS");
    assert!(card.contains(&first) && card.contains(&second), "{card}");
    check_refused(&home, &fake, &["sessions", "show", shared], 4, "SESSION_AMBIGUOUS");
}

#[test]
fn going_on_means_the_latest_session_of_this_folder() {
    let fake = fake();
    let home = home_of(&fake);
    let card = check_refused(&home, &fake, &["-c", "And then?"], 4, "SESSION_NONE");
    assert!(card.contains(&home.workspace().display().to_string()), "{card}");
    session(ask(&home, &["--json", "In this folder"]));
    let elsewhere = home.tmp().display().to_string();
    check_refused(&home, &fake, &["-w", &elsewhere, "-c", "And then?"], 4, "SESSION_NONE");
    session(ask(&home, &["--json", "-w", &elsewhere, "In the other folder"]));
    ask(&home, &["-c", "And then?"]).run().ok();
    let said = fake.requests().pop().expect("a request").user_texts();
    assert_eq!(said, ["In this folder", "And then?"]);
    // A link to the folder is the folder.
    let link = home.tmp().join("link");
    std::os::unix::fs::symlink(home.workspace(), &link).expect("a link");
    ask(&home, &["-w", &link.display().to_string(), "-c", "Still here?"]).run().ok();
    assert_eq!(fake.requests().pop().expect("a request").user_texts()[0], "In this folder");
}

#[test]
fn a_named_session_and_the_latest_one_exclude_each_other() {
    let fake = fake();
    check_refused(&home_of(&fake), &fake, &["-s", "abcd", "-c", "Which?"], 2, "USAGE_CONFLICT");
}

#[test]
fn values_out_of_bounds_are_bad_usage() {
    let fake = fake();
    let home = home_of(&fake);
    let wrong: &[&[&str]] = &[
        &["--max-turns", "0"],
        &["--max-turns=-1"],
        &["--max-turns", "ten"],
        &["--max-cost", "0"],
        &["--max-cost", "nan"],
        &["--max-cost", "inf"],
        &["--timeout", "0"],
        &["--timeout", "soon"],
        &["--timeout=-5s"],
    ];
    for words in wrong {
        check_refused(&home, &fake, &[words, &["hello there"][..]].concat(), 2, "USAGE_INVALID_VALUE");
    }
}

#[test]
fn a_session_is_called_after_its_first_line() {
    let fake = fake();
    let home = home_of(&fake);
    let long = "é".repeat(200);
    let ran = ask(&home, &["--json", &format!("\n\n  {long}\nsecond line")]).run().ok();
    let name = events(&ran)[0]["name"].as_str().expect("a name").to_owned();
    assert_eq!(name, format!("{}...", "é".repeat(60)));
}

#[test]
fn events_come_in_the_order_of_the_contract() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", serde_json::json!({"command": "true"}))]).and_text("Let me see."));
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "Look around"]).run().ok();
    assert_eq!(ran.stderr, "", "everything is in the events");
    let first = events(&ran);
    assert_eq!(first[0]["type"], "session_created");
    let kinds: Vec<_> =
        first.iter().filter(|event| is_stored(event)).map(|event| event["type"].clone()).collect();
    let expected = [
        "session_created",
        "message_accepted",
        "run_start",
        "message_complete",
        "tool_start",
        "tool_result",
        "message_complete",
        "run_end",
    ];
    assert_eq!(kinds, expected);
    assert!(!of_type(&first, "stream_delta").is_empty());
    let last = check_order(&first, 0);

    let resumed = events(&ask(&home, &["--json", "-c", "And now?"]).run().ok());
    assert_eq!(resumed[0]["type"], "message_accepted", "earlier events are no news");
    check_order(&resumed, last);
}

fn is_stored(event: &Value) -> bool {
    !["stream_delta", "tool_progress", "status"].contains(&event["type"].as_str().unwrap_or_default())
}

/// Asserts that stored events count on from `last` without a gap and that others carry the number before them.
#[track_caller]
fn check_order(events: &[Value], mut last: u64) -> u64 {
    let (session, mut at) = (&events[0]["sessionId"], String::new());
    let run = &of_type(events, "run_start")[0]["runId"];
    for event in events {
        last += u64::from(is_stored(event));
        assert_eq!(event["seq"], last, "{event}");
        assert_eq!(&event["sessionId"], session);
        let moment = event["at"].as_str().expect("a moment").to_owned();
        assert!(moment >= at && moment.len() == "2025-02-11T10:00:00.000Z".len(), "{moment} after {at}");
        at = moment;
        let before_run = ["session_created", "message_accepted"].iter().any(|kind| event["type"] == *kind);
        assert!(before_run || &event["runId"] == run, "{event}");
    }
    last
}

#[test]
fn two_at_once_in_one_session_do_not_spoil_it() {
    let fake = fake();
    let gate = candor_testkit::Gate::new();
    let home = home_of(&fake);
    session(ask(&home, &["--json", "The first message"]));
    fake.push(Reply::text("Slow answer.").deltas(4).gate(&gate));
    let slow = ask(&home, &["-c", "The slow one"]).spawn();
    gate.wait_reached();
    let quick = ask(&home, &["-c", "The quick one"]).run();
    gate.open();
    let ends = [quick, slow.finish()];
    let busy: Vec<_> = ends.iter().filter(|ran| ran.status != 0).collect();
    assert!(
        busy.len() <= 1 && busy.iter().all(|ran| ran.stderr.contains("Error Code: SESSION_BUSY")),
        "{ends:?}"
    );
    let after = events(&ask(&home, &["--json", "-c", "And now?"]).run().ok());
    let session = after[0]["sessionId"].as_str().expect("an id");
    let stored = events(&ask(&home, &["sessions", "show", "--json", session]).run().ok());
    let numbers: Vec<_> = stored.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(numbers, (1..=stored.len() as u64).collect::<Vec<_>>());
}
