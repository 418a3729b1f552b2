//! Whether a call may go on: what the rules say, and a person where they leave it open.

use std::sync::{Mutex, PoisonError};

use candor_protocol::{Answer, ToolCall};
use serde_json::Value;

use crate::error::COMMAND_CHARS_MAX;
use crate::groups::effect_of;
use crate::{BoxFuture, Effect, Error, Permission, Tool, ToolContext};

/// Asks people.
pub trait Approver: Send + Sync {
    /// Asks, and waits for the answer. Nothing: nobody is there, or nobody answered in time.
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Reply>>;
}

/// What a person is asked about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The call.
    pub call_id: String,
    /// What is asked.
    pub text: String,
    /// Why it is asked.
    pub reason: Option<String>,
    /// What would change.
    pub diff: Option<String>,
    /// What can be answered; nothing, where any words can.
    pub choices: Vec<String>,
    /// What is no longer asked about after `always`.
    pub pattern: Option<String>,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What was chosen.
    pub choice: String,
    /// What else was said.
    pub reason: Option<String>,
}

/// When a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Never: what would be asked is refused.
    Never,
    /// About what the rules call doubtful.
    Doubtful,
    /// About every write and every command.
    Always,
}

/// What the rules say about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It may go on.
    Allow,
    /// A person should say so first.
    Ask {
        /// Why.
        reason: String,
        /// What `always` would stand for.
        pattern: Option<String>,
    },
    /// Never.
    Deny {
        /// Why.
        reason: String,
    },
}

/// What a person has allowed for the rest of a session.
#[derive(Debug, Default)]
pub struct Grants {
    /// A plain lock: it is held for a look and never across a wait.
    patterns: Mutex<Vec<String>>,
}

impl Grants {
    /// Allows it from now on.
    pub fn add(&self, pattern: String) {
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }

    /// All that was allowed.
    pub fn all(&self) -> Vec<String> {
        self.patterns.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Lets a call go on, or says why it may not. A person is shown what the model wrote, with its secrets still masked.
pub(crate) async fn clear(
    tool: &dyn Tool,
    call: &ToolCall,
    args: &Value,
    context: &ToolContext,
) -> Result<(), Error> {
    if matches!(effect_of(tool, args, context), Effect::Reads | Effect::Asks) {
        return Ok(());
    }
    let (name, what) = (tool.spec().name.as_str(), written(&call.args));
    if context.rules.permission == Permission::ReadOnly {
        return Err(Error::blocked(name, &what, "the permission is read-only"));
    }
    let (reason, pattern) = match tool.judge(args, context) {
        Judgement::Deny { reason } => return Err(Error::blocked(name, &what, reason)),
        Judgement::Ask { reason, pattern } => (Some(reason), pattern),
        Judgement::Allow if context.rules.approval == Approval::Always => (None, tool.pattern(args, context)),
        Judgement::Allow => return Ok(()),
    };
    if context.rules.approval == Approval::Never {
        let reason = reason.unwrap_or_else(|| "the configuration says never to ask".to_owned());
        return Err(Error::blocked(name, &what, reason));
    }
    let question = Question {
        call_id: call.call_id.clone(),
        text: format!("{name}: {what}"),
        reason: reason.clone(),
        diff: tool.preview(args, context).await,
        choices: choices(pattern.as_deref()),
        pattern: pattern.clone(),
    };
    let reply = ask(question, name, context).await?;
    let why = || reason.clone().unwrap_or_else(|| "every write and every command is asked about".to_owned());
    match reply {
        None => Err(Error::Unapproved { tool: name.to_owned(), command: what, reason: why() }),
        Some(Reply { choice, .. }) if choice == Answer::ONCE => Ok(()),
        Some(Reply { choice, .. }) if choice == Answer::ALWAYS => {
            if let Some(pattern) = pattern {
                context.grants.add(pattern);
            }
            Ok(())
        }
        Some(Reply { reason, .. }) => {
            let reason = reason.unwrap_or_else(|| "none".to_owned());
            Err(Error::Denied { tool: name.to_owned(), command: what, reason })
        }
    }
}

/// Asks, unless the run is stopped first.
pub(crate) async fn ask(
    question: Question,
    tool: &str,
    context: &ToolContext,
) -> Result<Option<Reply>, Error> {
    tokio::select! {
        biased;
        () = context.cancel.cancelled() => Err(Error::Interrupted { tool: tool.to_owned() }),
        reply = context.approver.ask(question) => Ok(reply),
    }
}

fn choices(pattern: Option<&str>) -> Vec<String> {
    let always = pattern.map(|_| Answer::ALWAYS);
    [Some(Answer::ONCE), always, Some(Answer::NO)].into_iter().flatten().map(str::to_owned).collect()
}

/// What a call means to do, as the model wrote it.
pub(crate) fn written(args: &Value) -> String {
    let what = ["command", "path"].iter().find_map(|name| args.get(name)?.as_str().map(str::to_owned));
    let what = what.unwrap_or_else(|| args.to_string());
    what.chars().take(COMMAND_CHARS_MAX).collect()
}
