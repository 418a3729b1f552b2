//! A conversation through a pipe: each line is a message.

use candor_testkit::{Candor, Dialect, FakeLlm, Gate, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, candor, events, home_of, home_with, of_type};

/// A home whose model plays these replies.
pub(crate) fn playing(replies: &Value) -> Home {
    let home = Home::new();
    let script = home.write("play.json", json!({ "replies": replies, "loop": true }).to_string());
    home.write(
        "config.toml",
        format!(
            "provider = \"play\"\nsession.model_titles = false\nretry = {{ max_retries = 0 }}\n[providers.play]\ndialect = \"scripted\"\nscript = \"{}\"\n",
            script.display()
        ),
    );
    home
}

/// The binary with these lines on its standard input.
pub(crate) fn piped<'h>(home: &'h Home, args: &[&str], lines: &str) -> Candor<'h> {
    ask(home, &[&["-r"], args].concat()).stdin(lines)
}

fn echo() -> Home {
    playing(&json!([{ "text": "You said {{last_user}}." }]))
}

/// What the model was asked, the last message of each request.
fn asked(fake: &FakeLlm) -> Vec<String> {
    fake.requests().iter().filter_map(|seen| seen.user_texts().pop()).collect()
}

#[track_caller]
fn sessions(home: &Home) -> Vec<Value> {
    let listed = candor(home, "sessions list --json").run().ok().stdout;
    serde_json::from_str(&listed).expect("JSON")
}

#[test]
fn each_line_is_a_message_of_one_session() {
    let home = echo();
    let ran = piped(&home, &[], "one\n\n  \ntwo\nthree").run().ok();
    assert_eq!(ran.stdout, "You said one.\nYou said two.\nYou said three.\n");
    assert_eq!(ran.stderr, "", "nothing but the answers");
    let sessions = sessions(&home);
    assert_eq!(sessions.len(), 1);
    assert_eq!((&sessions[0]["source"], &sessions[0]["messageCount"]), (&json!("repl"), &json!(6)));
}

#[test]
fn no_line_is_no_session() {
    let home = echo();
    assert_eq!(piped(&home, &[], "").run().ok().stdout, "");
    assert!(sessions(&home).is_empty());
}

#[test]
fn a_prompt_is_said_first() {
    let ran = piped(&echo(), &["zero", "point"], "one\n").run().ok();
    assert_eq!(ran.stdout, "You said zero point.\nYou said one.\n");
}

#[test]
fn the_conversation_is_known_to_the_model() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    let home = home_of(&fake);
    piped(&home, &[], "The first thing\nThe second thing\n").run().ok();
    let texts: Vec<_> = fake.requests().iter().map(candor_testkit::Seen::user_texts).collect();
    assert!(texts.contains(&vec!["The first thing".to_owned(), "The second thing".to_owned()]), "{texts:?}");
}

#[test]
fn a_failed_run_ends_nothing_but_itself() {
    let failing = || json!({ "error": { "kind": "unauthorized" } });
    let home = playing(&json!([failing(), { "text": "Now it works." }]));
    let ran = piped(&home, &[], "one\ntwo\n").run().ok();
    assert_eq!(ran.stdout, "Now it works.\n");
    assert!(ran.stderr.contains("Error Code: PROVIDER_UNAUTHORIZED"), "{}", ran.stderr);
}

#[test]
fn the_last_run_is_the_exit_code() {
    let home =
        playing(&json!([{ "text": "Good." }, { "error": { "kind": "unauthorized" } }, { "text": "x" }]));
    piped(&home, &[], "one\ntwo\n").run().code(1);
    let home = playing(&json!([{ "error": { "kind": "unauthorized" } }, { "text": "Good." }]));
    piped(&home, &[], "one\ntwo\n").run().ok();
    piped(&home, &[], "one\n/quit\ntwo\n").run().code(1);
}

#[test]
fn limits_hold_for_each_run() {
    let call = json!({ "calls": [{ "name": "shell_exec", "args": { "command": "true" } }] });
    let home = playing(&json!([call, { "text": "Done." }]));
    let ran = piped(&home, &["--max-turns", "1"], "one\n").run().code(4);
    assert!(ran.stderr.contains("Error Code: RUN_TURNS_SPENT"), "{}", ran.stderr);
    let home = playing(&json!([{ "text": "Done." }]));
    piped(&home, &["--max-turns", "1"], "one\ntwo\nthree\n").run().ok();
}

#[test]
fn earlier_sessions_are_gone_on_with() {
    let home = echo();
    ask(&home, &["The beginning"]).run().ok();
    for (args, count) in [(&["-c"][..], 4), (&["-s", "last"], 6)] {
        piped(&home, args, "more\n").run().ok();
        let sessions = sessions(&home);
        assert_eq!((sessions.len(), &sessions[0]["messageCount"]), (1, &json!(count)), "{args:?}");
    }
    piped(&home, &["-s", "0000000000"], "more\n").run().code(4).stderr_has("SESSION_UNKNOWN");
    piped(&home, &["-s", "x", "-c"], "more\n").run().code(2).stderr_has("USAGE_CONFLICT");
}

#[test]
fn json_prints_events_and_nothing_else() {
    let home = echo();
    let ran = piped(&home, &["--json"], "one\n/help\n/sessions\n/usage\n/nonsense\ntwo\n").run().ok();
    let events = events(&ran);
    assert_eq!(of_type(&events, "run_end").len(), 2);
    assert_eq!(of_type(&events, "session_created").len(), 1);
    let numbers: Vec<_> =
        of_type(&events, "message_accepted").iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert!(numbers[0] < numbers[1], "no event twice: {numbers:?}");
    assert!(ran.stderr.contains("/compact") && ran.stderr.contains("There is no command /nonsense"), "{ran}");
}

#[test]
fn what_looks_like_a_command_is_sent_only_when_it_is_meant() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    let home = home_of(&fake);
    let lines = "/sesions\n/etc/hosts please\n/help me\n//etc/hosts is what?\n /new is what?\n";
    let ran = piped(&home, &[], lines).run().ok();
    assert!(ran.stderr.contains("Did you mean /sessions?"), "{}", ran.stderr);
    assert!(ran.stderr.contains("There is no command /etc/hosts."), "{}", ran.stderr);
    let asked = asked(&fake);
    for message in ["/etc/hosts is what?", "/new is what?"] {
        assert!(asked.iter().any(|text| text == message), "{message}: {asked:?}");
    }
    assert!(!asked.iter().any(|text| text.contains("please") || text.contains("help me")), "{asked:?}");
}

#[test]
fn a_secret_in_a_message_is_masked_for_everyone() {
    let home = echo();
    let key = format!("sk-ant-api03-{}", "q7".repeat(20));
    let ran = piped(&home, &[], &format!("my key is {key}\n")).run().ok();
    assert!(!ran.stdout.contains(&key) && !ran.stderr.contains(&key), "{ran}");
    assert!(!home.path().join("history").exists(), "what a program says is not in the history of a person");
}

#[test]
fn an_answer_cannot_command_the_terminal_behind_the_pipe() {
    let home = playing(&json!([{ "text": "red \u{1b}[31m" }]));
    let ran = piped(&home, &[], "one\n/etc\u{1b}[2J\n").run().ok();
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn a_line_without_an_end_is_refused() {
    let long = "x".repeat(10 * 1024 * 1024 + 1);
    piped(&echo(), &[], &long).run().code(2).stderr_has("USAGE_INVALID_VALUE").stderr_has("10 MiB");
}

#[test]
fn a_reader_that_has_gone_ends_the_conversation() {
    let home = echo();
    let line = format!("(printf 'one\\ntwo\\nthree\\n' | {} -r; echo rc=$? >&2) | true", crate::rig::BINARY);
    let ran = Candor::new("sh", &home).args(["-c", &line]).run();
    assert!(ran.stderr.contains("rc=0"), "{}", ran.stderr);
    let count = sessions(&home)[0]["messageCount"].as_u64().unwrap_or_default();
    assert!(count <= 4, "the conversation went on unheard: {count}");
}

#[test]
fn a_signal_between_two_lines_leaves() {
    for signal in ["INT", "TERM"] {
        let home = echo();
        let pipe = home.tmp().join("lines");
        Candor::new("mkfifo", &home).args([&pipe]).run().ok();
        let line = format!("exec {} -r 'Hello there' < {}", crate::rig::BINARY, pipe.display());
        let running = Candor::new("sh", &home).args(["-c", &line]).spawn();
        // It stays open, so that the end of input is not what ends the conversation.
        let _lines = std::fs::File::options().write(true).open(&pipe).expect("a pipe");
        running.wait_for_stdout("You said Hello there.");
        running.signal(signal);
        running.finish().code(130);
    }
}

#[test]
fn a_signal_during_a_run_stops_it_and_leaves_the_rest_unsaid() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let gate = Gate::new();
    fake.push(Reply::text("Half of it, and then the rest.").deltas(8).gate(&gate));
    fake.repeat(Reply::text("Yes."));
    let home = home_of(&fake);
    let running = piped(&home, &[], "one\ntwo\n").spawn();
    gate.wait_reached();
    running.signal("INT");
    let ran = running.finish().code(130);
    assert!(ran.stderr.contains("stopped, 0 turns"), "{ran}");
    assert!(!asked(&fake).contains(&"two".to_owned()));
}

#[test]
fn a_provider_that_is_not_configured_is_a_card_before_anything_is_read() {
    candor(&Home::new(), "-r").stdin("one\n").run().code(4).stderr_has("PROVIDER_NOT_CONFIGURED");
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, "permission = \"root\"");
    piped(&home, &[], "one\n").run().code(1).stderr_has("CONFIG_INVALID");
}
