//! What runs took, added up.

use candor_protocol::{EventBody, Moment, NamedBy, RunId, Usage};
use candor_store::{Grouping, Store, UsageRow};

use crate::rig::{Log, NOON, Rig, on_both, outcome};

on_both! {
    a_title_that_a_model_thought_of_is_paid_for_and_is_no_run,
    runs_add_up_by_day_model_and_session,
    no_number_of_a_provider_overflows_a_sum,
}

const DAY: i64 = 86_400_000;

async fn run(store: &Store, log: &mut Log, model: &str, usage: Usage, cost_usd: Option<f64>) {
    let run = RunId::now();
    store.append(&[log.start(run, model), log.end(run, outcome(usage, cost_usd))]).await.unwrap();
}

/// Checks key, runs, tokens and runs without a price.
#[track_caller]
fn check(rows: &[UsageRow], expect: &[(&str, u64, u64, u64)]) {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (row.key.as_str(), row.runs, row.usage.total_tokens, row.unpriced_runs))
        .collect();
    assert_eq!(rows, expect);
}

async fn runs_add_up_by_day_model_and_session(rig: Rig) {
    let (mut one, mut two) = (Log::new(), Log::new());
    let store = rig.open().await;
    assert_eq!(store.usage(Grouping::Day, None).await.unwrap(), []);
    store.append(&[one.created()]).await.unwrap();
    store.append(&[two.created()]).await.unwrap();
    run(&store, &mut one, "a", Usage::new(1, 2), Some(0.5)).await;
    run(&store, &mut one, "b", Usage::new(10, 20), None).await;
    two.at = NOON + 2 * DAY;
    run(&store, &mut two, "a", Usage::new(100, 200), Some(0.25)).await;
    // A run that is still open counts nothing yet.
    store.append(&[two.start(RunId::now(), "c")]).await.unwrap();

    let days = store.usage(Grouping::Day, None).await.unwrap();
    check(&days, &[("2025-02-13", 1, 300, 0), ("2025-02-11", 2, 33, 1)]);
    let models = store.usage(Grouping::Model, None).await.unwrap();
    check(&models, &[("a", 2, 303, 0), ("b", 1, 30, 1)]);
    assert!((models[0].cost_usd - 0.75).abs() < 1e-9);
    assert!(models[1].cost_usd.abs() < 1e-9);
    assert_eq!((models[0].turns, models[0].tool_calls, models[0].duration_ms), (4, 6, 800));
    assert_eq!((models[0].usage.input_tokens, models[0].usage.output_tokens), (101, 202));
    let (first, second) = (one.session.to_string(), two.session.to_string());
    let sessions = store.usage(Grouping::Session, None).await.unwrap();
    check(&sessions, &[(&second, 1, 300, 0), (&first, 2, 33, 1)]);

    let since = Some(Moment::from_millis(NOON + DAY));
    check(&store.usage(Grouping::Model, since).await.unwrap(), &[("a", 1, 300, 0)]);
}

async fn no_number_of_a_provider_overflows_a_sum(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    for _ in 0..20 {
        run(&store, &mut log, "m", Usage::new(u64::MAX, u64::MAX), Some(f64::INFINITY)).await;
    }
    let rows = store.usage(Grouping::Model, None).await.unwrap();
    assert_eq!((rows[0].runs, rows[0].unpriced_runs), (20, 20));
    assert!(rows[0].usage.total_tokens > 1_000_000_000_000);
    let summary = store.session(log.session).await.unwrap().unwrap();
    assert_eq!(summary.metrics.total_tokens, rows[0].usage);
    assert!(summary.metrics.total_cost_usd.is_finite());
}

async fn a_title_that_a_model_thought_of_is_paid_for_and_is_no_run(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    store.append(&[log.created()]).await.unwrap();
    run(&store, &mut log, "m", Usage::new(10, 20), Some(0.5)).await;
    let title = |name: &str| EventBody::SessionRenamed {
        name: name.to_owned(),
        by: NamedBy::Model,
        model: Some("small".to_owned()),
        usage: Some(Usage::new(1, 2)),
    };
    let renamed = log.event(Some(RunId::now()), title("a title"));
    store.append(&[renamed]).await.unwrap();
    let summary = store.session(log.session).await.unwrap().unwrap();
    assert_eq!((summary.name.as_str(), summary.metrics.total_tokens), ("a title", Usage::new(11, 22)));
    assert_eq!((summary.metrics.total_turns, summary.status), (2, Some(candor_protocol::Status::Done)));
    let models = store.usage(Grouping::Model, None).await.unwrap();
    check(&models, &[("small", 0, 3, 0), ("m", 1, 30, 0)]);
    assert_eq!(store.open_runs(None, 10).await.unwrap(), []);

    // Thought of within a run, before the run's end.
    let run = RunId::now();
    let events = [
        log.start(run, "m"),
        log.event(Some(run), title("another")),
        log.end(run, outcome(Usage::new(100, 200), Some(0.5))),
    ];
    store.append(&events).await.unwrap();
    let summary = store.session(log.session).await.unwrap().unwrap();
    assert_eq!(summary.metrics.total_tokens, Usage::new(112, 224));
    let sessions = store.usage(Grouping::Session, None).await.unwrap();
    check(&sessions, &[(&log.session.to_string(), 2, 336, 0)]);
}
