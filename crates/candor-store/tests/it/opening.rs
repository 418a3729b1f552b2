//! Opening: what is made, for whom, and what is refused.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use candor_store::{Error, Location, Store};

use crate::rig::{Log, Rig};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Checks that a path is refused as one that cannot be used, for a reason that names the trouble.
async fn check_unavailable(path: &Path, expect: &str) {
    let error = Store::open(&Location::File(path.to_owned())).await.map(drop).unwrap_err();
    let Error::Unavailable { database: named, reason } = &error else {
        panic!("{}: {error:?}", path.display())
    };
    assert_eq!(*named, path.display().to_string());
    assert!(reason.contains(expect), "{}: {reason:?}", path.display());
}

#[tokio::test]
async fn the_files_and_folders_are_for_their_owner_only() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let path = rig.directory().join("deep/er/candor.db");
    let store = Store::open(&Location::File(path.clone())).await.unwrap();
    store.append(&[log.created(), log.said("secret")]).await.unwrap();
    store.last_seq(log.session).await.unwrap();
    for name in ["candor.db", "candor.db-wal", "candor.db-shm"] {
        assert_eq!(mode(&path.with_file_name(name)), 0o600, "{name}");
    }
    assert_eq!(mode(&rig.directory().join("deep")), 0o700);
    assert_eq!(mode(&rig.directory().join("deep/er")), 0o700);
}

#[tokio::test]
async fn a_file_that_others_may_read_is_closed_to_them() {
    let (rig, mut log) = (Rig::new(), Log::new());
    rig.open().await.close().await;
    fs::set_permissions(rig.path(), Permissions::from_mode(0o644)).unwrap();
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    for name in ["candor.db", "candor.db-wal", "candor.db-shm"] {
        assert_eq!(mode(&rig.path().with_file_name(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn an_empty_file_becomes_a_database() {
    let (rig, mut log) = (Rig::new(), Log::new());
    fs::write(rig.path(), "").unwrap();
    rig.open().await.append(&[log.created()]).await.unwrap();
    assert_eq!(rig.open().await.last_seq(log.session).await.unwrap(), Some(1));
}

#[tokio::test]
async fn a_link_leads_to_the_database() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let link = rig.directory().join("link.db");
    symlink(rig.path(), &link).unwrap();
    rig.open().await.append(&[log.created()]).await.unwrap();
    let store = Store::open(&Location::File(link)).await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1));
}

#[tokio::test]
async fn names_that_mean_something_to_sqlite_are_names_of_files() {
    let rig = Rig::new();
    for name in ["file:x?mode=memory", ":memory:", "a b%20c?d#e", "ünï'\"", "-wal"] {
        let (path, mut log) = (rig.directory().join(name), Log::new());
        let store = Store::open(&Location::File(path.clone())).await.unwrap();
        store.append(&[log.created()]).await.unwrap();
        store.close().await;
        let store = Store::open(&Location::File(path.clone())).await.unwrap();
        assert_eq!(store.last_seq(log.session).await.unwrap(), Some(1), "{name}");
        assert!(path.is_file(), "{name}");
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the standard library makes no pipes with names")]
async fn what_cannot_be_a_database_file_is_refused() {
    let rig = Rig::new();
    let plain = rig.directory().join("plain");
    fs::write(&plain, "").unwrap();
    let pipe = rig.directory().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    check_unavailable(rig.directory(), "directory").await;
    check_unavailable(Path::new("/"), "directory").await;
    check_unavailable(&plain.join("candor.db"), "").await;
    check_unavailable(&pipe, "not a file").await;
    check_unavailable(Path::new("/dev/null"), "not a file").await;
    check_unavailable(&rig.directory().join("x".repeat(300)), "too long").await;
    check_unavailable(Path::new("/proc/candor/candor.db"), "").await;
    let dangling = rig.directory().join("dangling");
    symlink(rig.directory().join("not/there"), &dangling).unwrap();
    check_unavailable(&dangling, "").await;
}

#[tokio::test]
async fn a_newer_version_is_left_alone() {
    let rig = Rig::new();
    rig.open().await.close().await;
    rig.meddle("UPDATE meta SET value = '4'").await;
    let before = fs::read(rig.path()).unwrap();
    let error = rig.try_open().await.unwrap_err();
    assert!(
        matches!(&error, Error::Newer { database } if *database == rig.path().display().to_string()),
        "{error:?}"
    );
    assert_eq!(fs::read(rig.path()).unwrap(), before);
}

/// Checks that what was put in place of the database is refused as damaged.
async fn check_damaged(rig: &Rig) {
    let error = rig.try_open().await.unwrap_err();
    assert!(
        matches!(&error, Error::Damaged { database, .. } if *database == rig.path().display().to_string()),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_database_of_something_else_is_refused_and_left_alone() {
    for sql in [
        "CREATE TABLE theirs (a)",
        "CREATE TABLE meta (a)",
        "CREATE TABLE meta (key, value)",
        "CREATE TABLE meta (key, value); INSERT INTO meta VALUES ('version', 'new')",
        "CREATE TABLE meta (key, value); INSERT INTO meta VALUES ('version', x'ff')",
    ] {
        let rig = Rig::new();
        rig.meddle(sql).await;
        check_damaged(&rig).await;
        let tables = rig.ask("SELECT COUNT(*) || '' FROM sqlite_master").await;
        assert_eq!(tables, ["1"], "{sql}");
    }
}

#[tokio::test]
async fn a_damaged_definition_is_found_before_it_is_used() {
    for sql in [
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = REPLACE(sql, 'source TEXT', 'source TEXX')",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = REPLACE(sql, 'source TEXT', \
         'source T' || CAST(x'ff' AS TEXT)) WHERE name = 'sessions'",
        "DROP TABLE runs",
        "DROP INDEX runs_by_session",
    ] {
        let rig = Rig::new();
        rig.open().await.close().await;
        rig.meddle(sql).await;
        check_damaged(&rig).await;
    }
}

#[tokio::test]
async fn a_database_that_was_tidied_up_by_hand_is_still_ours() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    store.close().await;
    rig.meddle("PRAGMA journal_mode = DELETE; ANALYZE; CREATE INDEX mine ON events (type); VACUUM").await;
    assert_eq!(rig.open().await.last_seq(log.session).await.unwrap(), Some(1));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let texts =
        [b"Dear diary,\n".repeat(1000), vec![0; 8192], b"SQLite format 3\0".to_vec(), vec![0xff; 100]];
    for text in texts {
        let rig = Rig::new();
        fs::write(rig.path(), &text).unwrap();
        let opened = rig.try_open().await;
        // A file too short to have a header is an empty one to SQLite.
        assert!(text.len() < 512 || matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
        if matches!(opened, Err(Error::Damaged { .. })) {
            assert_eq!(fs::read(rig.path()).unwrap(), text);
        }
    }
}

#[tokio::test]
async fn a_file_moved_away_while_open_is_noticed_before_anything_is_acknowledged() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    let aside = rig.directory().join("aside.db");
    fs::rename(rig.path(), &aside).unwrap();
    let event = log.said("lost?");
    let result = store.append(std::slice::from_ref(&event)).await;
    assert!(matches!(result, Err(Error::Unavailable { .. })), "{result:?}");
    fs::write(rig.path(), "").unwrap();
    let result = store.append(std::slice::from_ref(&event)).await;
    assert!(matches!(result, Err(Error::Unavailable { .. })), "{result:?}");
    fs::rename(&aside, rig.path()).unwrap();
    store.append(&[event]).await.unwrap();
}

#[tokio::test]
async fn many_open_a_new_database_at_once() {
    let rig = Rig::new();
    let opening = (0..8).map(|_| {
        let path = rig.path();
        tokio::spawn(async move {
            let (store, mut log) = (Store::open(&Location::File(path)).await?, Log::new());
            store.append(&[log.created(), log.said("hi")]).await?;
            Ok::<_, Error>(log.session)
        })
    });
    let store = rig.open().await;
    for opened in opening.collect::<Vec<_>>() {
        let session = opened.await.unwrap().unwrap();
        assert_eq!(store.last_seq(session).await.unwrap(), Some(2));
    }
}
