//! A panic is a failure like any other.

use candor_protocol::Code;

use super::{Exit, Fail, guard};

#[test]
fn a_panic_becomes_a_card_with_its_message_and_place() {
    let outcome = guard(|| panic!("the {} broke", "lever"));
    let Err(Fail::Card(failure)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(failure.code, Code::InternalPanic);
    assert_eq!(failure.fact("message"), Some("the lever broke"));
    assert!(failure.fact("location").is_some_and(|place| place.contains("fail_tests.rs:")));
    assert!(candor_cards::card(&failure).steps.len() >= 2);
}

#[test]
fn what_does_not_panic_passes_through() {
    assert!(matches!(guard(|| Ok(Exit::Bad)), Ok(Exit::Bad)));
    assert!(matches!(guard(|| Err(Fail::Hangup)), Err(Fail::Hangup)));
}
