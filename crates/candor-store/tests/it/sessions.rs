//! What is known about sessions without reading their events.

use candor_protocol::{Event, EventBody, Moment, Outcome, RunId, Status, Usage};
use candor_store::{Filter, SessionSummary, Store};
use serde_json::json;

use crate::rig::{Log, NOON, Rig, on_both, outcome};

on_both! {
    s7_4_a_summary_follows_its_session,
    every_status_comes_back,
    a_run_that_ends_twice_counts_once,
    metrics_have_the_names_that_programs_know,
    instructions_are_kept,
    s7_5_s18_7_lists_begin_with_the_newest_activity,
    those_that_work_for_another_are_found_through_it,
}

async fn summary(store: &Store, log: &Log) -> SessionSummary {
    store.session(log.session).await.unwrap().unwrap()
}

async fn s7_4_a_summary_follows_its_session(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    let fresh = summary(&store, &log).await;
    assert_eq!(
        (fresh.name.as_str(), fresh.source.as_str(), fresh.workspace.as_str()),
        ("a name", "cli", "/work")
    );
    assert_eq!((fresh.model, fresh.status, fresh.message_count, fresh.instructions), (None, None, 0, None));
    assert_eq!(fresh.created_at, Moment::from_millis(NOON + 1000));
    assert_eq!(fresh.updated_at, fresh.created_at);

    let run = RunId::now();
    let renamed = log.event(
        None,
        EventBody::SessionRenamed {
            name: "better".to_owned(),
            by: candor_protocol::NamedBy::User,
            model: None,
            usage: None,
        },
    );
    store.append(&[renamed, log.said("hi"), log.start(run, "model-a")]).await.unwrap();
    let open = summary(&store, &log).await;
    assert_eq!((open.name.as_str(), open.model.as_deref(), open.status), ("better", Some("model-a"), None));
    assert_eq!((open.message_count, open.updated_at), (1, Moment::from_millis(NOON + 4000)));
    assert_eq!(open.created_at, fresh.created_at);

    let usage = Usage { cache_read_tokens: 5, cache_write_tokens: 6, ..Usage::new(10, 20) };
    store.append(&[log.answered(run, "ho"), log.end(run, outcome(usage, Some(0.25)))]).await.unwrap();
    let ended = summary(&store, &log).await;
    assert_eq!((ended.status, ended.message_count), (Some(Status::Done), 2));
    assert_eq!(ended.metrics.total_tokens, usage);

    let second = RunId::now();
    store.append(&[log.start(second, "model-b")]).await.unwrap();
    assert_eq!(summary(&store, &log).await.status, None);
    let failed = Outcome { status: Status::AbortedStuck, ..outcome(usage, Some(0.5)) };
    store.append(&[log.end(second, failed)]).await.unwrap();
    let last = summary(&store, &log).await;
    assert_eq!((last.status, last.model.as_deref()), (Some(Status::AbortedStuck), Some("model-b")));
    let metrics = last.metrics;
    assert_eq!((metrics.total_turns, metrics.total_tool_calls, metrics.total_duration_ms), (4, 6, 800));
    assert_eq!(metrics.total_tokens.input_tokens, 20);
    assert_eq!(metrics.total_tokens.cache_write_tokens, 12);
    assert!((metrics.total_cost_usd - 0.75).abs() < 1e-9);
}

async fn every_status_comes_back(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    for status in [
        Status::Done,
        Status::DonePartial,
        Status::Failed,
        Status::AbortedConstraint,
        Status::AbortedStuck,
        Status::NeedsApproval,
        Status::Stopped,
    ] {
        let ended = Outcome { status, ..outcome(Usage::new(1, 1), None) };
        store.append(&[log.end(RunId::now(), ended)]).await.unwrap();
        assert_eq!(summary(&store, &log).await.status, Some(status));
    }
}

async fn a_run_that_ends_twice_counts_once(rig: Rig) {
    let mut log = Log::new();
    let (store, run) = (rig.open().await, RunId::now());
    let end = || outcome(Usage::new(10, 20), Some(1.0));
    store
        .append(&[log.created(), log.start(run, "m"), log.end(run, end()), log.end(run, end())])
        .await
        .unwrap();
    assert_eq!(summary(&store, &log).await.metrics.total_tokens, Usage::new(10, 20));
}

async fn metrics_have_the_names_that_programs_know(rig: Rig) {
    let mut log = Log::new();
    let (store, run) = (rig.open().await, RunId::now());
    let ended = outcome(Usage::new(10, 20), None);
    store.append(&[log.created(), log.start(run, "m"), log.end(run, ended)]).await.unwrap();
    let json = serde_json::to_value(summary(&store, &log).await).unwrap();
    let expect = json!({
        "sessionId": log.session,
        "totalTurns": 2,
        "totalTokens": {"inputTokens": 10, "outputTokens": 20, "totalTokens": 30},
        "totalToolCalls": 3,
        "totalDurationMs": 400,
        "totalCostUsd": 0.0,
    });
    assert_eq!(json["metrics"], expect);
    assert_eq!(json["messageCount"], 0);
    assert_eq!(json["createdAt"], "2025-02-11T12:00:01.000Z");
    assert_eq!(json["status"], "done");
}

async fn instructions_are_kept(rig: Rig) {
    let mut log = Log::new();
    let store = rig.open().await;
    let created = log.created();
    let EventBody::SessionCreated { source, name, workspace, .. } = created.body.clone() else {
        panic!("another event");
    };
    let instructions = Some("Be brief.".to_owned());
    let (job, forked_from, parent) = (None, None, None);
    let body = EventBody::SessionCreated { source, name, workspace, instructions, job, forked_from, parent };
    store.append(&[Event { body, ..created }]).await.unwrap();
    assert_eq!(summary(&store, &log).await.instructions.as_deref(), Some("Be brief."));
}

/// Checks which sessions a filter lists, by their places in the order of their making.
#[track_caller]
fn check(listed: &[SessionSummary], made: &[Log], expect: &[usize]) {
    let places: Vec<_> =
        listed.iter().map(|summary| made.iter().position(|log| log.session == summary.id).unwrap()).collect();
    assert_eq!(places, expect);
}

async fn s7_5_s18_7_lists_begin_with_the_newest_activity(rig: Rig) {
    let store = rig.open().await;
    let mut made = Vec::new();
    for (number, workspace) in ["/a", "/b", "/a", "/b", "/a"].iter().enumerate() {
        let mut log = Log::new();
        log.at += 100_000 * i64::try_from(number).unwrap();
        store.append(&[log.created_in(workspace)]).await.unwrap();
        made.push(log);
    }
    made[0].at = NOON + 10_000_000;
    let late = made[0].said("later than all");
    store.append(&[late]).await.unwrap();
    let list = async |workspace: Option<&str>, limit, offset| {
        let filter = Filter { workspace: workspace.map(str::to_owned), children: true, limit, offset };
        store.sessions(&filter).await.unwrap()
    };
    check(&list(None, 100, 0).await, &made, &[0, 4, 3, 2, 1]);
    check(&list(None, 2, 1).await, &made, &[4, 3]);
    check(&list(Some("/a"), 100, 0).await, &made, &[0, 4, 2]);
    check(&list(Some("/b"), 1, 1).await, &made, &[1]);
    check(&list(Some("/c"), 100, 0).await, &made, &[]);
    check(&list(None, 0, 0).await, &made, &[]);
    assert_eq!(store.latest("/a").await.unwrap(), Some(made[0].session));
    assert_eq!(store.latest("/b").await.unwrap(), Some(made[3].session));
    assert_eq!(store.latest("/c").await.unwrap(), None);
}

async fn those_that_work_for_another_are_found_through_it(rig: Rig) {
    let store = rig.open().await;
    let [mut parent, mut first, mut second, mut grandchild] = [(); 4].map(|()| Log::new());
    second.at += 60_000;
    grandchild.at += 90_000;
    store.append(&[parent.created()]).await.unwrap();
    store.append(&[second.created_for(parent.session)]).await.unwrap();
    store.append(&[first.created_for(parent.session)]).await.unwrap();
    store.append(&[grandchild.created_for(first.session)]).await.unwrap();
    let children = store.children(parent.session, 10).await.unwrap();
    let ids: Vec<_> = children.iter().map(|child| child.id).collect();
    assert_eq!(ids, [first.session, second.session], "those first that began first");
    assert_eq!(children[0].parent, Some(parent.session));
    assert_eq!(store.children(parent.session, 1).await.unwrap().len(), 1);
    assert_eq!(summary(&store, &parent).await.parent, None);
    let list = async |children| {
        let filter = Filter { workspace: Some("/work".to_owned()), children, limit: 10, offset: 0 };
        let everywhere = Filter { workspace: None, ..filter.clone() };
        let listed = store.sessions(&filter).await.unwrap();
        assert_eq!(store.sessions(&everywhere).await.unwrap(), listed);
        listed.len()
    };
    assert_eq!((list(true).await, list(false).await), (4, 1));
    assert_eq!(store.latest("/work").await.unwrap(), Some(parent.session), "although the others are newer");
    let expired = async |keep| store.expired(&["cli"], Some(keep), None, 10).await.unwrap();
    assert_eq!((expired(1).await, expired(0).await), (vec![], vec![parent.session]));
    // Whoever has nobody left to work for stands for itself.
    let lease = store.lease(parent.session).await.unwrap().unwrap();
    assert!(store.delete(&lease).await.unwrap());
    assert_eq!(list(false).await, 2);
    assert_eq!(store.latest("/work").await.unwrap(), Some(second.session));
}
