//! What can happen to a SQLite file while nobody, or somebody else, looks after it.

use std::fs;
use std::path::Path;

use candor_protocol::Event;
use candor_store::{Error, Location, Store};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

use crate::rig::{Log, Rig};

/// A log with ten transactions: the files as they are while in use, and where in the log each transaction ends.
struct Sample {
    database: Vec<u8>,
    log: Vec<u8>,
    events: Vec<Event>,
    ends: Vec<usize>,
}

async fn sample() -> Sample {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    let read = |name: &str| fs::read(rig.directory().join(name)).unwrap();
    let (mut events, mut ends) = (Vec::new(), Vec::new());
    for number in 0..10 {
        let event = if number == 0 { log.created() } else { log.said(&"word ".repeat(number * 500)) };
        store.append(std::slice::from_ref(&event)).await.unwrap();
        events.push(event);
        ends.push(read("candor.db-wal").len());
    }
    Sample { database: read("candor.db"), log: read("candor.db-wal"), events, ends }
}

/// Opens the files as a crash left them: everything whose transaction is whole is there, and nothing else.
async fn check_torn(sample: &Sample, directory: &Path, length: usize) {
    let _ = fs::remove_file(directory.join("candor.db-shm"));
    fs::write(directory.join("candor.db"), &sample.database).unwrap();
    fs::write(directory.join("candor.db-wal"), &sample.log[..length]).unwrap();
    let store = Store::open(&Location::File(directory.join("candor.db"))).await.unwrap();
    let whole = sample.ends.iter().filter(|end| **end <= length).count();
    let stored = store.events(sample.events[0].session_id, 0, 100).await.unwrap();
    assert_eq!(stored, sample.events[..whole], "cut at {length}");
    store.close().await;
}

#[tokio::test]
async fn s7_9_a_log_that_is_torn_anywhere_keeps_what_was_committed_before() {
    let (sample, rig) = (sample().await, Rig::new());
    let first = sample.ends[0];
    // At each end of a transaction and around it, and evenly in between.
    let around = sample.ends.iter().flat_map(|end| [end - 4096, end - 1, *end, end + 1, end + 24]);
    let between = (first..sample.log.len()).step_by(1811);
    for length in around.chain(between).filter(|length| (first..=sample.log.len()).contains(length)) {
        check_torn(&sample, rig.directory(), length).await;
    }
}

#[tokio::test]
async fn a_file_that_another_holds_for_too_long_is_named_and_then_gone_on_with() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    let mut other = SqliteConnectOptions::new().filename(rig.path()).connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let event = log.said("2");
    let result = store.append(std::slice::from_ref(&event)).await;
    let Err(Error::Unavailable { reason, .. }) = &result else { panic!("{result:?}") };
    assert!(reason.contains("locked"), "{reason}");
    // What was stored can be read meanwhile.
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
    other.close().await.unwrap();
    store.append(&[event]).await.unwrap();
}

#[tokio::test]
async fn a_lease_is_the_same_by_whichever_link_the_database_is_reached() {
    let (rig, session) = (Rig::new(), candor_protocol::SessionId::now());
    let link = rig.directory().join("link.db");
    std::os::unix::fs::symlink(rig.path(), &link).unwrap();
    let (store, linked) = (rig.open().await, Store::open(&Location::File(link)).await.unwrap());
    let lease = store.lease(session).await.unwrap().unwrap();
    assert!(linked.lease(session).await.unwrap().is_none());
    let folder = rig.directory().join("candor.db-locks");
    let mode = |path: &std::path::Path| {
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777
    };
    let held = folder.join(session.to_string());
    assert_eq!((mode(&folder), mode(&held)), (0o700, 0o600));
    drop(lease);
    assert!(!held.exists(), "what is given back leaves nothing");
}

#[tokio::test]
async fn damaged_pages_do_not_pass_the_check() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    let mut events = vec![log.created()];
    events.extend((0..500).map(|number| log.said(&number.to_string())));
    store.append(&events).await.unwrap();
    store.close().await;
    let mut bytes = fs::read(rig.path()).unwrap();
    let place = bytes.len() - 3 * 4096;
    bytes[place..place + 4096].fill(0x55);
    fs::write(rig.path(), bytes).unwrap();
    let checked = match rig.try_open().await {
        Ok(store) => store.check().await,
        Err(error) => Err(error),
    };
    assert!(matches!(checked, Err(Error::Damaged { .. })), "{checked:?}");
}
