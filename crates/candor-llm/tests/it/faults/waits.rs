//! How long is waited before the next attempt, and when not at all.

use std::time::Duration;

use candor_llm::{Dialect, Error};
use candor_testkit::{Fault, Reply};
use jiff::fmt::rfc2822::DateTimePrinter;
use jiff::{SignedDuration, Timestamp};

use super::rig::{FINE, OWN_DELAY_MAX, Rig, in_all, stream, where_it_applies};

/// Names and values.
type Headers = &'static [(&'static str, &'static str)];

/// A busy minute without a time in its words.
fn busy(headers: &[(&str, &str)]) -> Reply {
    let reply = Reply::error("rate_limited", "Slow down.");
    headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value))
}

/// Headers, and the wait in milliseconds that they ask for; none where it is ours to choose.
const HEADERS: &[(Headers, Option<u64>)] = &[
    (&[], None),
    (&[("retry-after", "7")], Some(7_000)),
    (&[("retry-after", "0.05")], Some(50)),
    (&[("Retry-After", "600")], Some(600_000)),
    (&[("retry-after-ms", "350")], Some(350)),
    (&[("retry-after-ms", "350"), ("retry-after", "7")], Some(350)),
    (&[("retry-after", "99999"), ("retry-after-ms", "20")], Some(20)),
    (&[("retry-after", "0")], None),
    (&[("retry-after", "-1")], None),
    (&[("retry-after", "soon")], None),
    (&[("retry-after", "NaN")], None),
    (&[("retry-after-ms", "garbage"), ("retry-after", "3")], Some(3_000)),
    (&[("anthropic-ratelimit-requests-reset", "2099-01-01T00:00:00Z")], None),
    (&[("retry-after", "Tue, 11 Feb 2025 12:00:34 GMT")], None),
    (&[("x-should-retry", "true"), ("retry-after", "2")], Some(2_000)),
];

#[track_caller]
fn check_wait(name: &str, wait: Duration, expect_millis: Option<u64>) {
    match expect_millis {
        Some(millis) => assert_eq!(wait, Duration::from_millis(millis), "{name}"),
        None => assert!((OWN_DELAY_MAX / 2..=OWN_DELAY_MAX).contains(&wait), "{name}: {wait:?}"),
    }
}

#[tokio::test]
async fn f4_headers_name_the_wait() {
    for (headers, expect_millis) in HEADERS {
        in_all(&format!("{headers:?}"), async |rig| {
            rig.fake.repeat(busy(headers));
            check_wait(&rig.name, rig.first_wait().await, *expect_millis);
        })
        .await;
    }
}

#[tokio::test]
async fn f4_the_wait_is_kept() {
    in_all("retry-after-ms: 60", async |rig| {
        let asked = rig.survives(busy(&[("retry-after-ms", "60")])).await;
        let limit = Duration::from_millis(60);
        assert_eq!(asked.waited_after("RateLimited").delay, limit, "{}", rig.name);
        let seen = rig.fake.requests();
        assert!(seen[1].at.duration_since(seen[0].at) >= limit, "{}: too early", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f4_a_wait_that_is_too_long_is_left_to_people() {
    in_all("retry-after: 99999", async |rig| {
        rig.fake.repeat(busy(&[("retry-after", "99999")]));
        let asked = rig.ask().await;
        let error = asked.failed_at_once("RateLimited");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(99_999)), "{}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f4_a_provider_may_forbid_to_come_back() {
    in_all("x-should-retry: false", async |rig| {
        for status in [429, 503] {
            rig.fake.push(Reply::status(status).header("x-should-retry", "false"));
            let asked = rig.ask().await;
            let error = asked.failed_at_once("BadRequest");
            assert_eq!(error.status(), Some(status), "{}", rig.name);
        }
    })
    .await;
}

#[tokio::test]
async fn f5_a_spend_limit_is_not_retried() {
    in_all("the account is empty", async |rig| {
        rig.fake.push(Reply::error("spend_limit", ""));
        rig.ask().await.failed_at_once("OutOfQuota");
    })
    .await;
    let empty = Fault::MidStreamError("spend_limit".to_owned());
    // Ollama has no word for it once the stream has begun.
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Ollama) {
        let rig = Rig::new(dialect, "the account becomes empty");
        rig.fake.push(Reply::text(FINE).fault(empty.clone()));
        rig.ask().await.failed_at_once("OutOfQuota");
    }
}

#[tokio::test]
async fn f8_a_delay_in_the_text_is_the_wait() {
    in_all("try again in 0.05s", async |rig| {
        let words = "Rate limit reached. Please try again in 0.05s. Visit the page of limits.";
        let asked = rig.survives(Reply::error("rate_limited", words)).await;
        let wait = asked.waited_after("RateLimited");
        assert_eq!(wait.delay, Duration::from_millis(50), "{}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f8_a_delay_in_the_text_of_a_failed_response_is_the_wait() {
    let fault = Fault::MidStreamError("rate_limited".to_owned());
    where_it_applies(&fault, async |rig| {
        rig.fake.repeat(Reply::text(FINE).fault(fault.clone()));
        let named = matches!(rig.dialect, Dialect::OpenaiChat | Dialect::OpenaiResponses);
        check_wait(&rig.name, rig.first_wait().await, named.then_some(11_054));
    })
    .await;
}

/// A failed response with this code.
fn failed(code: &str, message: &str) -> Reply {
    let error = serde_json::json!({ "code": code, "message": message });
    let response = serde_json::json!({ "id": "resp_1", "status": "failed", "error": error, "usage": null });
    let event = serde_json::json!({ "type": "response.failed", "sequence_number": 3, "response": response });
    stream(format!("event: response.failed\ndata: {event}\n\n"))
}

#[tokio::test]
async fn f8_the_codes_of_failed_responses() {
    let at_once = [
        ("context_length_exceeded", "ContextTooLong"),
        ("insufficient_quota", "OutOfQuota"),
        ("usage_not_included", "OutOfQuota"),
        ("invalid_prompt", "BadRequest"),
        ("cyber_policy", "BadRequest"),
    ];
    for (code, kind) in at_once {
        let rig = Rig::new(Dialect::OpenaiResponses, code);
        rig.fake.push(failed(code, "No."));
        rig.ask().await.failed_at_once(kind);
    }
    let later = [
        ("rate_limit_exceeded", "RateLimited"),
        ("slow_down", "RateLimited"),
        ("server_is_overloaded", "Unavailable"),
        ("server_error", "Unavailable"),
        ("something_new", "Unavailable"),
    ];
    for (code, kind) in later {
        let rig = Rig::new(Dialect::OpenaiResponses, code);
        rig.survives(failed(code, "Not now.")).await.waited_after(kind);
    }
    let rig = Rig::new(Dialect::OpenaiResponses, "a delay of 30 ms");
    let asked = rig.survives(failed("rate_limit_exceeded", "Please try again in 30ms.")).await;
    assert_eq!(asked.waited_after("RateLimited").delay, Duration::from_millis(30));
}

/// The date so many seconds from now, as HTTP writes it.
fn http_date(seconds: i64) -> String {
    let then = Timestamp::now() + SignedDuration::from_secs(seconds);
    DateTimePrinter::new().timestamp_to_rfc9110_string(&then).unwrap()
}

#[tokio::test]
async fn f27_a_date_is_the_wait_until_then() {
    in_all("a date in 100 s", async |rig| {
        rig.fake.repeat(busy(&[("retry-after", &http_date(100))]));
        let wait = rig.first_wait().await;
        // The date has whole seconds, and the machine may be slow.
        assert!((60..=100).contains(&wait.as_secs()), "{}: {wait:?}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f27_a_date_in_the_past_is_no_wait() {
    for past in [http_date(-1), http_date(-86_400), "Thu, 01 Jan 1970 00:00:00 GMT".to_owned()] {
        in_all(&past, async |rig| {
            let asked = rig.survives(busy(&[("retry-after", &past)])).await;
            assert!(asked.waited_after("RateLimited").delay <= OWN_DELAY_MAX, "{}", rig.name);
        })
        .await;
    }
}

#[tokio::test]
async fn f27_a_date_in_the_far_future_is_left_to_people() {
    // A clock that is an hour off looks the same from here as a provider that wants us gone for an hour.
    for far in [http_date(3_600), "Thu, 01 Jan 2099 00:00:00 GMT".to_owned()] {
        in_all(&far, async |rig| {
            rig.fake.push(busy(&[("retry-after", &far)]));
            let asked = rig.ask().await;
            let error = asked.failed_at_once("RateLimited");
            assert!(
                matches!(error, Error::RateLimited { retry_after: Some(_), .. }),
                "{}: {error:?}",
                rig.name
            );
        })
        .await;
    }
}
