//! Identifiers.

use candor_protocol::{InvalidId, SessionId};

#[test]
fn ids_sort_by_the_time_they_were_made() {
    let made: Vec<_> = (0..1000).map(|_| SessionId::now()).collect();
    assert!(made.is_sorted());
    let mut texts: Vec<_> = made.iter().map(ToString::to_string).collect();
    assert!(texts.is_sorted(), "also as text");
    texts.dedup();
    assert_eq!(texts.len(), 1000);
}

#[test]
fn an_id_is_its_text() {
    let id = SessionId::now();
    assert_eq!(id.to_string().parse(), Ok(id));
    assert_eq!(serde_json::to_value(id).expect("serializes"), id.to_string());
    assert_eq!("../etc".parse::<SessionId>(), Err(InvalidId("../etc".into())));
}
