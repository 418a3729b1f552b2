//! Appends that wait together are written together, and fail alone.

use std::fs;
use std::sync::Arc;
use std::task::Poll;

use candor_protocol::{Event, SessionId};
use candor_store::{Error, Store};

use crate::rig::{Log, Rig, on_both};

on_both! {
    what_conflicts_fails_alone,
    a_session_created_twice_keeps_its_first_row,
    what_a_caller_gave_up_on_is_written_all_the_same,
}

/// Appends at once, from tasks that are all there before the writer's turn comes: tests have one thread.
async fn append_at_once(store: &Arc<Store>, batches: Vec<Vec<Event>>) -> Vec<Result<(), Error>> {
    let tasks = batches.into_iter().map(|batch| {
        let store = Arc::clone(store);
        tokio::spawn(async move { store.append(&batch).await })
    });
    let mut results = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        results.push(task.await.unwrap());
    }
    results
}

/// How many transactions lie in the log of a SQLite file: each ends with a frame that says how large the file is then.
fn commits(rig: &Rig) -> usize {
    let log = fs::read(rig.directory().join("candor.db-wal")).unwrap();
    log[32..].chunks(24 + 4096).filter(|frame| frame[4..8] != [0; 4]).count()
}

#[tokio::test]
async fn sessions_that_wait_together_share_one_transaction() {
    let rig = Rig::new();
    let store = Arc::new(rig.open().await);
    let before = commits(&rig);
    let results = append_at_once(&store, (0..50).map(|_| vec![Log::new().created()]).collect()).await;
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(commits(&rig) - before, 1);
}

#[tokio::test]
async fn sessions_that_wait_together_share_one_transaction_of_postgres() {
    let rig = Rig::postgres();
    let store = Arc::new(rig.open().await);
    let results = append_at_once(&store, (0..50).map(|_| vec![Log::new().created()]).collect()).await;
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(rig.ask("SELECT COUNT(DISTINCT xmin::text) || ' ' || COUNT(*) FROM events").await, ["1 50"]);
}

async fn what_conflicts_fails_alone(rig: Rig) {
    let store = Arc::new(rig.open().await);
    let (mut known, mut unknown) = (Log::new(), Log::new());
    store.append(&[known.created(), known.said("2")]).await.unwrap();
    let behind = Event { seq: 2, ..known.said("again") };
    let _ = unknown.created();
    let mut good: Vec<Log> = (0..5).map(|_| Log::new()).collect();
    let mut batches: Vec<Vec<Event>> =
        good.iter_mut().map(|log| vec![log.created(), log.said("x")]).collect();
    batches.push(vec![behind]);
    batches.push(vec![unknown.said("to nobody")]);
    let results = append_at_once(&store, batches).await;
    assert!(results[..5].iter().all(Result::is_ok), "{results:?}");
    assert!(matches!(results[5], Err(Error::Conflict { session }) if session == known.session));
    assert!(matches!(results[6], Err(Error::SessionUnknown { session }) if session == unknown.session));
    for log in &good {
        assert_eq!(store.last_seq(log.session).await.unwrap(), Some(2));
    }
    assert_eq!(store.last_seq(known.session).await.unwrap(), Some(2));
    assert_eq!(store.last_seq(unknown.session).await.unwrap(), None);
}

async fn a_session_created_twice_keeps_its_first_row(rig: Rig) {
    let store = Arc::new(rig.open().await);
    let session = SessionId::now();
    let made = ["/first", "/second"].map(|place| vec![Log { session, ..Log::new() }.created_in(place)]);
    let results = append_at_once(&store, made.to_vec()).await;
    assert!(results[0].is_ok(), "{results:?}");
    assert!(matches!(results[1], Err(Error::Conflict { .. })), "{results:?}");
    assert_eq!(store.session(session).await.unwrap().unwrap().workspace, "/first");
    assert_eq!(store.events(session, 0, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_damaged_session_does_not_take_others_along() {
    let rig = Rig::new();
    let store = Arc::new(rig.open().await);
    let (mut damaged, mut whole) = (Log::new(), Log::new());
    store.append(&[damaged.created(), damaged.said("2")]).await.unwrap();
    rig.meddle("UPDATE sessions SET last_seq = 1").await;
    let again = Event { seq: 2, ..damaged.said("3") };
    let results = append_at_once(&store, vec![vec![again], vec![whole.created()]]).await;
    assert!(matches!(results[0], Err(Error::Damaged { .. })), "{results:?}");
    assert!(results[1].is_ok(), "{results:?}");
    assert_eq!(store.last_seq(whole.session).await.unwrap(), Some(1));
}

async fn what_a_caller_gave_up_on_is_written_all_the_same(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let created = [log.created()];
    // It hands its events over at its first turn, and does not live to have a second.
    let mut given_up = Box::pin(store.append(&created));
    let first_turn = std::future::poll_fn(|context| Poll::Ready(given_up.as_mut().poll(context))).await;
    assert!(!matches!(first_turn, Poll::Ready(Err(_))), "{first_turn:?}");
    drop(given_up);
    store.append(&[log.said("2")]).await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(2));
}
