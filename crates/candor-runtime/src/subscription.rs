//! Reading a session's events, from any point and for as long as one likes.

use std::collections::VecDeque;
use std::sync::Arc;

use candor_protocol::{Event, Failure, SessionId};
use candor_store::Store;
use tokio::sync::broadcast::{self, error::RecvError};

use crate::journal::Journal;

/// How many stored events are read at a time.
const PAGE: u32 = 500;

/// A session's events in order: first those that are stored, then those that happen.
pub struct Subscription {
    session: SessionId,
    store: Arc<Store>,
    journal: Arc<Journal>,
    live: broadcast::Receiver<Arc<[Event]>>,
    /// The last stored event that was given out.
    seq: u64,
    ready: VecDeque<Event>,
    /// Whether the store may hold more than was read.
    behind: bool,
}

impl Subscription {
    pub(crate) fn new(session: SessionId, store: Arc<Store>, journal: Arc<Journal>, after: u64) -> Self {
        // Watched before the store is read, so that nothing falls in between.
        let live = journal.watch();
        Self { session, store, journal, live, seq: after, ready: VecDeque::new(), behind: true }
    }

    /// The next event, or why there will be none. A reader that is slow misses pieces of answers under way, and never a
    /// stored event. Nothing is lost when the wait is given up.
    pub async fn next(&mut self) -> Result<Event, Failure> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                if event.body.is_durable() {
                    self.seq = event.seq;
                }
                return Ok(event);
            }
            if self.behind {
                self.catch_up().await?;
                continue;
            }
            let batch = tokio::select! {
                biased;
                batch = self.live.recv() => batch,
                failure = self.journal.failed() => return Err(failure),
            };
            match batch {
                Ok(batch) => {
                    self.ready.extend(batch.iter().filter(|event| is_news(event, self.seq)).cloned());
                }
                // The journal, which sends, is held by us: it cannot be closed.
                Err(RecvError::Lagged(_) | RecvError::Closed) => self.behind = true,
            }
        }
    }

    async fn catch_up(&mut self) -> Result<(), Failure> {
        let events =
            self.store.events(self.session, self.seq, PAGE).await.map_err(|error| error.failure())?;
        self.behind = events.len() == PAGE as usize;
        self.ready.extend(events);
        Ok(())
    }
}

/// Whether the store, which has given everything up to `seq`, has not given it already. A piece of an answer carries the
/// number of the stored event before it: with a smaller one it belongs to an answer that was given whole.
fn is_news(event: &Event, seq: u64) -> bool {
    if event.body.is_durable() { event.seq > seq } else { event.seq >= seq }
}
