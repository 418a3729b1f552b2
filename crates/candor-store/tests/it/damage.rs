//! Damaged files: an error or what was written, never a panic and never something else.

use std::fs;

use candor_protocol::Event;
use candor_store::{Error, Filter, Grouping, Search};
use candor_testkit::{Rng, Sweep};

use crate::rig::{Log, Rig};

/// Checks that the third event of a session is refused after something was done to it.
async fn check_damaged(sql: &'static str, expect: &str) {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created(), log.said("2"), log.said("3"), log.said("4")]).await.unwrap();
    rig.meddle(sql).await;
    let error = store.events(log.session, 0, 10).await.unwrap_err();
    let Error::Damaged { reason, .. } = &error else { panic!("{sql}: {error:?}") };
    assert_eq!(*reason, format!("event 3 of session {} {expect}", log.session), "{sql}");
    // The ones before it can still be had.
    assert_eq!(store.events(log.session, 0, 2).await.unwrap().len(), 2);
}

#[tokio::test]
async fn an_event_that_is_not_what_it_should_be_is_named() {
    check_damaged("UPDATE events SET body = '{' WHERE seq = 3", "cannot be read").await;
    check_damaged("UPDATE events SET body = '{\"type\":\"dance\"}' WHERE seq = 3", "cannot be read").await;
    check_damaged("UPDATE events SET body = x'ff00' WHERE seq = 3", "is not text").await;
    check_damaged("UPDATE events SET body = CAST(x'ff00' AS TEXT) WHERE seq = 3", "is not text").await;
    check_damaged("DELETE FROM events WHERE seq = 3", "is missing").await;
    let swapped = "UPDATE events SET body = (SELECT body FROM events WHERE seq = 4) WHERE seq = 3";
    check_damaged(swapped, "is another one than it should be").await;
}

#[tokio::test]
async fn a_summary_that_is_not_what_it_should_be_is_damage() {
    for sql in [
        "UPDATE sessions SET id = 'x'",
        "UPDATE sessions SET status = 'splendid'",
        "UPDATE sessions SET message_count = -1",
        "UPDATE sessions SET message_count = 'many'",
        "UPDATE sessions SET name = x'ff'",
        "DROP TABLE sessions",
    ] {
        let (rig, mut log) = (Rig::new(), Log::new());
        let store = rig.open().await;
        store.append(&[log.created()]).await.unwrap();
        rig.meddle(sql).await;
        let filter = Filter { workspace: None, children: true, limit: 10, offset: 0 };
        let listed = store.sessions(&filter).await;
        assert!(matches!(listed, Err(Error::Damaged { .. })), "{sql}: {listed:?}");
    }
}

#[tokio::test]
async fn events_that_no_session_knows_of_stop_an_append() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created(), log.said("2")]).await.unwrap();
    rig.meddle("UPDATE sessions SET last_seq = 1").await;
    log.seq = 1;
    let result = store.append(&[log.said("again")]).await;
    assert!(matches!(result, Err(Error::Damaged { .. })), "{result:?}");
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
}

/// A database with events of all sizes, as files: closed, and as it lies there while it is in use.
async fn samples() -> (Vec<Vec<(&'static str, Vec<u8>)>>, Vec<Event>) {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    let mut events = vec![log.created()];
    events.extend((0..60).map(|number| log.said(&"word ".repeat(number * number))));
    store.append(&events).await.unwrap();
    store.search(&Search { text: "word".to_owned(), workspace: None, limit: 10 }).await.unwrap();
    let file = |name| (name, fs::read(rig.directory().join(name)).unwrap());
    let in_use = vec![file("candor.db"), file("candor.db-wal")];
    store.close().await;
    (vec![vec![file("candor.db")], in_use], events)
}

fn wound(rng: &mut Rng, bytes: &mut Vec<u8>) {
    match rng.below(4) {
        0 => {
            let length = rng.below(bytes.len());
            bytes.truncate(length);
        }
        1 => {
            let page = rng.below(bytes.len() / 4096) * 4096;
            bytes[page..page + 4096].fill(0);
        }
        // Where the headers of pages are, and anywhere.
        kind => {
            for _ in 0..=rng.below(8) {
                let place = if kind == 2 {
                    rng.below(bytes.len() / 4096) * 4096 + rng.below(128)
                } else {
                    rng.below(bytes.len())
                };
                bytes[place] ^= 1 << rng.below(8);
            }
        }
    }
}

/// An answer, or an error that says that the file is not as it was; any other one would lead a person astray.
#[track_caller]
fn check_honest<T>(answer: Result<T, Error>) -> Option<T> {
    match answer {
        Ok(answer) => Some(answer),
        Err(
            Error::Damaged { .. }
            | Error::Newer { .. }
            | Error::Conflict { .. }
            | Error::SessionUnknown { .. },
        ) => None,
        Err(error) => panic!("{error:?}"),
    }
}

/// Asks everything, and appends.
async fn try_everything(rig: &Rig, events: &[Event]) {
    let Some(store) = check_honest(rig.try_open().await) else { return };
    let session = events[0].session_id;
    check_honest(store.sessions(&Filter { workspace: None, children: true, limit: 10, offset: 0 }).await);
    check_honest(store.find("abcd").await);
    check_honest(store.latest("/work").await);
    check_honest(store.usage(Grouping::Day, None).await);
    check_honest(store.open_runs(None, 10).await);
    check_honest(store.context(session).await);
    check_honest(store.newest_events(session, 5).await);
    check_honest(store.expired(&["cli"], Some(0), None, 10).await);
    for text in ["word", "more"] {
        check_honest(store.search(&Search { text: text.to_owned(), workspace: None, limit: 10 }).await);
    }
    check_honest(store.check().await);
    if let Some(read) = check_honest(store.events(session, 0, 1000).await) {
        let numbers = read.iter().map(|event| event.seq);
        assert!(numbers.eq(1..=u64::try_from(read.len()).unwrap()));
    }
    let mut log = Log { session, seq: u64::try_from(events.len()).unwrap(), at: 0 };
    check_honest(store.append(&[log.said("more")]).await);
    store.close().await;
}

/// A flipped bit there makes the engine say that the disk is read-only, which would send a person elsewhere.
#[tokio::test]
async fn a_head_that_forbids_writing_is_damage() {
    let (samples, events) = samples().await;
    let rig = Rig::new();
    for (name, bytes) in &samples[0] {
        let mut bytes = bytes.clone();
        if *name == "candor.db" {
            bytes[18] = 9;
        }
        fs::write(rig.directory().join(name), bytes).unwrap();
    }
    let stored = match rig.try_open().await {
        Ok(store) => {
            let mut log = Log { session: events[0].session_id, seq: events.len() as u64, at: 0 };
            store.append(&[log.said("more")]).await
        }
        Err(error) => Err(error),
    };
    assert!(matches!(stored, Err(Error::Damaged { .. })), "{stored:?}");
}

#[test]
fn sweep_store_damaged() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (samples, events) = runtime.block_on(samples());
    let rig = Rig::new();
    let mut sweep = Sweep::start("store_damaged");
    while sweep.goes_on() {
        for name in ["candor.db", "candor.db-wal", "candor.db-shm"] {
            let _ = fs::remove_file(rig.directory().join(name));
        }
        let rng = sweep.rng();
        let sample = &samples[rng.below(samples.len())];
        let wounded = rng.below(sample.len());
        for (place, (name, bytes)) in sample.iter().enumerate() {
            let mut bytes = bytes.clone();
            if place == wounded {
                wound(rng, &mut bytes);
            }
            fs::write(rig.directory().join(name), &bytes).unwrap();
        }
        runtime.block_on(try_everything(&rig, &events));
    }
}
