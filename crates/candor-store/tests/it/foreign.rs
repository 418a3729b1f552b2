//! Questions to databases that are not ours.

use candor_store::{Foreign, Location, Store, ask};

async fn file() -> (tempfile::TempDir, Foreign) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.db");
    // Any SQLite file will do, and ours is one.
    Store::open(&Location::File(path.clone())).await.expect("a store").close().await;
    (folder, Foreign::File(path))
}

#[tokio::test]
async fn rows_come_as_lines_with_tabs_between_the_values() {
    let (_folder, place) = file().await;
    let rows = ask(&place, "select 1, 'two', null, 2.5 union all select 3, 'four', 'five', 6").await;
    assert_eq!(rows.as_deref(), Ok("1\ttwo\tNULL\t2.5\n3\tfour\tfive\t6"));
}

#[tokio::test]
async fn what_is_no_question_is_not_asked() {
    let (folder, place) = file().await;
    let elsewhere = folder.path().join("elsewhere.db").display().to_string();
    for query in [
        format!("vacuum into '{elsewhere}'"),
        format!("attach database '{elsewhere}' as o"),
        format!("select 1; attach database '{elsewhere}' as o; create table o.t (x)"),
        "create table t (x)".to_owned(),
        "with a as (select 1) insert into t select * from a".to_owned(),
    ] {
        assert!(ask(&place, &query).await.is_err(), "{query}");
    }
    assert!(!std::path::Path::new(&elsewhere).exists());
}

#[tokio::test]
async fn a_mistake_is_told_in_the_words_of_the_database() {
    let (_folder, place) = file().await;
    let told = ask(&place, "select x from nowhere").await.expect_err("there is no such table");
    assert!(told.contains("no such table: nowhere"), "{told}");
    let missing = Foreign::File("/nonexistent/app.db".into());
    assert!(ask(&missing, "select 1").await.is_err());
}

#[tokio::test]
async fn postgres_answers_in_text_whatever_the_types_are() {
    let database = candor_testkit::Postgres::shared();
    let place = Foreign::Postgres(database.url());
    let rows = ask(&place, "select 1, true, '2026-11-15'::date, null::text, 'x'").await;
    assert_eq!(rows.as_deref(), Ok("1\tt\t2026-11-15\tNULL\tx"));
}
