//! How a child begins, and begins again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use candor_agent::{Limits, Model};
use candor_log::event::{ChildEnd, ChildStart};
use candor_protocol::{Body, Code, Failure, Origin, Parent, Part, SessionId, Submission};
use candor_tools::ToolContext;
use tokio::time::Instant;

use super::family::{Place, Wanted};
use super::live::Live;
use super::relay::Relay;
use super::{Charge, Scope, past};
use crate::{Naming, NewSession, Retention, Runtime, Setup, Titles};

/// What a child is told besides its task.
const INSTRUCTIONS: &str = "You work for another agent. The first message is all you know of the task. Your last answer is \
                            all that the other agent reads of you: say what you did or found, and what is left open.";

/// What a child is wanted for.
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    pub(super) task: String,
    /// The only tools that it has, by their own names.
    pub(super) tools: Option<Vec<String>>,
    pub(super) model: Option<String>,
    pub(super) turns: Option<u64>,
    pub(super) cost_usd: Option<f64>,
    pub(super) time: Option<Duration>,
}

/// What became of a message.
pub(super) enum Sent {
    /// It began a run.
    Began(Arc<Live>),
    /// The run that goes on hears it.
    Heard,
}

impl Scope {
    /// Starts a child: its session, and its first run.
    pub(super) async fn start(&self, order: &Order, context: &ToolContext) -> Result<Arc<Live>, Failure> {
        let place = self.family.enter(self.depth, Wanted::Start)?;
        let runtime = self.door.open().ok_or_else(closing)?;
        let parent = Parent {
            session_id: self.session,
            depth: self.depth + 1,
            tools: order.tools.clone(),
            model: order.model.clone(),
        };
        let new = NewSession {
            origin: Origin::Subagent,
            naming: Naming::Words(order.task.clone()),
            instructions: Some(INSTRUCTIONS.to_owned()),
        };
        let vault = Arc::clone(&self.vault);
        let name = candor_agent::first_words(&vault.erase(&order.task));
        let session = runtime.begin(new, &self.setup.workspace, vault, Some(parent));
        let response = context.hooks.child_start(session, context).await;
        if let Some(block) = response.block {
            return Err(block.failure());
        }
        let added = response.added.into_iter();
        let added = added.map(|words| Part::text(format!("\n\nA SubagentStart hook adds:\n{words}")));
        let body = Body::Say(std::iter::once(Part::text(&order.task)).chain(added).collect());
        match self.run(&runtime, Child { session, name }, order, body, place).await? {
            Sent::Began(live) => Ok(live),
            Sent::Heard => Err(closing()),
        }
    }

    /// Tells a child something more: the run that goes on hears it, or another one begins.
    pub(super) async fn message(&self, child: Child, order: &Order) -> Result<Sent, Failure> {
        let runtime = self.door.open().ok_or_else(closing)?;
        let body = Body::Steer(vec![Part::text(&order.task)]);
        if self.latest(child.session).is_some_and(|live| !live.is_over()) {
            let submission =
                Submission { session: child.session, origin: Origin::Subagent, body: body.clone() };
            match runtime.hand_in(submission, None, None).await {
                // It has ended meanwhile, and without anything to work with no other run begins.
                Err(failure) if failure.code == Code::ProviderNotConfigured => {}
                heard => return heard.map(|_| Sent::Heard),
            }
        }
        let place = self.family.enter(self.depth, Wanted::Again)?;
        // It is what it was, whatever it is told now.
        let was = past::parent(self.door.store(), child.session).await?;
        let (tools, model) = was.map(|was| (was.tools, was.model)).unwrap_or_default();
        let order = Order { tools, model, ..order.clone() };
        self.run(&runtime, child, &order, body, place).await
    }

    /// Hands the message in with everything that a run of the child works with, and follows what comes of it.
    async fn run(
        &self,
        runtime: &Runtime,
        child: Child,
        order: &Order,
        body: Body,
        place: Place,
    ) -> Result<Sent, Failure> {
        let Child { session, name } = child;
        let purse = self.purse.for_child(least(order.cost_usd, self.purse.left_usd()));
        let only = order.tools.as_ref().map(|tools| tools.iter().cloned().collect::<BTreeSet<_>>());
        let charge = Charge {
            cancel: self.cancel.child_token(),
            approver: Arc::new(Relay {
                above: Arc::clone(&self.approver),
                child: session,
                name: name.clone(),
            }),
            grants: Arc::clone(&self.grants),
            purse: Arc::clone(&purse),
            tools: Arc::new(self.tools.narrowed(only, BTreeSet::new())),
            family: Arc::clone(&self.family),
            depth: self.depth + 1,
        };
        let setup = Arc::new(self.setup_for(order));
        let after = self.door.store().last_seq(session).await.map_err(|error| error.failure())?.unwrap_or(0);
        let events = runtime.subscribe(session, after).await?;
        let submission = Submission { session, origin: Origin::Subagent, body };
        let receipt = runtime.hand_in(submission, Some(setup), Some(Arc::new(charge))).await?;
        let Some(run) = receipt.run else { return Ok(Sent::Heard) };
        let live = Arc::new(Live::new(session, run, name, purse));
        self.adopt(Arc::clone(&live));
        self.began(&live);
        let (followed, parent, profile) = (Arc::clone(&live), self.session, self.setup.profile.clone());
        // It ends with the run that it follows, which the scope ends.
        tokio::spawn(async move {
            Arc::clone(&followed).follow(events, profile, place).await;
            ended(parent, &followed);
        });
        Ok(Sent::Began(live))
    }

    /// What the run of a child works with: what this one does, and no more.
    fn setup_for(&self, order: &Order) -> Setup {
        let own = &*self.setup;
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = match (order.time, left) {
            (Some(asked), Some(left)) => Some(asked.min(left)),
            (asked, left) => asked.or(left),
        };
        let limits = Limits {
            turns: order.turns.unwrap_or(u64::MAX).min(own.limits.turns),
            cost_usd: least(order.cost_usd, self.purse.left_usd()),
            time,
        };
        let models = order.model.as_ref().and_then(|name| self.model(name));
        Setup {
            models: models.map_or_else(|| own.models.clone(), |model| vec![model.clone()]),
            limits,
            // A title would be a request that nobody asked for, and old sessions go with those that people begin.
            titles: Titles::FirstWords,
            retention: Retention::default(),
            ..own.clone()
        }
    }

    /// A model that children may ask.
    pub(super) fn model(&self, name: &str) -> Option<&Model> {
        self.models().find(|model| model.name == name)
    }

    pub(super) fn models(&self) -> impl Iterator<Item = &Model> {
        self.setup.models.iter().chain(&self.setup.child_models)
    }

    /// The one place where a child has begun.
    fn began(&self, live: &Live) {
        ChildStart { session_id: self.session, child_id: live.session, depth: u64::from(self.depth) + 1 }
            .log();
    }
}

/// The one place where a child has ended.
fn ended(parent: SessionId, live: &Live) {
    let came = live.came();
    let status = came.as_ref().map_or("", |came| came.state());
    let verdict = came.as_ref().map_or("", |came| came.outcome.verdict.status.as_str());
    ChildEnd { session_id: parent, child_id: live.session, status, verdict }.log();
}

/// A session that works for another one.
pub(super) struct Child {
    pub(super) session: SessionId,
    pub(super) name: String,
}

fn least(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn closing() -> Failure {
    Failure::new(Code::ToolInterrupted).with("tool", super::NAME)
}
