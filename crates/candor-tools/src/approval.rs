//! Whether a call may go on: what the rules say, and a person where they leave it open.

use std::sync::{Mutex, PoisonError};

use candor_protocol::{Answer, ToolCall};
use serde_json::Value;

use crate::error::COMMAND_CHARS_MAX;
use crate::groups::effect_of;
use crate::hooks::{Leave, Permitted};
use crate::{BoxFuture, Effect, Error, Missing, Permission, RuleOf, Tool, ToolContext};

/// The longest question: some screens full. What is longer, nobody reads to its end.
const QUESTION_BYTES_MAX: usize = 16 * 1024;
/// Why a person is asked about what the rules allow.
const ASKED_BY_HOOK: &str = "a hook wants a person's yes";

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
    /// About every write, every command and everything that is sent out.
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
    /// Not as things are set.
    Deny {
        /// Why.
        reason: String,
    },
    /// Never, however things are set.
    Never {
        /// Why.
        reason: String,
    },
}

/// What a person has allowed for the rest of a session.
#[derive(Debug, Default)]
pub struct Grants {
    /// A plain lock: it is held for a look and never across a wait.
    granted: Mutex<Vec<Grant>>,
}

/// One `always`. The same words mean something else from another tool, and where they are a rule's and not a call's: a model
/// chooses what a call is called.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Grant {
    tool: String,
    answers: Answers,
    pattern: String,
}

/// Which question an `always` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    /// That of a rule, for all that the rule has this name for.
    Rule,
    /// That of a rule about one command, where the rest of the command is asked about as well.
    RuleAndMode,
    /// That of a mode which asks about what no rule doubts.
    Mode,
}

impl Grants {
    /// Allows it from now on.
    fn add(&self, grant: Grant) {
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        if !granted.contains(&grant) {
            granted.push(grant);
        }
    }

    /// Whether it was allowed.
    fn has(&self, grant: &Grant) -> bool {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).contains(grant)
    }
}

/// Lets a call go on, or says why it may not. A person is shown what the model wrote, with its secrets still masked. `leave` is
/// what hooks say of the question to a person; what is given back are other arguments, where a hook approved those.
pub(crate) async fn clear(
    tool: &dyn Tool,
    call: &ToolCall,
    args: &Value,
    leave: Leave,
    context: &ToolContext,
) -> Result<Option<Value>, Error> {
    let effect = effect_of(tool, args, context);
    let is_harmless = matches!(effect, Effect::Reads | Effect::Alone);
    if is_harmless && leave != Leave::Asked {
        return Ok(None);
    }
    let (name, shown) = (tool.spec().name.as_str(), tool.shown(&call.args));
    let what: String = shown.chars().take(COMMAND_CHARS_MAX).collect();
    let blocked_by = |by, reason: &str| Error::blocked_by(by, name, &what, reason);
    let may_change = !is_harmless && effect != Effect::Sends;
    if context.rules.permission == Permission::ReadOnly && may_change {
        refusal(tool, context).map_or(Ok(()), |why| Err(blocked_by(RuleOf::Configuration, why)))?;
    }
    let mut missing = Missing::Yes;
    let asks_about_all = context.rules.approval == Approval::Always;
    // What `always` stands for is what was shown.
    let of_call = || tool.pattern(&call.args, context);
    let (reason, answers, pattern) = match tool.judge(args, context) {
        Judgement::Deny { reason } => return Err(blocked_by(RuleOf::Configuration, &reason)),
        Judgement::Never { reason } => return Err(blocked_by(RuleOf::Candor, &reason)),
        Judgement::Ask { reason, pattern } => {
            // What is asked about for another reason as well stays asked about.
            let is_all = tool.is_walled() && !asks_about_all && leave != Leave::Asked;
            missing = if is_all { Missing::YesToCommand } else { Missing::Yes };
            // A rule has a name for one part of a line, and here the other parts are asked about as well.
            match pattern {
                Some(_) if asks_about_all && tool.is_walled() => (reason, Answers::RuleAndMode, of_call()),
                pattern => (reason, Answers::Rule, pattern),
            }
        }
        Judgement::Allow if leave == Leave::Asked => (ASKED_BY_HOOK.to_owned(), Answers::Mode, None),
        Judgement::Allow if asks_about_all => (asked_always(&effect).to_owned(), Answers::Mode, of_call()),
        Judgement::Allow => return Ok(None),
    };
    let grant = pattern.clone().map(|pattern| Grant { tool: name.to_owned(), answers, pattern });
    let is_granted = grant.as_ref().is_some_and(|grant| context.grants.has(grant));
    if is_granted && leave != Leave::Asked {
        return Ok(None);
    }
    if context.rules.approval == Approval::Never {
        return Err(blocked_by(RuleOf::Configuration, &reason));
    }
    // A hook spares a person the question. What is refused without one stays refused.
    if leave == Leave::Spared {
        return Ok(None);
    }
    if let Permitted::Yes(updated) = context.hooks.permission(tool, call, context).await? {
        return Ok(updated);
    }
    if shown.len() > QUESTION_BYTES_MAX {
        return Err(blocked_by(RuleOf::Candor, "it needs an approval, and is too long for a person to read"));
    }
    let question = Question {
        call_id: call.call_id.clone(),
        text: format!("{name}: {shown}"),
        reason: Some(reason.clone()),
        diff: tool.preview(args, context).await,
        choices: choices(pattern.as_deref()),
        pattern,
    };
    let reply = ask(question, name, context).await?;
    match reply {
        None => Err(Error::Unapproved { tool: name.to_owned(), command: what, reason, missing }),
        Some(reply) => match said(reply, grant, context) {
            Ok(()) => Ok(None),
            Err(reason) => Err(Error::Denied { tool: name.to_owned(), command: what, reason }),
        },
    }
}

/// Why a person is asked about a call that no rule doubts, where everything is asked about.
const fn asked_always(effect: &Effect) -> &'static str {
    match effect {
        Effect::Writes(_) | Effect::WritesSeveral(_) => {
            "this mode asks before every write, and it changes files"
        }
        Effect::Sends => "this mode asks before anything is sent out",
        Effect::Acts | Effect::Reads | Effect::Alone => {
            "this mode asks before every command and everything else that may change something"
        }
    }
}

/// What a person's answer means; the text is why the call may not go on.
fn said(reply: Reply, grant: Option<Grant>, context: &ToolContext) -> Result<(), String> {
    let Reply { choice, reason } = reply;
    if choice == Answer::ALWAYS
        && let Some(grant) = grant
    {
        context.grants.add(grant);
    }
    if choice == Answer::ONCE || choice == Answer::ALWAYS {
        return Ok(());
    }
    Err(reason.unwrap_or_else(|| "no reason was given".to_owned()))
}

/// Why a call may not go on where nothing may be changed. A command may behind walls where nothing is writable, and where such
/// walls can be put up at all.
fn refusal(tool: &dyn Tool, context: &ToolContext) -> Option<&'static str> {
    if !(tool.is_walled() && context.walls.keep_all()) {
        return Some("the permission is read-only");
    }
    context.walls.are_missing().then_some(
        "the permission is read-only, and on this machine no walls can be put up that would keep a command from writing",
    )
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
