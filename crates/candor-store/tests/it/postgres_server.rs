//! A PostgreSQL server that goes away, comes back, ends connections, or does not let us in.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Event, SessionId};
use candor_store::{Error, Location, Store};
use candor_testkit::Postgres;

use crate::rig::{Log, Rig};

/// Ends every connection of ours to this server.
const TERMINATE: &str = "SELECT COUNT(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity \
                         WHERE application_name = 'candor'";

/// How many events are appended after the trouble is over.
const AFTERWARDS: usize = 10;

async fn open(server: &Postgres) -> Store {
    Store::open(&Location::Postgres(server.url())).await.unwrap()
}

/// Appends events one by one while there is trouble, and a few afterwards; gives all that were acknowledged.
async fn append_through(server: Postgres, trouble: fn(&Postgres)) -> (Postgres, Vec<Event>, Store) {
    let (store, mut log) = (Arc::new(open(&server).await), Log::new());
    let (over, mut is_over) = tokio::sync::oneshot::channel();
    let writer = tokio::spawn({
        let store = Arc::clone(&store);
        let mut acknowledged = vec![log.created()];
        async move {
            store.append(&acknowledged).await.unwrap();
            let mut left = AFTERWARDS;
            while left > 0 {
                let event = log.said(&log.seq.to_string());
                store.append(std::slice::from_ref(&event)).await.unwrap();
                acknowledged.push(event);
                left -= usize::from(is_over.try_recv().is_ok() || left < AFTERWARDS);
            }
            acknowledged
        }
    });
    let server = tokio::task::spawn_blocking(move || {
        trouble(&server);
        over.send(()).unwrap();
        server
    });
    let (server, acknowledged) = (server.await.unwrap(), writer.await.unwrap());
    (server, acknowledged, Arc::into_inner(store).unwrap())
}

#[tokio::test]
async fn a_server_killed_during_appends_loses_and_doubles_nothing() {
    let (_server, acknowledged, store) = append_through(Postgres::private(), |server| {
        for _ in 0..2 {
            server.kill();
            server.start();
        }
    })
    .await;
    let stored = store.events(acknowledged[0].session_id, 0, u32::MAX).await.unwrap();
    assert_eq!(stored, acknowledged);
}

#[tokio::test]
async fn connections_ended_during_appends_lose_and_double_nothing() {
    let (_server, acknowledged, store) = append_through(Postgres::private(), |server| {
        for _ in 0..10 {
            server.ask(TERMINATE);
        }
    })
    .await;
    let stored = store.events(acknowledged[0].session_id, 0, u32::MAX).await.unwrap();
    assert_eq!(stored, acknowledged);
}

#[tokio::test]
async fn a_server_that_was_restarted_is_gone_on_with() {
    let (server, mut log) = (Postgres::private(), Log::new());
    let store = open(&server).await;
    store.append(&[log.created()]).await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
    server.stop();
    server.start();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
    store.append(&[log.said("2")]).await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(2));
}

#[tokio::test]
async fn a_lease_outlives_the_connection_when_nobody_else_takes_it() {
    let (server, mut log) = (Postgres::private(), Log::new());
    let (store, other) = (open(&server).await, open(&server).await);
    store.append(&[log.created()]).await.unwrap();
    let lease = store.lease(log.session).await.unwrap().unwrap();
    server.ask(TERMINATE);
    store.append(&[log.said("2")]).await.unwrap();
    assert!(other.lease(log.session).await.unwrap().is_none());
    drop(lease);
    assert!(store.lease(log.session).await.unwrap().is_some());
}

#[tokio::test]
async fn a_lease_that_another_took_over_is_lost_until_it_is_dropped() {
    let (server, mut log) = (Postgres::private(), Log::new());
    let (store, other) = (open(&server).await, open(&server).await);
    store.append(&[log.created()]).await.unwrap();
    let lease = store.lease(log.session).await.unwrap().unwrap();
    server.ask(TERMINATE);
    let theirs = other.lease(log.session).await.unwrap().expect("the server gave it back");
    let (two, mut free) = (log.said("2"), Log::new());
    for _ in 0..2 {
        let refused = store.append(std::slice::from_ref(&two)).await;
        assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    }
    store.append(&[free.created()]).await.unwrap();
    other.append(&[two]).await.unwrap();
    drop(theirs);
    other.close().await;
    let refused = store.append(&[log.said("3")]).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    drop(lease);
    let _lease = store.lease(log.session).await.unwrap().unwrap();
    log.seq = 2;
    store.append(&[log.said("3")]).await.unwrap();
}

/// The clock stands still and jumps to whatever is waited for, so that nothing really takes so long.
#[tokio::test]
async fn however_many_wait_for_a_server_that_is_away_all_are_told_soon() {
    let server = Postgres::private();
    let store = Arc::new(open(&server).await);
    store.last_seq(SessionId::now()).await.unwrap();
    server.stop();
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let waiting = (0..20).map(|number| {
        let (store, session) = (Arc::clone(&store), SessionId::now());
        tokio::spawn(async move {
            if number % 2 == 0 {
                store.last_seq(session).await.map(drop)
            } else {
                store.lease(session).await.map(drop)
            }
        })
    });
    for told in waiting.collect::<Vec<_>>() {
        assert!(matches!(told.await.unwrap(), Err(Error::Unavailable { .. })));
    }
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    tokio::time::resume();
    server.start();
    assert_eq!(store.last_seq(SessionId::now()).await.unwrap(), None);
    assert!(store.lease(SessionId::now()).await.unwrap().is_some());
}

#[tokio::test]
async fn a_connection_that_the_server_ended_for_being_idle_is_opened_again() {
    let (server, mut log) = (Postgres::private(), Log::new());
    let impatient = format!("{}?options=-cidle_session_timeout%3D200", server.url());
    let store = Store::open(&Location::Postgres(impatient)).await.unwrap();
    store.append(&[log.created()]).await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
    while server.ask("SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'candor'") != "0" {}
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
    store.append(&[log.said("2")]).await.unwrap();
}

/// Checks that an error shows where the database is and nothing of its password, nor of whom it is for.
#[track_caller]
fn check_secret(error: &Error, name: &str) {
    let card = format!("{:?}", candor_cards::card(&error.failure()));
    assert!(card.contains(name), "{card}");
    for text in [card, error.to_string(), format!("{error:?}")] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn a_password_is_never_shown() {
    let server = Postgres::private();
    server.require_password("right-hunter2");
    let name = format!("postgres://127.0.0.1:{}/postgres", server.port());
    let location =
        |password: &str| Location::Postgres(server.url().replace("candor@", &format!("candor:{password}@")));
    let wrong = Store::open(&location("wrong-hunter2")).await.map(drop).unwrap_err();
    assert!(matches!(wrong, Error::Unavailable { .. }), "{wrong:?}");
    check_secret(&wrong, &name);
    let right = location("right-hunter2");
    assert_eq!(format!("{right:?}"), format!("Postgres({name:?})"));
    let store = Store::open(&right).await.unwrap();
    assert_eq!(store.name(), name);
    assert!(!format!("{store:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_its_password_postgres() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let address = format!("postgres://candor:hunter2@127.0.0.1:{port}/sessions");
    let error = Store::open(&Location::Postgres(address)).await.map(drop).unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    check_secret(&error, &format!("postgres://127.0.0.1:{port}/sessions"));
    for address in ["postgres://candor:hunter2@host:port/x", "mysql://candor:hunter2@h/x", "hunter2"] {
        let location = Location::Postgres(address.to_owned());
        assert!(!format!("{location:?}").contains("hunter2"), "{address}");
        check_secret(&Store::open(&location).await.map(drop).unwrap_err(), "postgres://");
    }
}

#[tokio::test]
async fn a_newer_version_or_something_else_is_refused() {
    let rig = Rig::postgres();
    rig.open().await.close().await;
    rig.meddle("UPDATE meta SET value = '4'").await;
    assert!(matches!(rig.try_open().await, Err(Error::Newer { .. })));
    rig.meddle("UPDATE meta SET value = 'new'").await;
    assert!(matches!(rig.try_open().await, Err(Error::Damaged { .. })));
    for sql in ["CREATE TABLE meta (a int)", "CREATE TABLE sessions (a int)"] {
        let rig = Rig::postgres();
        rig.meddle(sql).await;
        assert!(matches!(rig.try_open().await, Err(Error::Damaged { .. })), "{sql}");
        assert_eq!(
            rig.ask("SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema()").await,
            ["1"]
        );
    }
}

#[tokio::test]
async fn a_table_that_is_gone_is_damage_and_no_panic() {
    let (rig, mut log) = (Rig::postgres(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    rig.meddle("DROP TABLE events CASCADE").await;
    let result = store.append(&[log.said("2")]).await;
    assert!(matches!(result, Err(Error::Damaged { .. })), "{result:?}");
    assert!(matches!(store.events(log.session, 0, 10).await, Err(Error::Damaged { .. })));
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
}

#[tokio::test]
async fn many_open_a_new_database_at_once() {
    let rig = Rig::postgres();
    let opening = (0..8).map(|_| {
        let location = rig.location();
        tokio::spawn(async move {
            let (store, mut log) = (Store::open(&location).await?, Log::new());
            store.append(&[log.created()]).await?;
            Ok::<_, Error>(store)
        })
    });
    for opened in opening.collect::<Vec<_>>() {
        opened.await.unwrap().unwrap();
    }
}
