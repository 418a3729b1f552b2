//! Sessions are removed whole, and those that have expired are named.

use candor_protocol::{Event, EventBody, Moment, RunId, SessionId, Usage};
use candor_store::{Grouping, Store};

use crate::rig::{Log, NOON, Rig, on_both, outcome};

on_both! {
    a_deleted_session_leaves_nothing,
    a_long_session_goes_in_pieces,
    a_deletion_that_was_cut_short_is_finished_later,
    what_is_not_there_is_not_deleted,
    s7_7_sessions_expire_by_source_number_and_age,
    a_whole_database_passes_the_check,
}

async fn a_deleted_session_leaves_nothing(rig: Rig) {
    let (store, mut log, mut other) = (rig.open().await, Log::new(), Log::new());
    let run = RunId::now();
    let ended = outcome(Usage::new(1, 1), None);
    store.append(&[log.created(), log.said("x"), log.start(run, "m"), log.end(run, ended)]).await.unwrap();
    store.append(&[other.created(), other.said("x")]).await.unwrap();
    store.save_context(log.session, 4, "{}").await.unwrap();
    let search = candor_store::Search { text: "x".to_owned(), workspace: None, limit: 10 };
    assert_eq!(store.search(&search).await.unwrap().len(), 2);
    let lease = store.lease(log.session).await.unwrap().unwrap();
    assert!(store.delete(&lease).await.unwrap());
    assert!(!store.delete(&lease).await.unwrap(), "it is gone");
    assert_eq!(store.session(log.session).await.unwrap(), None);
    assert_eq!(store.events(log.session, 0, 10).await.unwrap(), []);
    assert_eq!(store.context(log.session).await.unwrap(), None);
    assert_eq!(store.usage(Grouping::Model, None).await.unwrap(), []);
    let counts = "SELECT (SELECT COUNT(*) FROM events) || ' ' || (SELECT COUNT(*) FROM runs) || ' ' || \
                  (SELECT COUNT(*) FROM contexts) || ' ' || (SELECT COUNT(*) FROM marks) || ' ' || \
                  (SELECT COUNT(*) FROM entries)";
    assert_eq!(rig.ask(counts).await, ["2 0 0 1 1"]);
    assert_eq!(store.last_seq(other.session).await.unwrap(), Some(2));
}

/// More events than one piece takes.
const MANY: usize = 4_500;

async fn long(store: &Store) -> Log {
    let mut log = Log::new();
    store.append(&[log.created()]).await.unwrap();
    let said: Vec<Event> = (0..MANY).map(|_| log.said("x")).collect();
    store.append(&said).await.unwrap();
    log
}

async fn a_long_session_goes_in_pieces(rig: Rig) {
    let store = rig.open().await;
    let log = long(&store).await;
    let search = candor_store::Search { text: "x".to_owned(), workspace: None, limit: 10 };
    assert_eq!(store.search(&search).await.unwrap().len(), 10);
    let lease = store.lease(log.session).await.unwrap().unwrap();
    assert!(store.delete(&lease).await.unwrap());
    let counts = "SELECT (SELECT COUNT(*) FROM events) || ' ' || (SELECT COUNT(*) FROM sessions) || ' ' || \
                  (SELECT COUNT(*) FROM entries)";
    assert_eq!(rig.ask(counts).await, ["0 0 0"]);
}

async fn a_deletion_that_was_cut_short_is_finished_later(rig: Rig) {
    let store = rig.open().await;
    let log = long(&store).await;
    store.close().await;
    rig.meddle("UPDATE sessions SET last_seq = -last_seq").await;
    rig.meddle("DELETE FROM events WHERE seq < 100").await;
    let store = rig.open().await;
    assert_eq!(store.session(log.session).await.unwrap(), None);
    assert_eq!(rig.ask("SELECT CAST(COUNT(*) AS TEXT) FROM events").await, ["0"]);
}

async fn what_is_not_there_is_not_deleted(rig: Rig) {
    let store = rig.open().await;
    let lease = store.lease(SessionId::now()).await.unwrap().unwrap();
    assert!(!store.delete(&lease).await.unwrap());
}

/// A session of a source, in which something happened last so many seconds after noon. Which job of a schedule it is of
/// has no place in the event yet.
async fn made(store: &Store, source: &str, seconds: i64) -> SessionId {
    let mut log = Log::new();
    log.at = NOON + seconds * 1000 - 1000;
    let created = log.created();
    let EventBody::SessionCreated { name, workspace, instructions, forked_from, parent, .. } = created.body
    else {
        panic!("another event")
    };
    let source = source.to_owned();
    let job = None;
    let body = EventBody::SessionCreated { source, name, workspace, instructions, job, forked_from, parent };
    store.append(&[Event { body, ..created }]).await.unwrap();
    log.session
}

async fn s7_7_sessions_expire_by_source_number_and_age(rig: Rig) {
    let store = rig.open().await;
    let cron =
        [made(&store, "cron", 10).await, made(&store, "cron", 30).await, made(&store, "cron", 20).await];
    let hook = made(&store, "webhook", 40).await;
    let _kept = made(&store, "cli", 0).await;
    assert_eq!(store.session(cron[0]).await.unwrap().unwrap().source, "cron");
    let at = |seconds: i64| Some(Moment::from_millis(NOON + seconds * 1000));
    let expired = async |sources: &[&str], keep, before, limit| {
        store.expired(sources, keep, before, limit).await.unwrap()
    };
    assert_eq!(expired(&["cron"], Some(1), None, 10).await, [cron[0], cron[2]]);
    assert_eq!(expired(&["cron"], Some(3), None, 10).await, []);
    assert_eq!(expired(&["cron"], Some(0), None, 2).await, [cron[0], cron[2]]);
    assert_eq!(expired(&["cron"], None, at(20), 10).await, [cron[0]]);
    assert_eq!(expired(&["cron"], Some(2), at(25), 10).await, [cron[0], cron[2]]);
    assert_eq!(expired(&["cron", "webhook"], Some(1), None, 10).await, [cron[0], cron[2], cron[1]]);
    assert_eq!(expired(&["webhook"], None, at(41), 10).await, [hook]);
    assert_eq!(expired(&["cron"], None, None, 10).await, []);
    assert_eq!(expired(&[], Some(0), None, 10).await, []);
    assert_eq!(expired(&["nothing"], Some(0), None, 10).await, []);
}

async fn a_whole_database_passes_the_check(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    store.append(&[log.created(), log.said("x")]).await.unwrap();
    store.check().await.unwrap();
}

#[tokio::test]
async fn the_check_finds_rows_of_no_session() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created(), log.said("x")]).await.unwrap();
    rig.meddle("DELETE FROM sessions").await;
    let error = store.check().await.unwrap_err();
    assert!(
        matches!(&error, candor_store::Error::Damaged { reason, .. } if reason.contains("events")),
        "{error:?}"
    );
}
