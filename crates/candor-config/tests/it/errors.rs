//! Every error and every warning has a card with all its facts.

use std::io;
use std::path::PathBuf;

use candor_config::{Error, WarningKind};
use candor_protocol::Failure;

use crate::case::Case;

fn problems(toml: &str) -> Vec<candor_config::Problem> {
    match Case::toml(toml).try_load() {
        Err(Error::Invalid { problems, .. }) => problems,
        Err(Error::Syntax(problem)) => vec![*problem],
        other => panic!("{other:?}"),
    }
}

/// One of each; the match makes a new variant stop the build until it is here.
fn one_of_each() -> Vec<Error> {
    let path = || PathBuf::from("/p");
    let io = || io::Error::from(io::ErrorKind::PermissionDenied);
    let all = vec![
        Error::NoHome,
        Error::Home { path: path(), source: io() },
        Error::BothFormats { first: path(), second: path() },
        Error::FormatUnknown { path: path() },
        Error::NotFound { path: path() },
        Error::Unreadable { path: path(), source: io() },
        Error::NotAFile { path: path(), kind: "a directory" },
        Error::NotUtf8 { path: path(), line: 1, column: 2 },
        Error::TooLarge { path: path(), size_bytes: 2, limit_bytes: 1 },
        Error::TooComplex { path: path(), limit: "64 levels".into() },
        Error::Syntax(Box::new(problems("a = \n").remove(0))),
        Error::Invalid { problems: problems("provider = 1\n"), warnings: Vec::new() },
        Error::Watch { path: path(), reason: "r".into() },
        Error::SecretMissing { key: "k".into(), variable: "V".into() },
        Error::SecretFile { key: "k".into(), path: path(), source: io() },
    ];
    for error in &all {
        match error {
            Error::NoHome
            | Error::Home { .. }
            | Error::BothFormats { .. }
            | Error::FormatUnknown { .. }
            | Error::NotFound { .. }
            | Error::Unreadable { .. }
            | Error::NotAFile { .. }
            | Error::NotUtf8 { .. }
            | Error::TooLarge { .. }
            | Error::TooComplex { .. }
            | Error::Syntax(_)
            | Error::Invalid { .. }
            | Error::Watch { .. }
            | Error::SecretMissing { .. }
            | Error::SecretFile { .. } => {}
        }
    }
    all
}

#[track_caller]
fn check_card(failure: &Failure) {
    let entry = candor_cards::entry(failure.code);
    for fact in candor_cards::facts(entry) {
        assert!(failure.fact(fact).is_some(), "{}: the fact {fact} is missing", failure.code);
    }
    let card = candor_cards::card(failure);
    assert!(card.steps.len() >= 2, "{}", failure.code);
}

#[test]
fn every_error_has_a_card() {
    for error in one_of_each() {
        check_card(&error.failure());
    }
}

#[test]
fn every_warning_has_a_card() {
    let case = Case::toml("zzz = 1\napi_key = \"secret-value\"\n[logging]\nrotation = \"never\"\n")
        .workspace("permission = \"full\"\n");
    case.home.set_mode("config.toml", 0o644);
    let warnings = case.load().warnings;
    let seen = |wanted: fn(&WarningKind) -> bool| warnings.iter().any(|warning| wanted(&warning.kind));
    assert!(seen(|kind| matches!(kind, WarningKind::UnknownKey { .. })));
    assert!(seen(|kind| matches!(kind, WarningKind::ExposedSecret { .. })));
    assert!(seen(|kind| matches!(kind, WarningKind::NotForWorkspace)));
    assert!(seen(|kind| matches!(kind, WarningKind::NoEffect)));
    for warning in warnings {
        check_card(&warning.failure());
    }
}
