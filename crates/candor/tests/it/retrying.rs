//! Trying again, through the whole product.

use std::time::Duration;

use candor_testkit::{Dialect, FakeLlm, Fault, Reply};

use crate::rig::{ask, events, home_with, log_lines, of_type};

const QUICK: &str = "retry = { base_delay_ms = 100, max_delay_ms = 1000 }";

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::Anthropic)
}

fn gaps(fake: &FakeLlm) -> Vec<Duration> {
    fake.requests().windows(2).map(|pair| pair[1].at - pair[0].at).collect()
}

#[test]
fn s15_1_a_rate_limit_is_retried_with_growing_waits() {
    let fake = fake();
    fake.extend([Reply::status(429), Reply::status(429), Reply::text("At last.")]);
    let ran = ask(&home_with(&fake, QUICK), &["--json", "Hello there"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let gaps = gaps(&fake);
    // Half of the full wait at least: the rest is jitter.
    assert!(gaps[0] >= Duration::from_millis(50) && gaps[1] >= Duration::from_millis(100), "{gaps:?}");
    let events = events(&ran);
    let waits: Vec<_> =
        of_type(&events, "status").iter().filter_map(|status| status["delayMs"].as_u64()).collect();
    assert!((50..=100).contains(&waits[0]) && (100..=200).contains(&waits[1]), "{waits:?}");
}

#[test]
fn s15_2_the_retry_after_header_is_the_delay() {
    let fake = fake();
    fake.extend([Reply::status(429).header("retry-after", "1"), Reply::text("At last.")]);
    let ran = ask(&home_with(&fake, QUICK), &["--json", "Hello there"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let events = events(&ran);
    assert_eq!(of_type(&events, "status")[0]["delayMs"], 1000);
    assert!(gaps(&fake)[0] >= Duration::from_secs(1));
}

#[test]
fn s15_3_a_refused_key_fails_at_once() {
    let fake = fake();
    fake.repeat(Reply::status(401));
    let ran = ask(&home_with(&fake, QUICK), &["Hello there"]).run();
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("PROVIDER_UNAUTHORIZED"), "{}", ran.stderr);
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn s15_5_each_attempt_is_logged_with_its_number_and_delay() {
    let fake = fake();
    fake.extend([Reply::status(429), Reply::status(503), Reply::text("At last.")]);
    let home = home_with(&fake, QUICK);
    ask(&home, &["Hello there"]).run().ok();
    let retries = log_lines(&home, "provider_retry");
    let attempts: Vec<_> = retries.iter().filter_map(|line| line["retryAttempt"].as_u64()).collect();
    assert_eq!(attempts, [1, 2]);
    assert!(retries.iter().all(|line| line["delayMs"].as_u64().is_some_and(|delay| delay >= 50)));
    assert_eq!(log_lines(&home, "provider_rate_limit").len(), 1);
}

#[test]
fn s15_9_no_response_at_all_is_retried() {
    let fake = fake();
    fake.extend([Reply::text("").fault(Fault::CloseBeforeHead), Reply::text("At last.")]);
    let ran = ask(&home_with(&fake, QUICK), &["Hello there"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "At last.\n"), "{}", ran.stderr);
    assert_eq!(fake.requests().len(), 2);
}

#[test]
fn when_all_attempts_fail_there_is_a_card_and_the_session_goes_on() {
    let fake = fake();
    fake.extend([Reply::status(503), Reply::status(503)]);
    let home = home_with(&fake, "retry = { max_retries = 1, base_delay_ms = 100, max_delay_ms = 1000 }");
    let ran = ask(&home, &["Hello there"]).run();
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("PROVIDER_UNAVAILABLE"), "{}", ran.stderr);
    fake.push(Reply::text("Back again."));
    let ran = ask(&home, &["-c", "And now?"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "Back again.\n"), "{}", ran.stderr);
    assert_eq!(fake.requests()[2].user_texts(), ["Hello there", "And now?"]);
}

#[test]
fn a_stop_cuts_a_wait_short() {
    let fake = fake();
    fake.push(Reply::status(429).header("retry-after", "300"));
    let home = home_with(&fake, QUICK);
    let running = ask(&home, &["--json", "Hello there"]).spawn();
    running.wait_for_stdout("\"type\":\"status\"");
    running.signal("INT");
    assert_eq!(running.finish().status, 130);
}

#[test]
fn text_of_a_cut_answer_is_marked_and_replaced() {
    let fake = fake();
    let text = "The answer is long enough to be cut in the middle of it.";
    fake.extend([Reply::text(text).fault(Fault::CutAfterDeltas(2)), Reply::text(text)]);
    let home = home_with(&fake, QUICK);
    let ran = ask(&home, &["--json", "Tell me"]).run();
    let events = events(&ran);
    assert_eq!(of_type(&events, "status")[0]["discard"], true);
    let complete = of_type(&events, "message_complete");
    assert_eq!(complete.len(), 1);
    assert_eq!(complete[0]["content"][0]["text"], text);

    fake.extend([Reply::text(text).fault(Fault::CutAfterDeltas(2)), Reply::text(text)]);
    let piped = ask(&home, &["Tell me"]).run().ok();
    assert_eq!(piped.stdout, format!("{text}\n"), "a pipe gets the answer once");
}

#[test]
fn the_next_model_is_asked_when_the_first_fails_for_good() {
    let fake = fake();
    fake.extend([Reply::status(404), Reply::text("I am the second.")]);
    let home = home_with(&fake, "fallback_models = [\"other-model\"]");
    let ran = ask(&home, &["Hello there"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "I am the second.\n"), "{}", ran.stderr);
    let models: Vec<_> = fake.requests().iter().map(|seen| seen.body["model"].clone()).collect();
    assert_eq!(models, ["fake-model", "other-model"]);
}
