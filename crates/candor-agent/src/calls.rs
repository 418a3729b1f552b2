//! The tools that one answer asked for.

use candor_protocol::{EventBody, Failure, Message, Part, Role, ToolCall, ToolResult};
use candor_tools::{ToolContext, ToolOutput, dispatch, groups};
use futures_util::future::join_all;
use tokio::time::Instant;

use crate::{RunDeps, Sink};

/// Runs the calls of an answer, side by side where their effects allow it. The results are in the order of the calls.
///
/// The answer, which names every call, is stored before the first of them runs: what may have run must be known after a
/// crash. That the first ones start is told before that wait, so that a turn waits for the disk once.
pub(crate) async fn run(answer: &Message, deps: &RunDeps<'_>, sink: &dyn Sink) -> Result<Message, Failure> {
    let calls: Vec<&ToolCall> = answer.calls().collect();
    let mut parts = Vec::with_capacity(calls.len());
    for (at, group) in groups(deps.tools, &calls, &deps.context).into_iter().enumerate() {
        let group = calls.get(group).unwrap_or_default();
        for call in group {
            sink.emit(start(call));
        }
        if at == 0 {
            sink.settled().await?;
        }
        let results = join_all(group.iter().map(|call| one(call, deps, sink))).await;
        parts.extend(results.into_iter().map(Part::ToolResult));
    }
    Ok(Message::new(Role::Tool, parts))
}

fn start(call: &ToolCall) -> EventBody {
    EventBody::ToolStart {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        args: call.args.clone(),
    }
}

async fn one(call: &ToolCall, deps: &RunDeps<'_>, sink: &dyn Sink) -> ToolResult {
    let started = Instant::now();
    let output = revealed(call, deps).await;
    let content = deps.mask.hide(&output.for_model);
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    sink.emit(EventBody::ToolResult {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        result: content.clone(),
        is_error: output.is_error,
        card: output.card.clone(),
        duration_ms,
        changes: output.changes,
    });
    ToolResult {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        content,
        is_error: output.is_error,
        card: output.card,
    }
}

/// Runs one call with the secrets that its placeholders stand for.
async fn revealed(call: &ToolCall, deps: &RunDeps<'_>) -> ToolOutput {
    let context: &ToolContext = &deps.context;
    if context.cancel.is_cancelled() {
        return ToolOutput::failure(&candor_tools::Error::Interrupted { tool: call.tool_name.clone() });
    }
    match deps.mask.reveal(&call.args) {
        Ok(args) => dispatch(deps.tools, call, &args, context).await,
        Err(failure) => ToolOutput::refused(&failure),
    }
}
