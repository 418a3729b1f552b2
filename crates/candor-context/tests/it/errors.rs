//! Every error has a card with all of its facts.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use candor_cards::{card, entry, facts};
use candor_context::Error;

#[test]
fn every_error_has_a_card() {
    let (path, reason) = (PathBuf::from("/a/segment"), "the reason".to_owned());
    let errors = [
        Error::InvalidPath {
            path: path.clone(),
            reason: reason.clone(),
            remedy: candor_context::Remedy::Make,
        },
        Error::NotInitialized { path: path.clone() },
        Error::ConfigInvalid { path: path.clone(), reason: reason.clone() },
        Error::PrimeMissing { path: path.clone(), segment: "a_12345678".to_owned() },
        Error::Locked { path: path.clone(), limit: Duration::from_secs(10), holder: "4711".to_owned() },
        Error::PackMissing { path: path.clone() },
        Error::PackEmpty { path: path.clone() },
        Error::PackStale { path: path.clone(), reason: reason.clone() },
        Error::PackDamaged { path: path.clone(), reason: reason.clone() },
        Error::UnknownIds {
            path: path.clone(),
            ids: vec!["a:b".to_owned()],
            nearest: vec![],
            query: "a".to_owned(),
        },
        Error::Io { path, source: io::ErrorKind::PermissionDenied.into() },
        Error::Index(candor_store::Error::Damaged { database: "/a/db".to_owned(), reason }),
    ];
    for error in errors {
        let failure = error.failure();
        for fact in facts(entry(failure.code)) {
            assert!(failure.fact(fact).is_some(), "{error}: {fact}");
        }
        let card = card(&failure);
        assert!(card.steps.len() >= 2 && !card.cause.contains("unknown"), "{card:?}");
    }
}
