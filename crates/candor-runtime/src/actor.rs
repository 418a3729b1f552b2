//! The life of a session: one task, the sole writer of its events.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::Duration;

use candor_agent::{BoxFuture, Conversation, Layers, Mask, RunDeps, RunInput, Sink, Task};
use candor_log::event::RunEnd;
use candor_protocol::{
    Code, EventBody, Evidence, Failure, Outcome, RunId, SessionId, Status, Usage, Verdict, VerdictStatus,
};
use candor_store::Store;
use candor_tools::{Grants, Guides, Processes, Ready, Registry, Sought, ToolContext, Tracking};
use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::coop::unconstrained;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::asking::Asking;
use crate::children::{Charge, Door, Scope, Scopes};
use crate::hold::Hold;
use crate::hooking::{Hooking, Works};
use crate::journal::Journal;
use crate::naming::Name;
use crate::sessions::Sessions;
use crate::sources::Sources;
use crate::taking::{Command, Running};
use crate::vault::Vault;
use crate::{Setup, history, sources};

/// How long a session stays in memory when nothing comes for it.
const IDLE_MAX: Duration = Duration::from_secs(60 * 60);

/// A run that waits for its turn.
pub(crate) struct Waiting {
    pub(crate) run: RunId,
    pub(crate) task: Task,
    pub(crate) setup: Arc<Setup>,
    /// Whom it works for; nothing where that is a person.
    pub(crate) charge: Option<Arc<Charge>>,
}

pub(crate) struct Actor {
    pub(crate) session: SessionId,
    /// The session that this one works for.
    pub(crate) parent: Option<SessionId>,
    /// Whether it was there before this process, and has not been worked in since: children may have been cut off.
    pub(crate) resumed: AtomicBool,
    pub(crate) instructions: Option<String>,
    pub(crate) store: Arc<Store>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) name: Arc<Name>,
    pub(crate) tools: Arc<Registry>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) asking: Arc<Asking>,
    /// What people have allowed for the rest of the session.
    pub(crate) grants: Arc<Grants>,
    /// Its long-lived processes, which end with it, and before the directories that they use.
    pub(crate) processes: Arc<Processes>,
    /// Its hooks, and the walls around its commands.
    pub(crate) hooking: Arc<Hooking>,
    /// What is known of its workspace's files.
    pub(crate) tracking: Arc<Tracking>,
    /// Which folders have told it how to work in them.
    pub(crate) guides: Arc<Guides>,
    /// Which of the tools that can wait it has looked for.
    pub(crate) sought: Arc<Sought>,
    /// The runs that others may work for.
    pub(crate) scopes: Arc<Scopes>,
    /// The way back to the front door.
    pub(crate) door: Door,
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
        // The run comes first: when it waits for what it told to be under way, the store's writer is asked before it goes on. However
        // much the run has to do at once, what it told is written.
        tokio::select! {
            biased;
            () = self.serve(&mut inbox) => {}
            () = unconstrained(last_word.0.write(&self.store)) => {}
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
        self.hooking.end().await;
        // What was told last still has to reach the disk.
        let _ = self.journal.settled().await;
    }

    /// Whether nobody needs the session in memory: nothing comes, nobody watches, no secret would be forgotten and no process
    /// ended. It is found again by its id.
    fn is_let_go(&self, inbox: &mpsc::Receiver<Command>) -> bool {
        let quiet = || {
            let is_alone = inbox.is_empty() && !self.journal.is_watched();
            is_alone && self.vault.is_empty() && !self.processes.any_running()
        };
        self.sessions.upgrade().is_none_or(|sessions| sessions.let_go(self.session, quiet))
    }

    /// Carries out one run while further submissions are taken.
    async fn run(&self, next: Waiting, inbox: &mut mpsc::Receiver<Command>, waiting: &mut VecDeque<Waiting>) {
        let cancel = next.charge.as_ref().map_or_else(CancellationToken::new, |charge| charge.cancel.clone());
        let running = Running { run: next.run, task: next.task, cancel: &cancel };
        // Before anything can come for the run.
        let before = self.journal.begin(next.run);
        let carried: BoxFuture<'_, Outcome> = Box::pin(self.carry_out(&next, before, &cancel));
        let mut run = AssertUnwindSafe(carried).catch_unwind();
        let mut open = true;
        let outcome = loop {
            tokio::select! {
                outcome = &mut run => break outcome,
                command = inbox.recv(), if open => match command {
                    Some(command) => self.take(command, Some(&running), waiting),
                    None => open = false,
                },
            }
        };
        let outcome = outcome.unwrap_or_else(|panic| crashed(&*panic, &next.setup.profile));
        RunEnd {
            session_id: self.session,
            status: outcome.status.as_str(),
            code: outcome.card.as_ref().map(|card| card.code.as_str()),
            turns: outcome.turns,
            duration: Duration::from_millis(outcome.duration_ms),
        }
        .log();
        self.journal.end(outcome);
        self.want_name(&next.setup);
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
        let scope = Scope::begin(self, next, cancel).await;
        let _listed = self.scopes.list(&scope);
        let works = if next.charge.is_some() { Works::ForParent } else { Works::ForPerson };
        let hooks = self.hooking.of_run(setup, works);
        let context = ToolContext { hooks, ..self.context(setup, cancel, &scope) };
        let added = match works {
            Works::ForPerson => self.hooking.begin(&next.setup, &context).await,
            Works::ForParent => None,
        };
        let instructions: Vec<String> = self.instructions.clone().into_iter().chain(added).collect();
        let instructions = (!instructions.is_empty()).then(|| instructions.join("\n\n"));
        let notes = sources::notes(setup, &scope.tools);
        let prompt = |model: &str| {
            let window = setup.models.iter().find(|known| known.name == model);
            let window = window.and_then(|model| model.context_window);
            let offered = scope.tools.offered(&self.sought, window);
            let layers = self.sources.layers(setup, offered, model, instructions.clone());
            let layers = Layers { notes: notes.clone(), ..layers };
            layers.assemble().map(|prompt| self.vault.hide(&prompt))
        };
        let deps = RunDeps {
            models: &setup.models,
            policy: &setup.policy,
            tools: &scope.tools,
            context,
            mask: &*self.vault,
            prompt: &prompt,
            max_tokens: setup.max_tokens,
            compaction: setup.compaction,
            verifier: &setup.verifier,
            verify: setup.verify,
            recovery: setup.recovery,
            children: Some(&*scope),
        };
        let input = RunInput { conversation, task: next.task, limits: setup.limits };
        candor_agent::run(input, &deps, &*self.journal).await
    }

    async fn history(&self, run: RunId, before: u64) -> Result<Conversation, Failure> {
        self.journal.settled().await?;
        history::conversation(&self.store, self.session, run, before).await
    }

    fn context(&self, setup: &Setup, cancel: &CancellationToken, scope: &Scope) -> ToolContext {
        ToolContext {
            session: self.session,
            call_id: String::new(),
            workspace: setup.workspace.clone(),
            rules: setup.tools.clone(),
            profile: setup.profile.clone(),
            cancel: cancel.clone(),
            approver: Arc::clone(&scope.approver),
            grants: Arc::clone(&scope.grants),
            walls: self.hooking.walls(setup),
            processes: Arc::clone(&self.processes),
            tracking: Arc::clone(&self.tracking),
            guides: Arc::clone(&self.guides),
            sought: Arc::clone(&self.sought),
            ready: Ready::default(),
            hooks: Arc::default(),
            changed: Arc::default(),
        }
    }
}

/// The outcome of a run that could not even begin.
pub(crate) fn failed(failure: &Failure, profile: &str) -> Outcome {
    let evidence = Evidence::note("the run did not come to its end");
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
        children: None,
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
