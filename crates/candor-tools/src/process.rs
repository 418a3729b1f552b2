//! `process`: starts what is meant to go on, and looks after it.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::ToolSpec;
use candor_sandbox::{State, Stdin};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::arguments::AtLeast;
use crate::command::Line;
use crate::explaining::Said;
use crate::logs::logs;
use crate::processes::{InputEnd, Kept, RUNNING_MAX, Start};
use crate::{
    BoxFuture, Effect, Error, Judgement, Tool, ToolContext, ToolOutput, arguments, choices, command,
    explaining, tracking,
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

/// The key by which a terminal says that nothing more comes.
const END_KEY: &str = "\x04";

/// Keys that a person presses at a prompt without a command: Ctrl-C, Ctrl-D, Enter.
const KEYS: [char; 4] = ['\x03', '\x04', '\r', '\n'];

choices! {
    /// What is to be done.
    enum Action {
        Start = "start",
        Status = "status",
        Logs = "logs",
        Input = "input",
        Stop = "stop",
    }
}

arguments! {
    struct Args<'a> {
        action: Action;
        command: Option<&'a str>;
        cwd: Option<&'a str>;
        env: Option<&'a Map<String, Value>>;
        id: Option<AtLeast<1>>;
        text: Option<&'a str>;
        eof: Option<bool>;
        after: Option<u64> = "logs: after this byte";
        pty: Option<bool>;
    }
}

impl<'a> Args<'a> {
    fn line(&self) -> Line<'a> {
        Line { command: self.command.unwrap_or_default(), cwd: self.cwd, env: self.env }
    }

    fn id(&self) -> u64 {
        self.id.map_or(0, |id| id.0)
    }
}

/// Looks after long-lived processes.
pub(crate) struct Process {
    spec: ToolSpec,
}

impl Process {
    pub(crate) fn new() -> Self {
        let description = "Start a long-lived command (server), read its logs, send input, stop it.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn act(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let args: Args<'_> = arguments::of(NAME, args)?;
        match args.action {
            Action::Start => start(&args, context).await,
            Action::Status if args.id.is_some() => Ok(status(&[known(&args, context)?])),
            Action::Status => Ok(status(&context.processes.all())),
            Action::Logs => Ok(logs(NAME, &*known(&args, context)?, args.after, context)),
            Action::Input => {
                let kept = known(&args, context)?;
                if !Arc::ptr_eq(&kept.walls, &context.walls) {
                    let reason = "it was started under other rules; stop it and start it again";
                    return Err(Error::arguments(NAME, reason));
                }
                input(&kept, &args, context).await
            }
            Action::Stop => Ok(stop(&*known(&args, context)?, context).await),
        }
    }
}

fn known(args: &Args<'_>, context: &ToolContext) -> Result<Arc<Kept>, Error> {
    let AtLeast(id) = args.id.ok_or_else(|| Error::arguments(NAME, "`id` is missing"))?;
    context.processes.find(id).ok_or_else(|| {
        let all = context.processes.all();
        let ids: Vec<String> = all.iter().map(|kept| kept.number.to_string()).collect();
        let there = if ids.is_empty() { "none has been started".to_owned() } else { ids.join(", ") };
        Error::arguments(NAME, format!("there is no process {id}; there are: {there}"))
    })
}

async fn start(args: &Args<'_>, context: &ToolContext) -> Result<ToolOutput, Error> {
    let line = args.line();
    let mut spec = command::spec(NAME, &line, context)?;
    if !context.processes.has_room() {
        return Err(Error::arguments(NAME, format!("{RUNNING_MAX} processes run already; stop one first")));
    }
    spec.stdin = Stdin::Piped;
    spec.pty = args.pty.unwrap_or(false).then_some(TERMINAL);
    let input_end = if spec.pty.is_some() { InputEnd::Key } else { InputEnd::Close };
    let running = candor_sandbox::start(&spec, context.walls.sandbox()?)?;
    let start = Start {
        command: command::text(NAME, &line)?.to_owned(),
        cwd: Some(command::cwd(&line, context)),
        variables: command::variables(&line),
    };
    let kept = context.processes.keep(start, running, Arc::clone(&context.walls), input_end);
    tokio::select! {
        () = kept.running.ended() => {}
        () = context.cancel.cancelled() => {}
        () = tokio::time::sleep(SETTLE) => {}
    }
    let changes = tracking::unkept(kept.number, context);
    Ok(ToolOutput { changes, ..started(&kept, &line, context).await })
}

/// What came of a start. What has ended badly by itself meanwhile did not start, and gets a card.
async fn started(kept: &Kept, line: &Line<'_>, context: &ToolContext) -> ToolOutput {
    let output = logs(NAME, kept, None, context);
    let State::Ended(how) = kept.running.state() else { return output };
    let Some(how) = explaining::failed(how, SETTLE) else { return output };
    let said = Said { stdout: kept.running.output().text(), stderr: String::new() };
    let explained = explaining::explained(line, how, said, context).await;
    let told = serde_json::from_str(&output.for_model).unwrap_or_default();
    ToolOutput::command_failure(explained, told, output.for_people)
}

/// How they are.
fn status(all: &[Arc<Kept>]) -> ToolOutput {
    let one = |kept: &Arc<Kept>| json!({ "id": kept.number, "state": kept.state(), "command": kept.command });
    let running = all.iter().filter(|kept| kept.is_running()).count();
    let for_model = Value::from(all.iter().map(one).collect::<Vec<_>>());
    ToolOutput::success(for_model.to_string(), format!("{running} running"))
}

async fn input(kept: &Kept, args: &Args<'_>, context: &ToolContext) -> Result<ToolOutput, Error> {
    let is_last = args.eof.unwrap_or(false);
    if args.text.is_none() && !is_last {
        return Err(Error::arguments(NAME, "`text` is missing"));
    }
    let before = kept.running.output().total_bytes();
    if let Some(text) = args.text {
        write(kept, text).await?;
        kept.heard(&keys(text));
    }
    match kept.input_end {
        _ if !is_last => {}
        InputEnd::Close => kept.running.close().await,
        // In a line that was begun, the first only hands over what is there of it.
        InputEnd::Key => {
            let is_begun = args.text.is_some_and(|text| !text.is_empty() && !text.ends_with(['\n', '\r']));
            write(kept, &END_KEY.repeat(1 + usize::from(is_begun))).await?;
        }
    }
    // Most answer at once; what they say later is in the logs.
    let _ = timeout(SETTLE, kept.running.ended()).await;
    Ok(logs(NAME, kept, Some(before), context))
}

async fn write(kept: &Kept, text: &str) -> Result<(), Error> {
    match timeout(INPUT_TIME_MAX, kept.running.write(text.as_bytes())).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(Error::arguments(NAME, "the process does not read any more")),
        Err(_) => Err(Error::arguments(NAME, "the process does not read its input")),
    }
}

/// What is typed is read as a script where a shell reads it, and elsewhere by what the program would make of it.
fn judge_input(args: &Args<'_>, context: &ToolContext) -> Judgement {
    let text = keys(args.text.unwrap_or_default());
    match args.id.and_then(|AtLeast(id)| context.processes.find(id)) {
        Some(kept) => command::judge_typed(&kept, &text, context),
        None => command::judge_text(&text, &context.workspace, context),
    }
}

/// The text that keys stand for: each of those that end a line, a command or the input is the end of a line.
fn keys(text: &str) -> String {
    text.replace(KEYS, "\n")
}

async fn stop(kept: &Kept, context: &ToolContext) -> ToolOutput {
    kept.running.stop(GRACE).await;
    logs(NAME, kept, None, context)
}

impl Tool for Process {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_walled(&self) -> bool {
        true
    }

    fn effect(&self, args: &Value, context: &ToolContext) -> Effect {
        let Ok(args) = arguments::read::<Args<'_>>(args) else { return Effect::Acts };
        match args.action {
            Action::Status | Action::Logs => Effect::Reads,
            // It is told that there is no such process, and nobody has to be asked about that.
            Action::Input | Action::Stop if known(&args, context).is_err() => Effect::Reads,
            Action::Start | Action::Input | Action::Stop => Effect::Acts,
        }
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn judge(&self, args: &Value, context: &ToolContext) -> Judgement {
        let args: Args<'_> = match arguments::read(args) {
            Ok(args) => args,
            Err(reason) => return Judgement::Deny { reason },
        };
        match args.action {
            Action::Start => command::judge(&args.line(), context),
            Action::Input => judge_input(&args, context),
            Action::Status | Action::Logs | Action::Stop => Judgement::Allow,
        }
    }

    fn shown(&self, args: &Value) -> String {
        let Ok(args) = arguments::read::<Args<'_>>(args) else { return args.to_string() };
        match args.action {
            Action::Start => format!("start {}", command::shown(&args.line())),
            Action::Input => {
                let end = if args.eof == Some(true) { " (and its end)" } else { "" };
                format!("input to {}{end}: {}", args.id(), args.text.unwrap_or_default())
            }
            Action::Status => "status".to_owned(),
            Action::Logs => format!("logs {}", args.id()),
            Action::Stop => format!("stop {}", args.id()),
        }
    }

    fn pattern(&self, args: &Value, _context: &ToolContext) -> Option<String> {
        let read: Args<'_> = arguments::read(args).ok()?;
        (read.action == Action::Start).then(|| self.shown(args))
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::act(args, context).await, context) })
    }
}
