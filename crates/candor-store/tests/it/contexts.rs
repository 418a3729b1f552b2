//! What is needed to go on with a session, without reading all of it.

use candor_protocol::{RunId, SessionId, Usage};
use candor_store::Error;

use crate::rig::{Log, Rig, on_both, outcome};

on_both! {
    the_newest_context_is_kept,
    the_newest_events_come_in_order,
    the_events_of_one_run_come_in_order,
    open_runs_are_those_that_have_not_ended,
    a_nul_character_is_replaced_where_it_cannot_be_stored,
}

async fn the_newest_context_is_kept(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    store.append(&[log.created(), log.said("x")]).await.unwrap();
    assert_eq!(store.context(log.session).await.unwrap(), None);
    for (seq, body, expect) in
        [(1, "one", (1, "one")), (2, "two", (2, "two")), (1, "old", (2, "two")), (2, "b", (2, "b"))]
    {
        store.save_context(log.session, seq, body).await.unwrap();
        assert_eq!(store.context(log.session).await.unwrap(), Some((expect.0, expect.1.to_owned())));
    }
    let unknown = store.save_context(SessionId::now(), 1, "x").await;
    assert!(matches!(unknown, Err(Error::SessionUnknown { .. })), "{unknown:?}");
}

async fn the_newest_events_come_in_order(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let mut events = vec![log.created()];
    events.extend((2..=9).map(|number| log.said(&number.to_string())));
    store.append(&events).await.unwrap();
    assert_eq!(store.newest_events(log.session, 3).await.unwrap(), events[6..]);
    assert_eq!(store.newest_events(log.session, 100).await.unwrap(), events);
    assert_eq!(store.newest_events(log.session, 0).await.unwrap(), []);
    assert_eq!(store.newest_events(SessionId::now(), 3).await.unwrap(), []);
}

async fn the_events_of_one_run_come_in_order(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let (one, two) = (RunId::now(), RunId::now());
    let ended = || outcome(Usage::new(1, 1), None);
    let events = [
        log.created(),
        log.said("a"),
        log.start(one, "m"),
        log.said("in between"),
        log.answered(one, "b"),
        log.end(one, ended()),
        log.start(two, "m"),
    ];
    store.append(&events).await.unwrap();
    let expect = [events[2].clone(), events[4].clone(), events[5].clone()];
    assert_eq!(store.run_events(log.session, one).await.unwrap(), expect);
    assert_eq!(store.run_events(log.session, two).await.unwrap(), events[6..]);
    assert_eq!(store.run_events(SessionId::now(), one).await.unwrap(), []);
}

async fn open_runs_are_those_that_have_not_ended(rig: Rig) {
    let (store, mut log, mut other) = (rig.open().await, Log::new(), Log::new());
    let (one, two, three) = (RunId::now(), RunId::now(), RunId::now());
    store.append(&[log.created(), log.start(one, "m")]).await.unwrap();
    other.at += 60_000;
    store.append(&[other.created(), other.start(two, "m"), other.start(three, "m")]).await.unwrap();
    let all = [(log.session, one), (other.session, two), (other.session, three)];
    assert_eq!(store.open_runs(None, 10).await.unwrap(), all);
    assert_eq!(store.open_runs(None, 1).await.unwrap(), all[..1]);
    store.append(&[log.end(one, outcome(Usage::new(1, 1), None))]).await.unwrap();
    assert_eq!(store.open_runs(None, 10).await.unwrap(), all[1..]);
}

async fn a_nul_character_is_replaced_where_it_cannot_be_stored(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let created = log.created_in("/a\0b");
    store.append(&[created.clone(), log.said("x\0y")]).await.unwrap();
    let summary = store.session(log.session).await.unwrap().unwrap();
    assert_eq!(summary.workspace, "/a\u{fffd}b");
    assert_eq!(store.latest("/a\0b").await.unwrap(), Some(log.session));
    // The event itself is kept as it was.
    assert_eq!(store.events(log.session, 0, 1).await.unwrap(), [created]);
}

/// A session of a hundred thousand messages, made by the database itself.
const LONG: &str = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) \
    INSERT INTO events SELECT id, i, NULL, i, 'message_accepted', 'unread' FROM sessions, n; \
    UPDATE sessions SET last_seq = 100000";

#[tokio::test]
async fn a_session_of_a_hundred_thousand_messages_is_gone_on_with_without_reading_it() {
    long_session(&Rig::new()).await;
}

#[tokio::test]
async fn a_session_of_a_hundred_thousand_messages_is_gone_on_with_without_reading_it_from_postgres() {
    long_session(&Rig::postgres()).await;
}

/// The events before the newest cannot be read at all: whoever tried would find them damaged.
async fn long_session(rig: &Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    store.append(&[log.created()]).await.unwrap();
    rig.meddle(LONG).await;
    log.seq = 100_000;
    let (one, two) = (log.said("almost"), log.said("last"));
    store.append(&[one.clone(), two.clone()]).await.unwrap();
    store.save_context(log.session, 100_002, "{}").await.unwrap();
    assert_eq!(store.newest_events(log.session, 2).await.unwrap(), [one, two]);
    assert_eq!(store.context(log.session).await.unwrap(), Some((100_002, "{}".to_owned())));
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(100_002));
    assert!(matches!(store.newest_events(log.session, 3).await, Err(Error::Damaged { .. })));
}
