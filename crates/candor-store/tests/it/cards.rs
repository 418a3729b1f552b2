//! Every error ends in a card that says what to do.

use candor_protocol::{Code, SessionId};
use candor_store::Error;

const SERVER: &str = "postgres://home/candor.db";
const SESSION: &str = "01950a00-0000-7000-8000-0000000abcde";

/// One of each variant, with the code its card must have.
fn one_of_each() -> Vec<(Error, Code)> {
    let (database, reason) = ("home/candor.db".to_owned(), "no permission".to_owned());
    let session: SessionId = SESSION.parse().unwrap();
    let all = vec![
        (Error::Unavailable { database: database.clone(), reason: reason.clone() }, Code::StoreUnavailable),
        (Error::Newer { database: database.clone() }, Code::StoreNewer),
        (Error::Damaged { database, reason: reason.clone() }, Code::StoreDamaged),
        (Error::Unavailable { database: SERVER.to_owned(), reason: reason.clone() }, Code::StoreServer),
        (Error::Damaged { database: SERVER.to_owned(), reason }, Code::StoreServer),
        (Error::Conflict { session }, Code::SessionBusy),
        (Error::SessionUnknown { session }, Code::SessionUnknown),
        (Error::NotDurable { session, seq: 7 }, Code::InternalPanic),
        (Error::Mixed { session }, Code::InternalPanic),
    ];
    for (error, _) in &all {
        // A variant that is added must be added above too.
        match error {
            Error::Unavailable { .. }
            | Error::Newer { .. }
            | Error::Damaged { .. }
            | Error::Conflict { .. }
            | Error::SessionUnknown { .. }
            | Error::NotDurable { .. }
            | Error::Mixed { .. } => {}
        }
    }
    all
}

#[test]
fn every_error_gives_a_card_with_all_its_facts_filled() {
    for (error, code) in one_of_each() {
        let failure = error.failure();
        assert_eq!(failure.code, code, "{error:?}");
        for fact in candor_cards::facts(candor_cards::entry(code)) {
            assert!(failure.fact(fact).is_some(), "{error:?} gives no {fact}");
        }
        let card = candor_cards::card(&failure);
        assert!(card.steps.len() >= 2, "{card:?}");
        assert!(!card.cause.contains("unknown"), "{card:?}");
    }
}

#[test]
fn an_error_names_the_thing_and_leaves_out_the_cause() {
    for (error, _) in one_of_each() {
        let text = error.to_string();
        assert!(text.contains("home/candor.db") || text.contains(SESSION), "{text}");
        assert!(!text.contains("permission"), "{text}");
    }
}
