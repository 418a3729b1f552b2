//! The conversation that a run begins with.
//!
//! It is what the session's events tell. So that a long session goes on without being read as a whole, the state of the
//! telling is saved now and then; it is derived, and when it is missing or of another version everything is read.

use candor_agent::Conversation;
use candor_protocol::{Event, EventBody, Failure, RunId, SessionId};
use candor_store::Store;
use serde::{Deserialize, Serialize};

/// How many stored events are read at a time.
const PAGE: u32 = 1000;
/// How many events may have to be read again before the state is saved.
const SAVE_EVENTS: u64 = 256;
/// The longest state that is saved; one that is longer is cheaper to read again than to write.
const SAVED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Raised when a state of an earlier program would be told differently now.
const VERSION: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    conversation: Conversation,
}

/// The conversation that a run begins with: everything up to `before`, which is stored.
pub(crate) async fn conversation(
    store: &Store,
    session: SessionId,
    run: RunId,
    before: u64,
) -> Result<Conversation, Failure> {
    let (mut conversation, mut seq) = saved(store, session, before).await;
    let (first, mut compacted) = (seq, false);
    while seq < before {
        let page = store.events(session, seq, PAGE).await.map_err(|error| error.failure())?;
        let news: Vec<&Event> = page.iter().filter(|event| event.seq <= before).collect();
        let Some(last) = news.last() else { break };
        seq = last.seq;
        for event in news {
            compacted |= matches!(event.body, EventBody::Compacted { .. });
            conversation.event(event);
        }
    }
    if compacted || seq - first >= SAVE_EVENTS {
        save(store, session, seq, &conversation).await;
    }
    conversation.begin(run);
    Ok(conversation)
}

async fn saved(store: &Store, session: SessionId, before: u64) -> (Conversation, u64) {
    // A store that gives no state may still give the events.
    let found = store.context(session).await.unwrap_or_default();
    let usable = found.filter(|(seq, _)| *seq <= before).and_then(|(seq, body)| {
        let saved: Saved = serde_json::from_str(&body).ok()?;
        (saved.version == VERSION).then_some((saved.conversation, seq))
    });
    usable.unwrap_or_default()
}

async fn save(store: &Store, session: SessionId, seq: u64, conversation: &Conversation) {
    let saved = Saved { version: VERSION, conversation: conversation.clone() };
    // Nothing in it can fail to be JSON.
    let body = serde_json::to_string(&saved).unwrap_or_default();
    if !body.is_empty() && body.len() <= SAVED_BYTES_MAX {
        // Without it the next run reads more.
        let _ = store.save_context(session, seq, &body).await;
    }
}
