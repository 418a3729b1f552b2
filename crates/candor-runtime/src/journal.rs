//! The way of an event: told by a run, stored, then shown to everyone who watches.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_agent::{BoxFuture, Sink};
use candor_protocol::{
    DeltaKind, ErrorCard, Event, EventBody, Failure, Moment, Part, RunId, SessionId, Step,
};
use candor_redact::Live;
use candor_store::Store;
use tokio::sync::{Notify, broadcast, watch};

use crate::vault::Vault;

/// How long a session's name is at most: it stands in one line of a list.
const NAME_CHARS_MAX: usize = 60;
/// How many batches a reader may be behind before it has to read the store instead.
const BATCHES_MAX: usize = 1024;

/// A session's events on their way. The session's actor is its only writer.
pub(crate) struct Journal {
    session: SessionId,
    vault: Arc<Vault>,
    /// A plain lock: it is held for a push and never across a wait.
    queue: Mutex<Queue>,
    /// Something was pushed.
    pushed: Notify,
    /// How many pushed events have been stored and shown, or why no more will be.
    done: watch::Sender<Done>,
    readers: broadcast::Sender<Arc<[Event]>>,
}

struct Queue {
    events: Vec<Event>,
    /// How many events have been pushed.
    pushed: u64,
    /// The number of the last stored event.
    seq: u64,
    run: Option<RunId>,
    /// What came for the run since it last listened.
    steering: VecDeque<Vec<Part>>,
    text: Live,
    reasoning: Live,
}

#[derive(Debug, Clone, Default)]
struct Done {
    events: u64,
    failure: Option<Failure>,
}

impl Journal {
    pub(crate) fn new(session: SessionId, seq: u64, vault: Arc<Vault>) -> Self {
        let queue = Queue {
            events: Vec::new(),
            pushed: 0,
            seq,
            run: None,
            steering: VecDeque::new(),
            text: vault.live(),
            reasoning: vault.live(),
        };
        let (readers, _) = broadcast::channel(BATCHES_MAX);
        let (done, _) = watch::channel(Done::default());
        Self { session, vault, queue: Mutex::new(queue), pushed: Notify::new(), done, readers }
    }

    /// Everything that is shown from now on.
    pub(crate) fn watch(&self) -> broadcast::Receiver<Arc<[Event]>> {
        self.readers.subscribe()
    }

    /// Names the run that what follows belongs to.
    pub(crate) fn enter(&self, run: Option<RunId>) {
        self.queue().run = run;
    }

    /// A message for the run that goes on.
    pub(crate) fn steer(&self, parts: Vec<Part>) {
        self.queue().steering.push_back(parts);
    }

    /// Stores and shows what is pushed, until it is dropped or the store fails. What has been pushed together is stored
    /// together: one wait for the disk, however many events.
    pub(crate) async fn write(&self, store: &Store) {
        loop {
            let (batch, pushed) = self.queue().take();
            if batch.is_empty() {
                self.pushed.notified().await;
                continue;
            }
            let durable: Vec<Event> = batch.iter().filter(|event| event.body.is_durable()).cloned().collect();
            let stored = if durable.is_empty() { Ok(()) } else { store.append(&durable).await };
            if let Err(error) = stored {
                self.done.send_modify(|done| done.failure = Some(error.failure()));
                return;
            }
            // Nobody watching is no failure.
            let _ = self.readers.send(batch.into());
            self.done.send_modify(|done| done.events = pushed);
        }
    }

    /// Waits until nothing more can be stored, and says why.
    pub(crate) async fn failed(&self) -> Failure {
        let mut done = self.done.subscribe();
        loop {
            if let Ok(done) = done.wait_for(|done| done.failure.is_some()).await
                && let Some(failure) = &done.failure
            {
                return failure.clone();
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn masked(&self, body: EventBody) -> EventBody {
        match body {
            EventBody::SessionCreated { source, name, workspace, instructions } => {
                EventBody::SessionCreated { source, name: self.masked_name(&name), workspace, instructions }
            }
            EventBody::SessionRenamed { name } => EventBody::SessionRenamed { name: self.masked_name(&name) },
            EventBody::Error { message, card } => {
                EventBody::Error { message: self.vault.erase(&message), card: self.masked_card(card) }
            }
            EventBody::ToolResult { call_id, tool_name, result, is_error, card, duration_ms } => {
                let card = card.map(|card| self.masked_card(card));
                EventBody::ToolResult { call_id, tool_name, result, is_error, card, duration_ms }
            }
            EventBody::RunEnd(mut outcome) => {
                outcome.card = outcome.card.map(|card| self.masked_card(card));
                EventBody::RunEnd(outcome)
            }
            other => other,
        }
    }

    /// A session is called after what its user said, and that may hold a key. Masked before it is cut: half a key looks
    /// like none.
    fn masked_name(&self, name: &str) -> String {
        self.vault.erase(name).chars().take(NAME_CHARS_MAX).collect()
    }

    /// A provider's own words stand in a card, and some providers repeat the key; so does the output of a tool.
    fn masked_card(&self, mut card: ErrorCard) -> ErrorCard {
        let mask = |text: &mut String| *text = self.vault.erase(text);
        mask(&mut card.cause);
        for step in &mut card.steps {
            match step {
                Step::Run { command } => mask(command),
                Step::Check { text, command } => {
                    mask(text);
                    command.as_mut().map(mask);
                }
                Step::Do { text } => mask(text),
            }
        }
        card.verify.as_mut().map(mask);
        card
    }
}

impl Queue {
    /// What waits, and how many events have been pushed once it is done with.
    fn take(&mut self) -> (Vec<Event>, u64) {
        (std::mem::take(&mut self.events), self.pushed)
    }

    fn push(&mut self, session: SessionId, body: EventBody) {
        if let EventBody::StreamDelta { text, kind } = body {
            self.push_delta(session, &text, kind);
            return;
        }
        if matches!(body, EventBody::MessageComplete { .. } | EventBody::Status { discard: true, .. }) {
            self.flush_deltas(session);
        }
        if body.is_durable() {
            self.seq += 1;
        }
        self.append(session, body);
    }

    fn push_delta(&mut self, session: SessionId, text: &str, kind: DeltaKind) {
        let live = match kind {
            DeltaKind::Text => &mut self.text,
            DeltaKind::Reasoning => &mut self.reasoning,
        };
        let shown = live.push(text);
        self.append_delta(session, shown, kind);
    }

    /// The end of an answer is also the end of what its masks may hold back.
    fn flush_deltas(&mut self, session: SessionId) {
        let (reasoning, text) = (self.reasoning.finish(), self.text.finish());
        self.append_delta(session, reasoning, DeltaKind::Reasoning);
        self.append_delta(session, text, DeltaKind::Text);
    }

    /// Joins what nobody has seen yet: a reader that is slow gets fewer, longer pieces.
    fn append_delta(&mut self, session: SessionId, shown: String, kind: DeltaKind) {
        if shown.is_empty() {
            return;
        }
        if let Some(Event { body: EventBody::StreamDelta { text, kind: last }, .. }) = self.events.last_mut()
            && *last == kind
        {
            text.push_str(&shown);
            return;
        }
        self.append(session, EventBody::StreamDelta { text: shown, kind });
    }

    fn append(&mut self, session_id: SessionId, body: EventBody) {
        self.pushed += 1;
        self.events.push(Event { seq: self.seq, session_id, run_id: self.run, at: Moment::now(), body });
    }
}

impl Sink for Journal {
    fn emit(&self, body: EventBody) {
        let body = self.masked(body);
        self.queue().push(self.session, body);
        self.pushed.notify_one();
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async {
            let target = self.queue().pushed;
            let mut done = self.done.subscribe();
            let reached = done.wait_for(|done| done.events >= target || done.failure.is_some()).await;
            match reached.ok().and_then(|done| done.failure.clone()) {
                Some(failure) => Err(failure),
                None => Ok(()),
            }
        })
    }

    fn steering(&self) -> Vec<Vec<Part>> {
        self.queue().steering.drain(..).collect()
    }
}
