//! Hooks: commands of a person, or of a folder that is trusted, that are run when something happens.
//!
//! Names, files, what hooks are told and how they answer are those of the ecosystem, so that scripts work unchanged. Three
//! things are different, and decision 15 says why: a hook never loosens a wall, a guard that cannot be asked stands in the
//! way, and what hooks change in the workspace is part of the work.
//!
//! `file.rs` and `files.rs` know what is written and where, `matcher.rs` and `names.rs` what it is about, `told.rs` what hooks
//! are told, `running.rs` runs them, `answer.rs` reads what they say. [`Hooks`] is what a run has of them; `calls.rs` asks
//! them about calls, `moments.rs` about everything else.

mod answer;
mod calls;
mod file;
mod files;
mod matcher;
mod moments;
mod names;
mod occasion;
mod running;
mod told;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use candor_protocol::{Change, Code, Failure, SessionId};
use serde_json::Value;

use self::answer::Answer;
pub(crate) use self::answer::Leave;
pub(crate) use self::calls::{Permitted, tell};
pub use self::file::{Hook, Place};
pub use self::files::{Found, HookFiles};
pub use self::moments::Trigger;
pub use self::occasion::Occasion;
use self::running::Job;
use crate::error::COMMAND_CHARS_MAX;
use crate::{ToolContext, tracking};

/// Who keeps the secrets of a session, and tells people something.
pub trait Listener: Send + Sync {
    /// Puts a placeholder in the place of each secret.
    fn hide(&self, text: &str) -> String;

    /// Puts the secrets back into the arguments of a tool.
    fn reveal(&self, args: &Value) -> Result<Value, Failure>;

    /// Tells whoever watches.
    fn tell(&self, message: String);
}

/// The hooks of a run.
pub struct Hooks {
    all: Arc<[Arc<Hook>]>,
    listener: Arc<dyn Listener>,
    /// The session, where it works for another one.
    child: Option<SessionId>,
    /// Why the run is to end, once a hook has said so. A plain lock: it is held for a look.
    halt: Mutex<Option<Block>>,
    /// What hooks have changed before the call that goes on. A plain lock, too.
    changes: Mutex<Vec<Change>>,
}

/// What stands in the way: a hook that says no, or one that could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// When.
    pub occasion: Occasion,
    /// The command.
    pub hook: String,
    /// What it said; or why it could not be asked.
    pub reason: String,
    /// Whether it could not be asked.
    pub is_failure: bool,
}

impl Block {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        let code = if self.is_failure { Code::HookFailed } else { Code::HookBlocked };
        Failure::new(code)
            .with("event", self.occasion.as_str())
            .with("hook", &self.hook)
            .with("reason", &self.reason)
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.is_failure { "failed" } else { "says no" };
        write!(f, "a {} hook {how}: {}", self.occasion.as_str(), self.reason)
    }
}

/// What all hooks of an occasion said: the strictest of it.
#[derive(Debug, Default)]
pub struct Response {
    /// What stands in the way.
    pub block: Option<Block>,
    /// Words for the model.
    pub added: Vec<String>,
    /// What the hooks changed in the workspace, where that is looked at.
    pub changes: Vec<Change>,
    leave: Leave,
    updated: Option<Value>,
}

impl Default for Hooks {
    fn default() -> Self {
        Self::new(Arc::new([]), Arc::new(Nobody))
    }
}

impl Hooks {
    /// These hooks.
    pub fn new(hooks: Arc<[Arc<Hook>]>, listener: Arc<dyn Listener>) -> Self {
        Self { all: hooks, listener, child: None, halt: Mutex::default(), changes: Mutex::default() }
    }

    /// The same for the run of a session that works for another one: its end is another occasion.
    #[must_use]
    pub fn for_child(self, session: SessionId) -> Self {
        Self { child: Some(session), ..self }
    }

    /// Whether there are any.
    pub(crate) fn are_any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Why a hook wants the run to end.
    pub fn halted(&self) -> Option<Block> {
        self.halt.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells whoever watches.
    pub fn tell(&self, message: String) {
        self.listener.tell(message);
    }

    /// Keeps what was changed before a call until its result tells it.
    fn keep(&self, changes: Vec<Change>) {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner).extend(changes);
    }

    /// Takes it.
    pub(crate) fn take_changes(&self) -> Vec<Change> {
        std::mem::take(&mut *self.changes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn hide(&self, text: &str) -> String {
        self.listener.hide(text)
    }

    pub(crate) fn reveal(&self, args: &Value) -> Result<Value, Failure> {
        self.listener.reveal(args)
    }

    /// The hooks for this: each command once, the person's own first.
    fn chosen(&self, occasion: Occasion, subjects: &[&str]) -> Vec<Arc<Hook>> {
        let mut chosen: Vec<Arc<Hook>> = Vec::new();
        for hook in self.all.iter() {
            let is_meant = hook.occasion == occasion && hook.matches.matches(subjects);
            if is_meant && !chosen.iter().any(|other| other.command == hook.command) {
                chosen.push(Arc::clone(hook));
            }
        }
        chosen
    }

    fn any(&self, occasion: Occasion) -> bool {
        self.all.iter().any(|hook| hook.occasion == occasion)
    }

    /// Asks all hooks that are for this. `facts` is what they are told: most often one thing, and each is told each.
    async fn ask(
        &self,
        occasion: Occasion,
        subjects: &[&str],
        facts: impl FnOnce() -> Vec<Value>,
        context: &ToolContext,
    ) -> Response {
        if !self.any(occasion) {
            return Response::default();
        }
        let chosen = self.chosen(occasion, subjects);
        if chosen.is_empty() {
            return Response::default();
        }
        let facts = facts();
        let count = facts.len();
        let told = facts.into_iter().map(|facts| told::told(occasion, facts, context).to_string() + "\n");
        let told: Vec<Arc<str>> = told.map(Arc::from).collect();
        let job = |hook: &Arc<Hook>, told: &Arc<str>| Job { hook: Arc::clone(hook), told: Arc::clone(told) };
        let jobs = chosen.iter().flat_map(|hook| told.iter().map(move |told| job(hook, told))).collect();
        let (answers, changes) = self.watched(occasion, jobs, context).await;
        Response { changes, ..self.gathered(occasion, answers, count) }
    }

    /// Runs them. What is part of the work is looked for as after a command.
    async fn watched(
        &self,
        occasion: Occasion,
        jobs: Vec<Job>,
        context: &ToolContext,
    ) -> (Vec<(Arc<Hook>, Answer)>, Vec<Change>) {
        context.walls.look_again();
        let watching = if occasion.is_work() { Some(tracking::before(context).await) } else { None };
        let is_walled = jobs.iter().any(|job| job.hook.is_walled);
        let answers = running::run(jobs, context).await;
        let put_right = if is_walled { context.walls.put_right_and_tell() } else { Vec::new() };
        for done in put_right {
            self.tell(format!("After a hook: {done}."));
        }
        let mut changes = match watching {
            Some(watching) => watching.after().await,
            None => Vec::new(),
        };
        // Where there is too much to look at, nothing is known: a hook that only looks would count as work each time.
        let workspace = context.workspace.display().to_string();
        changes.retain(|change| change.left.is_none() || change.path != workspace);
        (answers, changes)
    }

    /// The strictest of all answers. Of a folder's hooks only what tightens counts. Each hook was told of each of `count` things, one
    /// after the other.
    fn gathered(&self, occasion: Occasion, answers: Vec<(Arc<Hook>, Answer)>, count: usize) -> Response {
        let mut response = Response::default();
        // Whose input is taken: an approval is for what its own hook has seen.
        let mut updated_by = None;
        let mut spared_by = Vec::new();
        for (at, (hook, answer)) in answers.into_iter().enumerate() {
            let block = |reason: String, is_failure: bool| {
                let hook = hook.command.chars().take(COMMAND_CHARS_MAX).collect();
                Block { occasion, hook, reason, is_failure }
            };
            if let Some(message) = &answer.message {
                self.tell(format!("Hook ({}): {message}", occasion.as_str()));
            }
            let failed = answer.failed.as_ref();
            if let Some(trouble) = answer.trouble.as_ref().or(failed.filter(|_| !occasion.is_guarded())) {
                self.tell(format!(
                    "A {} hook is in trouble: {trouble} ({})",
                    occasion.as_str(),
                    hook.command
                ));
            }
            let no = answer.no.map(|reason| block(reason, false));
            let failed = answer.failed.filter(|_| occasion.is_guarded()).map(|why| block(why, true));
            if let Some(halt) = answer.halt.map(|reason| block(reason, false)) {
                self.halt.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(halt.clone());
                response.block.get_or_insert(halt);
            }
            if let Some(no) = no.or(failed) {
                response.block.get_or_insert(no);
            }
            match answer.leave {
                Some(Leave::Asked) => response.leave = Leave::Asked,
                Some(Leave::Spared) if hook.is_own => spared_by.push(at),
                _ => {}
            }
            // What was made of one of several is no answer for all of them.
            if count == 1 && answer.updated.is_some() {
                (response.updated, updated_by) = (answer.updated, Some(at));
            }
            response.added.extend(answer.added);
        }
        spared_by.retain(|at| updated_by.is_none_or(|by| by == *at));
        // A yes to one file of a patch is none to the others.
        let is_spared = (0..count).all(|thing| spared_by.iter().any(|at| at % count == thing));
        if is_spared && response.leave == Leave::ToRules {
            response.leave = Leave::Spared;
        }
        response
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("hooks", &self.all.len()).finish_non_exhaustive()
    }
}

/// Nobody watches, and there is no secret.
struct Nobody;

impl Listener for Nobody {
    fn hide(&self, text: &str) -> String {
        text.to_owned()
    }

    fn reveal(&self, args: &Value) -> Result<Value, Failure> {
        Ok(args.clone())
    }

    fn tell(&self, _message: String) {}
}
