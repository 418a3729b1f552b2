//! The commands of a conversation.

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::json;

use crate::repl::{piped, playing};
use crate::rig::{ask, home_of, home_with};

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    fake
}

/// Whether the model was asked with exactly these messages of the user.
fn was_asked(fake: &FakeLlm, texts: &[&str]) -> bool {
    fake.requests().iter().any(|seen| seen.user_texts() == texts)
}

#[test]
fn new_begins_a_new_session() {
    let fake = fake();
    let home = home_of(&fake);
    piped(&home, &[], "First topic\n/new\nSecond topic\n").run().ok();
    assert!(was_asked(&fake, &["First topic"]) && was_asked(&fake, &["Second topic"]));
    assert!(!was_asked(&fake, &["First topic", "Second topic"]));
}

#[test]
fn sessions_are_listed_and_taken_up_by_number() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["Apples are red"]).run().ok();
    ask(&home, &["Pears are green"]).run().ok();
    let ran = piped(&home, &[], "/sessions\n/resume 2\nWhat are they?\n/sessions\n").run().ok();
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("  1  ") && lines[0].ends_with("Pears are green"), "{ran}");
    assert!(lines[1].starts_with("  2  ") && lines[1].ends_with("Apples are red"), "{ran}");
    assert!(was_asked(&fake, &["Apples are red", "What are they?"]));
    assert!(lines.iter().any(|line| line.starts_with("* 1") && line.ends_with("Apples are red")), "{ran}");
}

#[test]
fn sessions_are_found_by_what_was_said() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["Apples are red"]).run().ok();
    ask(&home, &["Pears are green"]).run().ok();
    let ran = piped(&home, &[], "/sessions apples\n/resume 1\nAnd then?\n/sessions plums\n").run().ok();
    assert!(ran.stdout.contains("Apples are red") && !ran.stdout.contains("Pears"), "{ran}");
    assert!(ran.stderr.contains("nothing found"), "{ran}");
    assert!(was_asked(&fake, &["Apples are red", "And then?"]));
}

#[test]
fn a_session_that_says_it_often_is_listed_once() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["Pears, the oldest"]).run().ok();
    let often = "Pears again\n".repeat(11);
    piped(&home, &[], &often).run().ok();
    let ran = piped(&home, &[], "/sessions pears\n/resume 2\nWhich one?\n").run().ok();
    let listed = ran.stdout.lines().filter(|line| line.trim_start().starts_with(['1', '2', '3'])).count();
    assert_eq!(listed, 2, "{ran}");
    assert!(was_asked(&fake, &["Pears, the oldest", "Which one?"]), "{ran}");
}

#[test]
fn a_search_in_vain_leaves_the_list() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["Apples are red"]).run().ok();
    piped(&home, &[], "/sessions\n/sessions plums\n/resume 1\nAnd then?\n").run().ok();
    assert!(was_asked(&fake, &["Apples are red", "And then?"]));
}

#[test]
fn the_session_before_is_one_word_away() {
    let fake = fake();
    let home = home_of(&fake);
    piped(&home, &[], "First topic\n/new\nSecond topic\n/resume\nBack again\n").run().ok();
    assert!(was_asked(&fake, &["First topic", "Back again"]));
    let empty = home_of(&fake);
    piped(&empty, &[], "/resume\n").run().code(4).stderr_has("SESSION_NONE");
}

#[test]
fn a_session_is_taken_up_by_a_piece_of_its_id() {
    let fake = fake();
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "First topic"]).run().ok();
    let id = crate::rig::events(&ran)[0]["sessionId"].as_str().expect("an id").to_owned();
    ask(&home, &["Second topic"]).run().ok();
    piped(&home, &[], &format!("/resume {}\nBack again\n", &id[28..])).run().ok();
    assert!(was_asked(&fake, &["First topic", "Back again"]));
}

#[test]
fn what_cannot_be_taken_up_is_a_card_and_the_session_stays() {
    let fake = fake();
    let home = home_of(&fake);
    let lines = "First topic\n/resume 1\n/sessions\n/resume 2\n/resume 0\n/resume zzzz\nStill here\n";
    let ran = piped(&home, &[], lines).run().ok();
    assert!(ran.stderr.contains("There is no list yet") && ran.stderr.contains("goes from 1 to 1"), "{ran}");
    assert!(ran.stderr.contains("Error Code: SESSION_UNKNOWN"), "{ran}");
    assert!(ran.stderr.contains("Command Failed: /resume zzzz\n"), "the card names what was typed: {ran}");
    assert!(was_asked(&fake, &["First topic", "Still here"]));
}

#[test]
fn usage_is_that_of_the_session() {
    let reply =
        |input, output| json!({ "text": "x", "usage": { "inputTokens": input, "outputTokens": output } });
    let home = playing(&json!([reply(100, 7), reply(200, 8)]));
    ask(&home, &["Elsewhere"]).run().ok();
    let ran = piped(&home, &[], "/usage\none\n/usage\ntwo\n/usage\n").run().ok();
    assert!(ran.stderr.contains("nothing was used in this session yet"), "{ran}");
    assert!(
        ran.stdout.contains("1 run, 1 turn, 0 tool calls; 100 tokens in (0 from the cache), 7 out"),
        "{ran}"
    );
    assert!(
        ran.stdout.contains("2 runs, 2 turns, 0 tool calls; 300 tokens in (0 from the cache), 15 out"),
        "{ran}"
    );
}

#[test]
fn help_names_every_command() {
    let home = playing(&json!([{ "text": "x" }]));
    let ran = piped(&home, &[], "/help\n").run().ok();
    for command in
        ["/new", "/sessions", "/resume", "/model", "/compact", "/usage", "/rename", "/help", "/quit"]
    {
        assert!(ran.stdout.lines().any(|line| line.starts_with(command)), "{command}\n{ran}");
    }
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "fits any terminal: {ran}");
}

#[test]
fn quit_leaves_the_rest_unsaid() {
    for word in ["/quit", "/exit"] {
        let fake = fake();
        let home = home_of(&fake);
        piped(&home, &[], &format!("one\n{word}\ntwo\n")).run().ok();
        assert!(was_asked(&fake, &["one"]) && !was_asked(&fake, &["one", "two"]), "{word}");
    }
}

#[test]
fn another_model_answers_from_the_next_message_on() {
    let fake = fake();
    fake.models(&["fake-model", "other-model"]);
    let home = home_of(&fake);
    let ran = piped(&home, &[], "one\n/model other-model\ntwo\n/model\n").run().ok();
    let model = |texts: &[&str]| {
        let requests = fake.requests();
        let seen = requests.iter().find(|seen| seen.user_texts() == texts).expect("a request");
        seen.body["model"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        (model(&["one"]), model(&["one", "two"])),
        ("fake-model".to_owned(), "other-model".to_owned())
    );
    for line in ["other-model of fake", "  fake-model", "* other-model"] {
        assert!(ran.stdout.lines().any(|said| said == line), "{line}\n{ran}");
    }
}

#[test]
fn a_model_that_is_not_there_is_a_card_and_the_old_one_stays() {
    let fake = fake();
    fake.models(&["fake-model", "dated-model-20250929", "tagged:latest"]);
    let home = home_of(&fake);
    for (name, is_there) in [
        ("fake", false),
        ("nope", false),
        ("dated-model", true),
        ("dated-model-latest", true),
        ("tagged", true),
    ] {
        let ran = piped(&home, &[], &format!("/model {name}\n{name} says\n")).run().ok();
        assert_eq!(!ran.stderr.contains("Error Code: PROVIDER_MODEL_UNKNOWN"), is_there, "{name}: {ran}");
        let requests = fake.requests();
        let said = format!("{name} says");
        let seen = requests.iter().find(|seen| seen.user_texts() == [said.as_str()]).expect("a request");
        let expected = if is_there { name } else { "fake-model" };
        assert_eq!(seen.body["model"], expected);
    }
}

#[test]
fn a_model_of_another_provider_is_named_with_it() {
    let (fake, other) = (fake(), fake());
    let base_url = other.base_url();
    let home = home_with(&fake, "");
    let config = home.read("config.toml")
        + &format!(
            "[providers.other]\ndialect = \"openai-chat\"\nbase_url = \"{base_url}\"\napi_key_env = \"FAKE_KEY\"\nmodel = \"m\"\n"
        );
    home.write("config.toml", config);
    other.models(&["big/one"]);
    // Once the provider has changed, a bare name is one of its own.
    piped(&home, &[], "one\n/model other/big/one\ntwo\n/model big/one\nthree\n").run().ok();
    assert!(was_asked(&fake, &["one"]) && was_asked(&other, &["one", "two"]));
    assert!(was_asked(&other, &["one", "two", "three"]));
    piped(&home, &[], "/model nobody/one\n").run().code(1).stderr_has("PROVIDER_MODEL_UNKNOWN");
}

#[test]
fn what_needs_a_session_says_so() {
    let home = playing(&json!([{ "text": "x" }]));
    let ran = piped(&home, &[], "/compact\n/rename A name\n/rename\n").run().ok();
    for said in ["nothing to shorten yet", "there is no session yet", "/rename needs a name"] {
        assert!(ran.stderr.contains(said), "{said}\n{ran}");
    }
}

#[test]

fn a_session_is_renamed() {
    let home = playing(&json!([{ "text": "x" }]));
    let ran = piped(&home, &[], "one\n/rename A better name\n/sessions\ntwo\n").run().ok();
    assert!(ran.stdout.contains("A better name"), "{ran}");
    assert!(!ran.stderr.contains("meanwhile"), "our own doing is no news: {ran}");
}

#[test]

fn compacting_is_a_run_of_its_own() {
    let home = playing(&json!([{ "text": "A summary of it." }]));
    let ran = piped(&home, &["--json"], "one\ntwo\nthree\n/compact\nfour\n").run().ok();
    let events = crate::rig::events(&ran);
    assert_eq!(crate::rig::of_type(&events, "run_end").len(), 5);
}

#[test]
fn what_another_process_said_is_shown_before_the_next_message() {
    let home = playing(&json!([{ "text": "You said {{last_user}}." }]));
    ask(&home, &["The beginning"]).run().ok();
    let pipe = home.tmp().join("lines");
    candor_testkit::Candor::new("mkfifo", &home).args([&pipe]).run().ok();
    let line = format!("exec {} -r -c 'From here' < {}", crate::rig::BINARY, pipe.display());
    let running = candor_testkit::Candor::new("sh", &home).args(["-c", &line]).spawn();
    let mut lines = std::fs::File::options().write(true).open(&pipe).expect("a pipe");
    running.wait_for_stdout("You said From here.");
    ask(&home, &["-c", "From elsewhere"]).run().ok();
    std::io::Write::write_all(&mut lines, b"Here again\n").expect("somebody listens");
    drop(lines);
    let ran = running.finish().ok();
    assert!(ran.stderr.contains("you> From elsewhere"), "{ran}");
    assert!(ran.stdout.ends_with("You said Here again.\n"), "{ran}");
}
