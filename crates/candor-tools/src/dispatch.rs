//! The one way in which a tool is called.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use candor_log::event;
use candor_protocol::ToolCall;
use serde_json::{Value, json};

use crate::error::COMMAND_CHARS_MAX;
use crate::groups::effect_of;
use crate::hooks::{self, Leave};
use crate::{
    BoxFuture, Effect, Error, Registry, Tool, ToolContext, ToolOutput, approval, arguments, guides, tracking,
};

/// How much longer than its time, or than its cancellation, a tool may take. A tool that ends a process by itself
/// needs a few seconds for it and has more to tell than we would; this is for a tool that hangs.
const OVERTIME: Duration = Duration::from_secs(8);

/// The exit code of a command that may not be run, as shells have it.
const NOT_RUN: i32 = 126;

/// Runs one call with these arguments: the call's own, but for secrets that the model only knows by a placeholder. It
/// always answers, whatever the call is and whatever the tool does. The log is told the call's own arguments.
pub async fn dispatch(
    registry: &Registry,
    call: &ToolCall,
    args: &Value,
    context: &ToolContext,
) -> ToolOutput {
    let started = Instant::now();
    // What a call has begun elsewhere is told when nobody waits for it any more.
    let cancel = context.cancel.child_token();
    let _over = cancel.clone().drop_guard();
    let context = &ToolContext { call_id: call.call_id.clone(), cancel, ..context.clone() };
    let output = match prepared(registry, call, args, context) {
        Ok(tool) => carried_out(&*tool, call, args, context).await,
        Err(error) => Err(error),
    };
    let mut output = match output {
        // A shell says it like this, and so the model knows that nothing was run.
        Err(error @ (Error::Blocked { .. } | Error::Hook { .. })) if is_command(registry, call) => {
            ToolOutput::failure_with(&error, json!({ "error": error.to_string(), "exit_code": NOT_RUN }))
        }
        output => ToolOutput::of(output, context),
    };
    // What hooks changed came before what the call did.
    output.changes.splice(0..0, context.hooks.take_changes());
    guides::tell(call, &mut output, context);
    // The name as it was called may be anything; the log keeps to the tool's own where there is one.
    let found = registry.find(&call.tool_name);
    let tool = found.as_ref().map_or(call.tool_name.as_str(), |tool| tool.spec().name.as_str());
    if let Some(reason) = &output.blocked {
        let shown = found.as_ref().map(|tool| tool.shown(&call.args)).unwrap_or_default();
        let command: String = shown.chars().take(COMMAND_CHARS_MAX).collect();
        event::ToolBlocked { session_id: context.session, tool, command: &command, reason }.log();
    }
    event::ToolCall {
        session_id: context.session,
        tool,
        duration: started.elapsed(),
        is_error: output.is_error,
        args: Some(&call.args),
    }
    .log();
    output
}

fn is_command(registry: &Registry, call: &ToolCall) -> bool {
    registry
        .find(&call.tool_name)
        .is_some_and(|tool| tool.spec().parameters["properties"]["command"].is_object())
}

fn prepared(
    registry: &Registry,
    call: &ToolCall,
    args: &Value,
    context: &ToolContext,
) -> Result<Arc<dyn Tool>, Error> {
    let tool = registry.require(&call.tool_name)?;
    let name = &tool.spec().name;
    if let Some(written) = &call.malformed {
        return Err(Error::arguments(name, arguments::malformed(written)));
    }
    if let Some(problem) = tool.problem(args) {
        return Err(Error::arguments(name, problem));
    }
    if context.cancel.is_cancelled() {
        return Err(Error::Interrupted { tool: name.clone() });
    }
    Ok(tool)
}

/// Runs a call that can be run, past the hooks and the rules. What hooks make of it is looked at as if the model had
/// written it.
async fn carried_out(
    tool: &dyn Tool,
    call: &ToolCall,
    args: &Value,
    context: &ToolContext,
) -> Result<ToolOutput, Error> {
    // A hook may do anything.
    if context.hooks.are_any() {
        started(tool, context).await?;
    }
    let before = context.hooks.before_call(tool, call, context).await?;
    let mut changed = before.updated.map(|updated| rewritten(tool, call, updated, context)).transpose()?;
    let (now, given) = changed.as_ref().map_or((call, args), |(call, args)| (call, args));
    if let Some(updated) = cleared(tool, (now, given), before.leave, context).await? {
        let (now, given) = rewritten(tool, call, updated, context)?;
        cleared(tool, (&now, &given), Leave::Spared, context).await?;
        changed = Some((now, given));
    }
    let (now, given) = changed.as_ref().map_or((call, args), |(call, args)| (call, args));
    if !tool.looks_first() {
        started(tool, context).await?;
    }
    let ran =
        if tool.is_foreign() { watched(tool, given, context).await } else { run(tool, given, context).await };
    let mut output = ran?;
    let mut said = before.added;
    if changed.is_some() {
        said.push(format!("A hook changed the arguments of this call: {}", now.args));
    }
    hooks::tell(&mut output, &said);
    if !output.is_error {
        context.hooks.after_call(tool, now, &mut output, context).await;
    }
    Ok(output)
}

/// Waits until the call may do something. Somebody may have stopped it by then.
async fn started(tool: &dyn Tool, context: &ToolContext) -> Result<(), Error> {
    let may_start = context.ready.wait().await && !context.cancel.is_cancelled();
    if may_start { Ok(()) } else { Err(Error::Interrupted { tool: tool.spec().name.clone() }) }
}

async fn cleared(
    tool: &dyn Tool,
    (call, args): (&ToolCall, &Value),
    leave: Leave,
    context: &ToolContext,
) -> Result<Option<Value>, Error> {
    let cleared = caught(|| Box::pin(approval::clear(tool, call, args, leave, context))).await;
    cleared.map_err(|message| Error::Panicked { tool: tool.spec().name.clone(), message })?
}

/// The call with what a hook made of its arguments, and what the tool is given: with the secrets, unless it sends them away.
fn rewritten(
    tool: &dyn Tool,
    call: &ToolCall,
    updated: Value,
    context: &ToolContext,
) -> Result<(ToolCall, Value), Error> {
    let keeps_masks = tool.is_foreign() || matches!(effect_of(tool, &updated, context), Effect::Sends);
    let name = &tool.spec().name;
    let args = if keeps_masks {
        updated.clone()
    } else {
        let unknown = |_| Error::arguments(name, "a hook put in a placeholder that stands for nothing");
        context.hooks.reveal(&updated).map_err(unknown)?
    };
    if let Some(problem) = tool.problem(&args) {
        return Err(Error::arguments(name, format!("a hook changed the arguments: {problem}")));
    }
    context.hooks.tell(format!("A hook changed the arguments of {name}."));
    Ok((ToolCall { args: updated, ..call.clone() }, args))
}

/// Runs a tool from elsewhere: what it does to the workspace nobody can tell but by looking.
async fn watched(tool: &dyn Tool, args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
    let watching = tracking::before(context).await;
    let output = ToolOutput::of(run(tool, args, context).await, context);
    let changes = watching.after().await;
    Ok(ToolOutput { changes, ..output })
}

async fn run(tool: &dyn Tool, args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
    let name = || tool.spec().name.clone();
    let limit = tool.time_max(args, context);
    let overdue = async {
        context.cancel.cancelled().await;
        tokio::time::sleep(OVERTIME).await;
    };
    // What it waits for before it does anything is no time of its own.
    let too_long = async {
        context.ready.wait().await;
        tokio::time::sleep(limit + OVERTIME).await;
    };
    tokio::select! {
        biased;
        ran = caught(|| tool.run(args, context)) => ran.map_err(|message| Error::Panicked { tool: name(), message }),
        () = overdue => Err(Error::Interrupted { tool: name() }),
        () = too_long => Err(Error::TimedOut { tool: name(), limit }),
    }
}

/// Runs a future to its end or to its panic, and gives the message of the panic.
async fn caught<'a, T>(start: impl FnOnce() -> BoxFuture<'a, T>) -> Result<T, String> {
    let mut future = catch_unwind(AssertUnwindSafe(start)).map_err(|panic| message(&*panic))?;
    // Nothing of a future that has panicked is looked at again: it is only dropped.
    poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(message(&*panic))),
    })
    .await
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it left no message").to_owned()
}
