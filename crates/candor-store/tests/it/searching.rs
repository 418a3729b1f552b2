//! What was said is found by its words, the same way in both databases.

use candor_protocol::{Event, EventBody, Role};
use candor_store::{HITS_MAX, Hit, Search, Store};

use crate::rig::{Log, Rig, on_both};

on_both! {
    all_words_must_occur_and_the_last_may_be_a_beginning,
    words_are_the_same_in_every_script,
    no_character_of_a_question_is_taken_for_more_than_a_character,
    hits_come_newest_first_and_say_where_they_are,
    only_messages_are_searched,
    what_is_said_later_is_found_later,
    a_deleted_session_is_not_found,
    only_the_folder_that_was_asked_for,
    an_excerpt_is_short_and_has_the_word,
    two_stores_index_at_once,
    many_events_of_one_moment_are_all_found,
    common_and_rare_words_are_found_alike_however_many_are_wanted,
    large_messages_are_found,
    a_session_that_lost_events_does_not_stop_the_search,
}

async fn search(store: &Store, text: &str) -> Vec<Hit> {
    store.search(&Search { text: text.to_owned(), workspace: None, limit: 100 }).await.unwrap()
}

/// A store with one session, in which these things were said.
async fn said(rig: &Rig, texts: &[&str]) -> (Store, Log) {
    let (store, mut log) = (rig.open().await, Log::new());
    let mut events = vec![log.created()];
    events.extend(texts.iter().map(|text| log.said(text)));
    store.append(&events).await.unwrap();
    (store, log)
}

/// Checks which of the things said a question finds, by their place, the oldest first.
async fn check(store: &Store, text: &str, expect: &[u64]) {
    let mut found: Vec<u64> = search(store, text).await.iter().map(|hit| hit.seq - 2).collect();
    found.reverse();
    assert_eq!(found, expect, "{text:?}");
}

async fn all_words_must_occur_and_the_last_may_be_a_beginning(rig: Rig) {
    let (store, _) =
        said(&rig, &["The quick brown fox", "a quick answer", "Foxes are QUICK", "quickly"]).await;
    check(&store, "quick", &[0, 1, 2, 3]).await;
    check(&store, "QUICK fox", &[0, 2]).await;
    check(&store, "fox quick", &[0]).await;
    check(&store, "quick brown", &[0]).await;
    check(&store, "brown quick", &[0]).await;
    check(&store, "qui", &[0, 1, 2, 3]).await;
    check(&store, "qui fox", &[]).await;
    check(&store, "uick", &[]).await;
    check(&store, "quick, answer!", &[1]).await;
}

async fn words_are_the_same_in_every_script(rig: Rig) {
    let texts = [
        "Grüße aus KÖLN",
        "ПРИВЕТ мир",
        "東京タワーへ行く",
        "한국어 문장",
        "naïve-café_x",
        "नमस्ते दुनिया",
        "x1e5 1.5 0x1f",
    ];
    let (store, _) = said(&rig, &texts).await;
    check(&store, "köln", &[0]).await;
    check(&store, "grüße", &[0]).await;
    check(&store, "grusse", &[]).await;
    check(&store, "привет", &[1]).await;
    check(&store, "МИР", &[1]).await;
    check(&store, "京", &[2]).await;
    check(&store, "タワー", &[2]).await;
    check(&store, "국어", &[3]).await;
    check(&store, "café", &[4]).await;
    check(&store, "x", &[4, 6]).await;
    check(&store, "नमस्ते", &[5]).await;
    check(&store, "1 5", &[6]).await;
    check(&store, "0x1f", &[6]).await;
    check(&store, "1e5", &[]).await;
}

async fn no_character_of_a_question_is_taken_for_more_than_a_character(rig: Rig) {
    let (store, _) = said(&rig, &["and or not near", "it's \"quoted\" \\ 100% sure\0yes"]).await;
    for nothing in ["", " ", "\"", "'", "*", "^ - :", "\0", "()", "🦀", "NEAR(", "\\"] {
        check(&store, nothing, if nothing == "NEAR(" { &[0] } else { &[] }).await;
    }
    check(&store, "AND", &[0]).await;
    check(&store, "not OR", &[0]).await;
    check(&store, "\"quoted\"*", &[1]).await;
    check(&store, "it's", &[1]).await;
    check(&store, "text:quoted", &[]).await;
    check(&store, "sure' | 'x", &[]).await;
    check(&store, "sure\0yes", &[1]).await;
    check(&store, &"sure ".repeat(10_000), &[1]).await;
    check(&store, &"s".repeat(100_000), &[]).await;
}

async fn hits_come_newest_first_and_say_where_they_are(rig: Rig) {
    let (store, mut late) = said(&rig, &["the word in a late session"]).await;
    let mut early = Log::new();
    early.at -= 1_000_000;
    let run = candor_protocol::RunId::now();
    let answer = [early.created(), early.said("nothing"), early.answered(run, "the word of the model")];
    store.append(&answer).await.unwrap();
    late.at += 5_000;
    let newest = late.said("word");
    store.append(std::slice::from_ref(&newest)).await.unwrap();
    let hits = search(&store, "word").await;
    let places: Vec<_> = hits.iter().map(|hit| (hit.session, hit.seq, hit.role)).collect();
    let (user, model) = (Role::User, Role::Assistant);
    assert_eq!(places, [(late.session, 3, user), (late.session, 2, user), (early.session, 3, model)]);
    assert_eq!((hits[0].session_name.as_str(), hits[0].at), ("a name", newest.at));
    assert_eq!(hits[2].excerpt, "the word of the model");
    let limited = Search { text: "word".to_owned(), workspace: None, limit: 1 };
    assert_eq!(store.search(&limited).await.unwrap().len(), 1);
    assert_eq!(store.search(&Search { limit: 0, ..limited }).await.unwrap(), []);
}

async fn only_messages_are_searched(rig: Rig) {
    let (store, mut log) = said(&rig, &["spoken"]).await;
    let result = EventBody::ToolResult {
        call_id: "hidden".to_owned(),
        tool_name: "hidden".to_owned(),
        result: "hidden".to_owned(),
        for_people: String::new(),
        is_error: false,
        card: None,
        duration_ms: 1,
        changes: Vec::new(),
        recovered: Vec::new(),
        images: Vec::new(),
    };
    let result = log.event(None, result);
    store.append(&[result]).await.unwrap();
    assert_eq!(search(&store, "hidden").await, []);
    assert_eq!(search(&store, "spoken").await.len(), 1);
}

async fn what_is_said_later_is_found_later(rig: Rig) {
    let (store, mut log) = said(&rig, &[]).await;
    for number in 1..=5 {
        store.append(&[log.said("again")]).await.unwrap();
        assert_eq!(search(&store, "again").await.len(), number);
    }
}

async fn a_deleted_session_is_not_found(rig: Rig) {
    let (store, log) = said(&rig, &["gone tomorrow"]).await;
    assert_eq!(search(&store, "gone").await.len(), 1);
    let lease = store.lease(log.session).await.unwrap().unwrap();
    assert!(store.delete(&lease).await.unwrap());
    assert_eq!(search(&store, "gone").await, []);
    // The index itself has forgotten: another session in its place is not found by the old words.
    let mut again = Log { session: log.session, ..Log::new() };
    store.append(&[again.created(), again.said("here today")]).await.unwrap();
    assert_eq!(search(&store, "gone").await, []);
    assert_eq!(search(&store, "today").await.len(), 1);
}

async fn only_the_folder_that_was_asked_for(rig: Rig) {
    let (store, mut other) = (rig.open().await, Log::new());
    let mut log = Log::new();
    store.append(&[log.created_in("/a"), log.said("word")]).await.unwrap();
    store.append(&[other.created_in("/b"), other.said("word")]).await.unwrap();
    for (workspace, expect) in
        [("/a", vec![log.session]), ("/b", vec![other.session]), ("/c", vec![]), ("", vec![])]
    {
        let only = Search { text: "word".to_owned(), workspace: Some(workspace.to_owned()), limit: 10 };
        let found: Vec<_> = store.search(&only).await.unwrap().iter().map(|hit| hit.session).collect();
        assert_eq!(found, expect, "{workspace}");
    }
}

async fn an_excerpt_is_short_and_has_the_word(rig: Rig) {
    let long = format!("{} needle\n\n in   the {}", "häy ".repeat(500), "straw ".repeat(500));
    let (store, _) = said(&rig, &[&long, "needle"]).await;
    let hits = search(&store, "needle").await;
    assert_eq!(hits[0].excerpt, "needle");
    let excerpt = &hits[1].excerpt;
    assert!(excerpt.contains("häy needle in the straw"), "{excerpt}");
    assert!(excerpt.starts_with('…') && excerpt.ends_with('…'), "{excerpt}");
    assert!((100..=162).contains(&excerpt.chars().count()), "{excerpt}");
}

async fn two_stores_index_at_once(rig: Rig) {
    let texts = vec!["word"; 450];
    let (store, _) = said(&rig, &texts).await;
    let other = rig.open().await;
    let wanted = Search { text: "word".to_owned(), workspace: None, limit: u32::MAX };
    let (mine, theirs) = tokio::join!(store.search(&wanted), other.search(&wanted));
    assert_eq!((mine.unwrap().len(), theirs.unwrap().len()), (HITS_MAX as usize, HITS_MAX as usize));
    assert_eq!(rig.ask("SELECT COUNT(*) || '' FROM entries").await, ["450"]);
}

async fn many_events_of_one_moment_are_all_found(rig: Rig) {
    let store = rig.open().await;
    for _ in 0..3 {
        let mut log = Log::new();
        let events: Vec<Event> = std::iter::once(log.created())
            .chain((0..30).map(|_| log.said("word")).collect::<Vec<_>>())
            .map(|event| Event { at: candor_protocol::Moment::from_millis(-5), ..event })
            .collect();
        store.append(&events).await.unwrap();
    }
    assert_eq!(search(&store, "word").await.len(), 90);
}

async fn large_messages_are_found(rig: Rig) {
    let large = (0..200_000).map(|number: u32| number.to_string()).collect::<Vec<_>>().join(" w");
    let (store, _) = said(&rig, &[&large, "small"]).await;
    check(&store, "w7", &[0]).await;
    check(&store, "small", &[1]).await;
}

async fn a_session_that_lost_events_does_not_stop_the_search(rig: Rig) {
    let (store, _) = said(&rig, &["lost", "lost as well"]).await;
    rig.meddle("DELETE FROM events").await;
    let mut other = Log::new();
    store.append(&[other.created(), other.said("word")]).await.unwrap();
    assert_eq!(search(&store, "word").await.len(), 1);
    assert_eq!(search(&store, "lost").await, []);
}

/// The newest messages may be enough for an answer, or the index must be asked; nobody can tell from the hits which it was.
async fn common_and_rare_words_are_found_alike_however_many_are_wanted(rig: Rig) {
    let texts: Vec<String> = (0..300)
        .map(|number| {
            let rare = if number % 97 == 3 { "heron" } else { "" };
            // Common once, and not any more.
            let faded = if number < 200 { "fading" } else { "" };
            format!("common word{} {rare} {faded}", number % 7)
        })
        .collect();
    let (store, _) = said(&rig, &texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    for (question, words) in [
        ("common", vec!["common"]),
        ("comm", vec!["comm"]),
        ("common wor", vec!["common", "wor"]),
        ("common word3", vec!["common", "word3"]),
        ("heron", vec!["heron"]),
        ("heron wor", vec!["heron", "wor"]),
        ("common her", vec!["common", "her"]),
        ("fad", vec!["fad"]),
        ("common fad", vec!["common", "fad"]),
        ("nowhere", vec!["nowhere"]),
        ("common nowhere", vec!["common", "nowhere"]),
    ] {
        let has = |text: &&(usize, &String)| words.iter().all(|word| text.1.contains(word));
        for limit in [0, 1, 5, 20, 100] {
            let expect = texts.iter().enumerate().collect::<Vec<_>>();
            let expect =
                expect.iter().rev().filter(|text| has(text)).take(limit).map(|text| text.0 as u64 + 2);
            let limit = u32::try_from(limit).unwrap();
            let asked = Search { text: question.to_owned(), workspace: Some("/work".to_owned()), limit };
            let found = store.search(&asked).await.unwrap();
            assert!(found.iter().map(|hit| hit.seq).eq(expect), "{question:?}, {limit}");
        }
    }
}
