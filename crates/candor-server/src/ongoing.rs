//! The runs that sockets have asked for, and how all of them end when the server stops.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use candor_protocol::{Body, Event, EventBody, Failure, Origin, RunId, SessionId, Submission};
use candor_runtime::Runtime;
use futures_util::future::join_all;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::frame::invalid;
use crate::server::SOCKETS_MAX;

/// How many sessions are remembered. The oldest are forgotten first; their runs have most likely ended long ago.
const SESSIONS_MAX: usize = 4096;
/// How long runs may take to stop when the server does.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);

/// The way of submissions into sessions, and the last run of each session that was asked for.
#[derive(Debug)]
pub(crate) struct Ongoing {
    /// Whoever hands something in has a part of it. The stop takes all of it and never gives it back, so that it knows of
    /// every run.
    door: Semaphore,
    /// A plain lock: it is held for a look and never across a wait.
    runs: Mutex<BTreeMap<SessionId, RunId>>,
}

impl Default for Ongoing {
    fn default() -> Self {
        Self { door: Semaphore::new(SOCKETS_MAX as usize), runs: Mutex::default() }
    }
}

impl Ongoing {
    /// Hands something in, unless the server stops, and remembers the run that comes of it.
    pub(crate) async fn submit(
        &self,
        session: SessionId,
        body: Body,
        runtime: &Runtime,
    ) -> Result<Option<RunId>, Failure> {
        let _inside = self.door.acquire().await.map_err(|_| invalid("the server stops"))?;
        let run = runtime.submit(Submission { session, origin: Origin::Websocket, body }).await?.run;
        if let Some(run) = run {
            self.note(session, run);
        }
        Ok(run)
    }

    fn note(&self, session: SessionId, run: RunId) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        // Two clients may learn of their runs in another order than that of the runs.
        let last = runs.entry(session).or_insert(run);
        *last = run.max(*last);
        if runs.len() > SESSIONS_MAX {
            runs.pop_first();
        }
    }

    /// Takes nothing more, stops what goes on, and waits until that is stored.
    pub(crate) async fn stop(&self, runtime: &Runtime) {
        let stopped = async {
            let _all = self.door.acquire_many(SOCKETS_MAX).await;
            self.door.close();
            let runs = std::mem::take(&mut *self.runs.lock().unwrap_or_else(PoisonError::into_inner));
            join_all(runs.into_iter().map(|(session, run)| stop(session, run, runtime))).await
        };
        // A store that fails now has nothing more to be done for.
        let _ = timeout(STOP_TIME_MAX, stopped).await;
    }
}

/// Stops a session's runs up to this one, which is its last.
async fn stop(session: SessionId, run: RunId, runtime: &Runtime) -> Result<(), Failure> {
    let store = runtime.query();
    let is_end = |event: &Event| event.run_id == Some(run) && matches!(event.body, EventBody::RunEnd(_));
    let stop = async || {
        runtime
            .submit(Submission { session, origin: Origin::Websocket, body: Body::Stop(None) })
            .await
            .map(drop)
    };
    // The number first: an end is either among the events that are stored already, or comes after it.
    let last = store.last_seq(session).await.map_err(|error| error.failure())?.unwrap_or(0);
    let mut events = runtime.subscribe(session, last).await?;
    if store.run_events(session, run).await.map_err(|error| error.failure())?.iter().any(is_end) {
        return Ok(());
    }
    stop().await?;
    loop {
        let event = events.next().await?;
        match event.body {
            _ if is_end(&event) => return Ok(()),
            // One that waited has begun.
            EventBody::RunStart { .. } => stop().await?,
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "ongoing_tests.rs"]
mod tests;
