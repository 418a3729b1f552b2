//! The way of an event: told by a run, stored, then shown to everyone who watches.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_agent::{BoxFuture, Sink};
use candor_protocol::{
    Code, DeltaKind, Event, EventBody, Failure, Moment, Origin, Outcome, Part, RunId, SessionId,
};
use candor_redact::Live;
use candor_store::Store;
use tokio::sync::{Notify, broadcast, watch};

use crate::masking::masked;
use crate::vault::Vault;

/// How many batches a reader may be behind before it has to read the store instead.
const BATCHES_MAX: usize = 1024;
/// How many messages may wait for a run to listen; whoever sends more is told to wait.
pub(crate) const STEERING_MAX: usize = 64;

/// A session's events on their way. The session's actor is its only writer.
pub(crate) struct Journal {
    session: SessionId,
    vault: Arc<Vault>,
    /// A plain lock: it is held for a push and never across a wait.
    queue: Mutex<Queue>,
    /// Something was pushed. It remembers one call, so that none is missed between a look at the queue and the wait.
    pushed: Notify,
    /// How many pushed events have been stored and shown, or why no more will be.
    done: watch::Sender<Done>,
    readers: broadcast::Sender<Arc<[Event]>>,
    /// Whether a run goes on.
    running: watch::Sender<bool>,
    /// Whether the session is ours to write, so that nobody else adds to it.
    held: AtomicBool,
    /// How many are there who can be asked something.
    attendants: watch::Sender<usize>,
}

/// Somebody who can be asked something, until it is dropped.
pub(crate) struct Attendance(Arc<Journal>);

impl Drop for Attendance {
    fn drop(&mut self) {
        self.0.attendants.send_modify(|count| *count -= 1);
    }
}

struct Queue {
    /// What begins the session; it waits for the first event that is worth a session.
    opening: Option<EventBody>,
    events: Vec<Event>,
    /// How many events have been pushed.
    pushed: u64,
    /// The number of the last event that is stored, or on its way there.
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
    /// With how many of them the store has been asked to go on.
    begun: u64,
    failure: Option<Failure>,
}

impl Journal {
    pub(crate) fn new(session: SessionId, seq: u64, vault: Arc<Vault>) -> Self {
        let queue = Queue {
            opening: None,
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
        let (running, _) = watch::channel(false);
        Self {
            session,
            vault,
            queue: Mutex::new(queue),
            pushed: Notify::new(),
            done,
            readers,
            running,
            held: AtomicBool::new(false),
            attendants: watch::channel(0).0,
        }
    }

    /// Somebody is there who can be asked something.
    pub(crate) fn attend(self: &Arc<Self>) -> Attendance {
        self.attendants.send_modify(|count| *count += 1);
        Attendance(Arc::clone(self))
    }

    /// How many are there who can be asked something.
    pub(crate) fn attendants(&self) -> watch::Receiver<usize> {
        self.attendants.subscribe()
    }

    /// Keeps what begins the session until something happens in it: a session without a message is not worth storing.
    pub(crate) fn open(&self, opening: EventBody) {
        self.queue().opening = Some(opening);
    }

    /// Whether the session has not begun: nothing of it is stored, and nothing need be.
    pub(crate) fn is_unopened(&self) -> bool {
        self.queue().opening.is_some()
    }

    /// Names a session that has not begun.
    pub(crate) fn name_opening(&self, given: String) {
        if let Some(EventBody::SessionCreated { name, .. }) = &mut self.queue().opening {
            *name = given;
        }
    }

    /// The last number that was told, once it is known that nothing waits.
    pub(crate) fn seq(&self) -> u64 {
        self.queue().seq
    }

    /// Goes on after this event, because somebody else may have written since the last of ours.
    pub(crate) fn go_on_after(&self, seq: u64) {
        self.queue().seq = seq;
    }

    /// Notes whether the session is ours to write.
    pub(crate) fn set_held(&self, held: bool) {
        self.held.store(held, Ordering::Release);
    }

    /// Whether the session is ours to write: then everything that is stored is also shown here.
    pub(crate) fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire)
    }

    /// Everything that is shown from now on.
    pub(crate) fn watch(&self) -> broadcast::Receiver<Arc<[Event]>> {
        self.readers.subscribe()
    }

    /// Whether anybody reads along.
    pub(crate) fn is_watched(&self) -> bool {
        self.readers.receiver_count() > 0
    }

    /// What follows belongs to this run. Gives the number of the last event before it: what comes later for the run is
    /// heard through [`Sink::steering`] and must not be read from the store as well.
    pub(crate) fn begin(&self, run: RunId) -> u64 {
        self.running.send_replace(true);
        let mut queue = self.queue();
        queue.run = Some(run);
        queue.seq
    }

    /// Waits until no run goes on, or none can any more.
    pub(crate) async fn idle(&self) {
        let mut running = self.running.subscribe();
        tokio::select! {
            _ = running.wait_for(|running| !running) => {}
            _ = self.failed() => {}
        }
    }

    /// The run is over. What it did not listen to is stored, and the next run reads it there.
    pub(crate) fn end(&self, outcome: Outcome) {
        self.emit(EventBody::RunEnd(outcome));
        let mut queue = self.queue();
        queue.run = None;
        queue.steering.clear();
        drop(queue);
        self.running.send_replace(false);
    }

    /// Takes a message that a run of its own will answer.
    pub(crate) fn accept(&self, run: RunId, origin: Origin, content: Vec<Part>) {
        self.tell(Some(run), EventBody::MessageAccepted { origin, content });
    }

    /// Tells something about the session that is no part of a run.
    pub(crate) fn tell(&self, run: Option<RunId>, body: EventBody) {
        self.queue().push_for(run, self.session, body);
        self.pushed.notify_one();
    }

    /// Takes a message for the run that goes on, unless too many wait for it already.
    pub(crate) fn steer(&self, origin: Origin, content: Vec<Part>) -> Result<(), Failure> {
        let mut queue = self.queue();
        if queue.steering.len() >= STEERING_MAX {
            return Err(queue_full(self.session, STEERING_MAX));
        }
        queue.steering.push_back(content.clone());
        queue.push(self.session, EventBody::MessageAccepted { origin, content });
        self.pushed.notify_one();
        Ok(())
    }

    /// How many events have been told so far; [`Journal::stored`] waits for them.
    pub(crate) fn told(&self) -> u64 {
        self.queue().pushed
    }

    /// Waits until so many of the told events are stored.
    pub(crate) async fn stored(&self, told: u64) -> Result<(), Failure> {
        let mut done = self.done.subscribe();
        let reached = done.wait_for(|done| done.events >= told || done.failure.is_some()).await;
        match reached.ok().filter(|done| done.events < told).and_then(|done| done.failure.clone()) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Waits until the store has been asked for so many of the told events, or is busy with some of them: then the others are next.
    async fn begun(&self, told: u64) {
        let mut done = self.done.subscribe();
        let is_begun = |done: &Done| done.begun >= told || done.begun > done.events || done.failure.is_some();
        // The sender is ours.
        let _ = done.wait_for(is_begun).await;
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
            if let Err(error) = self.append(&batch, pushed, store).await {
                self.close(error.failure());
                return;
            }
            // Nobody watching is no failure.
            let _ = self.readers.send(batch.into());
            self.done.send_modify(|done| done.events = pushed);
        }
    }

    async fn append(&self, batch: &[Event], pushed: u64, store: &Store) -> Result<(), candor_store::Error> {
        let durable: Vec<Event> = batch.iter().filter(|event| event.body.is_durable()).cloned().collect();
        let appending = store.begin_append(&durable).await?;
        self.done.send_modify(|done| done.begun = pushed);
        appending.stored().await
    }

    /// Nothing more will be stored: whoever waits is told why. Only the first reason counts.
    pub(crate) fn close(&self, failure: Failure) {
        self.done.send_if_modified(|done| {
            let first = done.failure.is_none();
            done.failure.get_or_insert(failure);
            first
        });
    }

    /// Waits until nothing more can be stored, and says why.
    pub(crate) async fn failed(&self) -> Failure {
        let mut done = self.done.subscribe();
        let closed = done.wait_for(|done| done.failure.is_some()).await;
        match closed.ok().and_then(|done| done.failure.clone()) {
            Some(failure) => failure,
            // The sender is ours, so the wait ends with a failure or not at all.
            None => std::future::pending().await,
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// What waits, and how many events have been pushed once it is done with.
    fn take(&mut self) -> (Vec<Event>, u64) {
        (std::mem::take(&mut self.events), self.pushed)
    }

    /// Takes one event of the run that goes on.
    fn push(&mut self, session: SessionId, body: EventBody) {
        self.push_for(self.run, session, body);
    }

    fn push_for(&mut self, run: Option<RunId>, session: SessionId, body: EventBody) {
        if let Some(opening) = self.opening.take() {
            self.seq += 1;
            self.append(None, session, opening);
        }
        if let EventBody::StreamDelta { text, kind } = body {
            self.push_delta(session, &text, kind);
            return;
        }
        if ends_an_answer(&body) {
            self.flush_deltas(session);
        }
        if body.is_durable() {
            self.seq += 1;
        }
        self.append(run, session, body);
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
        self.append(self.run, session, EventBody::StreamDelta { text: shown, kind });
    }

    fn append(&mut self, run_id: Option<RunId>, session_id: SessionId, body: EventBody) {
        self.pushed += 1;
        self.events.push(Event { seq: self.seq, session_id, run_id, at: Moment::now(), body });
    }
}

/// So many wait already that one more is not taken.
pub(crate) fn queue_full(session: SessionId, limit: usize) -> Failure {
    Failure::new(Code::SessionQueueFull).with("session", session).with("limit", limit)
}

/// Whether no more of the answer under way will come: it is complete, void, or given up.
fn ends_an_answer(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::MessageComplete { .. }
            | EventBody::Status { discard: true, .. }
            | EventBody::Error { .. }
            | EventBody::RunEnd(_)
    )
}

impl Sink for Journal {
    fn emit(&self, body: EventBody) {
        let body = masked(body, &self.vault);
        self.queue().push(self.session, body);
        self.pushed.notify_one();
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(self.stored(self.told()))
    }

    fn under_way(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.begun(self.told()))
    }

    fn steering(&self) -> Vec<Vec<Part>> {
        self.queue().steering.drain(..).collect()
    }
}
