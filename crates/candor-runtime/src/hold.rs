//! The right to write a session: taken before something is written, given back when nothing is.

use std::time::Duration;

use candor_protocol::{Code, Failure, SessionId};
use candor_store::{Lease, Store};
use tokio::time::{Instant, sleep};

use crate::actor::Actor;
use crate::naming::NEW_SESSION;
use crate::recovery;
use crate::taking::Command;

/// How long to wait for a session that another process writes before whoever asks is told so.
const LEASE_PATIENCE: Duration = Duration::from_millis(300);
/// How often to look meanwhile.
const LEASE_POLL: Duration = Duration::from_millis(10);

/// A session as far as it is ours to write.
#[derive(Default)]
pub(crate) struct Hold {
    pub(crate) lease: Option<Lease>,
    /// Whether it was ours before.
    before: bool,
}

impl Actor {
    /// Makes the session ours to write. Somebody else may have written since the last time, or may have died over it.
    pub(crate) async fn hold(&self, hold: &mut Hold, command: &Command) -> Result<(), Failure> {
        if hold.lease.is_some() || command.writes_nothing() {
            return Ok(());
        }
        let failed = |error: candor_store::Error| error.failure();
        let lease = lease(&self.store, self.session).await?;
        self.journal.set_held(true);
        if !self.journal.is_unopened() {
            let unknown = || Failure::new(Code::SessionUnknown).with("session", self.session);
            let last =
                || async { self.store.last_seq(self.session).await.map_err(failed)?.ok_or_else(unknown) };
            let found = last().await?;
            if !hold.before || found != self.journal.seq() {
                recovery::close_session(&self.store, &lease, self.session).await?;
                self.journal.go_on_after(last().await?);
                self.look_at_name().await?;
            }
        }
        *hold = Hold { lease: Some(lease), before: true };
        Ok(())
    }

    /// A name that was given elsewhere counts here, too.
    async fn look_at_name(&self) -> Result<(), Failure> {
        let summary = self.store.session(self.session).await.map_err(|error| error.failure())?;
        if summary.is_some_and(|summary| summary.name != NEW_SESSION) {
            self.name.settle();
        }
        Ok(())
    }
}

/// The right to write a session. Who has just ended a run is about to give it back, so it is waited for a moment.
pub(crate) async fn lease(store: &Store, session: SessionId) -> Result<Lease, Failure> {
    let deadline = Instant::now() + LEASE_PATIENCE;
    loop {
        let lease = store.lease(session).await.map_err(|error| error.failure())?;
        match lease {
            Some(lease) => return Ok(lease),
            None if Instant::now() < deadline => sleep(LEASE_POLL).await,
            None => return Err(Failure::new(Code::SessionBusy).with("session", session)),
        }
    }
}
