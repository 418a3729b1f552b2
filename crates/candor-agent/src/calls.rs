//! The tools that one answer asked for.

use candor_protocol::{EventBody, Message, Part, Role, ToolCall, ToolResult};
use candor_tools::{ToolContext, ToolOutput, dispatch, groups};
use futures_util::StreamExt;
use futures_util::stream;
use tokio::time::Instant;

use crate::{BoxFuture, RunDeps, Sink};

/// How many calls run at once: a model that asks for two hundred files must not open them all.
const PARALLEL_MAX: usize = 8;

/// Runs the calls of an answer, side by side where their effects allow it. The results are in the order of the calls.
pub(crate) async fn run(answer: &Message, deps: &RunDeps<'_>, sink: &dyn Sink) -> Message {
    let calls: Vec<&ToolCall> = answer.calls().collect();
    let mut parts = Vec::with_capacity(calls.len());
    for group in groups(deps.tools, &calls, &deps.context) {
        let group = calls.get(group).unwrap_or_default();
        let started: Vec<BoxFuture<'_, ToolResult>> =
            group.iter().map(|call| Box::pin(one(call, deps, sink)) as BoxFuture<'_, ToolResult>).collect();
        let mut results = stream::iter(started).buffered(PARALLEL_MAX);
        while let Some(result) = results.next().await {
            parts.push(Part::ToolResult(result));
        }
    }
    Message::new(Role::Tool, parts)
}

async fn one(call: &ToolCall, deps: &RunDeps<'_>, sink: &dyn Sink) -> ToolResult {
    let started = Instant::now();
    sink.emit(EventBody::ToolStart {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        args: call.args.clone(),
    });
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
