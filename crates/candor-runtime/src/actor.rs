//! The life of a session: one task, the sole writer of its events.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use candor_agent::{BoxFuture, Conversation, Mask, RunDeps, RunInput, Sink, Task, first_words};
use candor_log::event::RunEnd;
use candor_protocol::{
    Body, Code, EventBody, Failure, NamedBy, Origin, Outcome, Part, RunId, SessionId, Status, Usage, Verdict,
    VerdictStatus, plain_text,
};
use candor_store::{Lease, Store};
use candor_tools::{Registry, ToolContext};
use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::journal::{Journal, queue_full};
use crate::naming::{self, NEW_SESSION, Name};
use crate::sessions::Sessions;
use crate::sources::Sources;
use crate::vault::Vault;
use crate::{Retention, Setup, Titles, history, recovery, retention};

/// How many messages may wait for their run; whoever sends more is told to wait.
const WAITING_MAX: usize = 64;
/// How long a session stays in memory when nothing comes for it.
const IDLE_MAX: Duration = Duration::from_secs(60 * 60);

/// How long to wait for a session that another process writes before whoever asks is told so.
const LEASE_PATIENCE: Duration = Duration::from_millis(300);
/// How often to look meanwhile.
const LEASE_POLL: Duration = Duration::from_millis(10);

/// A submission that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The run that answers it; none where the submission starts none.
    pub run: Option<RunId>,
}

/// What reaches an actor.
pub(crate) enum Command {
    /// A submission.
    Submit(Submit),
    /// A name was thought of, if it is still wanted.
    Named(Box<EventBody>),
    /// The program ends: the run is stopped, and those that wait do not begin. Their messages are stored, and heard with
    /// the next run.
    Close(oneshot::Sender<()>),
}

/// One submission on its way to the actor, and where the answer goes.
pub(crate) struct Submit {
    pub(crate) origin: Origin,
    pub(crate) body: Body,
    /// What a run works with; none where no run can be started.
    pub(crate) setup: Option<Arc<Setup>>,
    pub(crate) taken: oneshot::Sender<Result<Taken, Failure>>,
}

/// A submission that was told to the journal, and is acknowledged once so many events are stored.
pub(crate) struct Taken {
    pub(crate) receipt: Receipt,
    pub(crate) told: u64,
}

/// A run that waits for its turn.
struct Waiting {
    run: RunId,
    task: Task,
    setup: Arc<Setup>,
}

pub(crate) struct Actor {
    pub(crate) session: SessionId,
    pub(crate) instructions: Option<String>,
    pub(crate) store: Arc<Store>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) name: Arc<Name>,
    pub(crate) tools: Arc<Registry>,
    pub(crate) sources: Arc<Sources>,
    /// Where it is listed. Weak, or the list would keep itself alive through those it lists.
    pub(crate) sessions: Weak<Sessions>,
    /// The way to itself, for those who work for it.
    pub(crate) inbox: mpsc::WeakSender<Command>,
}

/// Tells whoever waits for the session that it is over, however that came about: without this, a defect of ours would
/// leave them waiting for ever.
struct LastWord(Arc<Journal>);

impl Drop for LastWord {
    fn drop(&mut self) {
        let failure = Failure::new(Code::InternalPanic)
            .with("message", "the session ended while somebody waited for it")
            .with("location", "a session");
        self.0.close(failure);
    }
}

impl Actor {
    /// Lives until nobody needs it any more, or the store fails. Then the run, if one goes on, is dropped with
    /// whatever it does: what it would do next could not be stored.
    pub(crate) async fn live(self, mut inbox: mpsc::Receiver<Command>) {
        let last_word = LastWord(Arc::clone(&self.journal));
        tokio::select! {
            () = last_word.0.write(&self.store) => {}
            () = self.serve(&mut inbox) => {}
        }
    }

    async fn serve(&self, inbox: &mut mpsc::Receiver<Command>) {
        let mut waiting = VecDeque::new();
        let mut hold = Hold::default();
        loop {
            if let Some(next) = waiting.pop_front() {
                self.run(next, inbox, &mut waiting).await;
                continue;
            }
            if inbox.is_empty() && self.journal.settled().await.is_ok() {
                // Nothing is to be done here: whoever else wants to write may.
                self.journal.set_held(false);
                hold.lease = None;
            }
            match timeout(IDLE_MAX, inbox.recv()).await {
                Ok(Some(command)) => match self.hold(&mut hold, &command).await {
                    Ok(()) => self.take(command, None, &mut waiting),
                    Err(failure) => {
                        self.journal.set_held(false);
                        self.refuse(command, failure);
                    }
                },
                Ok(None) => break,
                Err(_) if self.is_let_go(inbox) => break,
                Err(_) => {}
            }
        }
        // What was told last still has to reach the disk.
        let _ = self.journal.settled().await;
    }

    /// Makes the session ours to write. Somebody else may have written since the last time, or may have died over it.
    async fn hold(&self, hold: &mut Hold, command: &Command) -> Result<(), Failure> {
        if hold.lease.is_some() || command.writes_nothing() {
            return Ok(());
        }
        let failed = |error: candor_store::Error| error.failure();
        let lease = self.lease().await?;
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

    /// The right to write the session. Who has just ended a run is about to give it back, so it is waited for a moment.
    async fn lease(&self) -> Result<Lease, Failure> {
        let deadline = Instant::now() + LEASE_PATIENCE;
        loop {
            let lease = self.store.lease(self.session).await.map_err(|error| error.failure())?;
            match lease {
                Some(lease) => return Ok(lease),
                None if Instant::now() < deadline => sleep(LEASE_POLL).await,
                None => return Err(Failure::new(Code::SessionBusy).with("session", self.session)),
            }
        }
    }

    /// A name that was given elsewhere counts here, too.
    async fn look_at_name(&self) -> Result<(), Failure> {
        let summary = self.store.session(self.session).await.map_err(|error| error.failure())?;
        if summary.is_some_and(|summary| summary.name != NEW_SESSION) {
            self.name.settle();
        }
        Ok(())
    }

    fn refuse(&self, command: Command, failure: Failure) {
        match command {
            // Whoever asked may have gone.
            Command::Submit(submit) => drop(submit.taken.send(Err(failure))),
            Command::Named(_) => self.name.give_up(),
            Command::Close(heard) => drop(heard),
        }
    }

    /// Whether nobody needs the session in memory: nothing comes, nobody watches, and no secret would be forgotten. It is
    /// found again by its id.
    fn is_let_go(&self, inbox: &mpsc::Receiver<Command>) -> bool {
        let quiet = || inbox.is_empty() && !self.journal.is_watched() && self.vault.is_empty();
        self.sessions.upgrade().is_none_or(|sessions| sessions.let_go(self.session, quiet))
    }

    /// Carries out one run while further submissions are taken.
    async fn run(&self, next: Waiting, inbox: &mut mpsc::Receiver<Command>, waiting: &mut VecDeque<Waiting>) {
        let cancel = CancellationToken::new();
        // Before anything can come for the run.
        let before = self.journal.begin(next.run);
        let carried: BoxFuture<'_, Outcome> = Box::pin(self.carry_out(&next, before, &cancel));
        let mut run = AssertUnwindSafe(carried).catch_unwind();
        let mut open = true;
        let outcome = loop {
            tokio::select! {
                outcome = &mut run => break outcome,
                command = inbox.recv(), if open => match command {
                    Some(command) => self.take(command, Some((&cancel, next.task)), waiting),
                    None => open = false,
                },
            }
        };
        let outcome = outcome.unwrap_or_else(|panic| crashed(&*panic, &next.setup.profile));
        RunEnd {
            session_id: self.session,
            status: outcome.status.as_str(),
            error: outcome.card.as_ref().map(|card| card.code.as_str()),
            turns: outcome.turns,
            duration: Duration::from_millis(outcome.duration_ms),
        }
        .log();
        self.journal.end(outcome);
        self.want_name(&next.setup);
    }

    /// Has somebody think of a name, beside whatever else goes on.
    fn want_name(&self, setup: &Arc<Setup>) {
        if !self.name.want() {
            return;
        }
        let (store, journal) = (Arc::clone(&self.store), Arc::clone(&self.journal));
        let (session, setup, inbox) = (self.session, Arc::clone(setup), self.inbox.clone());
        tokio::spawn(async move {
            // What was said is read from the store.
            let _ = journal.settled().await;
            let named = naming::think(&store, session, &setup).await;
            if let Some(inbox) = inbox.upgrade() {
                let _ = inbox.send(Command::Named(Box::new(named))).await;
            }
        });
    }

    /// Takes one submission: what is to be kept is told before anything comes of it. It never waits, so that a stop is
    /// heard however much else there is.
    fn take(
        &self,
        command: Command,
        running: Option<(&CancellationToken, Task)>,
        waiting: &mut VecDeque<Waiting>,
    ) {
        let Submit { origin, body, setup, taken } = match command {
            Command::Submit(submit) => submit,
            Command::Named(named) => return self.take_name(*named),
            Command::Close(heard) => {
                waiting.clear();
                if let Some((run, _)) = running {
                    run.cancel();
                }
                // Whoever asked may have gone.
                let _ = heard.send(());
                return;
            }
        };
        let run = match (body, running) {
            (Body::Stop, running) => {
                if let Some((run, _)) = running {
                    run.cancel();
                }
                Ok(None)
            }
            (Body::Rename(name), _) => self.rename(&name).map(|()| None),
            // A run that only shortens the conversation has nothing to be told.
            (Body::Steer(parts), Some((_, Task::Answer))) => {
                self.journal.steer(origin, self.hidden(parts)).map(|()| None)
            }
            (Body::Say(parts) | Body::Steer(parts), _) => {
                self.start(Task::Answer, setup, waiting).map(|(run, setup)| {
                    let parts = self.hidden(parts);
                    self.sweep_once(origin, &setup);
                    self.name_by_words(&parts, &setup);
                    self.journal.accept(run, origin, parts);
                    Some(run)
                })
            }
            (Body::Compact, _) => self.start(Task::Compact, setup, waiting).map(|(run, _)| Some(run)),
        };
        let told = self.journal.told();
        // Whoever asked may have gone; what was taken is taken all the same.
        let _ = taken.send(run.map(|run| Taken { receipt: Receipt { run }, told }));
    }

    /// Puts a run in line, if there is room for it.
    fn start(
        &self,
        task: Task,
        setup: Option<Arc<Setup>>,
        waiting: &mut VecDeque<Waiting>,
    ) -> Result<(RunId, Arc<Setup>), Failure> {
        let setup = setup.ok_or_else(no_setup)?;
        if waiting.len() >= WAITING_MAX {
            return Err(queue_full(self.session, WAITING_MAX));
        }
        self.vault.know(&setup.secrets);
        let run = RunId::now();
        waiting.push_back(Waiting { run, task, setup: Arc::clone(&setup) });
        Ok((run, setup))
    }

    /// Where no model is asked for a title, the first words are the name from the beginning.
    fn name_by_words(&self, parts: &[Part], setup: &Setup) {
        if setup.titles == Titles::FirstWords && self.journal.is_unopened() && self.name.settle() {
            self.journal.name_opening(first_words(&self.vault.erase(&plain_text(parts))));
        }
    }

    /// A new session may be one too many; the oldest go once it is stored.
    fn sweep_once(&self, origin: Origin, setup: &Setup) {
        if !self.journal.is_unopened() || setup.retention == Retention::default() {
            return;
        }
        let (store, journal, keep) = (Arc::clone(&self.store), Arc::clone(&self.journal), setup.retention);
        tokio::spawn(async move {
            let _ = journal.settled().await;
            // What cannot be deleted now is tried again with the next session.
            let _ = retention::sweep(store, origin, keep).await;
        });
    }

    fn rename(&self, name: &str) -> Result<(), Failure> {
        let name = naming::tidy(&self.vault.erase(name));
        if name.is_empty() {
            return Err(Failure::new(Code::UsageInvalidValue)
                .with("argument", "the name")
                .with("value", "nothing")
                .with("detail", "A name has at least one letter.")
                .with("help", "candor help sessions"));
        }
        self.name.settle();
        self.tell_name(EventBody::SessionRenamed { name, by: NamedBy::User, model: None, usage: None });
        Ok(())
    }

    /// Takes a name that was thought of, unless somebody gave one meanwhile.
    fn take_name(&self, named: EventBody) {
        if self.name.settle()
            && let EventBody::SessionRenamed { name, by, model, usage } = named
        {
            let name = naming::tidy(&self.vault.erase(&name));
            self.tell_name(EventBody::SessionRenamed { name, by, model, usage });
        }
    }

    fn tell_name(&self, named: EventBody) {
        // What a model took for it is accounted for under an id of its own.
        let run = matches!(named, EventBody::SessionRenamed { usage: Some(_), .. }).then(RunId::now);
        self.journal.tell(run, named);
    }

    fn hidden(&self, parts: Vec<Part>) -> Vec<Part> {
        let hide = |part: Part| match part {
            Part::Text { text } => Part::Text { text: self.vault.hide(&text) },
            other => other,
        };
        parts.into_iter().map(hide).collect()
    }

    /// The one place where a run is carried out. `before` is the last event before it.
    async fn carry_out(&self, next: &Waiting, before: u64, cancel: &CancellationToken) -> Outcome {
        let setup = &*next.setup;
        let model = setup.models.first().map_or("", |model| model.name.as_str());
        let conversation = match self.history(next.run, before).await {
            Ok(conversation) => conversation,
            Err(failure) => return failed(&failure, &setup.profile),
        };
        let message_count = conversation.messages().len() as u64;
        self.journal.emit(EventBody::RunStart { model: model.to_owned(), message_count });
        let prompt = |model: &str| {
            let layers = self.sources.layers(setup, &self.tools, model, self.instructions.clone());
            layers.assemble().map(|prompt| self.vault.hide(&prompt))
        };
        let deps = RunDeps {
            models: &setup.models,
            policy: &setup.policy,
            tools: &self.tools,
            context: self.context(setup, cancel),
            mask: &*self.vault,
            prompt: &prompt,
            max_tokens: setup.max_tokens,
            compaction: setup.compaction,
            profile: &setup.profile,
            verify: setup.verify,
        };
        let input = RunInput { conversation, task: next.task, limits: setup.limits };
        candor_agent::run(input, &deps, &*self.journal).await
    }

    async fn history(&self, run: RunId, before: u64) -> Result<Conversation, Failure> {
        self.journal.settled().await?;
        history::conversation(&self.store, self.session, run, before).await
    }

    fn context(&self, setup: &Setup, cancel: &CancellationToken) -> ToolContext {
        ToolContext {
            session: self.session,
            workspace: setup.workspace.clone(),
            rules: setup.tools.clone(),
            cancel: cancel.clone(),
        }
    }
}

/// A session as far as it is ours to write.
#[derive(Default)]
struct Hold {
    lease: Option<Lease>,
    /// Whether it was ours before.
    before: bool,
}

impl Command {
    /// Whether it can be followed whoever writes the session.
    fn writes_nothing(&self) -> bool {
        matches!(self, Self::Submit(Submit { body: Body::Stop, .. }) | Self::Close(_))
    }
}

/// There is no model to ask.
pub(crate) fn no_setup() -> Failure {
    Failure::new(Code::ProviderNotConfigured).with("variables", "").with("addresses", "")
}

/// The outcome of a run that could not even begin.
fn failed(failure: &Failure, profile: &str) -> Outcome {
    let evidence = "the run did not come to its end".to_owned();
    Outcome {
        status: Status::Failed,
        verdict: Verdict {
            status: VerdictStatus::NotApplicable,
            profile: profile.to_owned(),
            evidence: vec![evidence],
        },
        usage: Usage::default(),
        cost_usd: None,
        turns: 0,
        tool_calls: 0,
        duration_ms: 0,
        card: Some(candor_cards::card(failure)),
    }
}

/// The outcome of a run that met a defect of ours. The session stays usable.
fn crashed(panic: &(dyn Any + Send), profile: &str) -> Outcome {
    let text = panic.downcast_ref::<&str>().copied();
    let message = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let failure = Failure::new(Code::InternalPanic)
        .with("message", message.unwrap_or("a panic without a message"))
        .with("location", "a run");
    failed(&failure, profile)
}
