//! What is told of a run, in which order, and that it is stored first.

use std::collections::HashMap;

use candor_protocol::{Event, EventBody, RunId, Status};
use candor_store::{Location, Store};
use candor_testkit::Reply;
use serde_json::json;

use crate::rig::{Rig, database, durable, kinds, within};

/// Numbers from 1 without a gap, and an end for each beginning.
#[track_caller]
pub(crate) fn check_sound(events: &[Event]) {
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let mut runs: HashMap<RunId, (u32, u32)> = HashMap::new();
    for event in events {
        match event.body {
            EventBody::RunStart { .. } => runs.entry(event.run_id.unwrap()).or_default().0 += 1,
            EventBody::RunEnd(_) => runs.entry(event.run_id.unwrap()).or_default().1 += 1,
            _ => {}
        }
    }
    assert!(runs.values().all(|counts| *counts == (1, 1)), "starts and ends by run: {runs:?}");
}

#[tokio::test]
async fn a_run_tells_its_story_in_order() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::calls([("shell_exec", json!({"command": "echo hi"}))]).and_text("Looking."));
    rig.fake.push(Reply::text("It says hi."));
    let session = rig.create();
    let (outcome, events) = rig.ask(session, "Run it").await;
    assert_eq!((outcome.status, outcome.turns, outcome.tool_calls), (Status::Done, 2, 1));
    let told = durable(&events);
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
    assert_eq!(kinds(&told), expected);
    check_sound(&told);
    assert_eq!(rig.stored(session).await, told);
    assert_eq!(words(&events), "Looking.It says hi.");
}

/// The pieces of an answer, joined.
fn words(events: &[Event]) -> String {
    let text = |event: &Event| match &event.body {
        EventBody::StreamDelta { text, .. } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

#[tokio::test]
async fn who_subscribed_before_speaking_misses_no_piece_even_when_reading_late() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::text("Hello there."));
    let session = rig.create();
    let mut late = rig.watch(session, 0).await;
    let mut prompt = rig.watch(session, 0).await;
    let run = rig.say(session, "Hello").await;
    crate::rig::end_of(&mut prompt, run).await;
    let (_, events) = crate::rig::end_of(&mut late, run).await;
    assert_eq!(words(&events), "Hello there.");
}

#[tokio::test]
async fn everything_of_a_run_carries_its_id() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::text("Hello."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Hello").await;
    let (_, events) = crate::rig::end_of(&mut watching, run).await;
    for event in &events {
        let expected = (!matches!(event.body, EventBody::SessionCreated { .. })).then_some(run);
        assert_eq!(event.run_id, expected, "{event:?}");
    }
}

#[tokio::test]
async fn whoever_sees_an_event_finds_it_in_the_store() {
    let rig = Rig::new().await;
    rig.fake.extend((0..5).map(|_| Reply::calls([("shell_exec", json!({"command": "true"}))])));
    rig.fake.push(Reply::text("Done."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    rig.say(session, "Five times").await;
    let other = Store::open(&Location::File(database(&rig.home))).await.unwrap();
    loop {
        let event = within(watching.next()).await.unwrap();
        if !event.body.is_durable() {
            continue;
        }
        let found = other.events(session, event.seq - 1, 1).await.unwrap();
        assert_eq!(found.first(), Some(&event));
        if matches!(event.body, EventBody::RunEnd(_)) {
            break;
        }
    }
}

#[tokio::test]
async fn an_acknowledged_message_is_in_the_store() {
    let rig = Rig::new().await;
    let (reply, gate) = crate::rig::held("Later.");
    rig.fake.push(reply);
    let session = rig.create();
    rig.say(session, "Keep this").await;
    let stored = rig.stored(session).await;
    assert!(kinds(&stored).starts_with(&["session_created".to_owned(), "message_accepted".to_owned()]));
    gate.open();
}
