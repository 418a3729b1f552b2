//! `shell_exec`: runs a command in the workspace.

use std::time::Duration;

use candor_log::event;
use candor_protocol::ToolSpec;
use candor_sandbox::{Ended, How, Output};
use serde_json::{Value, json};

use crate::explaining::Said;
use crate::output::note;
use crate::repository::Repository;
use crate::{
    BoxFuture, Effect, Error, Judgement, Tool, ToolContext, ToolOutput, arguments, command, explaining,
    tracking,
};

const NAME: &str = "shell_exec";

/// Runs a command in the workspace.
pub(crate) struct ShellExec {
    spec: ToolSpec,
}

impl ShellExec {
    pub(crate) fn new() -> Self {
        let mut properties = command::properties();
        properties["timeout"] = json!({ "type": "integer", "minimum": 1, "description": "seconds" });
        let parameters = json!({ "type": "object", "properties": properties, "required": ["command"] });
        let description = "Run a bash command in the workspace.\nWhat it leaves running is ended.";
        Self { spec: ToolSpec { name: NAME.to_owned(), description: description.to_owned(), parameters } }
    }

    async fn exec(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let mut spec = command::spec(NAME, args, context)?;
        let asked = arguments::number(args, "timeout").map_or(context.rules.timeout, Duration::from_secs);
        spec.timeout = asked.min(context.rules.timeout);
        // Two streams share what one result may hold.
        spec.output_bytes_max = context.rules.output_bytes_max / 2;
        spec.spill = context.walls.spill()?.or_else(|| context.rules.spill.clone());
        let sandbox = context.walls.sandbox()?;
        let repository = Repository::before(context);
        tracking::before(context).await;
        let ended = candor_sandbox::run(&spec, sandbox, &context.cancel).await;
        let put_right = repository.put_right();
        let changes = tracking::after(context).await;
        let ended = ended?;
        log_cuts(&ended, context);
        // What it has changed is kept however it ended.
        let output = told(&ended, spec.timeout, args, context).await;
        let mut output = ToolOutput { changes, ..ToolOutput::of(output, context) };
        if !put_right.is_empty() {
            output.for_model = with_note(&output.for_model, &put_right.join("; "));
        }
        Ok(output)
    }
}

impl Tool for ShellExec {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["bash"]
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Acts
    }

    fn judge(&self, args: &Value, context: &ToolContext) -> Judgement {
        command::judge(args, context)
    }

    fn shown(&self, args: &Value) -> String {
        command::shown(args)
    }

    /// This very command and no other: what else begins like it may do anything.
    fn pattern(&self, args: &Value, _context: &ToolContext) -> Option<String> {
        arguments::text(args, "command").map(str::to_owned)
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::exec(args, context).await, context) })
    }
}

/// The result with a remark of ours.
fn with_note(result: &str, note: &str) -> String {
    let mut result: Value = serde_json::from_str(result).unwrap_or_default();
    result["note"] = note.into();
    result.to_string()
}

fn log_cuts(ended: &Ended, context: &ToolContext) {
    let streams = [&ended.stdout, &ended.stderr];
    if streams.iter().any(|stream| stream.is_cut()) {
        event::ToolOutputTruncated {
            session_id: context.session,
            tool: NAME,
            original_bytes: streams.iter().map(|stream| stream.total_bytes()).sum(),
            truncated_bytes: streams.iter().map(|stream| stream.kept_bytes()).sum(),
        }
        .log();
    }
}

/// What the model is told. A command that failed or was stopped has said why, so its output is told beside the card.
async fn told(
    ended: &Ended,
    limit: Duration,
    args: &Value,
    context: &ToolContext,
) -> Result<ToolOutput, Error> {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    if ended.how == How::Cancelled {
        return Err(Error::Interrupted { tool: NAME.to_owned() });
    }
    let lines = counted(lines(&ended.stdout) + lines(&ended.stderr));
    let mut result = json!({
        "stdout": stdout,
        "stderr": stderr,
        "exit_code": if let How::Exited(code) = ended.how { Some(code) } else { None },
        "timed_out": ended.how == How::TimedOut,
    });
    let Some(how) = explaining::how(ended.how, limit) else {
        return Ok(ToolOutput::success(result.to_string(), format!("exit 0, {lines}")));
    };
    if let Some(hint) = hint(&stdout, &stderr, context) {
        result["sandbox"] = hint.into();
    }
    if ended.how == How::TimedOut {
        note(&Error::TimedOut { tool: NAME.to_owned(), limit }, context);
    }
    let for_people = match ended.how {
        How::Exited(code) => format!("exit {code}, {lines}"),
        How::Signalled(signal) => format!("ended by signal {signal}, {lines}"),
        _ => format!("stopped after {} s, {lines}", limit.as_secs_f64()),
    };
    let explained = explaining::explained(args, how, Said { stdout, stderr }, context).await;
    Ok(ToolOutput::command_failure(explained, result, for_people))
}

fn lines(output: &Output) -> usize {
    output.text().lines().count()
}

fn counted(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

/// What programs say when the walls stop them, and what stands behind it. Without this nobody would look there.
const HINTS: &[(&str, &str)] = &[
    (
        "Read-only file system",
        "the sandbox lets commands write in the workspace and /tmp only, and protects .git/config, .git/hooks and .candor (sandbox.writable, sandbox.protected)",
    ),
    (
        "Device or resource busy",
        "the sandbox protects .git/config, .git/hooks and .candor from being replaced (sandbox.protected)",
    ),
    (
        "resolve host",
        "the sandbox has no network but its own 127.0.0.1 (sandbox.network, sandbox.hosts, sandbox.ports)",
    ),
    (
        "Temporary failure in name resolution",
        "the sandbox has no network but its own 127.0.0.1 (sandbox.network, sandbox.hosts, sandbox.ports)",
    ),
    (
        "EAI_AGAIN",
        "the sandbox has no network but its own 127.0.0.1 (sandbox.network, sandbox.hosts, sandbox.ports)",
    ),
    (
        "Network is unreachable",
        "the sandbox has no network but its own 127.0.0.1 (sandbox.network, sandbox.hosts, sandbox.ports)",
    ),
];

fn hint(stdout: &str, stderr: &str, context: &ToolContext) -> Option<&'static str> {
    context.walls.plan().policy.as_ref()?;
    let said = |text: &str| stderr.contains(text) || stdout.contains(text);
    HINTS.iter().find(|(text, _)| said(text)).map(|(_, hint)| *hint)
}
