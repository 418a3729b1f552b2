//! Which provider is asked, with which model and which key.

use std::io::{Read, Write};
use std::net::TcpListener;

use candor_testkit::{Candor, Dialect, FakeLlm, Fault, Home, Ran, Reply};
use serde_json::json;

use crate::rig::{BINARY, KEY, ask, candor, events, home_of, of_type};

/// Keys of the shapes that the providers give out, made up.
const ANTHROPIC: &str = "sk-ant-api03-made-up-for-a-test-0001";
const OPENAI: &str = "sk-proj-made-up-for-a-test-0002";
const GEMINI: &str = "AIza-made-up-for-a-test-0003-0000000000";
const TOKEN: &str = "sk-ant-oat01-made-up-for-a-test-0004";
const OTHER_TOKEN: &str = "sk-ant-oat01-made-up-for-a-test-0005";

/// Nothing listens at these addresses, whatever runs on the machine: no local server is found by chance.
const NO_LOCAL_SERVER: &[&str] =
    &["OLLAMA_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL", "LMSTUDIO_BASE_URL"];

fn fake(dialect: Dialect, answer: &str) -> FakeLlm {
    let fake = FakeLlm::start(dialect);
    fake.repeat(Reply::text(answer));
    fake
}

/// The binary on a machine without local servers.
fn alone<'h>(home: &'h Home, words: &[&str]) -> Candor<'h> {
    let candor = Candor::new(BINARY, home).args(words);
    NO_LOCAL_SERVER.iter().fold(candor, |candor, name| candor.env(name, "http://127.0.0.1:9"))
}

/// Every byte that a run has printed and left in its home.
fn left(home: &Home, ran: &Ran) -> String {
    let mut left = format!("{}{}", ran.stdout, ran.stderr);
    for name in ["candor.db", "candor.db-wal", "candor.db-shm", "logs/candor.log"] {
        left += &String::from_utf8_lossy(&std::fs::read(home.path().join(name)).unwrap_or_default());
    }
    left
}

/// Has a message answered with this configuration; returns what was sent as the key.
#[track_caller]
fn key_sent(table: &str, variables: &[(&str, &str)], files: &[(&str, &str)]) -> String {
    let fake = fake(Dialect::OpenaiChat, "Yes.");
    let home = Home::new();
    let base_url = fake.base_url();
    home.write(
        "config.toml",
        format!("provider = \"mine\"\n[providers.mine]\nmodel = \"m\"\nbase_url = \"{base_url}\"\n{table}\n"),
    );
    for (name, content) in files {
        home.write(name, content);
    }
    let candor = alone(&home, &["Hello there"]);
    variables.iter().fold(candor, |candor, (name, value)| candor.env(name, value)).run().ok();
    fake.requests()[0].header("authorization").unwrap_or_default().to_owned()
}

#[test]
fn a_key_comes_from_wherever_the_configuration_says() {
    assert_eq!(key_sent("api_key_env = \"MY_KEY\"", &[("MY_KEY", KEY)], &[]), format!("Bearer {KEY}"));
    assert_eq!(
        key_sent("api_key_file = \"key\"", &[], &[("key", &format!("{KEY}\n"))]),
        format!("Bearer {KEY}")
    );
    assert_eq!(key_sent(&format!("api_key_command = \"echo {KEY}\""), &[], &[]), format!("Bearer {KEY}"));
    assert_eq!(key_sent("api_key = \"${MY_KEY}\"", &[("MY_KEY", KEY)], &[]), format!("Bearer {KEY}"));
}

#[test]
fn a_key_that_cannot_be_had_is_a_card_and_nothing_is_asked() {
    let fake = fake(Dialect::OpenaiChat, "Yes.");
    let cases = [
        ("api_key_env = \"NOT_SET\"", "SECRET_MISSING"),
        ("api_key_file = \"not-there\"", "SECRET_FILE_UNREADABLE"),
        ("api_key_command = \"exit 3\"", "SECRET_COMMAND_FAILED"),
        ("api_key_command = \"true\"", "SECRET_COMMAND_FAILED"),
    ];
    for (table, code) in cases {
        let home = Home::new();
        let base_url = fake.base_url();
        home.write(
            "config.toml",
            format!(
                "provider = \"mine\"\n[providers.mine]\nmodel = \"m\"\nbase_url = \"{base_url}\"\n{table}\n"
            ),
        );
        let ran = alone(&home, &["Hello there"]).run();
        assert!(ran.status != 0 && ran.stderr.contains(&format!("Error Code: {code}")), "{table}: {ran}");
    }
    assert_eq!(fake.requests().len(), 0);
}

#[test]
fn a_key_is_in_no_byte_of_any_output_wherever_it_came_from() {
    let sources = [
        ("api_key_env = \"MY_KEY\"".to_owned(), vec![("MY_KEY", KEY)], None),
        ("api_key_file = \"key\"".to_owned(), vec![], Some(("key", KEY))),
        (format!("api_key_command = \"echo {KEY} | cat\""), vec![], None),
    ];
    for (table, variables, file) in sources {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        let home = Home::new();
        let base_url = fake.base_url();
        home.write(
            "config.toml",
            format!(
                "provider = \"mine\"\nlogging = {{ level = \"debug\" }}\n[providers.mine]\nmodel = \"m\"\n\
                 base_url = \"{base_url}\"\n{table}\n"
            ),
        );
        if let Some((name, content)) = file {
            home.write(name, content);
        }
        // The model repeats it, a command prints it, and the provider shows it in an error.
        fake.push(
            Reply::calls([("shell_exec", json!({ "command": format!("echo {KEY}; exit 1") }))]).and_text(KEY),
        );
        fake.push(Reply::calls([(
            "shell_exec",
            json!({"command": "printf 'fk-4f9a1c77'; echo e2b84d0aa6; exit 1"}),
        )]));
        fake.push(Reply::error("bad_request", &format!("Incorrect API key provided: {KEY}.")));
        let candor = alone(&home, &["--json", "Hello there"]);
        let ran =
            variables.iter().fold(candor, |candor, (name, value)| candor.env(name, value)).run().code(1);
        let shown = candor_show(&home);
        for bytes in [left(&home, &ran), left(&home, &shown)] {
            assert!(bytes.contains("Incorrect API key provided: [REDACTED]"), "{table}");
            assert!(!bytes.contains(KEY), "{table}");
        }
        let requests = fake.requests();
        assert_eq!(requests.len(), 3);
        assert!(
            requests.iter().all(|seen| !seen.body.to_string().contains(KEY)),
            "the model does not read it"
        );
    }
}

/// What `sessions show` prints of the only session.
fn candor_show(home: &Home) -> Ran {
    let listed = candor(home, "sessions list --json").env("MY_KEY", KEY).run().ok().stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let id = listed[0]["id"].as_str().expect("a session").to_owned();
    candor(home, &format!("sessions show {id}")).env("MY_KEY", KEY).run().ok()
}

#[test]
fn presets_work_with_a_key_and_an_address_in_the_environment() {
    let cases: &[(&str, &str, &str, Dialect, &str)] = &[
        ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ANTHROPIC, Dialect::Anthropic, "x-api-key"),
        ("OPENAI_API_KEY", "OPENAI_BASE_URL", OPENAI, Dialect::OpenaiChat, "authorization"),
        ("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", OPENAI, Dialect::OpenaiChat, "authorization"),
        ("GEMINI_API_KEY", "GEMINI_BASE_URL", GEMINI, Dialect::Gemini, "x-goog-api-key"),
        ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", OPENAI, Dialect::OpenaiChat, "authorization"),
        ("GROQ_API_KEY", "GROQ_BASE_URL", OPENAI, Dialect::OpenaiChat, "authorization"),
        ("XAI_API_KEY", "XAI_BASE_URL", OPENAI, Dialect::OpenaiChat, "authorization"),
        ("MISTRAL_API_KEY", "MISTRAL_BASE_URL", OPENAI, Dialect::OpenaiChat, "authorization"),
    ];
    for (key_variable, url_variable, key, dialect, header) in cases {
        let fake = fake(*dialect, "Yes.");
        let home = Home::new();
        let ran = alone(&home, &["Hello there"])
            .env(key_variable, key)
            .env(url_variable, fake.base_url())
            .run()
            .ok();
        assert_eq!(ran.stdout, "Yes.\n", "{key_variable}");
        let sent = fake.requests()[0].header(header).unwrap_or_default().to_owned();
        assert!(sent.ends_with(key), "{key_variable}: {sent}");
    }
}

#[test]
fn the_first_key_variable_decides_and_the_others_stay_home() {
    let first = fake(Dialect::Anthropic, "First.");
    let second = fake(Dialect::OpenaiChat, "Second.");
    let home = Home::new();
    let both = |words: &[&str]| {
        alone(&home, words)
            .env("OPENAI_API_KEY", OPENAI)
            .env("ANTHROPIC_API_KEY", ANTHROPIC)
            .env("ANTHROPIC_BASE_URL", first.base_url())
            .env("OPENAI_BASE_URL", second.base_url())
    };
    assert_eq!(both(&["Who is there?"]).run().ok().stdout, "First.\n");
    assert_eq!(both(&["-p", "openai", "Who is there?"]).run().ok().stdout, "Second.\n");
    assert_eq!(both(&["Who is there?"]).env("CANDOR_PROVIDER", "openai").run().ok().stdout, "Second.\n");
    assert_eq!(both(&["Who is there?"]).env("ANTHROPIC_API_KEY", "").run().ok().stdout, "Second.\n");
    check_apart(&first, ANTHROPIC, &second, OPENAI);
    assert_eq!(first.requests()[0].body["model"], "claude-sonnet-4-5");
    assert!(second.requests().iter().all(|seen| seen.body["model"] == "gpt-5"));
}

/// Asserts that each was sent its own key and nothing of the other's.
#[track_caller]
fn check_apart(one: &FakeLlm, key_of_one: &str, other: &FakeLlm, key_of_other: &str) {
    for (fake, own, foreign) in [(one, key_of_one, key_of_other), (other, key_of_other, key_of_one)] {
        assert!(!fake.requests().is_empty());
        for seen in fake.requests() {
            let bytes = format!("{:?} {} {}", seen.headers, seen.path, seen.body);
            assert!(bytes.contains(own) && !bytes.contains(foreign), "{bytes}");
        }
    }
}

#[test]
fn another_provider_comes_with_its_own_model_and_key() {
    let one = fake(Dialect::OpenaiChat, "One.");
    let other = fake(Dialect::Anthropic, "Other.");
    let home = Home::new();
    home.write(
        "config.toml",
        format!(
            "provider = \"one\"\nmodel = \"model-of-one\"\n\
             [providers.one]\nbase_url = \"{}\"\napi_key_env = \"ONE_KEY\"\n\
             [providers.other]\ndialect = \"anthropic\"\nbase_url = \"{}\"\napi_key_env = \"OTHER_KEY\"\n\
             model = \"model-of-other\"\n",
            one.base_url(),
            other.base_url()
        ),
    );
    let ask = |words: &[&str]| {
        alone(&home, words).env("ONE_KEY", OPENAI).env("OTHER_KEY", ANTHROPIC).run().ok().stdout
    };
    assert_eq!(ask(&["Who is there?"]), "One.\n");
    assert_eq!(ask(&["-p", "other", "Who is there?"]), "Other.\n");
    assert_eq!(ask(&["-c", "-p", "other", "-m", "named-here", "And now?"]), "Other.\n");
    check_apart(&one, OPENAI, &other, ANTHROPIC);
    assert_eq!(one.requests()[0].body["model"], "model-of-one");
    let models: Vec<_> = other.requests().iter().map(|seen| seen.body["model"].clone()).collect();
    assert_eq!(models, ["model-of-other", "named-here"]);
}

#[test]
fn the_environment_counts_for_more_than_a_key_for_all_providers() {
    let fake = fake(Dialect::Anthropic, "Yes.");
    let home = Home::new();
    home.write("config.toml", "provider = \"anthropic\"\napi_key_env = \"GENERAL_KEY\"\n");
    let general = || {
        alone(&home, &["Hello there"]).env("GENERAL_KEY", OPENAI).env("ANTHROPIC_BASE_URL", fake.base_url())
    };
    general().run().ok();
    general().env("ANTHROPIC_API_KEY", ANTHROPIC).run().ok();
    let keys: Vec<_> =
        fake.requests().iter().map(|seen| seen.header("x-api-key").map(str::to_owned)).collect();
    assert_eq!(keys, [Some(OPENAI.to_owned()), Some(ANTHROPIC.to_owned())]);
}

#[test]
fn a_local_server_is_found_and_asked_for_what_it_serves() {
    let fake = fake(Dialect::Ollama, "Found.");
    fake.models(&["tiny:1b"]);
    let home = Home::new();
    let ran = alone(&home, &["--json", "Who is there?"]).env("OLLAMA_BASE_URL", fake.base_url()).run().ok();
    assert_eq!(fake.requests()[0].body["model"], "tiny:1b");
    let events = events(&ran);
    assert_eq!(of_type(&events, "run_end")[0]["costUsd"], 0.0, "a model of one's own costs nothing");
}

/// Ollama cuts off without a word what it was not told to make room for, so the conversation is shortened before.
#[test]
fn no_conversation_grows_beyond_the_room_that_ollama_makes() {
    let fake = FakeLlm::start(Dialect::Ollama);
    fake.repeat(Reply::text(&"Words that take room. ".repeat(4_000)).usage(30_000, 22_000));
    fake.models(&["qwen3-coder:30b"]);
    let home = Home::new();
    let asked = |words: &[&str]| alone(&home, words).env("OLLAMA_BASE_URL", fake.base_url()).run().ok();
    let mut compacted = 0;
    for words in [&["--json", "One"][..], &["-c", "--json", "Two"], &["-c", "--json", "Three"]] {
        compacted += of_type(&events(&asked(words)), "compacted").len();
    }
    assert!(compacted > 0);
    let rooms: Vec<_> = fake.requests().iter().map(|seen| seen.body["options"]["num_ctx"].clone()).collect();
    assert!(rooms.len() >= 3 && rooms.iter().all(|room| *room == 32_768), "{rooms:?}");
}

/// A web server that is no model server: it answers everything with a few words.
fn some_web_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello");
        }
    });
    format!("http://{address}")
}

/// A listener that never answers.
fn some_silent_server() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, address)
}

#[test]
fn whatever_else_listens_on_a_port_is_not_taken_for_a_model_server() {
    let home = Home::new();
    let web = some_web_server();
    let (_silent, silent) = some_silent_server();
    let empty = FakeLlm::start(Dialect::Ollama);
    empty.models(&[]);
    for url in [web, silent, empty.base_url()] {
        let ran = alone(&home, &["Who is there?"])
            .env("OLLAMA_BASE_URL", &url)
            .env("LLAMACPP_BASE_URL", &url)
            .run();
        assert!(ran.code(4).stderr.contains("Error Code: PROVIDER_NOT_CONFIGURED"), "{url}");
    }
}

#[test]
fn without_any_provider_the_ways_to_get_one_are_told() {
    let ran = alone(&Home::new(), &["Who is there?"]).run().code(4);
    for said in [
        "PROVIDER_NOT_CONFIGURED",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "Ollama",
        "candor init",
        "candor demo",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert_eq!(ran.stderr.matches("OPENAI_API_KEY").count(), 2, "each variable once a list: {}", ran.stderr);
    let ran = alone(&Home::new(), &["models"]).run().code(4);
    assert!(ran.stderr.contains("PROVIDER_NOT_CONFIGURED"), "{}", ran.stderr);
}

#[test]
fn a_provider_that_nobody_knows_is_a_mistake_of_the_configuration() {
    let home = Home::new();
    home.write("config.toml", "provider = \"antropic\"\n");
    let ran = alone(&home, &["Who is there?"]).run().code(1);
    assert!(ran.stderr.contains("CONFIG_INVALID") && ran.stderr.contains("\"anthropic\"?"), "{}", ran.stderr);
    let ran = alone(&Home::new(), &["-p", "nobody", "Who is there?"]).run().code(2);
    assert!(ran.stderr.contains("\"nobody\" is neither a preset"), "{}", ran.stderr);
}

#[test]
fn s11_11_a_token_in_the_environment_beats_one_in_the_home() {
    let fake = fake(Dialect::Anthropic, "Yes.");
    let home = Home::new();
    let auth = |access: &str, expires: i64| {
        let entry =
            json!({"anthropic": {"type": "oauth", "access": access, "refresh": "r", "expires": expires}});
        home.write("auth.json", entry.to_string());
    };
    let base =
        || alone(&home, &["-p", "anthropic", "Hello there"]).env("ANTHROPIC_BASE_URL", fake.base_url());
    let sent = || fake.requests().pop().and_then(|seen| seen.header("authorization").map(str::to_owned));

    auth(OTHER_TOKEN, i64::MAX);
    base().run().ok();
    assert_eq!(sent(), Some(format!("Bearer {OTHER_TOKEN}")), "the token of the home");
    let ran = base().env("ANTHROPIC_OAUTH_TOKEN", TOKEN).run().ok();
    assert_eq!(sent(), Some(format!("Bearer {TOKEN}")), "the token of the environment");
    assert!(!left(&home, &ran).contains(TOKEN));
    base().env("ANTHROPIC_OAUTH_TOKEN", TOKEN).env("ANTHROPIC_API_KEY", ANTHROPIC).run().ok();
    assert_eq!(sent(), Some(format!("Bearer {TOKEN}")), "a token counts for more than a key");

    let asked = fake.requests().len();
    auth(OTHER_TOKEN, 1);
    base().run().code(1).stderr_has("SECRET_MISSING");
    home.write("auth.json", "{ not json");
    base().run().code(1).stderr_has("SECRET_MISSING");
    assert_eq!(fake.requests().len(), asked, "a token that has run out is not sent");
}

#[test]
fn every_dialect_goes_all_the_way() {
    for dialect in Dialect::ALL {
        let fake = FakeLlm::start(*dialect);
        fake.push(
            Reply::calls([("shell_exec", json!({"command": "echo all the way"}))]).and_text("Let me see."),
        );
        fake.push(Reply::text("It said so."));
        fake.push(Reply::text("Still here."));
        let home = home_of(&fake);
        let ran = ask(&home, &["--json", "Run it, please"]).run().ok();
        let events = events(&ran);
        let complete = of_type(&events, "message_complete");
        assert_eq!(complete.len(), 2, "{}", dialect.name());
        assert_eq!(complete[1]["content"][0]["text"], "It said so.");
        assert_eq!(of_type(&events, "tool_result")[0]["isError"], false);
        let used = of_type(&events, "run_end")[0]["usage"]["outputTokens"].as_u64();
        assert!(used.is_some_and(|tokens| tokens > 0), "{}: {used:?}", dialect.name());
        ask(&home, &["-c", "And now?"]).run().ok();
        let requests = fake.requests();
        assert!(requests.iter().all(|seen| seen.refused.is_none()), "{}", dialect.name());
        assert!(requests[1].tool_results()[0].contains("all the way"), "{}", dialect.name());
        assert_eq!(requests[2].user_texts(), ["Run it, please", "And now?"], "{}", dialect.name());
    }
}

#[test]
fn models_are_listed_in_every_dialect() {
    for dialect in Dialect::ALL {
        let fake = FakeLlm::start(*dialect);
        fake.models(&["zeta-2", "alpha-1"]);
        let home = home_of(&fake);
        let ran = ask(&home, &["models"]).run().ok();
        assert_eq!(ran.stdout, "alpha-1\nzeta-2\n", "{}", dialect.name());
        let ran = ask(&home, &["models", "--json"]).run().ok();
        let listed: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(listed, json!({"provider": "fake", "models": ["alpha-1", "zeta-2"]}));
        assert_eq!(fake.requests().len(), 0, "nothing is asked of a model");
    }
}

#[test]
fn a_list_of_models_that_cannot_be_had_is_a_card() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let ran = ask(&home, &["models"]).env("FAKE_KEY", " ").run();
    assert!(ran.status != 0 && ran.stderr.contains("Error Code: "), "{ran}");
    fake.stop_listening();
    let ran = ask(&home, &["models"]).run().code(1);
    assert!(ran.stderr.contains("PROVIDER_UNREACHABLE") && ran.stdout.is_empty(), "{}", ran.stderr);
    let web = some_web_server();
    home.write(
        "config.toml",
        format!("provider = \"web\"\n[providers.web]\nmodel = \"m\"\nbase_url = \"{web}\"\n"),
    );
    let ran = ask(&home, &["models"]).run().code(1);
    assert!(ran.stderr.contains("PROVIDER_NOT_A_SERVER"), "{}", ran.stderr);
}

#[test]
fn a_refused_key_is_a_card_that_names_where_it_came_from() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(Reply::status(401));
    let home = Home::new();
    let ran = alone(&home, &["Hello there"])
        .env("ANTHROPIC_API_KEY", ANTHROPIC)
        .env("ANTHROPIC_BASE_URL", fake.base_url())
        .run()
        .code(1);
    assert!(ran.stderr.contains("PROVIDER_UNAUTHORIZED"), "{}", ran.stderr);
    assert!(ran.stderr.contains("ANTHROPIC_API_KEY") && !ran.stderr.contains(ANTHROPIC), "{}", ran.stderr);
    assert_eq!(fake.requests().len(), 1, "a refused key is not tried again");
}

#[test]
fn a_redirect_does_not_carry_the_key_away() {
    let elsewhere = fake(Dialect::OpenaiChat, "Gotcha.");
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let target = format!("{}/chat/completions", elsewhere.base_url());
    fake.repeat(Reply::empty().fault(Fault::Redirect(target)));
    let ran = ask(&home_of(&fake), &["Hello there"]).run().code(1);
    assert!(ran.stderr.contains("Error Code: PROVIDER_"), "{}", ran.stderr);
    assert_eq!(elsewhere.connections(), 0);
}
