//! Every error has a card with all its facts.

use std::time::Duration;

use candor_web::Error;

#[test]
fn every_error_has_a_card() {
    let text = || "x".to_owned();
    let all = [
        Error::Refused { url: text(), reason: text() },
        Error::Secret { what: "x" },
        Error::Robots { url: text(), robots: text() },
        Error::Unreachable { url: text(), reason: text() },
        Error::TimedOut { url: text(), limit: Duration::from_secs(1) },
        Error::Status { url: text(), status: text() },
        Error::Content { url: text(), kind: text(), reason: text() },
        Error::Search { engine: "x", reason: text() },
        Error::SearchKey { engine: "x", reason: text() },
    ];
    for error in all {
        // A variant that is added must be added above too.
        match &error {
            Error::Refused { .. }
            | Error::Secret { .. }
            | Error::Robots { .. }
            | Error::Unreachable { .. }
            | Error::TimedOut { .. }
            | Error::Status { .. }
            | Error::Content { .. }
            | Error::Search { .. }
            | Error::SearchKey { .. } => {}
        }
        let failure = error.failure();
        for fact in candor_cards::facts(candor_cards::entry(failure.code)) {
            assert!(failure.fact(fact).is_some(), "{error:?} gives no {fact}");
        }
        assert!(error.to_string().contains('x'), "{error}");
        assert!(candor_cards::card(&failure).steps.len() >= 2);
    }
}
