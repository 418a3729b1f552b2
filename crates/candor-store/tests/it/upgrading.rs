//! A file of the first version is brought to this one, with everything in it.

use candor_protocol::{Event, RunId, Usage};
use candor_store::{Error, Grouping, Search};

use crate::rig::{Log, Rig, on_both, outcome};

on_both! {
    a_database_of_the_second_version_is_upgraded_and_keeps_what_it_has,
}

/// The tables of the first version, as that version made them: a copy of its own, so that a change of what is expected
/// of old files does not change the old files, too.
const FIRST_VERSION: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    workspace TEXT NOT NULL,
    instructions TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    model TEXT,
    status TEXT,
    message_count BIGINT NOT NULL DEFAULT 0,
    turns BIGINT NOT NULL DEFAULT 0,
    tool_calls BIGINT NOT NULL DEFAULT 0,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    total_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0,
    duration_ms BIGINT NOT NULL DEFAULT 0,
    cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_workspace ON sessions (workspace);
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    model TEXT,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    status TEXT,
    turns BIGINT NOT NULL DEFAULT 0,
    tool_calls BIGINT NOT NULL DEFAULT 0,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    total_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0,
    duration_ms BIGINT NOT NULL DEFAULT 0,
    cost_usd DOUBLE PRECISION
);
CREATE INDEX runs_by_session ON runs (session_id);
CREATE TABLE events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    run_id TEXT,
    at_ms BIGINT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
);
INSERT INTO meta (key, value) VALUES ('version', '1');
";

/// Takes the rows of a database of today that the first version had, too.
const MOVED: &str = "ATTACH 'today.db' AS today; \
    INSERT INTO sessions SELECT * FROM today.sessions; \
    INSERT INTO runs SELECT * FROM today.runs; \
    INSERT INTO events SELECT * FROM today.events";

/// A file of the first version. What is in it was written by the program of today: these three tables have the same
/// columns.
async fn first_version() -> (Rig, Log, Vec<Event>) {
    let (today, mut log, run) = (Rig::new(), Log::new(), RunId::now());
    let store = today.open().await;
    let ended = outcome(Usage::new(3, 4), Some(0.5));
    let events = vec![log.created(), log.said("words of old"), log.start(run, "m"), log.end(run, ended)];
    store.append(&events).await.unwrap();
    store.close().await;
    let rig = Rig::new();
    rig.meddle(FIRST_VERSION).await;
    let moved = MOVED.replace("today.db", today.path().to_str().unwrap());
    rig.meddle(moved.leak()).await;
    (rig, log, events)
}

#[tokio::test]
async fn a_file_of_the_first_version_is_upgraded_and_keeps_what_it_has() {
    let (rig, mut log, events) = first_version().await;
    assert_eq!(rig.ask("SELECT COUNT(*) || '' FROM sqlite_master WHERE name = 'contexts'").await, ["0"]);
    let store = rig.open().await;
    assert_eq!(rig.ask("SELECT value FROM meta WHERE key = 'version'").await, ["3"]);
    assert_eq!(store.events(log.session, 0, 10).await.unwrap(), events);
    assert_eq!(store.usage(Grouping::Model, None).await.unwrap()[0].usage, Usage::new(3, 4));
    store.append(&[log.said("and new ones")]).await.unwrap();
    store.save_context(log.session, 5, "{}").await.unwrap();
    let search = Search { text: "old".to_owned(), workspace: None, limit: 10 };
    assert_eq!(store.search(&search).await.unwrap().len(), 1);
    store.close().await;
    rig.open().await.check().await.unwrap();
}

#[tokio::test]
async fn two_upgrade_a_file_at_once() {
    let (rig, log, events) = first_version().await;
    let (one, other) = tokio::join!(rig.try_open(), rig.try_open());
    for store in [one.unwrap(), other.unwrap()] {
        assert_eq!(store.events(log.session, 0, 10).await.unwrap(), events);
    }
}

#[tokio::test]
async fn a_first_version_that_is_not_whole_is_left_alone() {
    let (rig, ..) = first_version().await;
    rig.meddle("DROP INDEX runs_by_session").await;
    assert!(matches!(rig.try_open().await, Err(Error::Damaged { .. })));
    assert_eq!(rig.ask("SELECT value FROM meta WHERE key = 'version'").await, ["1"]);
}

/// The second version had everything but the parents of sessions.
async fn a_database_of_the_second_version_is_upgraded_and_keeps_what_it_has(rig: Rig) {
    let mut log = Log::new();
    let events = vec![log.created(), log.said("words of old")];
    let store = rig.open().await;
    store.append(&events).await.unwrap();
    store.close().await;
    rig.meddle("DROP TABLE parents").await;
    rig.meddle("UPDATE meta SET value = '2' WHERE key = 'version'").await;
    let store = rig.open().await;
    assert_eq!(rig.ask("SELECT value FROM meta WHERE key = 'version'").await, ["3"]);
    assert_eq!(store.events(log.session, 0, 10).await.unwrap(), events);
    let mut child = Log::new();
    store.append(&[child.created_for(log.session)]).await.unwrap();
    assert_eq!(store.children(log.session, 10).await.unwrap()[0].id, child.session);
}
