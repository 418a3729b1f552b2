//! Secrets stay secret, and are still of use.

use candor_protocol::{Body, Event, EventBody, Origin, Part, Status};
use candor_runtime::NewSession;
use candor_testkit::{FakeLlm, Gate, Reply};
use serde_json::json;

use crate::rig::{Rig, answers, database, end_of, held, is_delta, model, provider, until};

/// A value that the setup knows.
const KNOWN: &str = "correct-horse-battery-staple";
/// A value that a rule knows by its looks.
const TOKEN: &str = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";

async fn rig() -> Rig {
    Rig::with(|setup| setup.secrets = [KNOWN.to_owned()].into()).await
}

/// Neither secret is in what was shown, stored or sent.
#[track_caller]
fn check_hidden(rig: &Rig, events: &[Event]) {
    let mut places = vec![("the events", serde_json::to_string(events).unwrap())];
    for file in ["candor.db", "candor.db-wal"] {
        let bytes = std::fs::read(database(&rig.home).with_file_name(file)).unwrap_or_default();
        places.push((file, String::from_utf8_lossy(&bytes).into_owned()));
    }
    for request in rig.fake.requests() {
        places.push(("a request", request.body.to_string()));
    }
    for (place, text) in places {
        assert!(!text.contains(KNOWN), "{place} shows the known value");
        assert!(!text.contains(TOKEN), "{place} shows the token");
    }
}

/// The placeholders of a text, in order.
fn placeholders(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("[REDACTED:") {
        let length = rest[at..].find(']').unwrap() + 1;
        found.push(rest[at..at + length].to_owned());
        rest = &rest[at + length..];
    }
    found
}

#[tokio::test]
async fn a_secret_in_a_message_is_the_same_placeholder_each_time() {
    let rig = rig().await;
    rig.fake.repeat(Reply::text("Noted."));
    let session = rig.create();
    let (_, mut events) = rig.ask(session, &format!("Use {KNOWN} and {TOKEN}")).await;
    events.extend(rig.ask(session, &format!("Again: {TOKEN}, {KNOWN}")).await.1);
    check_hidden(&rig, &events);
    let sent = rig.sent(1);
    let (first, second) = (placeholders(&sent[0].1), placeholders(&sent[2].1));
    assert_eq!(first.len(), 2, "{sent:?}");
    assert_ne!(first[0], first[1]);
    assert_eq!([&second[0], &second[1]], [&first[1], &first[0]]);
}

#[tokio::test]
async fn a_tool_gets_the_value_and_nobody_else_does() {
    let rig = rig().await;
    rig.fake.push(Reply::text("Noted."));
    let session = rig.create();
    let (_, mut events) = rig.ask(session, &format!("The password is {TOKEN}")).await;
    let placeholder = placeholders(&rig.sent(0)[0].1).remove(0);
    rig.fake.push(Reply::calls([
        ("file_write", json!({"path": "out.txt", "content": format!("key: {placeholder}!")})),
        ("shell_exec", json!({"command": format!("printf %s '{placeholder}'; cat out.txt >&2; false")})),
    ]));
    rig.fake.push(Reply::text("Written."));
    events.extend(rig.ask(session, "Write it down").await.1);
    let written = std::fs::read_to_string(rig.home.workspace().join("out.txt")).unwrap();
    assert_eq!(written, format!("key: {TOKEN}!"));
    check_hidden(&rig, &events);
    let results = rig.fake.requests()[2].tool_results();
    assert!(placeholders(&results[1]).iter().all(|found| *found == placeholder), "{results:?}");
    assert!(!placeholders(&results[1]).is_empty(), "{results:?}");
}

/// What a rule found in one place is a secret in another, where no rule would find it.
#[tokio::test]
async fn a_value_that_comes_back_from_a_tool_bare_is_hidden_again() {
    let rig = rig().await;
    let value = "Tr0ub4dor-and-3-more";
    rig.fake.push(Reply::text("Noted."));
    let session = rig.create();
    rig.ask(session, &format!("DB_PASSWORD={value}")).await;
    let placeholder = placeholders(&rig.sent(0)[0].1).remove(0);
    let command = format!("echo 'it was {placeholder} all along'");
    rig.fake.push(Reply::calls([("shell_exec", json!({ "command": command }))]));
    rig.fake.push(Reply::text("Said."));
    let (_, events) = rig.ask(session, "Say it").await;
    let result = rig.fake.requests()[2].tool_results().remove(0);
    assert!(result.contains(&format!("it was {placeholder} all along")), "{result}");
    assert!(!serde_json::to_string(&events).unwrap().contains(value));
}

#[tokio::test]
async fn an_unknown_placeholder_is_content_for_the_model_and_the_run_goes_on() {
    let rig = rig().await;
    rig.fake.push(Reply::calls([("shell_exec", json!({"command": "echo [REDACTED:qwerty] > out.txt"}))]));
    rig.fake.push(Reply::text("Please tell me again."));
    let session = rig.create();
    let (outcome, events) = rig.ask(session, "Use the key from yesterday").await;
    assert_eq!(outcome.status, Status::Done);
    let card = events.iter().find_map(|event| match &event.body {
        EventBody::ToolResult { card, .. } => card.clone(),
        _ => None,
    });
    assert_eq!(card.unwrap().code, "PLACEHOLDER_UNKNOWN");
    assert!(rig.fake.requests()[1].tool_results()[0].contains("PLACEHOLDER_UNKNOWN"));
    assert!(!rig.home.workspace().join("out.txt").exists());
}

#[tokio::test]
async fn a_tools_output_and_its_card_are_masked() {
    let rig = rig().await;
    rig.home.write_in_workspace("keys.txt", format!("{KNOWN}\n{TOKEN}\n"));
    rig.fake.push(Reply::calls([
        ("file_read", json!({"path": "keys.txt"})),
        ("shell_exec", json!({"command": "cat keys.txt >&2; exit 3"})),
    ]));
    rig.fake.push(Reply::text("Seen."));
    let session = rig.create();
    let (_, events) = rig.ask(session, "Look").await;
    check_hidden(&rig, &events);
    let cards: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ToolResult { card, .. } => card.as_ref(),
            _ => None,
        })
        .collect();
    assert_eq!(cards.len(), 1);
    assert!(cards[0].cause.contains("[REDACTED"), "{}", cards[0].cause);
}

#[tokio::test]
async fn a_providers_words_are_masked_in_errors_cards_and_notices() {
    let second = FakeLlm::start(candor_testkit::Dialect::OpenaiChat);
    let refuse = || Reply::error("bad_request", &format!("no: {KNOWN} {TOKEN}"));
    second.push(refuse());
    let rig = Rig::with(|setup| {
        setup.secrets = [KNOWN.to_owned()].into();
        setup.models.push(model(provider(&second)));
    })
    .await;
    rig.fake.push(refuse());
    let session = rig.create();
    let (outcome, events) = rig.ask(session, "Hello").await;
    assert_eq!(outcome.status, Status::Failed);
    check_hidden(&rig, &events);
    let notice = |event: &&Event| matches!(&event.body, EventBody::Status { .. });
    assert_eq!(events.iter().filter(notice).count(), 1);
    assert!(outcome.card.is_some_and(|card| card.cause.contains("[REDACTED]")));
}

#[tokio::test]
async fn an_answer_is_masked_while_it_is_written_wherever_it_is_cut() {
    let rig = rig().await;
    let session = rig.create();
    for bytes in [1, 3, 7, 1000] {
        let gate = Gate::new();
        rig.fake.push(Reply::text(&format!("It is {KNOWN}, I guess.")).deltas(bytes).gate(&gate));
        let after = rig.runtime.query().last_seq(session).await.unwrap().unwrap_or(0);
        let mut watching = rig.watch(session, after).await;
        let run = rig.say(session, "Guess").await;
        // A reader that is late misses pieces; this one is there before the first.
        let begun = until(&mut watching, |body| matches!(body, EventBody::RunStart { .. })).await;
        gate.open();
        let (_, events) = end_of(&mut watching, run).await;
        assert_eq!(begun.run_id, Some(run));
        check_hidden(&rig, &events);
        let shown: String = events
            .iter()
            .filter_map(|event| match &event.body {
                EventBody::StreamDelta { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(shown, "It is [REDACTED], I guess.", "in pieces of {bytes}");
        assert_eq!(answers(&events), ["It is [REDACTED], I guess."]);
    }
}

#[tokio::test]
async fn an_answer_that_was_stopped_is_masked() {
    let rig = rig().await;
    let (reply, _gate) = held(&format!("{KNOWN} is what I would guess, if I had to."));
    rig.fake.push(reply.deltas(40));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Guess").await;
    until(&mut watching, is_delta).await;
    rig.submit(session, Body::Stop(None)).await.unwrap();
    let (_, events) = end_of(&mut watching, run).await;
    assert!(answers(&events)[0].starts_with("[REDACTED] is"), "{:?}", answers(&events));
    check_hidden(&rig, &events);
}

/// What one answer held back must not begin the next.
#[tokio::test]
async fn an_answer_that_broke_off_leaves_nothing_for_the_next() {
    let rig = rig().await;
    let cut = candor_testkit::Fault::MidStreamError("overloaded".to_owned());
    rig.fake.push(Reply::text("It begins with correct-horse").deltas(40).fault(cut));
    let session = rig.create();
    let (outcome, events) = rig.ask(session, "Guess").await;
    assert_eq!(outcome.status, Status::Failed);
    let shown = |events: &[Event]| -> String {
        let text = |event: &Event| match &event.body {
            EventBody::StreamDelta { text, .. } => Some(text.clone()),
            _ => None,
        };
        events.iter().filter_map(text).collect()
    };
    assert_eq!(shown(&events), "It begins with correct-horse");
    rig.fake.push(Reply::text("Never mind."));
    let (_, events) = rig.ask(session, "Again").await;
    assert_eq!(shown(&events), "Never mind.");
}

#[tokio::test]
async fn names_instructions_and_the_prompt_are_masked() {
    let rig = rig().await;
    rig.home.write_in_workspace("AGENTS.md", format!("Deploy with {TOKEN} or {KNOWN}."));
    rig.fake.push(Reply::text("Hello."));
    let new = NewSession {
        origin: Origin::Cli,
        naming: candor_runtime::Naming::Words(format!("Use {KNOWN}")),
        instructions: Some(format!("The token is {TOKEN}.")),
    };
    let session = rig.runtime.create(new).unwrap();
    let (_, events) = rig.ask(session, "Hello").await;
    check_hidden(&rig, &events);
    let prompt = rig.fake.requests()[0].system().unwrap();
    assert!(prompt.contains("Deploy with [REDACTED:"), "{prompt}");
    // The same secret has the same placeholder there, so that the model can use it.
    let of_instructions = placeholders(prompt.split("The token is ").nth(1).unwrap()).remove(0);
    assert_eq!(placeholders(prompt.split("Deploy with ").nth(1).unwrap())[0], of_instructions);
}

#[tokio::test]
async fn a_thousand_messages_with_one_secret_keep_one_value() {
    let rig = rig().await;
    rig.fake.repeat(Reply::text("Noted."));
    let session = rig.create();
    let parts = (0..1_000).map(|_| Part::text(format!("{KNOWN} "))).collect();
    let receipt = rig.submit(session, Body::Say(parts)).await.unwrap();
    let mut watching = rig.watch(session, 0).await;
    let (_, events) = end_of(&mut watching, receipt.run.unwrap()).await;
    check_hidden(&rig, &events);
    let mut found = placeholders(&serde_json::to_string(&events).unwrap());
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 1);
}
