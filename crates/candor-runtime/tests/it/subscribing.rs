//! Reading a session from any point, before, during and after its runs.

use candor_protocol::{Body, EventBody, Part};
use candor_testkit::{Home, Reply};
use serde_json::json;

use crate::rig::{
    Rig, durable, end_of, held, is_delta, location, new_session, reached, scripted, setup, until, within,
};

#[tokio::test]
async fn reading_from_any_number_gives_the_same_events_from_there_on() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::calls([("shell_exec", json!({"command": "true"}))]));
    rig.fake.push(Reply::text("Done."));
    let session = rig.create();
    let (_, events) = rig.ask(session, "Go").await;
    let told = durable(&events);
    for after in 0..=told.len() {
        let mut watching = rig.watch(session, after as u64).await;
        for expected in &told[after..] {
            assert_eq!(&within(watching.next()).await.unwrap(), expected, "after {after}");
        }
    }
}

#[tokio::test]
async fn a_reader_who_comes_in_the_middle_gets_the_past_and_then_the_present_once() {
    let rig = Rig::new().await;
    let (reply, gate) = held("Half of it, and the other half.");
    rig.fake.push(reply);
    let session = rig.create();
    let mut first = rig.watch(session, 0).await;
    let run = rig.say(session, "Tell me").await;
    until(&mut first, is_delta).await;
    let mut second = rig.watch(session, 1).await;
    gate.open();
    let (_, seen) = end_of(&mut second, run).await;
    assert_eq!(durable(&seen), rig.stored(session).await[1..]);
    // What follows is live for both, and the same.
    rig.fake.push(Reply::text("And more."));
    end_of(&mut first, run).await;
    let run = rig.say(session, "More").await;
    let (_, by_first) = end_of(&mut first, run).await;
    let (_, by_second) = end_of(&mut second, run).await;
    assert_eq!(by_first, by_second);
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    let rig = Rig::new().await;
    let (reply, gate) = held("Word by word by word.");
    rig.fake.push(reply);
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Tell me").await;
    let mut seen = Vec::new();
    reached(&gate).await;
    gate.open();
    loop {
        // Polled once and dropped, as a `select!` does it.
        let event = tokio::select! {
            biased;
            event = watching.next() => event.unwrap(),
            () = tokio::task::yield_now() => continue,
        };
        let over = matches!(event.body, EventBody::RunEnd(_));
        seen.push(event);
        if over {
            break;
        }
    }
    assert_eq!(durable(&seen), rig.stored(session).await);
    assert!(seen.iter().all(|event| event.run_id.is_none_or(|theirs| theirs == run)));
}

/// The pieces come a moment apart, so that nearly all of them become batches of their own.
#[tokio::test]
async fn a_reader_who_sleeps_misses_pieces_and_no_stored_event() {
    let home = Home::new();
    let pieces = 1_500;
    let script = json!({"replies": [
        {"text": "x".repeat(pieces), "deltaChars": 1, "deltaDelayMs": 1},
        {"text": "Short."},
    ]});
    let runtime =
        candor_runtime::Runtime::open(&location(&home), setup(&home, scripted(&script))).await.unwrap();
    let session = runtime.create(new_session()).unwrap();
    let mut awake = runtime.subscribe(session, 0).await.unwrap();
    let mut asleep = runtime.subscribe(session, 0).await.unwrap();
    let say = || {
        let body = Body::Say(vec![Part::text("Tell me")]);
        runtime.submit(candor_protocol::Submission { session, origin: candor_protocol::Origin::Cli, body })
    };
    let first = say().await.unwrap().run;
    let mut seen = Vec::new();
    loop {
        let event = awake.next().await.unwrap();
        let over = matches!(event.body, EventBody::RunEnd(_)) && event.run_id == first;
        seen.push(event);
        if over {
            break;
        }
    }
    assert!(seen.iter().filter(|event| is_delta(&event.body)).count() > 1_024, "too few to fall behind");
    let mut late = Vec::new();
    while late.last() != seen.last() {
        late.push(asleep.next().await.unwrap());
    }
    assert_eq!(durable(&late), durable(&seen));
    // What is left of the pieces belongs to an answer that was given whole: it must not come after it.
    let second = say().await.unwrap().run;
    loop {
        let event = asleep.next().await.unwrap();
        assert_eq!(event.run_id, second, "{event:?}");
        if matches!(event.body, EventBody::RunEnd(_)) {
            break;
        }
    }
}
