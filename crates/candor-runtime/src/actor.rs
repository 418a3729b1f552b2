//! The life of a session: one task, the sole writer of its events.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use candor_agent::{BoxFuture, Mask, RunDeps, RunInput, Sink, conversation};
use candor_protocol::{
    Body, Code, EventBody, Failure, Origin, Outcome, Part, RunId, SessionId, Status, Usage, Verdict,
    VerdictStatus,
};
use candor_store::Store;
use candor_tools::{Registry, ToolContext};
use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::Setup;
use crate::journal::Journal;
use crate::sources::Sources;
use crate::vault::Vault;

/// How many messages may wait for a session; whoever sends more is told to wait.
pub(crate) const WAITING_MAX: usize = 64;
/// How many stored events are read at a time when a session is taken up again.
const PAGE: u32 = 1000;

/// A submission that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The run that answers it; none where the submission starts none.
    pub run: Option<RunId>,
}

/// One submission on its way to the actor, and where its receipt goes once it is stored.
pub(crate) struct Command {
    pub(crate) origin: Origin,
    pub(crate) body: Body,
    pub(crate) setup: Arc<Setup>,
    pub(crate) receipt: oneshot::Sender<Result<Receipt, Failure>>,
}

/// A message that waits for its run.
struct Waiting {
    run: RunId,
    setup: Arc<Setup>,
}

pub(crate) struct Actor {
    pub(crate) session: SessionId,
    pub(crate) instructions: Option<String>,
    pub(crate) store: Arc<Store>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) tools: Arc<Registry>,
    pub(crate) sources: Arc<Sources>,
}

impl Actor {
    /// Lives until nobody can reach it any more.
    pub(crate) async fn live(self, mut inbox: mpsc::Receiver<Command>) {
        let journal = Arc::clone(&self.journal);
        tokio::select! {
            () = journal.write(&self.store) => {}
            () = self.serve(&mut inbox) => {}
        }
    }

    async fn serve(&self, inbox: &mut mpsc::Receiver<Command>) {
        let mut waiting = VecDeque::new();
        loop {
            if let Some(next) = waiting.pop_front() {
                self.run(next, inbox, &mut waiting).await;
            } else if let Some(command) = inbox.recv().await {
                self.take(command, None, &mut waiting);
            } else {
                break;
            }
        }
        // What was told last still has to reach the disk.
        let _ = self.journal.settled().await;
    }

    /// Carries out one run while further submissions are taken.
    async fn run(&self, next: Waiting, inbox: &mut mpsc::Receiver<Command>, waiting: &mut VecDeque<Waiting>) {
        let cancel = CancellationToken::new();
        let carried: BoxFuture<'_, Outcome> = Box::pin(self.carry_out(&next, &cancel));
        let mut run = AssertUnwindSafe(carried).catch_unwind();
        let mut open = true;
        let outcome = loop {
            tokio::select! {
                outcome = &mut run => break outcome,
                command = inbox.recv(), if open => match command {
                    Some(command) => self.take(command, Some(&cancel), waiting),
                    None => open = false,
                },
            }
        };
        let outcome = outcome.unwrap_or_else(|panic| crashed(&panic, &next.setup.profile));
        self.journal.emit(EventBody::RunEnd(outcome));
        self.journal.enter(None);
    }

    /// Takes one submission: what is to be kept is told before anything comes of it.
    fn take(&self, command: Command, running: Option<&CancellationToken>, waiting: &mut VecDeque<Waiting>) {
        let Command { origin, body, setup, receipt } = command;
        let run = match body {
            Body::Stop => {
                running.map(CancellationToken::cancel);
                None
            }
            Body::Steer(parts) if running.is_some() => {
                let parts = self.accept(origin, parts);
                self.journal.steer(parts);
                None
            }
            Body::Say(parts) | Body::Steer(parts) => {
                self.accept(origin, parts);
                let run = RunId::now();
                waiting.push_back(Waiting { run, setup });
                Some(run)
            }
        };
        let journal = Arc::clone(&self.journal);
        tokio::spawn(async move {
            // Whoever asked may have gone; the submission is taken all the same.
            let _ = receipt.send(journal.settled().await.map(|()| Receipt { run }));
        });
    }

    fn accept(&self, origin: Origin, parts: Vec<Part>) -> Vec<Part> {
        let hide = |part: Part| match part {
            Part::Text { text } => Part::Text { text: self.vault.hide(&text) },
            other => other,
        };
        let content: Vec<Part> = parts.into_iter().map(hide).collect();
        self.journal.emit(EventBody::MessageAccepted { origin, content: content.clone() });
        content
    }

    /// The one place where a run is carried out.
    async fn carry_out(&self, next: &Waiting, cancel: &CancellationToken) -> Outcome {
        let setup = &*next.setup;
        self.journal.enter(Some(next.run));
        let model = setup.models.first().map_or("", |model| model.name.as_str());
        let messages = match self.history().await {
            Ok(messages) => messages,
            Err(failure) => return failed(&failure, &setup.profile),
        };
        let message_count = messages.len() as u64;
        self.journal.emit(EventBody::RunStart { model: model.to_owned(), message_count });
        // A key in somebody's AGENTS.md is as secret as one in a message.
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
            keep_tokens: setup.keep_tokens,
            profile: &setup.profile,
            verify: setup.verify,
        };
        let input = RunInput { messages, limits: setup.limits };
        candor_agent::run(input, &deps, &*self.journal).await
    }

    /// The conversation as the events tell it.
    async fn history(&self) -> Result<Vec<candor_protocol::Message>, Failure> {
        self.journal.settled().await?;
        let mut events = Vec::new();
        loop {
            let after = events.last().map_or(0, |event: &candor_protocol::Event| event.seq);
            let page = self.store.events(self.session, after, PAGE).await.map_err(|error| error.failure())?;
            let full = page.len() == PAGE as usize;
            events.extend(page);
            if !full {
                return Ok(conversation(&events));
            }
        }
    }

    fn context(&self, setup: &Setup, cancel: &CancellationToken) -> ToolContext {
        let tools = setup.tools.clone();
        ToolContext {
            session: self.session,
            workspace: setup.workspace.clone(),
            permission: tools.permission,
            env: tools.env,
            timeout: tools.timeout,
            output_bytes_max: tools.output_bytes_max,
            hidden: tools.hidden,
            allowed: tools.allowed,
            spill: tools.spill,
            cancel: cancel.clone(),
        }
    }
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
fn crashed(panic: &Box<dyn std::any::Any + Send>, profile: &str) -> Outcome {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let message = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let failure = Failure::new(Code::InternalPanic)
        .with("message", message.unwrap_or_else(|| "a panic without a message".to_owned()))
        .with("location", "a run");
    failed(&failure, profile)
}
