//! A staged session is seen whole or not at all.

use candor_protocol::{Event, RunId, SessionId, Usage};
use candor_store::{Error, Filter, Found, Grouping, Search, Store};

use crate::rig::{Log, Rig, on_both, outcome};

on_both! {
    a_staged_session_is_seen_nowhere_until_it_is_finished,
    a_session_that_exists_is_not_staged,
    what_was_left_staged_is_removed_at_the_next_opening,
    what_is_staged_elsewhere_is_left_alone,
    an_abandoned_stage_leaves_nothing,
    a_stage_refuses_what_a_session_refuses,
    a_copy_has_the_totals_of_its_runs_and_usage_has_them_once,
    more_events_than_one_transaction_takes_are_staged,
}

async fn is_seen(store: &Store, session: SessionId) -> Vec<bool> {
    let filter = Filter { workspace: Some("/work".to_owned()), children: true, limit: 10, offset: 0 };
    let search = Search { text: "needle".to_owned(), workspace: None, limit: 10 };
    vec![
        store.session(session).await.unwrap().is_some(),
        !store.sessions(&filter).await.unwrap().is_empty(),
        !store.sessions(&Filter { workspace: None, ..filter }).await.unwrap().is_empty(),
        store.latest("/work").await.unwrap().is_some(),
        store.find(&session.to_string()).await.unwrap() != Found::None,
        store.find(&session.to_string()[..8]).await.unwrap() != Found::None,
        store.last_seq(session).await.unwrap().is_some(),
        !store.events(session, 0, 10).await.unwrap().is_empty(),
        !store.newest_events(session, 10).await.unwrap().is_empty(),
        !store.usage(Grouping::Session, None).await.unwrap().is_empty(),
        !store.search(&search).await.unwrap().is_empty(),
        !store.open_runs(None, 10).await.unwrap().is_empty(),
        !store.expired(&["cli"], Some(0), None, 10).await.unwrap().is_empty(),
    ]
}

fn events(log: &mut Log) -> Vec<Event> {
    let (run, open) = (RunId::now(), RunId::now());
    let mut events = vec![log.created(), log.said("a needle"), log.start(run, "m"), log.answered(run, "yes")];
    events.extend([log.end(run, outcome(Usage::new(1, 2), None)), log.start(open, "m")]);
    events
}

async fn a_staged_session_is_seen_nowhere_until_it_is_finished(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let events = events(&mut log);
    let mut stage = store.stage(log.session).await.unwrap().unwrap();
    let (first, rest) = events.split_at(2);
    stage.push(first).await.unwrap();
    stage.push(rest).await.unwrap();
    stage.push(&[]).await.unwrap();
    assert!(is_seen(&store, log.session).await.iter().all(|seen| !seen));
    // Nor can it be written by another way.
    let other = Event { seq: 7, ..log.said("mine") };
    assert!(matches!(store.append(&[other]).await, Err(Error::Conflict { .. })));
    stage.finish().await.unwrap();
    assert!(is_seen(&store, log.session).await.iter().all(|seen| *seen));
    assert_eq!(store.events(log.session, 0, 10).await.unwrap(), events);
    let summary = store.session(log.session).await.unwrap().unwrap();
    assert_eq!((summary.message_count, summary.metrics.total_tokens), (2, Usage::new(1, 2)));
    log.seq = 6;
    store.append(&[log.said("and on")]).await.unwrap();
}

async fn a_session_that_exists_is_not_staged(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    store.append(&[log.created()]).await.unwrap();
    assert!(store.stage(log.session).await.unwrap().is_none());
    let lease = store.lease(log.session).await.unwrap();
    assert!(lease.is_some(), "the stage that was none keeps no lease");
    assert!(matches!(store.stage(log.session).await, Err(Error::Conflict { .. })));
}

async fn what_was_left_staged_is_removed_at_the_next_opening(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let mut stage = store.stage(log.session).await.unwrap().unwrap();
    stage.push(&events(&mut log)).await.unwrap();
    drop(stage);
    store.close().await;
    assert_eq!(rig.ask("SELECT COUNT(*) || '' FROM events").await, ["6"]);
    rig.open().await.close().await;
    assert_eq!(
        rig.ask("SELECT CAST((SELECT COUNT(*) FROM events) + (SELECT COUNT(*) FROM runs) AS TEXT)").await,
        ["0"]
    );
}

async fn what_is_staged_elsewhere_is_left_alone(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let mut stage = store.stage(log.session).await.unwrap().unwrap();
    stage.push(&events(&mut log)).await.unwrap();
    let other = rig.open().await;
    assert!(matches!(other.stage(log.session).await, Err(Error::Conflict { .. })));
    stage.finish().await.unwrap();
    assert_eq!(other.last_seq(log.session).await.unwrap(), Some(6));
}

async fn an_abandoned_stage_leaves_nothing(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let mut stage = store.stage(log.session).await.unwrap().unwrap();
    stage.push(&events(&mut log)).await.unwrap();
    stage.abandon().await.unwrap();
    assert_eq!(
        rig.ask("SELECT CAST((SELECT COUNT(*) FROM events) + (SELECT COUNT(*) FROM runs) AS TEXT)").await,
        ["0"]
    );
    // One that was dropped makes room for another try.
    for _ in 0..2 {
        let mut log = Log { session: log.session, ..Log::new() };
        let mut stage = store.stage(log.session).await.unwrap().unwrap();
        stage.push(&[log.created()]).await.unwrap();
    }
}

async fn a_stage_refuses_what_a_session_refuses(rig: Rig) {
    let (store, mut log, mut other) = (rig.open().await, Log::new(), Log::new());
    let mut stage = store.stage(log.session).await.unwrap().unwrap();
    assert!(matches!(stage.push(&[other.created()]).await, Err(Error::Mixed { .. })));
    let created = log.created();
    let early = stage.push(&[log.said("2")]).await;
    assert!(matches!(early, Err(Error::SessionUnknown { .. })), "{early:?}");
    stage.push(&[created]).await.unwrap();
    let gap = stage.push(&[Event { seq: 3, ..log.said("3") }]).await;
    assert!(matches!(gap, Err(Error::Conflict { .. })), "{gap:?}");
    stage.finish().await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
    let empty = store.stage(SessionId::now()).await.unwrap().unwrap().finish().await;
    assert!(matches!(empty, Err(Error::SessionUnknown { .. })), "{empty:?}");
}

async fn a_copy_has_the_totals_of_its_runs_and_usage_has_them_once(rig: Rig) {
    let (store, mut log, session) = (rig.open().await, Log::new(), SessionId::now());
    let original = events(&mut log);
    store.append(&original).await.unwrap();
    let copy: Vec<Event> =
        original.iter().map(|event| Event { session_id: session, ..event.clone() }).collect();
    let mut stage = store.stage(session).await.unwrap().unwrap();
    stage.push(&copy).await.unwrap();
    stage.finish().await.unwrap();
    let summary = store.session(session).await.unwrap().unwrap();
    assert_eq!(summary.metrics.total_tokens, Usage::new(1, 2));
    let usage = store.usage(Grouping::Session, None).await.unwrap();
    assert_eq!(usage.iter().map(|row| row.key.clone()).collect::<Vec<_>>(), [log.session.to_string()]);
    assert_eq!(usage[0].usage, Usage::new(1, 2));
    // The open run is the original's, and stays so when the copy ends it.
    let (_, open) = store.open_runs(None, 10).await.unwrap()[0];
    let mut copied = Log { session, ..log };
    store.append(&[copied.end(open, outcome(Usage::new(5, 5), None))]).await.unwrap();
    assert_eq!(store.open_runs(None, 10).await.unwrap(), [(copy_of(&original), open)]);
}

fn copy_of(events: &[Event]) -> SessionId {
    events[0].session_id
}

async fn more_events_than_one_transaction_takes_are_staged(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let mut stage = store.stage(log.session).await.unwrap().unwrap();
    let mut events = vec![log.created()];
    events.extend((0..2_000).map(|number| log.said(&number.to_string())));
    stage.push(&events).await.unwrap();
    stage.finish().await.unwrap();
    assert_eq!(store.events(log.session, 0, 5_000).await.unwrap(), events);
}
