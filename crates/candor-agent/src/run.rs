//! The loop.

mod beside;
mod gathering;
mod hooked;
mod outcome;
mod repair;
mod shorten;
mod steady;
mod verifying;

use std::sync::{Arc, Mutex};

use candor_llm::prices;
use candor_log::event::{TurnEnd, TurnStart};
use candor_protocol::{
    Code, EventBody, Failure, Message, Outcome, Part, Role, StopReason, ToolResult, Usage,
};
use tokio::time::Instant;

use crate::compact::Ladder;
use crate::conceal::conceal;
use crate::conversation::Heard;
use crate::failures::Failures;
use crate::limits::{Budget, cancel_at};
use crate::partial::Partial;
use crate::turn::{self, Given, NoAnswer};
use crate::{Model, Price, Purse, RunDeps, RunInput, Sink, Summary, Task, calls, messages, pictures};
use verifying::Looked;

/// Carries out one run, from the message to its outcome. Everything that happens is told to the sink; nothing is thrown.
pub async fn run(input: RunInput, deps: &RunDeps<'_>, sink: &dyn Sink) -> Outcome {
    let Heard { messages, summary, uncounted, owed } = input.conversation.into_heard();
    let looked = Looked::new(&messages, owed, deps);
    let purse = match deps.children {
        Some(children) => Arc::clone(children.purse()),
        None => Purse::new(input.limits.cost_usd),
    };
    let mut run = Run {
        messages,
        summary,
        uncounted,
        ladder: None,
        futile_tokens: 0,
        budget: Budget::new(input.limits, purse),
        usage: Usage::default(),
        failures: Mutex::default(),
        looked,
        unapproved: false,
        sent_on: 0,
        deps,
        sink,
    };
    let (deadline, cancel) = (run.budget.deadline(), &deps.context.cancel);
    let work = async {
        match input.task {
            Task::Answer => run.turns().await,
            Task::Compact => run.compact().await,
        }
    };
    let end = tokio::select! {
        end = work => end,
        never = cancel_at(deadline, cancel) => match never {},
    };
    // Whatever it was, nobody works for a run that is over.
    if let Some(children) = deps.children {
        children.end().await;
    }
    // What was started and goes on is not through: the person's git may be used from now on.
    for said in deps.context.walls.put_right() {
        run.status(deps.mask.hide(&said));
    }
    run.outcome(end)
}

/// Why a run is over.
enum End {
    /// The model had no more to say.
    Finished,
    /// The model had no more to say, and the profile had no room to check all of it.
    Unchecked,
    /// The conversation is as short as it was asked to be.
    Compacted,
    /// The user, or the clock.
    Cancelled,
    Constraint(Failure),
    Stuck(Failure),
    Failed(Failure),
}

/// Whether another turn follows.
enum Next {
    Turn,
    Nothing,
}

struct Run<'r, 'a> {
    messages: Vec<Message>,
    /// What the first message is, when it is a summary.
    summary: Option<Summary>,
    /// How many messages, from the first, hold no answer whose count of tokens is about this conversation.
    uncounted: usize,
    /// How to make the conversation shorter still. It is there between a summary and the next answer.
    ladder: Option<Ladder>,
    /// For how many tokens a summary was last tried ahead of time and came to nothing.
    futile_tokens: u64,
    budget: Budget,
    usage: Usage,
    /// Calls that run side by side fail side by side.
    failures: Mutex<Failures>,
    /// What was found when the work was looked at.
    looked: Looked,
    /// Whether a call was refused because nobody was there to approve it.
    unapproved: bool,
    /// How often hooks have sent the model on.
    sent_on: u32,
    deps: &'r RunDeps<'a>,
    sink: &'r dyn Sink,
}

impl Run<'_, '_> {
    async fn turns(&mut self) -> End {
        loop {
            if let Some(failure) = self.budget.spent() {
                return End::Constraint(failure);
            }
            match self.turn().await {
                Ok(Next::Turn) => {}
                Ok(Next::Nothing) if self.listen() => {}
                Ok(Next::Nothing) => match self.gather().await {
                    Ok(true) => {}
                    Ok(false) => {
                        if let Some(end) = self.finish().await {
                            return end;
                        }
                    }
                    Err(end) => return end,
                },
                Err(end) => return end,
            }
        }
    }

    /// One answer, and the calls it asked for.
    async fn turn(&mut self) -> Result<Next, End> {
        self.listen();
        let session_id = self.deps.context.session;
        let started = Instant::now();
        let model = self.deps.models.first().map_or("", |model| model.name.as_str());
        TurnStart { session_id, model, message_count: self.messages.len() as u64 }.log();
        let (answer, stop) = self.answer().await?;
        self.budget.turns += 1;
        let calls = answer.calls().count() as u64;
        let usage = answer.usage.unwrap_or_default();
        self.messages.push(answer);
        let next = self.act(stop, calls).await;
        TurnEnd {
            session_id,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            total_tokens: usage.total_tokens,
            duration: started.elapsed(),
            tool_call_count: calls,
        }
        .log();
        next
    }

    /// Does what the last answer asked for.
    async fn act(&mut self, stop: StopReason, calls: u64) -> Result<Next, End> {
        if calls == 0 {
            return self.conclude(stop);
        }
        let Some(answer) = self.messages.last() else { return Ok(Next::Nothing) };
        let results = calls::run(answer, &self.failures, self.deps, self.sink).await.map_err(End::Failed)?;
        self.budget.tool_calls += calls;
        self.judge(&results);
        let stuck = calls::locked(&self.failures).take_stuck();
        self.messages.push(results);
        if self.deps.context.cancel.is_cancelled() {
            return Err(End::Cancelled);
        }
        self.go_on_unless_halted()?;
        stuck.map_or(Ok(Next::Turn), |failure| Err(End::Stuck(failure)))
    }

    /// Asks until there is an answer, shortening the conversation as often as the model says that it is too long.
    async fn answer(&mut self) -> Result<(Message, StopReason), End> {
        self.make_room().await?;
        loop {
            // Held until the answer is paid: what others may ask for depends on it.
            let _asking = tokio::select! {
                biased;
                () = self.deps.context.cancel.cancelled() => return Err(End::Cancelled),
                asking = self.budget.purse.ask() => asking,
            };
            // A summary costs, too.
            if let Some(failure) = self.budget.spent() {
                return Err(End::Constraint(failure));
            }
            let partial = Partial::new(self.sink);
            let given = tokio::select! {
                biased;
                () = self.deps.context.cancel.cancelled() => {
                    partial.keep(self.model_name(), self.deps.mask);
                    return Err(End::Cancelled);
                }
                given = turn::ask(&self.messages, self.deps, &partial) => given,
            };
            match given {
                Ok(given) => return self.take(given),
                Err(NoAnswer::TooLong(failure)) => {
                    partial.begin_anew("The conversation is too long for the model.".to_owned());
                    if !self.shorten().await? {
                        return Err(End::Constraint(failure));
                    }
                }
                Err(NoAnswer::Pictures(failure)) => {
                    partial.begin_anew(
                        "The provider did not take the pictures; asking without them.".to_owned(),
                    );
                    if !self.drop_pictures(self.messages.len(), pictures::REFUSED) {
                        return Err(End::Failed(failure));
                    }
                }
                Err(NoAnswer::Failed(failure)) => return Err(End::Failed(failure)),
            }
        }
    }

    /// Takes an answer over: counts it, tells it, and makes a message of it.
    fn take(&mut self, given: Given<'_>) -> Result<(Message, StopReason), End> {
        let Given { mut answer, model } = given;
        self.pay(model, answer.usage);
        self.ladder = None;
        if answer.is_empty() && answer.stop != StopReason::Refusal {
            let failure = Failure::new(Code::ProviderAnswerEmpty).with("provider", model.provider.name());
            return Err(End::Failed(failure));
        }
        conceal(&mut answer.parts, self.deps.mask);
        messages::make_ids_unique(&mut answer.parts, &self.messages);
        let name = answer.model.unwrap_or_else(|| model.name.clone());
        self.sink.emit(EventBody::MessageComplete {
            content: answer.parts.clone(),
            model: name.clone(),
            usage: answer.usage,
            stop_reason: answer.stop,
        });
        let message = Message {
            model: Some(name),
            usage: Some(answer.usage),
            ..Message::new(Role::Assistant, answer.parts)
        };
        Ok((message, answer.stop))
    }

    /// Counts what an answer took.
    fn pay(&mut self, model: &Model, usage: Usage) {
        let cost = match model.price {
            Price::Free => Some(0.0),
            Price::Listed => prices::cost_usd(&model.name, &usage),
        };
        if self.budget.pay(usage, cost) {
            self.status(format!("The price of {} is not known: the cost limit cannot be kept.", model.name));
        }
        self.usage += usage;
    }

    /// Tells a waiting person something.
    fn status(&self, message: String) {
        self.sink.emit(EventBody::Status { message, attempt: None, delay_ms: None, discard: false });
    }

    /// What an answer without calls means.
    fn conclude(&self, stop: StopReason) -> Result<Next, End> {
        let provider = self.deps.models.first().map_or("", |model| model.provider.name());
        match stop {
            StopReason::Pause => Ok(Next::Turn),
            StopReason::MaxTokens => Err(End::Constraint(
                Failure::new(Code::ProviderAnswerCut)
                    .with("provider", provider)
                    .with("model", self.model_name()),
            )),
            StopReason::Refusal => {
                let said = self.messages.last().map(Message::plain_text).unwrap_or_default();
                let said = if said.trim().is_empty() { "nothing".to_owned() } else { said };
                let failure =
                    Failure::new(Code::ProviderRefused).with("provider", provider).with("reason", said);
                Err(End::Failed(failure))
            }
            StopReason::EndTurn | StopReason::ToolUse | StopReason::Stopped => Ok(Next::Nothing),
        }
    }

    /// Looks at what came of the calls.
    fn judge(&mut self, results: &Message) {
        for part in &results.parts {
            let Part::ToolResult(result) = part else { continue };
            self.unapproved |= is_unapproved(result);
        }
    }

    /// Takes over what the user said meanwhile; whether there was anything.
    fn listen(&mut self) -> bool {
        let said = self.sink.steering();
        let any = !said.is_empty();
        self.messages.extend(said.into_iter().map(|parts| Message::new(Role::User, parts)));
        any
    }

    fn model_name(&self) -> &str {
        self.deps.models.first().map_or("", |model| model.name.as_str())
    }
}

fn is_unapproved(result: &ToolResult) -> bool {
    result.card.as_ref().is_some_and(|card| card.code == Code::ToolUnapproved.as_str())
}
