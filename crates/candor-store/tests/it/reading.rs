//! Events come back in order, after the number asked for.

use candor_protocol::SessionId;

use crate::rig::{Log, Rig, on_both};

on_both! {
    events_come_in_pages,
    a_page_is_no_larger_than_asked_and_never_empty_where_there_is_more,
    a_session_that_is_not_there_has_no_last_number,
}

async fn events_come_in_pages(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let mut events = vec![log.created()];
    events.extend((2..=12).map(|number| log.said(&number.to_string())));
    store.append(&events).await.unwrap();
    for (after, limit, expect) in [
        (0, 5, 1..6),
        (5, 5, 6..11),
        (10, 5, 11..13),
        (11, u32::MAX, 12..13),
        (12, 5, 1..1),
        (0, 0, 1..1),
        (u64::MAX, 5, 1..1),
    ] {
        let page = store.events(log.session, after, limit).await.unwrap();
        let numbers: Vec<_> = page.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, expect.collect::<Vec<u64>>(), "after {after}, at most {limit}");
    }
}

async fn a_page_is_no_larger_than_asked_and_never_empty_where_there_is_more(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let mut events = vec![log.created()];
    events.extend((2..=5).map(|_| log.said(&"x".repeat(10_000))));
    store.append(&events).await.unwrap();
    for (after, bytes_max, expect) in [
        (1, 25_000, 2..4),
        (3, 25_000, 4..6),
        (1, 1, 2..3),
        (4, 0, 5..6),
        (0, u64::MAX, 1..6),
        (5, 25_000, 1..1),
        (u64::MAX, 25_000, 1..1),
    ] {
        let page = store.page(log.session, after, bytes_max).await.unwrap();
        let numbers: Vec<_> = page.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, expect.collect::<Vec<u64>>(), "after {after}, at most {bytes_max}");
    }
    assert_eq!(store.page(SessionId::now(), 0, 100).await.unwrap(), []);
}

async fn a_session_that_is_not_there_has_no_last_number(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    store.append(&[log.created(), log.said("hi")]).await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(2));
    let other = SessionId::now();
    assert_eq!(store.last_seq(other).await.unwrap(), None);
    assert_eq!(store.session(other).await.unwrap(), None);
    assert_eq!(store.events(other, 0, 10).await.unwrap(), []);
}
