//! The index of passages.

use candor_store::{Error, PASSAGES_AT_ONCE, Passage, Passages};

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
    filling.add(all.iter().cloned().map(Passage::prepare).collect()).await.unwrap();
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
    filling.add(vec![passage("c", "Three", "apples").prepare()]).await.unwrap();
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
    filling.add(vec![passage("b", "Two", "pears").prepare()]).await.unwrap();
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

#[tokio::test]
async fn a_new_index_is_like_any_other_once_it_is_filled() {
    let rig = Rig::new();
    let path = rig.directory().join("index.db");
    let mut passages = Passages::create(&path).await.unwrap();
    // More than go in at once.
    let many: Vec<Passage> =
        (0..=PASSAGES_AT_ONCE).map(|n| passage(&n.to_string(), "One", "apples")).collect();
    filled(&mut passages, &many, "first").await;
    passages.close().await;
    assert_eq!(std::fs::read_dir(rig.directory()).unwrap().count(), 1, "nothing is left beside it");
    let mut one = Passages::open(&path).await.unwrap();
    assert_eq!(one.mark().await.unwrap().as_deref(), Some("first"));
    assert_eq!(one.count().await.unwrap(), many.len() as u64);
    assert_eq!(
        found(&mut one, &format!("{PASSAGES_AT_ONCE} apples")).await,
        [format!("{PASSAGES_AT_ONCE}: One")]
    );
    one.check().await.unwrap();
    // It is read while it is changed.
    let mut other = Passages::open(&path).await.unwrap();
    let mut filling = one.fill().await.unwrap();
    filling.add(vec![passage("b", "Two", "pears").prepare()]).await.unwrap();
    assert_eq!(found(&mut other, "pears").await, [""; 0]);
    filling.finish("second").await.unwrap();
    assert_eq!(found(&mut other, "pears").await, ["b: Two"]);
}

#[tokio::test]
async fn a_new_index_that_was_not_finished_has_no_mark() {
    let rig = Rig::new();
    let path = rig.directory().join("index.db");
    let mut passages = Passages::create(&path).await.unwrap();
    let mut filling = passages.fill().await.unwrap();
    filling.add(vec![passage("a", "One", "apples").prepare()]).await.unwrap();
    drop(filling);
    drop(passages);
    if let Ok(mut passages) = Passages::open(&path).await {
        assert_eq!(passages.mark().await.ok().flatten(), None);
    }
}
