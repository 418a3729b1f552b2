//! Every error ends in a card that says what to do.

use std::time::Duration;

use candor_llm::Error;
use candor_protocol::Code;

/// One of each variant, with the code its card must have.
fn one_of_each() -> Vec<(Error, Code)> {
    let (message, url) = ("no".to_owned(), "http://host/v1".to_owned());
    let (reason, path, what) = (message.clone(), "script.yaml".to_owned(), "64 MiB".to_owned());
    let limit = Duration::from_secs(300);
    let (status, retry_after) = (Some(429), Some(limit));
    let all = vec![
        (Error::RateLimited { status, retry_after, message: message.clone() }, Code::ProviderRateLimited),
        (Error::OutOfQuota { status, message: message.clone() }, Code::ProviderOutOfQuota),
        (
            Error::Unavailable { status: None, retry_after, message: message.clone() },
            Code::ProviderUnavailable,
        ),
        (Error::Unreachable { url: url.clone(), reason: reason.clone() }, Code::ProviderUnreachable),
        (Error::Silent { limit }, Code::ProviderTimeout),
        (Error::Cut { reason: reason.clone() }, Code::ProviderStreamCut),
        (Error::Unauthorized { status: 401, message: message.clone() }, Code::ProviderUnauthorized),
        (Error::ModelUnknown { model: "m".to_owned(), message: message.clone() }, Code::ProviderModelUnknown),
        (Error::ContextTooLong { message: message.clone() }, Code::ProviderContextTooLong),
        (Error::BadRequest { status: None, message: message.clone() }, Code::ProviderBadRequest),
        (Error::PictureRefused { status: None, message }, Code::ProviderBadRequest),
        (Error::NotAProvider { url, reason: reason.clone() }, Code::ProviderNotAServer),
        (Error::TooLarge { what }, Code::ProviderAnswerTooLarge),
        (Error::Script { path, reason }, Code::ScriptInvalid),
    ];
    for (error, _) in &all {
        // A variant that is added must be added above too.
        match error {
            Error::RateLimited { .. }
            | Error::OutOfQuota { .. }
            | Error::Unavailable { .. }
            | Error::Unreachable { .. }
            | Error::Silent { .. }
            | Error::Cut { .. }
            | Error::Unauthorized { .. }
            | Error::ModelUnknown { .. }
            | Error::ContextTooLong { .. }
            | Error::BadRequest { .. }
            | Error::PictureRefused { .. }
            | Error::NotAProvider { .. }
            | Error::TooLarge { .. }
            | Error::Script { .. } => {}
        }
    }
    all
}

#[test]
fn every_error_gives_a_card_with_all_its_facts_filled() {
    for (error, code) in one_of_each() {
        let failure = error.failure("local", "LOCAL_KEY");
        assert_eq!(failure.code, code, "{error:?}");
        for fact in candor_cards::facts(candor_cards::entry(code)) {
            assert!(failure.fact(fact).is_some(), "{error:?} gives no {fact}");
        }
    }
}
