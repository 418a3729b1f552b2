//! A session that is written piece by piece and seen as a whole: for what is imported, or split off from another.

use candor_protocol::{Event, SessionId};

use crate::batch::{Audience, Batch};
use crate::lease::Lease;
use crate::work::Work;
use crate::{Error, Store};

/// How many events one transaction takes.
const EVENTS_MAX: usize = 500;

/// A session under construction. Until [`Stage::finish`] it is in no list and no answer.
///
/// Runs that it brings along count in its own totals. In the totals over all sessions a run counts once, for the session
/// that had it first: a copy has its runs in common with the original. A run end that is there twice, of a run that
/// another session has, counts twice in the copy's own totals.
///
/// What is staged and dropped stays invisible, and is removed when the store is next opened.
#[derive(Debug)]
pub struct Stage<'s> {
    store: &'s Store,
    lease: Lease,
}

impl Store {
    /// Begins to stage a session; nothing when there is one with this id. Another one who stages it, or writes to it, is
    /// a [`Error::Conflict`].
    pub async fn stage(&self, session: SessionId) -> Result<Option<Stage<'_>>, Error> {
        let Some(lease) = self.lease(session).await? else { return Err(Error::Conflict { session }) };
        if self.last_seq(session).await?.is_some() {
            return Ok(None);
        }
        let stage = Stage { store: self, lease };
        stage.remove().await?;
        Ok(Some(stage))
    }
}

impl Stage<'_> {
    /// Adds events, in order and without a gap: the first of all is the session's creation, with the number 1. When this
    /// returns they are on the disk. After an error some of them may be.
    pub async fn push(&mut self, events: &[Event]) -> Result<(), Error> {
        let session = self.lease.session();
        for some in events.chunks(EVENTS_MAX) {
            if let Some(batch) = Batch::of(some, Audience::Nobody)? {
                if batch.session != session {
                    return Err(Error::Mixed { session });
                }
                self.store.writer.work(Work::Append(Box::new(batch))).await?;
            }
        }
        Ok(())
    }

    /// Makes the session visible, at once and whole. It must have been created.
    pub async fn finish(self) -> Result<(), Error> {
        self.store.writer.work(Work::Finish { session: self.lease.session() }).await.map(drop)
    }

    /// Removes what was pushed.
    pub async fn abandon(self) -> Result<(), Error> {
        self.remove().await
    }

    async fn remove(&self) -> Result<(), Error> {
        self.store.remove(self.lease.session()).await
    }
}
