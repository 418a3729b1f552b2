//! Events go to the end of their session, all or none.

use std::sync::Arc;

use candor_protocol::{DeltaKind, Event, EventBody, RunId, SessionId};
use candor_store::{Error, Store};

use crate::rig::{Log, Rig, on_both};

on_both! {
    s7_2_what_was_appended_is_read_back_the_same,
    nothing_to_append_is_no_error,
    s7_2_a_gap_a_repetition_or_a_wrong_order_is_a_conflict,
    s7_1_a_session_must_be_created_first,
    one_event_not_to_be_stored_refuses_the_rest,
    events_of_two_sessions_are_refused,
    of_two_writers_of_a_session_the_later_one_is_refused,
    many_sessions_are_written_at_once_through_one_store,
    a_caller_that_gives_up_leaves_all_or_nothing_and_the_store_usable,
    the_columns_beside_the_body_say_what_it_says,
    an_event_of_fifty_megabytes_is_kept,
}

/// Checks that some events are refused as another writer's, and that nothing of them is stored.
#[track_caller]
fn check_conflict(result: &Result<(), Error>, session: SessionId) {
    assert!(matches!(result, Err(Error::Conflict { session: named }) if *named == session), "{result:?}");
}

async fn stored(store: &Store, session: SessionId) -> Vec<u64> {
    store.events(session, 0, 1000).await.unwrap().iter().map(|event| event.seq).collect()
}

async fn s7_2_what_was_appended_is_read_back_the_same(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let first = [log.created(), log.said("Grüße\0 \u{1f980} \"quoted\" '; DROP TABLE events; --")];
    let second = [log.start(RunId::now(), "m"), log.answered(RunId::now(), "")];
    store.append(&first).await.unwrap();
    store.append(&second).await.unwrap();
    store.close().await;
    let store = rig.open().await;
    let events = store.events(log.session, 0, 10).await.unwrap();
    assert_eq!(events, [first, second].concat());
}

async fn nothing_to_append_is_no_error(rig: Rig) {
    rig.open().await.append(&[]).await.unwrap();
}

async fn s7_2_a_gap_a_repetition_or_a_wrong_order_is_a_conflict(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let (created, two, three, four) = (log.created(), log.said("2"), log.said("3"), log.said("4"));
    store.append(&[created.clone(), two.clone()]).await.unwrap();
    let zero = Event { seq: 0, ..three.clone() };
    let huge = Event { seq: u64::MAX, ..three.clone() };
    let again = Event { seq: 3, ..created.clone() };
    let batches: [&[Event]; 8] = [
        std::slice::from_ref(&four),
        std::slice::from_ref(&two),
        std::slice::from_ref(&created),
        &[four.clone(), three.clone()],
        &[three.clone(), three.clone()],
        &[zero],
        &[huge],
        &[again],
    ];
    for batch in batches {
        check_conflict(&store.append(batch).await, log.session);
        assert_eq!(stored(&store, log.session).await, [1, 2]);
        assert_eq!(store.session(log.session).await.unwrap().unwrap().message_count, 1);
    }
    store.append(&[three, four]).await.unwrap();
    assert_eq!(stored(&store, log.session).await, [1, 2, 3, 4]);
}

async fn s7_1_a_session_must_be_created_first(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let event = log.said("hello");
    for seq in [1, 7] {
        let result = store.append(&[Event { seq, ..event.clone() }]).await;
        assert!(matches!(result, Err(Error::SessionUnknown { session }) if session == log.session));
    }
    assert_eq!(store.last_seq(log.session).await.unwrap(), None);
}

async fn one_event_not_to_be_stored_refuses_the_rest(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let created = log.created();
    let delta = EventBody::StreamDelta { text: "a".to_owned(), kind: DeltaKind::Text };
    let result = store.append(&[created, log.event(None, delta)]).await;
    assert!(matches!(result, Err(Error::NotDurable { seq: 2, .. })), "{result:?}");
    assert_eq!(store.last_seq(log.session).await.unwrap(), None);
}

async fn events_of_two_sessions_are_refused(rig: Rig) {
    let (mut log, mut other) = (Log::new(), Log::new());
    let store = rig.open().await;
    let _ = other.created();
    let result = store.append(&[log.created(), other.said("2")]).await;
    assert!(matches!(result, Err(Error::Mixed { .. })), "{result:?}");
    assert_eq!(store.last_seq(log.session).await.unwrap(), None);
}

async fn of_two_writers_of_a_session_the_later_one_is_refused(rig: Rig) {
    let mut log = Log::new();
    let (one, other) = (rig.open().await, rig.open().await);
    one.append(&[log.created()]).await.unwrap();
    let (mine, theirs) = (log.said("mine"), log.said("theirs"));
    let theirs = Event { seq: mine.seq, ..theirs };
    one.append(std::slice::from_ref(&mine)).await.unwrap();
    check_conflict(&other.append(&[theirs]).await, log.session);
    assert_eq!(other.events(log.session, 1, 10).await.unwrap(), [mine]);
}

async fn many_sessions_are_written_at_once_through_one_store(rig: Rig) {
    let store = Arc::new(rig.open().await);
    let writers = (0..8).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut log = Log::new();
            store.append(&[log.created()]).await.unwrap();
            for number in 0..20 {
                store.append(&[log.said(&number.to_string())]).await.unwrap();
                assert_eq!(store.last_seq(log.session).await.unwrap(), Some(log.seq));
            }
            log.session
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        let session = writer.await.unwrap();
        assert_eq!(stored(&store, session).await, (1..=21).collect::<Vec<_>>());
    }
}

async fn a_caller_that_gives_up_leaves_all_or_nothing_and_the_store_usable(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    for _ in 0..50 {
        let before = log.seq;
        let events = [log.said("a"), log.said("b"), log.said("c")];
        // Given up at its first wait, in the middle of the transaction or after it, as the threads have it.
        tokio::select! {
            biased;
            result = store.append(&events) => result.unwrap(),
            () = async { for _ in 0..(before % 17) { tokio::task::yield_now().await; } } => {}
        }
        // What was given up may still be on its way to the disk; the next append shows where it ended.
        let probe = Event { seq: before + 1, ..events[0].clone() };
        let last = match store.append(&[probe]).await {
            Ok(()) => before + 1,
            Err(Error::Conflict { .. }) => before + 3,
            Err(error) => panic!("{error:?}"),
        };
        assert_eq!(store.last_seq(log.session).await.unwrap(), Some(last));
        log.seq = last;
    }
    let stored = stored(&store, log.session).await;
    assert_eq!(stored, (1..=log.seq).collect::<Vec<_>>());
}

async fn the_columns_beside_the_body_say_what_it_says(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let run = RunId::now();
    let mut events = vec![
        log.created(),
        log.event(
            None,
            EventBody::SessionRenamed {
                name: "n".to_owned(),
                by: candor_protocol::NamedBy::User,
                model: None,
                usage: None,
            },
        ),
    ];
    events.extend([log.said("hi"), log.start(run, "m"), log.answered(run, "ho")]);
    let [call_id, tool_name, result] = ["a", "b", "c"].map(str::to_owned);
    let args = serde_json::json!({});
    let bodies = [
        EventBody::ToolStart { call_id: call_id.clone(), tool_name: tool_name.clone(), args },
        EventBody::ToolResult {
            call_id,
            tool_name,
            result,
            for_people: String::new(),
            is_error: false,
            card: None,
            duration_ms: 1,
            changes: Vec::new(),
            recovered: Vec::new(),
            images: Vec::new(),
        },
        EventBody::ApprovalRequest {
            call_id: "a".to_owned(),
            question: "b".to_owned(),
            reason: Some("c".to_owned()),
            diff: Some("d".to_owned()),
            choices: vec!["e".to_owned()],
            pattern: Some("f".to_owned()),
        },
        EventBody::ApprovalAnswer {
            call_id: "a".to_owned(),
            choice: "b".to_owned(),
            reason: Some("c".to_owned()),
        },
        EventBody::Verification {
            check: "a".to_owned(),
            result: candor_protocol::CheckResult::Passed,
            evidence: Box::new(candor_protocol::Evidence::note("b")),
        },
        EventBody::Compacted {
            removed_messages: 1,
            removed_images: 0,
            summary_tokens: 1,
            summary: "a".to_owned(),
            tokens_before: 0,
            read_files: Vec::new(),
            modified_files: Vec::new(),
            by: candor_protocol::SummarisedBy::Rules,
        },
        EventBody::Error {
            message: "m".to_owned(),
            card: candor_cards::card(&candor_protocol::Failure::new(candor_protocol::Code::InternalPanic)),
        },
        EventBody::RunEnd(crate::rig::outcome(candor_protocol::Usage::new(1, 2), None)),
    ];
    events.extend(bodies.map(|body| log.event(Some(run), body)));
    store.append(&events).await.unwrap();
    assert_eq!(store.events(log.session, 0, 100).await.unwrap(), events);
    let columns = "SELECT session_id || ' ' || seq || ' ' || COALESCE(run_id, '-') || ' ' || at_ms || ' ' || type \
                   FROM events ORDER BY seq";
    let expected = events.iter().map(|event| {
        let json = serde_json::to_value(event).unwrap();
        let kind = json["type"].as_str().unwrap();
        let run = event.run_id.map_or("-".to_owned(), |run| run.to_string());
        format!("{} {} {run} {} {kind}", event.session_id, event.seq, event.at.as_millis())
    });
    assert_eq!(rig.ask(columns).await, expected.collect::<Vec<_>>());
}

async fn an_event_of_fifty_megabytes_is_kept(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    let large = log.said(&"x".repeat(50_000_000));
    store.append(std::slice::from_ref(&large)).await.unwrap();
    let read = store.events(log.session, 1, 1).await.unwrap();
    assert!(read == [large], "it came back as something else");
}
