//! `process`: starts what is meant to go on, and looks after it.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::ToolSpec;
use candor_sandbox::{How, State, Stdin};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::explaining::Said;
use crate::processes::{Kept, RUNNING_MAX};
use crate::{
    BoxFuture, Effect, Error, Judgement, Tool, ToolContext, ToolOutput, arguments, command, explaining,
};

const NAME: &str = "process";

/// How long a start is watched: what cannot start says so at once.
const SETTLE: Duration = Duration::from_millis(500);

/// How long a process may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How long a process may leave its input unread.
const INPUT_TIME_MAX: Duration = Duration::from_secs(10);

/// The size of a terminal, for what wants one.
const TERMINAL: (u16, u16) = (24, 120);

/// Looks after long-lived processes.
pub(crate) struct Process {
    spec: ToolSpec,
}

impl Process {
    pub(crate) fn new() -> Self {
        let mut properties = command::properties();
        properties["action"] = json!({ "enum": ["start", "list", "logs", "input", "stop"] });
        properties["id"] = json!({ "type": "integer", "minimum": 1 });
        properties["text"] = json!({ "type": "string" });
        properties["after"] =
            json!({ "type": "integer", "minimum": 0, "description": "logs: only bytes after this" });
        properties["pty"] = json!({ "type": "boolean" });
        let parameters = json!({ "type": "object", "properties": properties, "required": ["action"] });
        let description =
            "Start a server or another long-lived command, read its logs, send it input, stop it.";
        Self { spec: ToolSpec { name: NAME.to_owned(), description: description.to_owned(), parameters } }
    }

    async fn act(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        match action(args) {
            "start" => start(args, context).await,
            "list" => Ok(list(context)),
            "logs" => Ok(logs(&*known(args, context)?, arguments::number(args, "after"))),
            "input" => {
                let kept = known(args, context)?;
                if !Arc::ptr_eq(&kept.walls, &context.walls) {
                    let reason = "it was started under other rules; stop it and start it again";
                    return Err(Error::arguments(NAME, reason));
                }
                input(&kept, arguments::text(args, "text")).await
            }
            "stop" => Ok(stop(&*known(args, context)?).await),
            other => Err(Error::arguments(NAME, format!("there is no action {other}"))),
        }
    }
}

fn action(args: &Value) -> &str {
    arguments::text(args, "action").unwrap_or_default()
}

fn known(args: &Value, context: &ToolContext) -> Result<Arc<Kept>, Error> {
    let id = arguments::number(args, "id").ok_or_else(|| Error::arguments(NAME, "`id` is missing"))?;
    context.processes.find(id).ok_or_else(|| {
        let all = context.processes.all();
        let ids: Vec<String> = all.iter().map(|kept| kept.number.to_string()).collect();
        let there = if ids.is_empty() { "none has been started".to_owned() } else { ids.join(", ") };
        Error::arguments(NAME, format!("there is no process {id}; there are: {there}"))
    })
}

async fn start(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
    let mut spec = command::spec(NAME, args, context)?;
    if !context.processes.has_room() {
        return Err(Error::arguments(NAME, format!("{RUNNING_MAX} processes run already; stop one first")));
    }
    spec.stdin = Stdin::Piped;
    spec.pty = args.get("pty").and_then(Value::as_bool).unwrap_or(false).then_some(TERMINAL);
    let running = candor_sandbox::start(&spec, context.walls.sandbox()?)?;
    let command = command::text(NAME, args)?.to_owned();
    let kept = context.processes.keep(command, running, Arc::clone(&context.walls));
    tokio::select! {
        () = kept.running.ended() => {}
        () = context.cancel.cancelled() => {}
        () = tokio::time::sleep(SETTLE) => {}
    }
    Ok(started(&kept, args, context).await)
}

/// What came of a start. What has ended badly by itself meanwhile did not start, and gets a card.
async fn started(kept: &Kept, args: &Value, context: &ToolContext) -> ToolOutput {
    let output = logs(kept, None);
    let State::Ended(how) = kept.running.state() else { return output };
    let Some(how) = explaining::how(how, SETTLE) else { return output };
    let said = Said { stdout: kept.running.output().text(), stderr: String::new() };
    let explained = explaining::explained(args, how, said, context).await;
    let told = serde_json::from_str(&output.for_model).unwrap_or_default();
    ToolOutput::command_failure(explained, told, output.for_people)
}

fn list(context: &ToolContext) -> ToolOutput {
    let all = context.processes.all();
    let one = |kept: &Arc<Kept>| json!({ "id": kept.number, "state": state(kept), "command": kept.command });
    let running = all.iter().filter(|kept| kept.is_running()).count();
    let for_model = Value::from(all.iter().map(one).collect::<Vec<_>>());
    ToolOutput::success(for_model.to_string(), format!("{running} running"))
}

/// What it has said: all of it that is kept, or what came after so many bytes.
fn logs(kept: &Kept, after: Option<u64>) -> ToolOutput {
    let said = kept.running.output();
    let (text, next) = match after {
        Some(after) => {
            let since = said.since(after);
            (since.text, since.next)
        }
        None => (said.text(), said.total_bytes()),
    };
    let state = state(kept);
    let for_people = format!("process {}: {state}", kept.number);
    let for_model = json!({ "id": kept.number, "state": state, "output": text, "next": next });
    ToolOutput::success(for_model.to_string(), for_people)
}

async fn input(kept: &Kept, text: Option<&str>) -> Result<ToolOutput, Error> {
    let text = text.ok_or_else(|| Error::arguments(NAME, "`text` is missing"))?;
    let before = kept.running.output().total_bytes();
    match timeout(INPUT_TIME_MAX, kept.running.write(text.as_bytes())).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) => return Err(Error::arguments(NAME, "the process does not read any more")),
        Err(_) => return Err(Error::arguments(NAME, "the process does not read its input")),
    }
    // Most answer at once; what they say later is in the logs.
    let _ = timeout(SETTLE, kept.running.ended()).await;
    Ok(logs(kept, Some(before)))
}

async fn stop(kept: &Kept) -> ToolOutput {
    kept.running.stop(GRACE).await;
    logs(kept, None)
}

fn state(kept: &Kept) -> String {
    match kept.running.state() {
        State::Running => "running".to_owned(),
        State::Ended(How::Exited(code)) => format!("exit {code}"),
        State::Ended(How::Signalled(signal)) => format!("signal {signal}"),
        State::Ended(How::TimedOut | How::Cancelled) => "stopped".to_owned(),
    }
}

impl Tool for Process {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self, args: &Value, _context: &ToolContext) -> Effect {
        if matches!(action(args), "list" | "logs") { Effect::Reads } else { Effect::Acts }
    }

    /// What is typed into a process may be read by a shell.
    fn judge(&self, args: &Value, context: &ToolContext) -> Judgement {
        match action(args) {
            "start" => command::judge(args, context),
            "input" => {
                let text = arguments::text(args, "text").unwrap_or_default();
                command::judge_text(text, &context.workspace, context)
            }
            _ => Judgement::Allow,
        }
    }

    fn shown(&self, args: &Value) -> String {
        let id = arguments::number(args, "id").unwrap_or_default();
        match action(args) {
            "start" => format!("start {}", command::shown(args)),
            "input" => format!("input to {id}: {}", arguments::text(args, "text").unwrap_or_default()),
            other => format!("{other} {id}"),
        }
    }

    fn pattern(&self, args: &Value, _context: &ToolContext) -> Option<String> {
        (action(args) == "start").then(|| self.shown(args))
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::act(args, context).await, context) })
    }
}
