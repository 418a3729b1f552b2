//! What is kept of a prompt: sessions, tokens, cost, and the layers of its system prompt.

use std::os::unix::fs::PermissionsExt;

use candor_testkit::{Candor, Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, candor, events, home_of, home_with};

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    fake
}

#[track_caller]
fn json_of(candor: Candor<'_>) -> Value {
    let ran = candor.run().ok();
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

#[test]
fn an_empty_home_has_no_sessions_and_no_usage() {
    let home = Home::new();
    let ran = candor(&home, "sessions list").run().ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.contains("no sessions")), ("", true));
    assert_eq!(json_of(candor(&home, "sessions list --json")), json!([]));
    let ran = candor(&home, "usage").run().ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "no runs yet\n"));
    assert_eq!(json_of(candor(&home, "usage --json")), json!([]));
    candor(&home, "sessions show abcdef").run().code(4).stderr_has("SESSION_UNKNOWN");
}

#[test]
fn sessions_are_listed_by_folder_the_latest_first() {
    let fake = fake();
    let home = home_of(&fake);
    let elsewhere = home.tmp().display().to_string();
    ask(&home, &["The older one"]).run().ok();
    ask(&home, &["The newer one"]).run().ok();
    ask(&home, &["-w", &elsewhere, "The one elsewhere"]).run().ok();
    let names = |line: &str| -> Vec<String> {
        let listed = json_of(candor(&home, line));
        let sessions = listed.as_array().expect("a list").iter();
        sessions.map(|session| session["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names("sessions list --json"), ["The newer one", "The older one"]);
    assert_eq!(names("sessions list --json --all"), ["The one elsewhere", "The newer one", "The older one"]);
    assert_eq!(names("sessions list --json --all -n 1"), ["The one elsewhere"]);
    assert_eq!(names(&format!("sessions list --json -w {elsewhere}")), ["The one elsewhere"]);
    ask(&home, &["-s", &id_of(&home, "The older one"), "Once more"]).run().ok();
    assert_eq!(names("sessions list --json")[0], "The older one", "what was used last comes first");
    let text = candor(&home, "sessions list").run().ok().stdout;
    assert_eq!(text.lines().count(), 2);
    assert!(
        text.lines().next().is_some_and(|line| line.contains(" done ") && line.ends_with("The older one")),
        "{text}"
    );
}

#[track_caller]
fn id_of(home: &Home, name: &str) -> String {
    let listed = json_of(candor(home, "sessions list --json --all"));
    let sessions = listed.as_array().expect("a list");
    let found = sessions.iter().find(|session| session["name"] == name).expect("the session");
    found["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_session_is_shown_as_it_went() {
    let fake = fake();
    fake.push(Reply::text("Let me look.").and_call("shell_exec", json!({"command": "echo from-the-shell"})));
    fake.push(Reply::text("It is done."));
    fake.push(Reply::status(401));
    let home = home_of(&fake);
    let said = ask(&home, &["--json", "Do it"]).run().ok();
    ask(&home, &["-c", "And now?"]).run().code(1);
    let id = id_of(&home, "Do it");
    let text = candor(&home, &format!("sessions show {id}")).run().ok().stdout;
    let parts = [
        "session ",
        "you> Do it",
        "> Let me look.",
        "> shell_exec echo from-the-shell",
        "from-the-shell",
        "> It is done.",
        "[done]",
        "you> And now?",
        "error: ",
        "[failed]",
    ];
    let mut rest = text.as_str();
    for part in parts {
        let (_, after) =
            rest.split_once(part).unwrap_or_else(|| panic!("{part:?} is missing in order:\n{text}"));
        rest = after;
    }
    let shown = events(&candor(&home, &format!("sessions show --json {id}")).run().ok());
    let stored: Vec<Value> =
        events(&said).into_iter().filter(|event| event["type"] != "stream_delta").collect();
    assert_eq!(shown[..stored.len()], stored[..], "what was printed is what was stored");
}

#[test]
fn usage_adds_up_by_day_model_and_session() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(Reply::text("One.").usage(1000, 100).cached(400, 0));
    fake.push(Reply::text("Two.").usage(2000, 200));
    fake.push(Reply::text("Three.").usage(10, 1));
    let home = home_with(&fake, "model = \"claude-sonnet-4-5\"");
    ask(&home, &["First message"]).run().ok();
    ask(&home, &["-c", "Second message"]).run().ok();
    ask(&home, &["-m", "never-heard-of", "Third message"]).run().ok();
    let rows = json_of(candor(&home, "usage --json --by model"));
    let row = |key: &str| rows.as_array().and_then(|rows| rows.iter().find(|row| row["key"] == key)).cloned();
    let known = row("claude-sonnet-4-5").expect("a row");
    assert_eq!(
        (&known["runs"], &known["usage"]["inputTokens"], &known["usage"]["outputTokens"]),
        (&json!(2), &json!(3000), &json!(300))
    );
    assert_eq!(known["usage"]["cacheReadTokens"], 400);
    assert!(known["costUsd"].as_f64().is_some_and(|cost| cost > 0.005 && cost < 0.05), "{known}");
    let unknown = row("never-heard-of").expect("a row");
    assert_eq!((&unknown["runs"], &unknown["unpricedRuns"]), (&json!(1), &json!(1)));
    let count =
        |by: &str| json_of(candor(&home, &format!("usage --json --by {by}"))).as_array().map(Vec::len);
    assert_eq!((count("day"), count("session")), (Some(1), Some(2)));
    let text = candor(&home, "usage").run().ok();
    assert!(text.stdout.contains('>') && text.stderr.contains("prices as of"), "{text}");
    assert_eq!(json_of(candor(&home, "usage --json --since 2100-01-01")), json!([]));
    candor(&home, "usage --since yesterdayish").run().code(2).stderr_has("USAGE_INVALID_VALUE");
}

#[test]
fn what_is_written_is_for_its_owner_alone() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", json!({"command": "head -c 900000 /dev/zero | tr '\\0' x"}))]));
    let home = home_of(&fake);
    home.set_mode("", 0o700);
    ask(&home, &["Hello there"]).run().ok();
    let mut looked = 0;
    check_modes(&home.path(), &mut looked);
    assert!(looked >= 4, "the database, the log, its folder, the long output: {looked}");
}

fn check_modes(dir: &std::path::Path, looked: &mut usize) {
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let metadata = entry.metadata().expect("metadata");
        let mode = metadata.permissions().mode() & 0o7777;
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}: {mode:o}", entry.path().display());
        *looked += 1;
        if metadata.is_dir() {
            check_modes(&entry.path(), looked);
        }
    }
}

#[test]
fn a_home_is_made_on_first_use_for_its_owner_alone() {
    let fake = fake();
    let home = Home::new();
    let base_url = fake.base_url();
    let config = home.write_in_workspace("c.toml", format!("provider = \"f\"\n[providers.f]\nmodel = \"m\"\nbase_url = \"{base_url}\"\napi_key_env = \"FAKE_KEY\"\n"));
    assert!(!home.path().exists());
    ask(&home, &["--config", &config.display().to_string(), "Hello there"]).run().ok();
    assert_eq!((home.mode(""), home.mode("candor.db"), home.mode("logs")), (0o700, 0o600, 0o700));
}

#[test]
fn every_layer_of_the_prompt_is_shown_with_its_source() {
    let fake = fake();
    let home = home_of(&fake);
    home.write("system-prompt.md", "I am the identity.");
    home.write("instructions.md", "I am the last word.");
    home.write_in_workspace("SYSTEM_PROMPT.md", "I am the workspace.");
    home.write_in_workspace("AGENTS.md", "I am for agents.");
    let shown = json_of(ask(&home, &["prompt", "show", "--json"]));
    let layers = shown["layers"].as_array().expect("a list");
    let texts: Vec<_> =
        layers.iter().map(|layer| (layer["layer"].clone(), layer["source"].clone())).collect();
    let names: Vec<_> = texts.iter().map(|(name, _)| name.as_str().unwrap_or_default()).collect();
    assert_eq!(
        names,
        ["identity", "harness", "tools", "separator", "workspace", "agents", "custom"],
        "{texts:?}"
    );
    for (at, file) in
        [(0, "system-prompt.md"), (4, "SYSTEM_PROMPT.md"), (5, "AGENTS.md"), (6, "instructions.md")]
    {
        assert!(texts[at].1.as_str().is_some_and(|source| source.ends_with(file)), "{texts:?}");
    }
    ask(&home, &["Hello there"]).run().ok();
    let sent = fake.requests()[0].system().expect("a system message");
    assert_eq!(shown["bytes"].as_u64(), Some(sent.len() as u64), "what is shown is what is sent");
    let plain = ask(&home, &["prompt", "show"]).run().ok();
    for said in ["== identity (18 bytes", "I am for agents.", "== custom"] {
        assert!(plain.stdout.contains(said), "{said}: {}", plain.stdout);
    }
    let none = ask(&home, &["prompt", "show", "--system-prompt", ""]).run().ok();
    assert!(none.stdout.is_empty() && none.stderr.contains("no system message"), "{none}");
}

/// A conversation with everything in it that a dialect may refuse from another.
fn rich(fake: &FakeLlm) {
    fake.push(
        Reply::text("Two things.")
            .and_call("shell_exec", json!({"command": "echo one"}))
            .and_call("file_read", json!({"path": "not-there"}))
            .and_reasoning("First I think.", "c2lnbmF0dXJl"),
    );
    fake.push(Reply::text("Both done.").and_reasoning("Now I know.", "c2lnbmF0dXJlMg=="));
}

#[test]
fn a_session_goes_on_with_a_provider_of_any_other_dialect() {
    for first in Dialect::ALL {
        let opening = FakeLlm::start(*first);
        rich(&opening);
        let home = home_of(&opening);
        ask(&home, &["Two things, please"]).run().ok();
        for next in Dialect::ALL {
            let other = FakeLlm::start(*next);
            rich(&other);
            write_config(&home, &other);
            let ran = ask(&home, &["-c", "Go on, please"]).run().ok();
            assert_eq!(ran.stdout, "Both done.\n");
            let refused: Vec<_> = other.requests().into_iter().filter_map(|seen| seen.refused).collect();
            assert!(refused.is_empty(), "{} after {}: {refused:?}", next.name(), first.name());
            assert_eq!(other.requests()[0].user_texts()[0], "Two things, please");
        }
    }
}

fn write_config(home: &Home, fake: &FakeLlm) {
    let (dialect, base_url) = (fake.dialect().name(), fake.base_url());
    home.write(
        "config.toml",
        format!(
            "provider = \"fake\"\n[providers.fake]\ndialect = \"{dialect}\"\nbase_url = \"{base_url}\"\n\
             api_key_env = \"FAKE_KEY\"\nmodel = \"fake-model\"\n"
        ),
    );
}

#[test]
fn thoughts_and_their_seals_go_back_to_the_dialect_they_came_from() {
    for dialect in [Dialect::Anthropic, Dialect::Gemini, Dialect::OpenaiResponses] {
        let fake = FakeLlm::start(dialect);
        rich(&fake);
        fake.push(Reply::text("Still here."));
        let home = home_of(&fake);
        ask(&home, &["Two things, please"]).run().ok();
        ask(&home, &["-c", "Go on, please"]).run().ok();
        let bodies: Vec<String> = fake.requests().iter().map(|seen| seen.body.to_string()).collect();
        for body in &bodies[1..] {
            assert!(body.contains("c2lnbmF0dXJl"), "{}: {body}", dialect.name());
        }
    }
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.require_reasoning_back();
    rich(&fake);
    fake.push(Reply::text("Still here."));
    let home = home_of(&fake);
    ask(&home, &["Two things, please"]).run().ok();
    ask(&home, &["-c", "Go on, please"]).run().ok();
}

#[test]
fn each_request_begins_like_the_one_before_it() {
    for dialect in Dialect::ALL {
        let fake = FakeLlm::start(*dialect);
        rich(&fake);
        fake.push(Reply::text("Still here."));
        let home = home_of(&fake);
        ask(&home, &["Two things, please"]).run().ok();
        ask(&home, &["-c", "Go on, please"]).run().ok();
        let requests = fake.requests();
        for pair in requests.windows(2) {
            check_prefix(*dialect, &pair[0].body, &pair[1].body);
        }
    }
}

/// Asserts that everything a cache looks at is the same up to where the earlier request ends.
#[track_caller]
fn check_prefix(dialect: Dialect, earlier: &Value, later: &Value) {
    let list = match dialect {
        Dialect::OpenaiResponses => "input",
        Dialect::Gemini => "contents",
        _ => "messages",
    };
    for key in ["model", "tools", "system", "instructions", "systemInstruction", "prompt_cache_key"] {
        assert_eq!(earlier[key].to_string(), later[key].to_string(), "{}: {key}", dialect.name());
    }
    let bare = |body: &Value| {
        let mut messages = body[list].clone();
        for message in messages.as_array_mut().into_iter().flatten() {
            for block in message["content"].as_array_mut().into_iter().flatten() {
                block.as_object_mut().map(|block| block.remove("cache_control"));
            }
        }
        messages
    };
    let (earlier, later) = (bare(earlier), bare(later));
    let (earlier, later) = (earlier.as_array().expect("a list"), later.as_array().expect("a list"));
    assert!(later.len() > earlier.len());
    for (before, after) in earlier.iter().zip(later) {
        assert_eq!(before.to_string(), after.to_string(), "{}", dialect.name());
    }
}

#[test]
fn anthropic_is_told_what_to_cache() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    rich(&fake);
    let home = home_of(&fake);
    ask(&home, &["Two things, please"]).run().ok();
    let body = &fake.requests()[1].body;
    let is_marked = |block: &Value| block["cache_control"]["type"] == "ephemeral";
    let last = |list: &Value| list.as_array().and_then(|list| list.last()).cloned().unwrap_or_default();
    assert!(is_marked(&last(&body["tools"])) && is_marked(&last(&body["system"])));
    let turns = body["messages"].as_array().expect("a list");
    assert!(is_marked(&last(&turns[0]["content"])) && is_marked(&last(&turns[2]["content"])), "{turns:?}");
}
