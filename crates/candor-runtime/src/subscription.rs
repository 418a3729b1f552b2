//! Reading a session's events, from any point and for as long as one likes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Event, Failure, SessionId};
use candor_store::Store;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::sleep;

use crate::journal::{Attendance, Journal};
use crate::runtime::unknown;

/// How much of what is stored is read at a time: a reader that does not read holds no more than this.
const PAGE_BYTES_MAX: u64 = 256 * 1024;
/// How soon to look whether another process has written, just after something happened.
const LOOK_FIRST: Duration = Duration::from_millis(250);
/// How rarely to look when nothing happens for long: a reader who waits for days costs nothing.
const LOOK_LAST: Duration = Duration::from_secs(4);

/// A session's events in order: first those that are stored, then those that happen, here or in another process.
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
    /// How long to wait before the next look at what another process wrote.
    look: Duration,
    /// Whether whoever reads can also be asked something.
    attendance: Option<Attendance>,
}

impl Subscription {
    /// Reads what is stored up to now, so that whoever subscribes before speaking misses no piece of the answer.
    pub(crate) async fn begin(
        session: SessionId,
        store: Arc<Store>,
        journal: Arc<Journal>,
        after: u64,
    ) -> Result<Self, Failure> {
        // Watched before the store is read, so that nothing falls in between.
        let live = journal.watch();
        let (ready, look) = (VecDeque::new(), LOOK_FIRST);
        let mut begun =
            Self { session, store, journal, live, seq: after, ready, behind: true, look, attendance: None };
        begun.catch_up().await?;
        Ok(begun)
    }

    /// Whoever reads can also be asked about calls, and will answer with a submission.
    #[must_use]
    pub fn attended(mut self) -> Self {
        self.attendance.get_or_insert_with(|| self.journal.attend());
        self
    }

    /// The next event, or why there will be none. A reader that is slow misses pieces of answers under way, and never a
    /// stored event. Nothing is lost when the wait is given up.
    pub async fn next(&mut self) -> Result<Event, Failure> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                if event.body.is_durable() {
                    self.seq = event.seq;
                }
                self.look = LOOK_FIRST;
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
                () = sleep(self.look) => {
                    self.look_elsewhere().await?;
                    continue;
                }
            };
            match batch {
                Ok(batch) => self.take(&batch),
                // The journal, which sends, is held by us: it cannot be closed.
                Err(RecvError::Lagged(_) | RecvError::Closed) => self.behind = true,
            }
        }
    }

    /// Takes what has just been stored here. Where events of another process lie between, the store has all of them.
    fn take(&mut self, batch: &[Event]) {
        let mut last = self.seq;
        for event in batch.iter().filter(|event| is_news(event, self.seq)) {
            if event.seq > last.saturating_add(1) {
                self.behind = true;
                return;
            }
            last = event.seq;
            self.ready.push_back(event.clone());
        }
    }

    /// Looks for events that another process has stored. Who has read something of a session that is not there any more
    /// waits in vain.
    async fn look_elsewhere(&mut self) -> Result<(), Failure> {
        self.look = (self.look * 2).min(LOOK_LAST);
        if self.journal.is_held() {
            return Ok(());
        }
        let last = self.store.last_seq(self.session).await.map_err(|error| error.failure())?;
        if last.is_none() && self.seq > 0 {
            return Err(unknown(self.session));
        }
        // What was stored here meanwhile is about to be shown, with the pieces that belong to it.
        let is_ours = self.journal.is_held() || !self.live.is_empty();
        self.behind = !is_ours && last.is_some_and(|last| last > self.seq);
        Ok(())
    }

    async fn catch_up(&mut self) -> Result<(), Failure> {
        let events = self.store.page(self.session, self.seq, PAGE_BYTES_MAX).await;
        let events = events.map_err(|error| error.failure())?;
        self.behind = !events.is_empty();
        self.ready.extend(events);
        Ok(())
    }
}

/// Whether the store, which has given everything up to `seq`, has not given it already. A piece of an answer carries the
/// number of the stored event before it: with a smaller one it belongs to an answer that was given whole.
fn is_news(event: &Event, seq: u64) -> bool {
    if event.body.is_durable() { event.seq > seq } else { event.seq >= seq }
}
