//! Splits a session off from another: the same story up to a point, and its own from there.

use candor_protocol::{Event, EventBody, Failure, Forked, Moment, NamedBy, SessionId};
use candor_store::Store;

use crate::runtime::unknown;

/// How many events are copied at a time.
const PAGE: u32 = 500;
/// What the name of the new one ends with.
const SUFFIX: &str = " (fork)";

/// Copies a session up to the end of the last run that ended at or before `upto`: a run that is cut in the middle could
/// not go on. What the copied runs took was taken once and stays with the first session.
pub(crate) async fn fork(
    store: &Store,
    session: SessionId,
    upto: u64,
    name: &str,
) -> Result<SessionId, Failure> {
    let failed = |error: candor_store::Error| error.failure();
    let until = last_whole(store, session, upto).await?;
    let fork = SessionId::now();
    let staged = store.stage(fork).await.map_err(failed)?;
    // Nobody else can have an id that was made just now.
    let Some(mut stage) = staged else { return Ok(fork) };
    let mut after = 0;
    while after < until {
        let page = store.events(session, after, PAGE).await.map_err(failed)?;
        let copy: Vec<Event> = page
            .into_iter()
            .filter(|event| event.seq <= until)
            .map(|event| copied(event, fork, until))
            .collect();
        // It is deleted while it is copied.
        let Some(last) = copy.last() else { return Err(unknown(session)) };
        after = last.seq;
        stage.push(&copy).await.map_err(failed)?;
    }
    let name = format!("{name}{SUFFIX}");
    let body = EventBody::SessionRenamed { name, by: NamedBy::User, model: None, usage: None };
    let renamed = Event { seq: after + 1, session_id: fork, run_id: None, at: Moment::now(), body };
    stage.push(&[renamed]).await.map_err(failed)?;
    stage.finish().await.map_err(failed)?;
    Ok(fork)
}

/// The end of the last run that ended by then; the session's creation, where none did.
async fn last_whole(store: &Store, session: SessionId, upto: u64) -> Result<u64, Failure> {
    let (mut after, mut whole) = (0, 1);
    loop {
        let page = store.events(session, after, PAGE).await.map_err(|error| error.failure())?;
        for event in page.iter().take_while(|event| event.seq <= upto) {
            if matches!(event.body, EventBody::RunEnd(_)) {
                whole = event.seq;
            }
        }
        match page.last() {
            Some(last) if last.seq < upto && page.len() == PAGE as usize => after = last.seq,
            _ => return Ok(whole),
        }
    }
}

fn copied(event: Event, fork: SessionId, until: u64) -> Event {
    let from = Forked { session_id: event.session_id, seq: until };
    let body = match event.body {
        EventBody::SessionCreated { source, name, workspace, instructions, job, .. } => {
            // Whoever splits a child off wants it for itself: it works for nobody.
            let (forked_from, parent) = (Some(from), None);
            EventBody::SessionCreated { source, name, workspace, instructions, job, forked_from, parent }
        }
        other => other,
    };
    Event { session_id: fork, body, ..event }
}
