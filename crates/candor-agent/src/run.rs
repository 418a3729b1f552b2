//! The loop.

use candor_llm::prices;
use candor_log::event::{SessionCompacted, TurnEnd, TurnStart};
use candor_protocol::{
    Code, EventBody, Failure, Message, Outcome, Part, Role, Status, StopReason, SummarisedBy, ToolResult,
    Usage, Verdict, VerdictStatus,
};
use candor_tools::Permission;
use tokio::time::Instant;

use crate::conceal::conceal;
use crate::limits::{Budget, cancel_at};
use crate::partial::Partial;
use crate::stuck::Stuck;
use crate::turn::{self, Given, NoAnswer};
use crate::{Price, RunDeps, RunInput, Sink, Verify, calls, messages, shrink};

/// Carries out one run, from the message to its outcome. Everything that happens is told to the sink; nothing is thrown.
pub async fn run(input: RunInput, deps: &RunDeps<'_>, sink: &dyn Sink) -> Outcome {
    let mut run = Run {
        messages: input.messages,
        budget: Budget::new(input.limits),
        usage: Usage::default(),
        stuck: Stuck::default(),
        wrote: false,
        unapproved: false,
        shrunk: false,
        deps,
        sink,
    };
    let (deadline, cancel) = (run.budget.deadline(), &deps.context.cancel);
    let end = tokio::select! {
        end = run.turns() => end,
        never = cancel_at(deadline, cancel) => match never {},
    };
    run.outcome(end)
}

/// Why a run is over.
enum End {
    /// The model had no more to say.
    Finished,
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
    budget: Budget,
    usage: Usage,
    stuck: Stuck,
    /// Whether a tool has changed a file.
    wrote: bool,
    /// Whether a call was refused because nobody was there to approve it.
    unapproved: bool,
    /// Whether the conversation has been shortened: once is enough to know that it does not help.
    shrunk: bool,
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
                Ok(Next::Nothing) => return End::Finished,
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
        let results = calls::run(answer, self.deps, self.sink).await.map_err(End::Failed)?;
        self.budget.tool_calls += calls;
        let stuck = self.judge(&results);
        self.messages.push(results);
        if self.deps.context.cancel.is_cancelled() {
            return Err(End::Cancelled);
        }
        stuck.map_or(Ok(Next::Turn), |failure| Err(End::Stuck(failure)))
    }

    /// Asks until there is an answer, shortening the conversation once if it is too long.
    async fn answer(&mut self) -> Result<(Message, StopReason), End> {
        loop {
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
                Err(NoAnswer::TooLong(_)) if self.shorten() => {
                    partial.begin_anew(
                        "The conversation was too long for the model and was shortened.".to_owned(),
                    );
                }
                Err(NoAnswer::TooLong(failure)) => return Err(End::Constraint(failure)),
                Err(NoAnswer::Failed(failure)) => return Err(End::Failed(failure)),
            }
        }
    }

    /// Takes an answer over: counts it, tells it, and makes a message of it.
    fn take(&mut self, given: Given<'_>) -> Result<(Message, StopReason), End> {
        let Given { mut answer, model } = given;
        let cost = match model.price {
            Price::Free => Some(0.0),
            Price::Listed => prices::cost_usd(&model.name, &answer.usage),
        };
        if self.budget.pay(cost) {
            let message = format!("The price of {} is not known: the cost limit cannot be kept.", model.name);
            self.sink.emit(EventBody::Status { message, attempt: None, delay_ms: None, discard: false });
        }
        self.usage += answer.usage;
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
    fn judge(&mut self, results: &Message) -> Option<Failure> {
        let answer = self.messages.last()?;
        let mut stuck = None;
        for (call, part) in answer.calls().zip(&results.parts) {
            let Part::ToolResult(result) = part else { continue };
            self.wrote |= !result.is_error && self.deps.tools.writes(call, &self.deps.context);
            self.unapproved |= self.deps.context.rules.permission == Permission::Ask && is_blocked(result);
            stuck = stuck.or(self.stuck.count(call, result));
        }
        stuck
    }

    /// Takes over what the user said meanwhile; whether there was anything.
    fn listen(&mut self) -> bool {
        let said = self.sink.steering();
        let any = !said.is_empty();
        self.messages.extend(said.into_iter().map(|parts| Message::new(Role::User, parts)));
        any
    }

    /// Shortens the conversation, if that was not done yet and there is something that can go.
    fn shorten(&mut self) -> bool {
        if self.shrunk {
            return false;
        }
        self.shrunk = true;
        let Some(shrunk) = shrink(&self.messages, self.deps.keep_tokens) else { return false };
        let (removed_messages, summary_tokens) = (shrunk.removed as u64, shrunk.summary.len() as u64 / 4);
        SessionCompacted { session_id: self.deps.context.session, removed_messages, summary_tokens }.log();
        self.sink.emit(EventBody::Compacted {
            removed_messages,
            summary_tokens,
            summary: shrunk.summary,
            tokens_before: 0,
            read_files: Vec::new(),
            modified_files: Vec::new(),
            by: SummarisedBy::Rules,
        });
        self.messages = shrunk.messages;
        true
    }

    fn model_name(&self) -> &str {
        self.deps.models.first().map_or("", |model| model.name.as_str())
    }

    fn outcome(self, end: End) -> Outcome {
        let verdict = self.verdict();
        let (status, failure) = match end {
            // The model went on without what nobody could approve: whatever it says, that is not done.
            End::Finished if self.unapproved => (Status::NeedsApproval, None),
            End::Finished => (finished(&verdict, self.deps.profile), None),
            End::Cancelled => match self.budget.out_of_time() {
                Some(failure) => (Status::AbortedConstraint, Some(failure)),
                None => (Status::Stopped, None),
            },
            End::Constraint(failure) => (Status::AbortedConstraint, Some(failure)),
            End::Stuck(failure) => (Status::AbortedStuck, Some(failure)),
            End::Failed(failure) => (Status::Failed, Some(failure)),
        };
        let card = failure.map(|failure| candor_cards::card(&failure));
        if let Some(card) = &card {
            let message = format!("{}. {}", card.title, card.cause.replace('\n', " "));
            self.sink.emit(EventBody::Error { message, card: card.clone() });
        }
        Outcome {
            status,
            verdict,
            usage: self.usage,
            cost_usd: self.budget.cost(),
            turns: self.budget.turns,
            tool_calls: self.budget.tool_calls,
            duration_ms: u64::try_from(self.budget.elapsed().as_millis()).unwrap_or(u64::MAX),
            card,
        }
    }

    /// What can be said about the work without a verifier: that nothing changed, or that nobody checked what did.
    fn verdict(&self) -> Verdict {
        let (status, evidence) = match (self.wrote, self.deps.verify) {
            (false, _) => (
                VerdictStatus::NotApplicable,
                "no file was written by a file tool; what commands changed is not looked at yet",
            ),
            (true, Verify::Waived) => {
                (VerdictStatus::NotApplicable, "files were written; the check was waived")
            }
            (true, Verify::Yes) => {
                (VerdictStatus::Unverifiable, "files were written; this version cannot check them yet")
            }
        };
        Verdict { status, profile: self.deps.profile.to_owned(), evidence: vec![evidence.to_owned()] }
    }
}

fn is_blocked(result: &ToolResult) -> bool {
    result.card.as_ref().is_some_and(|card| card.code == Code::ToolBlocked.as_str())
}

/// The status of a run whose model had no more to say. The verdict decides; the model's words do not.
fn finished(verdict: &Verdict, profile: &str) -> Status {
    match (verdict.status, profile) {
        (VerdictStatus::Verified | VerdictStatus::NotApplicable, _) => Status::Done,
        (VerdictStatus::Unverifiable, "strict") => Status::AbortedConstraint,
        (VerdictStatus::Failed, "strict") => Status::Failed,
        (VerdictStatus::Unverifiable | VerdictStatus::Failed, _) => Status::DonePartial,
    }
}
