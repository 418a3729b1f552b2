//! Every error ends in a card that says what to do.

use std::io;
use std::path::PathBuf;

use candor_log::Error;
use candor_protocol::Code;

fn source() -> io::Error {
    io::Error::from(io::ErrorKind::PermissionDenied)
}

/// One of each variant, with the code its card must have.
fn one_of_each() -> Vec<(Error, Code)> {
    let path = PathBuf::from("logs/candor.log");
    let all = vec![
        (Error::Open { path: path.clone(), source: source() }, Code::LogOpenFailed),
        (Error::Thread { path: path.clone(), source: source() }, Code::LogOpenFailed),
        (Error::AlreadyInstalled { path: path.clone() }, Code::LogOpenFailed),
        (Error::Write { path: path.clone(), source: source() }, Code::LogWriteFailed),
        (Error::DiskFull { path: path.clone(), source: source() }, Code::LogDiskFull),
        (Error::Rotate { path: path.clone(), source: source() }, Code::LogWriteFailed),
        (Error::Mirror { path: path.clone(), source: source() }, Code::LogWriteFailed),
        (Error::Panicked { path: path.clone() }, Code::LogWriteFailed),
        (Error::LinesDropped { path: path.clone(), count: 7 }, Code::LogLinesDropped),
        (Error::NotFound { path: path.clone() }, Code::LogNotFound),
        (Error::Read { path: path.clone(), source: source() }, Code::FilePermission),
        (Error::Damaged { path, count: 3 }, Code::LogDamaged),
        (Error::Time { text: "soon".to_owned() }, Code::UsageInvalidValue),
    ];
    for (error, _) in &all {
        // A variant that is added must be added above too.
        match error {
            Error::Open { .. }
            | Error::Thread { .. }
            | Error::AlreadyInstalled { .. }
            | Error::Write { .. }
            | Error::DiskFull { .. }
            | Error::Rotate { .. }
            | Error::Mirror { .. }
            | Error::Panicked { .. }
            | Error::LinesDropped { .. }
            | Error::NotFound { .. }
            | Error::Read { .. }
            | Error::Damaged { .. }
            | Error::Time { .. } => {}
        }
    }
    all
}

#[test]
fn every_error_gives_a_card_with_all_its_facts_filled() {
    for (error, code) in one_of_each() {
        let failure = error.failure();
        assert_eq!(failure.code, code, "{error:?}");
        let entry = candor_cards::entry(code);
        for fact in candor_cards::facts(entry) {
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
        assert!(text.contains("logs/candor.log") || text.contains("soon"), "{text}");
        assert!(!text.contains("permission"), "{text}");
    }
}
