//! The tools that one answer asked for.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_cards::Source;
use candor_log::event::{CardRecovered, CardShown};
use candor_protocol::{
    EventBody, Failure, Message, Part, Recovered, RecoveredBy, Role, ToolCall, ToolResult,
};
use candor_tools::{Effect, Ready, ToolContext, ToolOutput, dispatch, groups};
use futures_util::future::join_all;
use tokio::time::Instant;

use crate::failures::{Failures, may_have_changed};
use crate::recover::{recover, safe_steps};
use crate::target::Target;
use crate::{RunDeps, Sink};

/// The most that people are told of one call. A plan of many points is the longest that tools say.
const PEOPLE_CHARS_MAX: usize = 8_000;

/// Runs the calls of an answer, side by side where their effects allow it. The results are in the order of the calls.
///
/// The answer, which names every call, is stored before the first of them runs: what may have run must be known after a
/// crash. That the first ones start is told before that wait, so that a turn waits for the disk once; and meanwhile they are held
/// against the rules.
pub(crate) async fn run(
    answer: &Message,
    failures: &Mutex<Failures>,
    deps: &RunDeps<'_>,
    sink: &dyn Sink,
) -> Result<Message, Failure> {
    let calls: Vec<&ToolCall> = answer.calls().collect();
    let mut parts = Vec::with_capacity(calls.len());
    locked(failures).begin_turn();
    for (at, group) in groups(deps.tools, &calls, &deps.context).into_iter().enumerate() {
        let group = calls.get(group).unwrap_or_default();
        for call in group {
            sink.emit(start(call));
        }
        if at == 0 {
            sink.under_way().await;
        }
        let (starter, ready) = Ready::pending();
        let context = ToolContext { ready, ..deps.context.clone() };
        let stored = async {
            if at == 0 {
                sink.settled().await?;
            }
            starter.start();
            Ok(())
        };
        let results = join_all(group.iter().map(|call| one(call, failures, deps, &context, sink)));
        let (stored, results) = tokio::join!(stored, results);
        stored?;
        parts.extend(results.into_iter().map(Part::ToolResult));
    }
    sink.under_way().await;
    Ok(Message::new(Role::Tool, parts))
}

/// A plain lock: it is held for a look and never across a wait.
pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start(call: &ToolCall) -> EventBody {
    EventBody::ToolStart {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        args: call.args.clone(),
    }
}

async fn one(
    call: &ToolCall,
    failures: &Mutex<Failures>,
    deps: &RunDeps<'_>,
    context: &ToolContext,
    sink: &dyn Sink,
) -> ToolResult {
    let started = Instant::now();
    let mut output = revealed(call, deps, context).await;
    let target = Target::of(call, deps.tools);
    let recovered = if output.is_error {
        failed(call, &target, &mut output, failures, deps, sink).await
    } else {
        worked(call, &target, &output, failures, deps)
    };
    note_changes(call, &target, &output, deps);
    for past in &recovered {
        log_recovered(past, &target, deps);
    }
    // Pictures are not masked: what is seen on one is in no text, and a mask in its base64 would destroy it.
    let told = deps.mask.hide(&output.for_model);
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    sink.emit(EventBody::ToolResult {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        result: told.clone(),
        for_people: for_people(&output, deps),
        is_error: output.is_error,
        card: output.card.clone(),
        duration_ms,
        changes: output.changes,
        recovered,
        images: output.images.clone(),
    });
    ToolResult {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        content: told,
        is_error: output.is_error,
        card: output.card,
        images: output.images,
    }
}

/// What people are told of a call, as secret as what the model is told, and never long.
pub(crate) fn for_people(output: &ToolOutput, deps: &RunDeps<'_>) -> String {
    let mut said = deps.mask.hide(&output.for_people);
    if let Some((cut, _)) = said.char_indices().nth(PEOPLE_CHARS_MAX) {
        said.replace_range(cut.., "…");
    }
    said
}

/// Runs one call with the secrets that its placeholders stand for. What would leave the machine keeps its placeholders: a page can ask
/// a model to put one into an address, and the tool that sends it must not know what it stands for. So does what outlasts the session.
async fn revealed(call: &ToolCall, deps: &RunDeps<'_>, context: &ToolContext) -> ToolOutput {
    if context.cancel.is_cancelled() {
        return ToolOutput::failure(&candor_tools::Error::Interrupted { tool: call.tool_name.clone() });
    }
    let tool = deps.tools.find(&call.tool_name);
    let keeps_placeholders = tool.is_some_and(|tool| tool.is_foreign() || tool.is_memory());
    if keeps_placeholders || matches!(deps.tools.effect(call, context), Some(Effect::Sends)) {
        return dispatch(deps.tools, call, &call.args, context).await;
    }
    match deps.mask.reveal(&call.args) {
        Ok(args) => dispatch(deps.tools, call, &args, context).await,
        Err(failure) => ToolOutput::refused(&failure),
    }
}

/// Notes what a call has changed. A command that failed may have changed something before it did.
fn note_changes(call: &ToolCall, target: &Target, output: &ToolOutput, deps: &RunDeps<'_>) {
    // A note is nobody's work: whether it is right no check can tell.
    if deps.tools.find(&call.tool_name).is_some_and(|tool| tool.is_memory()) {
        return;
    }
    let acts = matches!(deps.tools.effect(call, &deps.context), Some(Effect::Acts));
    let mut changed = deps.context.changed();
    changed.acted |= acts;
    changed.paths.extend(output.changes.iter().map(|change| change.path.clone().into()));
    let wrote = !output.is_error && deps.tools.writes(call, &deps.context);
    // Where nobody can tell what a command has changed, one that does more than look may have.
    let unknown = acts && !output.is_error && !deps.context.tracking.is_on();
    changed.any |= wrote || !output.changes.is_empty() || unknown && may_have_changed(target, acts, false);
}

fn worked(
    call: &ToolCall,
    target: &Target,
    output: &ToolOutput,
    failures: &Mutex<Failures>,
    deps: &RunDeps<'_>,
) -> Vec<Recovered> {
    let effect = deps.tools.effect(call, &deps.context);
    let acts = matches!(effect, Some(Effect::Acts | Effect::Writes(_) | Effect::WritesSeveral(_)));
    // What is left as it is need not have been changed at all.
    let has_changed = output.changes.iter().any(|change| change.left.is_none());
    let effective = may_have_changed(target, acts, has_changed);
    locked(failures).worked(target, effective)
}

/// Sees to a call that failed: counts it, repairs what may be repaired without asking, and says on the card what was tried.
async fn failed(
    call: &ToolCall,
    target: &Target,
    output: &mut ToolOutput,
    failures: &Mutex<Failures>,
    deps: &RunDeps<'_>,
    sink: &dyn Sink,
) -> Vec<Recovered> {
    let Some(card) = output.card.clone() else { return Vec::new() };
    let met = locked(failures).failed(target, &card);
    CardShown {
        session_id: deps.context.session,
        code: &card.code,
        class: card.class.as_str(),
        tool: &target.tool,
        source: source(output.source),
        repeat: met.repeat,
    }
    .log();
    if !met.tried.is_empty() {
        output.amend_card(|card| card.tried = met.tried);
    }
    // What did not help the first time is not done again.
    let steps = if met.is_first { safe_steps(output, &target.tool, deps) } else { Vec::new() };
    if steps.is_empty() || deps.context.cancel.is_cancelled() {
        return Vec::new();
    }
    let report = recover(call, &card, &steps, deps, sink).await;
    output.add("recovery", report.told);
    output.changes.extend(report.changes);
    if !report.is_recovered {
        return Vec::new();
    }
    locked(failures).recovered(target, RecoveredBy::Auto)
}

fn source(source: Option<Source>) -> &'static str {
    match source {
        Some(Source::Rule) => "rule",
        Some(Source::Card) => "card",
        Some(Source::Generic) => "generic",
        None => "tool",
    }
}

fn log_recovered(past: &Recovered, target: &Target, deps: &RunDeps<'_>) {
    CardRecovered {
        session_id: deps.context.session,
        code: &past.code,
        tool: &target.tool,
        duration: Duration::from_millis(past.duration_ms),
        attempts: past.failures,
        by: past.by.as_str(),
    }
    .log();
}
