//! Waiting and trying again.

use std::collections::VecDeque;
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_llm::retry::{self, Notice, Policy, RETRY_AFTER_MAX, delay};
use candor_llm::{Answer, BoxFuture, Delta, Error, Provider, Request};
use candor_protocol::{StopReason, Usage};
use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::server::request;

/// Fails with these errors, one after the other, saying a word before each; then answers.
struct Failing(Mutex<VecDeque<Error>>);

impl Failing {
    fn with(errors: impl IntoIterator<Item = Error>) -> Self {
        Self(Mutex::new(errors.into_iter().collect()))
    }
}

impl Provider for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn ask<'a>(
        &'a self,
        _: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta<'_>) + Send),
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        let next = self.0.lock().unwrap().pop_front();
        Box::pin(async move {
            if !matches!(next, Some(Error::Unreachable { .. })) {
                deltas(Delta::Text("word"));
            }
            let answer =
                Answer { parts: Vec::new(), stop: StopReason::EndTurn, usage: Usage::new(1, 1), model: None };
            next.map_or(Ok(answer), Err)
        })
    }
}

fn busy(retry_after: Option<Duration>) -> Error {
    Error::RateLimited { status: Some(429), retry_after, message: "slow down".to_owned() }
}

fn down(status: u16) -> Error {
    Error::Unavailable { status: Some(status), retry_after: None, message: "down".to_owned() }
}

fn unreachable() -> Error {
    Error::Unreachable { url: "http://x".to_owned(), reason: "refused".to_owned() }
}

/// What came of it, each wait as its attempt, its delay and whether what was told is void, and how long all took.
type Asked = (Result<Answer, Error>, Vec<(u32, Duration, bool)>, Duration);

async fn ask(provider: &Failing, policy: &Policy) -> Asked {
    let start = Instant::now();
    let mut waits = Vec::new();
    let mut notice = |notice: Notice<'_>| {
        if let Notice::Waiting { attempt, delay, discard, .. } = notice {
            waits.push((attempt, delay, discard));
        }
    };
    let answer = retry::ask(provider, &request(), policy, &mut notice).await;
    (answer, waits, start.elapsed())
}

#[track_caller]
fn check_delay(attempt: u32, random: f64, expect_millis: u64) {
    assert_eq!(delay(attempt, &Policy::default(), random), Duration::from_millis(expect_millis), "{attempt}");
}

#[test]
fn the_delay_doubles_up_to_its_cap_and_varies_by_half() {
    check_delay(0, 0.0, 500);
    check_delay(0, 1.0, 1_000);
    check_delay(1, 0.5, 1_500);
    check_delay(3, 1.0, 8_000);
    check_delay(5, 1.0, 30_000);
    check_delay(5, 0.0, 15_000);
    check_delay(u32::MAX, 1.0, 30_000);
    let endless = Policy { base_delay: Duration::MAX, max_delay: Duration::MAX, ..Policy::default() };
    assert_eq!(delay(9, &endless, 1.0), Duration::MAX);
}

#[tokio::test(start_paused = true)]
async fn s15_1_a_429_is_retried_after_growing_waits() {
    let (answer, waits, took) =
        ask(&Failing::with([busy(None), busy(None), busy(None)]), &Policy::default()).await;
    answer.unwrap();
    let attempts: Vec<_> = waits.iter().map(|wait| wait.0).collect();
    assert_eq!(attempts, [1, 2, 3]);
    for (base, (_, delay, _)) in [1_000, 2_000, 4_000].into_iter().zip(&waits) {
        assert!((Duration::from_millis(base / 2)..=Duration::from_millis(base)).contains(delay), "{delay:?}");
    }
    let total: Duration = waits.iter().map(|wait| wait.1).sum();
    assert!(took >= total && took < total + Duration::from_millis(10), "{took:?} for {total:?}");
}

#[tokio::test(start_paused = true)]
async fn s15_2_retry_after_is_the_delay() {
    let asked = Duration::from_secs(90);
    let (answer, waits, took) = ask(&Failing::with([busy(Some(asked))]), &Policy::default()).await;
    answer.unwrap();
    assert_eq!(waits, [(1, asked, true)]);
    assert!(took >= asked && took < asked + Duration::from_millis(10), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_too_long_is_left_to_people() {
    let (answer, waits, _) = ask(&Failing::with([busy(Some(RETRY_AFTER_MAX))]), &Policy::default()).await;
    assert_eq!((answer.is_ok(), waits.len()), (true, 1));
    let longer = busy(Some(RETRY_AFTER_MAX + Duration::from_secs(1)));
    let (answer, waits, _) = ask(&Failing::with([longer.clone()]), &Policy::default()).await;
    assert_eq!((answer, waits.len()), (Err(longer), 0));
}

#[tokio::test(start_paused = true)]
async fn s15_3_a_refused_key_is_not_retried() {
    let error = Error::Unauthorized { status: 401, message: "no".to_owned() };
    let (answer, waits, _) = ask(&Failing::with([error.clone()]), &Policy::default()).await;
    assert_eq!((answer, waits.len()), (Err(error), 0));
}

#[tokio::test(start_paused = true)]
async fn s15_4_retries_come_to_an_end() {
    let errors = [down(500), down(502), down(503), down(529)];
    let (answer, waits, _) = ask(&Failing::with(errors), &Policy::default()).await;
    assert_eq!((answer, waits.len()), (Err(down(529)), 3));
    let none = Policy { max_retries: 0, ..Policy::default() };
    let (answer, waits, _) = ask(&Failing::with([down(500)]), &none).await;
    assert_eq!((answer, waits.len()), (Err(down(500)), 0));
}

#[tokio::test(start_paused = true)]
async fn the_configured_statuses_decide() {
    let (answer, ..) = ask(&Failing::with([down(504)]), &Policy::default()).await;
    assert_eq!(answer, Err(down(504)));
    let policy = Policy { statuses: vec![504], ..Policy::default() };
    ask(&Failing::with([down(504)]), &policy).await.0.unwrap();
    ask(&Failing::with([unreachable()]), &policy).await.0.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_was_told_is_void_only_if_something_was() {
    let (_, waits, _) = ask(&Failing::with([unreachable(), down(500)]), &Policy::default()).await;
    let void: Vec<_> = waits.iter().map(|wait| wait.2).collect();
    assert_eq!(void, [false, true]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_ends_the_wait() {
    let provider = Failing::with([busy(Some(RETRY_AFTER_MAX))]);
    let asked = tokio::time::timeout(Duration::from_secs(1), ask(&provider, &Policy::default())).await;
    assert!(asked.is_err());
}

/// The log lines of what runs inside, as `level event field=value …`.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(format!("{} {}", event.metadata().level(), event.metadata().name()));
        event.record(&mut line);
        if event.metadata().target() == "provider" {
            self.0.lock().unwrap().push(line.0);
        }
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

fn logged(errors: impl IntoIterator<Item = Error>) -> Vec<String> {
    let lines = Lines::default();
    let provider = Failing::with(errors);
    tracing::subscriber::with_default(lines.clone(), || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        _ = runtime.block_on(ask(&provider, &Policy::default()));
    });
    lines.0.lock().unwrap().clone()
}

#[test]
fn s15_5_retries_are_logged_with_attempt_and_delay() {
    assert_eq!(
        logged([busy(Some(Duration::from_secs(2)))]),
        [
            r#"WARN provider_rate_limit provider="failing" retryAfterMs=2000"#,
            r#"WARN provider_retry provider="failing" retryAttempt=1 delayMs=2000 error="rate limited: slow down""#,
        ]
    );
    // A wait of our own is not the provider's word.
    assert_eq!(logged([busy(None)])[0], r#"WARN provider_rate_limit provider="failing""#);
    let lines = logged([down(500), Error::ContextTooLong { message: "x".repeat(2_000) }]);
    assert_eq!(
        lines[0],
        r#"ERROR provider_error provider="failing" code="PROVIDER_UNAVAILABLE" statusCode=500 error="provider out of order: down" retryAttempt=0"#
    );
    assert!(lines[1].starts_with(r#"WARN provider_retry provider="failing" retryAttempt=1 delayMs="#));
    assert!(
        lines[2].starts_with(r#"ERROR provider_error provider="failing" code="PROVIDER_CONTEXT_TOO_LONG" error="context too long"#),
        "{}",
        lines[2]
    );
    assert!(lines[2].ends_with("retryAttempt=1") && lines[2].len() < 600, "{}", lines[2]);
    assert_eq!(lines.len(), 3);
}
