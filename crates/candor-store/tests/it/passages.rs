//! The index of passages.

use candor_store::{Error, Passage, Passages};

use crate::rig::Rig;

fn passage(path: &str, title: &str, text: &str) -> Passage {
    Passage {
        path: path.to_owned(),
        title: title.to_owned(),
        text: text.to_owned(),
        about: format!("{path}: {title}"),
        ..Passage::default()
    }
}

async fn filled(passages: &mut Passages, all: &[Passage], mark: &str) {
    let mut filling = passages.fill().await.unwrap();
    filling.clear().await.unwrap();
    filling.add(all).await.unwrap();
    filling.finish(mark).await.unwrap();
}

async fn found(passages: &mut Passages, query: &str) -> Vec<String> {
    passages.search(query, 10).await.unwrap().into_iter().map(|found| found.about).collect()
}

#[tokio::test]
async fn what_is_put_in_is_found_and_what_is_taken_out_is_not() {
    let rig = Rig::new();
    let path = rig.directory().join("index.db");
    let mut passages = Passages::open(&path).await.unwrap();
    assert_eq!(passages.mark().await.unwrap(), None);
    filled(&mut passages, &[passage("a", "One", "apples"), passage("b", "Two", "apples, pears")], "first")
        .await;
    passages.close().await;

    let mut passages = Passages::open(&path).await.unwrap();
    assert_eq!(passages.mark().await.unwrap().as_deref(), Some("first"));
    assert_eq!(passages.count().await.unwrap(), 2);
    assert_eq!(found(&mut passages, "apples").await, ["a: One", "b: Two"]);
    let mut filling = passages.fill().await.unwrap();
    filling.remove("a").await.unwrap();
    filling.add(&[passage("c", "Three", "apples")]).await.unwrap();
    filling.finish("second").await.unwrap();
    assert_eq!(found(&mut passages, "apples").await, ["c: Three", "b: Two"]);
    passages.check().await.unwrap();
}

#[tokio::test]
async fn a_change_that_is_not_finished_has_not_happened() {
    let mut passages = Passages::in_memory().await.unwrap();
    filled(&mut passages, &[passage("a", "One", "apples")], "first").await;
    let mut filling = passages.fill().await.unwrap();
    filling.clear().await.unwrap();
    filling.add(&[passage("b", "Two", "pears")]).await.unwrap();
    drop(filling);
    assert_eq!(found(&mut passages, "apples").await, ["a: One"]);
    assert!(found(&mut passages, "pears").await.is_empty());
    assert_eq!(passages.mark().await.unwrap().as_deref(), Some("first"));
}

#[tokio::test]
async fn names_are_found_whole_and_by_their_parts() {
    let mut passages = Passages::in_memory().await.unwrap();
    let texts = ["HTTPServerV2", "http_server", "the HTTP of a server", "httpserver"];
    let all: Vec<Passage> = texts.iter().map(|text| passage(text, "", text)).collect();
    filled(&mut passages, &all, "x").await;
    assert_eq!(found(&mut passages, "http").await.len(), 4, "the beginning of a word counts");
    let mut names = found(&mut passages, "httpServer").await;
    names.sort();
    assert_eq!(names, ["HTTPServerV2: ", "http_server: ", "httpserver: "]);
    assert_eq!(found(&mut passages, "servers").await.len(), 3, "the forms of a word are one");
}

#[tokio::test]
async fn what_is_no_index_is_damage() {
    let rig = Rig::new();
    let path = rig.directory().join("index.db");
    std::fs::write(&path, "something else, and long enough to be taken for a page of a database").unwrap();
    let error = Passages::open(&path).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    Passages::remove(&path).unwrap();
    Passages::remove(&path).unwrap();
    Passages::open(&path).await.unwrap();
}
