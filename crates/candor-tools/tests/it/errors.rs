//! Every error has a card with all its facts.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use candor_tools::hooks::{Block, Occasion};
use candor_tools::{Error, Missing, RuleOf};

#[test]
fn every_error_has_a_card() {
    let text = || "x".to_owned();
    let block =
        |is_failure| Block { occasion: Occasion::PreToolUse, hook: text(), reason: text(), is_failure };
    let all = [
        Error::Unknown { tool: text(), tools: text() },
        Error::Arguments { tool: text(), reason: text() },
        Error::Blocked { tool: text(), command: text(), reason: text(), by: RuleOf::Either },
        Error::Denied { tool: text(), command: text(), reason: text() },
        Error::Unapproved { tool: text(), command: text(), reason: text(), missing: Missing::Yes },
        Error::Hook { tool: text(), block: block(true) },
        Error::Hook { tool: text(), block: block(false) },
        Error::TimedOut { tool: text(), limit: Duration::from_secs(1) },
        Error::Interrupted { tool: text() },
        Error::Panicked { tool: text(), message: text() },
        Error::File { path: PathBuf::from("x"), source: io::ErrorKind::NotFound.into() },
        Error::NotAFile { path: PathBuf::from("x"), kind: "a pipe" },
        Error::Sandbox(candor_sandbox::Error::NotFound { program: PathBuf::from("x") }),
    ];
    for error in all {
        // A variant that is added must be added above too.
        match &error {
            Error::Unknown { .. }
            | Error::Arguments { .. }
            | Error::Blocked { .. }
            | Error::Denied { .. }
            | Error::Unapproved { .. }
            | Error::Hook { .. }
            | Error::TimedOut { .. }
            | Error::Interrupted { .. }
            | Error::Panicked { .. }
            | Error::File { .. }
            | Error::NotAFile { .. }
            | Error::Sandbox(_) => {}
        }
        let failure = error.failure();
        for fact in candor_cards::facts(candor_cards::entry(failure.code)) {
            assert!(failure.fact(fact).is_some(), "{error:?} gives no {fact}");
        }
        assert!(error.to_string().contains('x'), "{error}");
        assert!(candor_cards::card(&failure).steps.len() >= 2);
    }
}
