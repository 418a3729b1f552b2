//! Carries out the safe steps of a card before the model is told it.

use std::time::Duration;

use candor_cards::Source;
use candor_protocol::{Change, ErrorCard, EventBody, Safety, Step, ToolCall};
use candor_tools::{Approval, Permission, Rules, ToolContext, ToolOutput, dispatch};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::calls::for_people;
use crate::target::squeezed;
use crate::{Recovery, RunDeps, Sink};

/// The most steps that are carried out: a card that needs more needs somebody who thinks.
const STEPS_MAX: usize = 3;
/// The longest that a step, or the check, may take.
const STEP_TIME_MAX: Duration = Duration::from_secs(60);
/// The tool that runs steps, and whose failures have them.
const SHELL: &str = "shell_exec";

/// What came of it.
pub(crate) struct Report {
    /// What the model is told beside the failure.
    pub(crate) told: Value,
    /// The files that the steps changed, in that order.
    pub(crate) changes: Vec<Change>,
    /// Whether the card's own check says that it is repaired.
    pub(crate) is_recovered: bool,
}

/// The steps of a card that may be carried out, in order; none where nobody allowed that.
///
/// A card in the output of a program is the program's word, and a generic one knows nothing: only rules have such steps,
/// and of those only ours and the person's own.
pub(crate) fn safe_steps(output: &ToolOutput, tool: &str, deps: &RunDeps<'_>) -> Vec<String> {
    let rules = &deps.context.rules;
    let allowed = deps.recovery == Recovery::Auto
        && tool == SHELL
        && output.source == Some(Source::Rule)
        && rules.permission != Permission::ReadOnly
        && rules.approval != Approval::Always;
    let steps = output.card.iter().filter(|_| allowed).flat_map(|card| &card.steps);
    let safe = steps.filter_map(|step| match step {
        Step::Run { command, safety: Safety::Safe } => Some(command.clone()),
        _ => None,
    });
    safe.take(STEPS_MAX).collect()
}

/// Carries out these steps, then the card's check. The first that fails ends it. Nobody is asked anything: what a person
/// would have to approve is refused. What was changed is told however it ended.
pub(crate) async fn recover(
    call: &ToolCall,
    card: &ErrorCard,
    steps: &[String],
    deps: &RunDeps<'_>,
    sink: &dyn Sink,
) -> Report {
    let own = deps.context.rules.clone();
    let rules = Rules { approval: Approval::Never, timeout: own.timeout.min(STEP_TIME_MAX), ..own };
    let context = ToolContext { rules, ..deps.context.clone() };
    let mut attempt = Attempt { call, context, deps, sink, number: 0, told: Vec::new(), changes: Vec::new() };
    let message = format!("{}: carrying out its safe steps.", card.code);
    sink.emit(EventBody::Status { message, attempt: None, delay_ms: None, discard: false });
    let (came, checked) = attempt.carry_out(steps, card.verify.as_deref()).await;
    let is_recovered = matches!(came, Came::Recovered | Came::RanAgain);
    let mut report = json!({ "steps": attempt.told, "recovered": is_recovered, "note": came.note() });
    if let (Some(output), Some(verify)) = (&checked, &card.verify) {
        report["verify"] = outcome(&deps.mask.hide(verify), output);
        if came == Came::RanAgain {
            report["verify"]["result"] = serde_json::from_str(&output.for_model).unwrap_or_default();
        }
    }
    Report { told: report, changes: attempt.changes, is_recovered }
}

/// What came of a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    StepFailed,
    /// Somebody stopped the run, or nothing can be stored any more.
    BrokenOff,
    /// There is no check.
    Unchecked,
    CheckFailed,
    Recovered,
    /// The check was the command itself.
    RanAgain,
}

impl Came {
    /// What the model is told about it.
    const fn note(self) -> &'static str {
        match self {
            Self::StepFailed => "a safe step of the card failed; the cause is still there",
            Self::BrokenOff => "the recovery was broken off; its steps may have been carried out in part",
            Self::Unchecked => {
                "the safe steps of the card worked; nothing checks them: run the command again"
            }
            Self::CheckFailed => "the safe steps of the card worked, and its check still fails",
            Self::Recovered => "recovered: run the command again",
            Self::RanAgain => "recovered: the command was run again and worked; its result is in verify",
        }
    }
}

struct Attempt<'a, 'd> {
    call: &'a ToolCall,
    context: ToolContext,
    deps: &'a RunDeps<'d>,
    sink: &'a dyn Sink,
    number: usize,
    /// What came of each step, for the model.
    told: Vec<Value>,
    changes: Vec<Change>,
}

impl Attempt<'_, '_> {
    /// Runs the steps, then the check, as far as it goes; what the check gave.
    async fn carry_out(&mut self, steps: &[String], verify: Option<&str>) -> (Came, Option<ToolOutput>) {
        for step in steps {
            let Some(output) = self.run(step).await else { return (Came::BrokenOff, None) };
            self.told.push(outcome(&self.deps.mask.hide(step), &output));
            if output.is_error {
                return (self.unless_stopped(Came::StepFailed), None);
            }
        }
        let Some(verify) = verify else { return (Came::Unchecked, None) };
        let Some(output) = self.run(verify).await else { return (Came::BrokenOff, None) };
        let came = match output.is_error {
            true => self.unless_stopped(Came::CheckFailed),
            false if is_the_command(verify, self.call) => Came::RanAgain,
            false => Came::Recovered,
        };
        (came, Some(output))
    }

    /// A command that was stopped has not failed by itself.
    fn unless_stopped(&self, came: Came) -> Came {
        if self.deps.context.cancel.is_cancelled() { Came::BrokenOff } else { came }
    }

    /// Runs one command where the failed one ran, as a call of its own: it is told, stored and logged like any other. Nothing,
    /// when the run was stopped before, or when it could not be stored that it begins.
    async fn run(&mut self, command: &str) -> Option<ToolOutput> {
        if self.deps.context.cancel.is_cancelled() {
            return None;
        }
        self.number += 1;
        let mut args = self.deps.mask.reveal(&self.call.args).ok()?;
        let mut shown = self.call.args.clone();
        // The limit that the model gave was for its own command.
        for args in [&mut args, &mut shown].into_iter().filter_map(Value::as_object_mut) {
            args.remove("timeout");
        }
        args["command"] = command.into();
        shown["command"] = self.deps.mask.hide(command).into();
        let call = ToolCall {
            call_id: self.call.recovery_id(self.number),
            tool_name: SHELL.to_owned(),
            args: shown,
            malformed: None,
            opaque: None,
        };
        self.sink.emit(EventBody::ToolStart {
            call_id: call.call_id.clone(),
            tool_name: call.tool_name.clone(),
            args: call.args.clone(),
        });
        self.sink.settled().await.ok()?;
        let started = Instant::now();
        let mut output = dispatch(self.deps.tools, &call, &args, &self.context).await;
        // They are told with the failed call's own, which came first: whoever takes them back goes backwards.
        self.changes.append(&mut output.changes);
        self.sink.emit(EventBody::ToolResult {
            call_id: call.call_id,
            tool_name: call.tool_name,
            result: self.deps.mask.hide(&output.for_model),
            for_people: for_people(&output, self.deps),
            is_error: output.is_error,
            card: output.card.clone(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            changes: Vec::new(),
            recovered: Vec::new(),
            images: Vec::new(),
        });
        Some(output)
    }
}

/// What came of one command, for the model.
fn outcome(command: &str, output: &ToolOutput) -> Value {
    let told: Value = serde_json::from_str(&output.for_model).unwrap_or_default();
    let mut outcome = json!({ "command": command, "exit_code": told["exit_code"], "ok": !output.is_error });
    if let Some(card) = &output.card {
        outcome["code"] = card.code.clone().into();
    }
    outcome
}

/// Whether the check is the very command that failed.
fn is_the_command(verify: &str, call: &ToolCall) -> bool {
    let line = call.args.get("command").and_then(Value::as_str).unwrap_or_default();
    squeezed(verify) == squeezed(line)
}
