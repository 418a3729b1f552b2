//! The server's public surface without a runtime; what it does is shown by the tests of the binary.
#![cfg(test)]

use std::io;
use std::path::PathBuf;

use candor_server::Error;

#[test]
fn every_error_has_a_card() {
    let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
    let errors = [
        (Error::Token { path: PathBuf::from("/home/token"), source: denied() }, "FILE_PERMISSION"),
        (Error::NotLoopback(([192, 0, 2, 1], 7777).into()), "SERVE_NOT_LOOPBACK"),
        (Error::Listener(denied()), "SERVE_ADDRESS"),
    ];
    for (error, code) in errors {
        let card = candor_cards::card(&error.failure());
        assert_eq!(card.code, code);
        assert!(card.steps.len() >= 2, "{card:?}");
        assert!(!card.cause.contains('{'), "{card:?}");
    }
}
