//! A session is found by its id or a piece of it.

use candor_protocol::SessionId;
use candor_store::{FOUND_MAX, Found, Store};

use crate::rig::{Log, Rig, on_both};

on_both! {
    a_piece_finds_one_or_several,
    not_more_are_named_than_a_person_reads,
}

const IDS: [&str; 3] = [
    "01950a00-0000-7000-8000-0000000abcde",
    "01950a00-1111-7000-8000-0000001abcde",
    "0195ffff-2222-7000-8000-00000000f00d",
];

fn id(place: usize) -> SessionId {
    IDS[place].parse().unwrap()
}

async fn check(store: &Store, text: &str, expect: Found) {
    assert_eq!(store.find(text).await.unwrap(), expect, "{text:?}");
}

async fn a_piece_finds_one_or_several(rig: Rig) {
    let store = rig.open().await;
    for place in 0..IDS.len() {
        let mut log = Log { session: id(place), ..Log::new() };
        store.append(&[log.created()]).await.unwrap();
    }
    check(&store, IDS[1], Found::One(id(1))).await;
    check(&store, &IDS[1].to_uppercase(), Found::One(id(1))).await;
    check(&store, &IDS[1].replace('-', ""), Found::One(id(1))).await;
    check(&store, " 0195ffff ", Found::One(id(2))).await;
    check(&store, "0195FFFF-22", Found::One(id(2))).await;
    check(&store, "0195ffff22", Found::One(id(2))).await;
    check(&store, "f00d", Found::One(id(2))).await;
    check(&store, "8000-0000001abcde", Found::One(id(1))).await;
    check(&store, "abcde", Found::Many(vec![id(1), id(0)])).await;
    check(&store, "01950a00", Found::Many(vec![id(1), id(0)])).await;
    check(&store, "0195", Found::Many(vec![id(2), id(1), id(0)])).await;
    for nothing in ["", "-", "f0d", "---f-0-d", "2222", "beef", "%%%%", "____", "0195%", "x0195", "'; --"] {
        check(&store, nothing, Found::None).await;
    }
    check(&store, "01950a00-0000-7000-8000-0000000abcdf", Found::None).await;
    check(&store, &"0".repeat(100_000), Found::None).await;
}

async fn not_more_are_named_than_a_person_reads(rig: Rig) {
    let store = rig.open().await;
    for number in 0..FOUND_MAX + 5 {
        let session = format!("01950a00-0000-7000-8000-{number:012x}").parse().unwrap();
        store.append(&[Log { session, ..Log::new() }.created()]).await.unwrap();
    }
    let Found::Many(ids) = store.find("01950a00").await.unwrap() else { panic!("there are many") };
    assert_eq!(ids.len(), FOUND_MAX);
}
