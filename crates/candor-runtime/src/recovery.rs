//! Closes what a process that died left open, so that the session can go on.
//!
//! A run that was under way gets its end, and each call of it that has no result gets one that says so: it may have run,
//! and nobody knows how far. It is never run again by itself; the model is told, and looks before it repeats anything.

use candor_llm::prices;
use candor_protocol::{
    Code, Event, EventBody, Evidence, Failure, Moment, Outcome, Part, RunId, SessionId, Status, ToolCall,
    Usage, Verdict, VerdictStatus,
};
use candor_store::{Lease, Store};
use serde_json::json;

/// How many open runs are looked for at a start: as many as one process may have had.
const RUNS_MAX: u32 = 1000;

/// What the model reads in the place of a result.
const MAY_HAVE_RUN: &str = "interrupted: the program ended while this call was under way; it may have run, in part or as a \
                            whole. Look at what is there before you do it again.";

/// Closes the open runs of every session that nobody writes. One that cannot be read does not keep the others from being
/// used: whoever takes it is told.
pub(crate) async fn close_all(store: &Store) -> Result<(), Failure> {
    let open = store.open_runs(None, RUNS_MAX).await.map_err(|error| error.failure())?;
    for (session, run) in open {
        let lease = store.lease(session).await.map_err(|error| error.failure())?;
        let Some(lease) = lease else { continue };
        match close(store, &lease, session, run).await {
            Err(failure) if failure.code == Code::StoreUnavailable => return Err(failure),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Closes the open runs of one session, which is ours to write.
pub(crate) async fn close_session(store: &Store, lease: &Lease, session: SessionId) -> Result<(), Failure> {
    let open = store.open_runs(Some(session), RUNS_MAX).await.map_err(|error| error.failure())?;
    for (session, run) in open {
        close(store, lease, session, run).await?;
    }
    Ok(())
}

async fn close(store: &Store, _lease: &Lease, session: SessionId, run: RunId) -> Result<(), Failure> {
    let failed = |error: candor_store::Error| error.failure();
    let told = store.run_events(session, run).await.map_err(failed)?;
    let Some(last) = store.last_seq(session).await.map_err(failed)? else { return Ok(()) };
    // Another one may have closed it between the look and the lease.
    if told.iter().any(|event| matches!(event.body, EventBody::RunEnd(_))) {
        return Ok(());
    }
    // Who could not end its run could not end its tools either; they go before anybody looks at what they did.
    let _ = tokio::task::spawn_blocking(candor_sandbox::end_orphans).await;
    let at = Moment::now();
    let event = |(seq, body)| Event { seq, session_id: session, run_id: Some(run), at, body };
    let ending: Vec<Event> = ((last + 1)..).zip(ending(session, &told)).map(event).collect();
    store.append(&ending).await.map_err(failed)
}

/// What has to be added to an interrupted run.
fn ending(session: SessionId, story: &[Event]) -> Vec<EventBody> {
    let results = unanswered(story).into_iter().map(result);
    let card = candor_cards::card(&Failure::new(Code::RunInterrupted).with("session", session));
    let message = format!("{}. {}", card.title, card.cause);
    let error = EventBody::Error { message, card: card.clone() };
    let mut outcome = outcome(story);
    outcome.card = Some(card);
    results.chain([error, EventBody::RunEnd(outcome)]).collect()
}

/// The calls of the last answer that have no result.
fn unanswered(story: &[Event]) -> Vec<&ToolCall> {
    let mut open: Vec<&ToolCall> = Vec::new();
    for event in story {
        match &event.body {
            EventBody::MessageComplete { content, .. } => {
                open.extend(content.iter().filter_map(|part| match part {
                    Part::ToolCall(call) => Some(call),
                    _ => None,
                }));
            }
            EventBody::ToolResult { call_id, .. } => open.retain(|call| call.call_id != *call_id),
            _ => {}
        }
    }
    open
}

fn result(call: &ToolCall) -> EventBody {
    let card = candor_cards::card(&Failure::new(Code::ToolInterrupted).with("tool", &call.tool_name));
    EventBody::ToolResult {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        result: json!({ "error": MAY_HAVE_RUN }).to_string(),
        for_people: card.title.clone(),
        is_error: true,
        card: Some(card),
        duration_ms: 0,
        changes: Vec::new(),
        recovered: Vec::new(),
        images: Vec::new(),
    }
}

/// What the run had taken, as far as its events tell.
fn outcome(story: &[Event]) -> Outcome {
    let (mut usage, mut cost, mut turns) = (Usage::default(), Some(0.0), 0);
    for event in story {
        if let EventBody::MessageComplete { usage: took, model, .. } = &event.body {
            usage += *took;
            cost = cost.zip(prices::cost_usd(model, took)).map(|(sum, more)| sum + more);
            turns += 1;
        }
    }
    let starts = story.iter().filter(|event| matches!(event.body, EventBody::ToolStart { .. }));
    let span = story.first().zip(story.last());
    let duration_ms = span.map_or(0, |(first, last)| last.at.as_millis() - first.at.as_millis());
    Outcome {
        status: Status::Failed,
        verdict: Verdict {
            status: VerdictStatus::NotApplicable,
            profile: String::new(),
            evidence: vec![Evidence::note("the program ended before the run did")],
        },
        usage,
        cost_usd: cost,
        turns,
        tool_calls: starts.count() as u64,
        // A clock that was set back makes no negative time.
        duration_ms: u64::try_from(duration_ms).unwrap_or(0),
        card: None,
        children: None,
    }
}
