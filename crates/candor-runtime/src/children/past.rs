//! What came of a child of which nobody in this process has seen anything.

use candor_protocol::{EventBody, Failure, Parent, RunId, SessionId, plain_text};
use candor_store::{SessionSummary, Store};

use super::NAME;
use super::report::Came;

/// How many of a session's last events are looked at for the end of its last run: a name may come after it.
const LAST: u32 = 20;
/// How much of a session is read at a time.
const PAGE_BYTES_MAX: u64 = 1024 * 1024;

/// What came of a child's last run; nothing where it never had one, or where one is open.
pub(crate) async fn came(store: &Store, child: &SessionSummary) -> Result<Option<Came>, Failure> {
    let failed = |error: candor_store::Error| error.failure();
    let tail = store.newest_events(child.id, LAST).await.map_err(failed)?;
    let ended = tail.into_iter().rev().find_map(|event| match event.body {
        EventBody::RunEnd(outcome) => Some((event.run_id?, outcome)),
        _ => None,
    });
    let Some((run, outcome)) = ended else { return Ok(None) };
    let (mut answer, mut changes) = (String::new(), Vec::new());
    for event in store.run_events(child.id, run).await.map_err(failed)? {
        match event.body {
            EventBody::MessageComplete { content, .. } => {
                let text = plain_text(&content);
                if !text.trim().is_empty() {
                    answer = text;
                }
            }
            EventBody::ToolResult { changes: more, .. } => changes.extend(more),
            _ => {}
        }
    }
    Ok(Some(Came { session: child.id, run, name: child.name.clone(), outcome, answer, changes }))
}

/// Whom a session works for, and with what, as it was created.
pub(crate) async fn parent(store: &Store, session: SessionId) -> Result<Option<Parent>, Failure> {
    let first = store.events(session, 0, 1).await.map_err(|error| error.failure())?;
    Ok(first.into_iter().find_map(|event| match event.body {
        EventBody::SessionCreated { parent, .. } => parent,
        _ => None,
    }))
}

/// Whether a session was told what came of a run of a child: a result of ours names it.
pub(crate) async fn was_told(store: &Store, session: SessionId, run: RunId) -> Result<bool, Failure> {
    let (mut after, run) = (0, run.to_string());
    loop {
        let page = store.page(session, after, PAGE_BYTES_MAX).await.map_err(|error| error.failure())?;
        let Some(last) = page.last() else { return Ok(false) };
        after = last.seq;
        let names = |body: &EventBody| matches!(body, EventBody::ToolResult { tool_name, result, .. } if tool_name == NAME && result.contains(&run));
        if page.iter().any(|event| names(&event.body)) {
            return Ok(true);
        }
    }
}
