//! The hooks of a session: what a run has of them, and those that belong to no run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_agent::{Mask, Sink};
use candor_protocol::{Body, EventBody, Failure, Origin, Part, SessionId, plain_text};
use candor_tools::hooks::{Hooks, Listener};
use candor_tools::{Plan, ToolContext, Walls};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::Setup;
use crate::journal::Journal;
use crate::vault::Vault;

/// What hooks are told of the end of a session. Which surface left is not known here.
const REASON: &str = "other";

/// The hooks of a session, and what they need.
pub(crate) struct Hooking {
    session: SessionId,
    /// Whether it began in this process.
    is_new: bool,
    journal: Arc<Journal>,
    vault: Arc<Vault>,
    /// The walls around its commands, as they were last wanted. A plain lock: it is held for a look and never across a wait.
    walls: Mutex<Arc<Walls>>,
    /// Whether its hooks know that it is there, and what they said. A plain lock, too.
    begun: Mutex<Option<Begun>>,
    /// What hooks said before there was a run to tell it in. A plain lock, too.
    unsaid: Mutex<Vec<String>>,
}

/// For whom a run works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Works {
    ForPerson,
    ForParent,
}

#[derive(Clone)]
struct Begun {
    /// What hooks added to the prompt.
    words: Option<String>,
    /// What its last run worked with.
    setup: Arc<Setup>,
}

impl Hooking {
    pub(crate) fn new(session: SessionId, is_new: bool, journal: Arc<Journal>, vault: Arc<Vault>) -> Self {
        let walls = Mutex::new(Arc::new(Walls::new(Plan::default())));
        Self { session, is_new, journal, vault, walls, begun: Mutex::default(), unsaid: Mutex::default() }
    }

    /// The walls that are wanted now: the same as before, with what is in their temporary directory, unless they changed.
    pub(crate) fn walls(&self, setup: &Setup) -> Arc<Walls> {
        let mut walls = self.walls.lock().unwrap_or_else(PoisonError::into_inner);
        if *walls.plan() != setup.walls {
            *walls = Arc::new(Walls::new(setup.walls.clone()));
        }
        Arc::clone(&walls)
    }

    /// The hooks that a run keeps to its end.
    pub(crate) fn of_run(self: &Arc<Self>, setup: &Setup, works_for: Works) -> Arc<Hooks> {
        let hooks = Hooks::new(setup.hooks.now(), Arc::clone(self) as Arc<dyn Listener>);
        Arc::new(match works_for {
            Works::ForPerson => hooks,
            Works::ForParent => hooks.for_child(self.session),
        })
    }

    /// Tells the hooks that the session is there, once; what they add to the prompt. Of a child they were told when it was started.
    pub(crate) async fn begin(&self, setup: &Arc<Setup>, context: &ToolContext) -> Option<String> {
        let unsaid = std::mem::take(&mut *self.unsaid.lock().unwrap_or_else(PoisonError::into_inner));
        for message in unsaid {
            self.tell(message);
        }
        if let Some(begun) = &mut *self.begun() {
            begun.setup = Arc::clone(setup);
            return begun.words.clone();
        }
        let source = if self.is_new { "startup" } else { "resume" };
        let response = context.hooks.session_start(source, context).await;
        if let Some(block) = response.block {
            // Nothing can be refused any more; the person is told.
            self.tell(block.to_string());
        }
        let words = (!response.added.is_empty()).then(|| response.added.join("\n\n"));
        let words = words.map(|words| format!("A SessionStart hook says:\n{words}"));
        *self.begun() = Some(Begun { words: words.clone(), setup: Arc::clone(setup) });
        words
    }

    /// Has the hooks look at what is said, before anything of it is stored.
    pub(crate) async fn look_at(
        self: &Arc<Self>,
        origin: Origin,
        body: Body,
        setup: Option<&Arc<Setup>>,
    ) -> Result<Body, Failure> {
        // A helper is told what to do by whoever started it, and has hooks of its own.
        let (Some(setup), false) = (setup, origin == Origin::Subagent) else { return Ok(body) };
        match body {
            Body::Say(parts) => Ok(Body::Say(self.looked_at(parts, setup).await?)),
            Body::Steer(parts) => Ok(Body::Steer(self.looked_at(parts, setup).await?)),
            other => Ok(other),
        }
    }

    async fn looked_at(self: &Arc<Self>, mut parts: Vec<Part>, setup: &Setup) -> Result<Vec<Part>, Failure> {
        let hooks = setup.hooks.now();
        if hooks.is_empty() {
            return Ok(parts);
        }
        let hooks = Arc::new(Hooks::new(hooks, Arc::new(Later(Arc::clone(self)))));
        let context = self.context(setup, Arc::clone(&hooks));
        self.vault.know(&setup.secrets);
        let prompt = self.vault.hide(&plain_text(&parts));
        let response = hooks.prompt(&prompt, &context).await;
        if let Some(block) = response.block {
            return Err(block.failure());
        }
        let added = response.added.into_iter();
        parts.extend(added.map(|words| Part::text(format!("\n\nA UserPromptSubmit hook adds:\n{words}"))));
        Ok(parts)
    }

    /// Tells the hooks that the session ends here, if they know of it.
    pub(crate) async fn end(self: &Arc<Self>) {
        let Some(Begun { setup, .. }) = self.begun().take() else { return };
        let hooks = self.of_run(&setup, Works::ForPerson);
        let context = self.context(&setup, Arc::clone(&hooks));
        hooks.session_end(REASON, &context).await;
    }

    fn context(&self, setup: &Setup, hooks: Arc<Hooks>) -> ToolContext {
        let alone = ToolContext::alone(self.session, setup.workspace.clone(), setup.tools.clone());
        ToolContext { walls: self.walls(setup), hooks, cancel: CancellationToken::new(), ..alone }
    }

    fn begun(&self) -> MutexGuard<'_, Option<Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Hooking {
    fn hide(&self, text: &str) -> String {
        self.vault.hide(text)
    }

    fn reveal(&self, args: &Value) -> Result<Value, Failure> {
        self.vault.reveal(args)
    }

    fn tell(&self, message: String) {
        self.journal.emit(EventBody::Status { message, attempt: None, delay_ms: None, discard: false });
    }
}

/// Tells with the next run what would make a session now that is not there yet.
struct Later(Arc<Hooking>);

impl Listener for Later {
    fn hide(&self, text: &str) -> String {
        self.0.hide(text)
    }

    fn reveal(&self, args: &Value) -> Result<Value, Failure> {
        self.0.reveal(args)
    }

    fn tell(&self, message: String) {
        self.0.unsaid.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }
}
