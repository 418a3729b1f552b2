//! A file of the first version is brought to this one, with everything in it.

use candor_protocol::{Event, RunId, Usage};
use candor_store::{Error, Grouping, Search};

use crate::rig::{Log, Rig, outcome};

/// What the second version added, taken away again.
const BACK: &str = "DROP TABLE words; DROP TABLE entries; DROP TABLE marks; DROP TABLE contexts; \
    DROP INDEX runs_open; DROP INDEX sessions_staged; DROP INDEX events_by_run; \
    UPDATE meta SET value = '1' WHERE key = 'version'";

async fn first_version(rig: &Rig) -> (Log, Vec<Event>) {
    let (store, mut log, run) = (rig.open().await, Log::new(), RunId::now());
    let ended = outcome(Usage::new(3, 4), Some(0.5));
    let events = vec![log.created(), log.said("words of old"), log.start(run, "m"), log.end(run, ended)];
    store.append(&events).await.unwrap();
    store.close().await;
    rig.meddle(BACK).await;
    (log, events)
}

#[tokio::test]
async fn a_file_of_the_first_version_is_upgraded_and_keeps_what_it_has() {
    let rig = Rig::new();
    let (mut log, events) = first_version(&rig).await;
    assert_eq!(rig.ask("SELECT COUNT(*) || '' FROM sqlite_master WHERE name = 'contexts'").await, ["0"]);
    let store = rig.open().await;
    assert_eq!(rig.ask("SELECT value FROM meta WHERE key = 'version'").await, ["2"]);
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
    let rig = Rig::new();
    let (log, events) = first_version(&rig).await;
    let (one, other) = tokio::join!(rig.try_open(), rig.try_open());
    for store in [one.unwrap(), other.unwrap()] {
        assert_eq!(store.events(log.session, 0, 10).await.unwrap(), events);
    }
}

#[tokio::test]
async fn a_first_version_that_is_not_whole_is_left_alone() {
    let rig = Rig::new();
    first_version(&rig).await;
    rig.meddle("DROP INDEX runs_by_session").await;
    assert!(matches!(rig.try_open().await, Err(Error::Damaged { .. })));
    assert_eq!(rig.ask("SELECT value FROM meta WHERE key = 'version'").await, ["1"]);
}
