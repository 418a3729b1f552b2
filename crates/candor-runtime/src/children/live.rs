//! A child at work.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_agent::Purse;
use candor_protocol::{Change, Event, EventBody, Outcome, RunId, SessionId, plain_text};
use tokio::sync::watch;

use super::family::Place;
use super::report::Came;
use crate::{Subscription, actor};

/// One run of a child, as the run above sees it.
pub(crate) struct Live {
    pub(crate) session: SessionId,
    pub(crate) run: RunId,
    pub(crate) name: String,
    pub(crate) purse: Arc<Purse>,
    /// A plain lock: it is held for a look and never across a wait.
    seen: Mutex<Seen>,
    over: watch::Sender<bool>,
}

/// What was seen of it so far.
#[derive(Default)]
struct Seen {
    turns: u64,
    answer: String,
    changes: Vec<Change>,
    outcome: Option<Outcome>,
    /// Whether the run above was told what came of it.
    told: bool,
}

/// How far it is.
pub(crate) struct Progress {
    pub(crate) turns: u64,
    pub(crate) last: String,
}

impl Live {
    pub(crate) fn new(session: SessionId, run: RunId, name: String, purse: Arc<Purse>) -> Self {
        let (seen, over) = (Mutex::default(), watch::channel(false).0);
        Self { session, run, name, purse, seen, over }
    }

    /// Reads its events until it is over. The place in the family is free then, whatever happened.
    pub(crate) async fn follow(self: Arc<Self>, mut events: Subscription, profile: String, place: Place) {
        loop {
            match events.next().await {
                Ok(event) if event.run_id == Some(self.run) => {
                    if self.see(event) {
                        break;
                    }
                }
                Ok(_) => {}
                Err(failure) => {
                    self.seen().outcome = Some(actor::failed(&failure, &profile));
                    break;
                }
            }
        }
        drop(place);
        self.over.send_replace(true);
    }

    /// Takes an event in; whether it was the last one.
    fn see(&self, event: Event) -> bool {
        let mut seen = self.seen();
        match event.body {
            EventBody::MessageComplete { content, .. } => {
                seen.turns += 1;
                let text = plain_text(&content);
                if !text.trim().is_empty() {
                    seen.answer = text;
                }
            }
            EventBody::ToolResult { changes, .. } => seen.changes.extend(changes),
            EventBody::RunEnd(outcome) => {
                seen.outcome = Some(outcome);
                return true;
            }
            _ => {}
        }
        false
    }

    pub(crate) fn is_over(&self) -> bool {
        *self.over.borrow()
    }

    /// Waits until it is over.
    pub(crate) async fn ended(&self) {
        // The sender is ours: the wait does not fail.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    pub(crate) fn progress(&self) -> Progress {
        let seen = self.seen();
        Progress { turns: seen.turns, last: seen.answer.clone() }
    }

    /// What came of it; nothing while it is at work.
    pub(crate) fn came(&self) -> Option<Came> {
        let seen = self.seen();
        let outcome = seen.outcome.clone()?;
        Some(Came {
            session: self.session,
            run: self.run,
            name: self.name.clone(),
            outcome,
            answer: seen.answer.clone(),
            changes: seen.changes.clone(),
        })
    }

    /// Notes that the run above is told what came of it; whether it was not before.
    pub(crate) fn tell(&self) -> bool {
        !std::mem::replace(&mut self.seen().told, true)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
