//! `shell_exec`: runs a command in the workspace.

use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_log::event;
use candor_protocol::ToolSpec;
use candor_sandbox::{Ended, How, Output, Spec};
use serde_json::{Value, json};

use crate::output::note;
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "shell_exec";

/// Where a shell is looked for before `PATH` is asked, better shells first.
const SHELLS: &[&str] = &["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
/// Every system has this one.
const SHELL_OF_LAST_RESORT: &str = "/bin/sh";

/// How much of the end of the output stands on the card; all of it stands beside the card.
const CARD_OUTPUT_CHARS_MAX: usize = 300;

/// Runs a command in the workspace.
pub(crate) struct ShellExec {
    spec: ToolSpec,
}

impl ShellExec {
    pub(crate) fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "command": { "type": "string" },
                "timeout": { "type": "integer", "minimum": 1, "description": "seconds" },
            },
            "required": ["command"],
        });
        let description = "Run a bash command in the workspace.\nWhat it leaves running is ended.";
        Self { spec: ToolSpec { name: NAME.to_owned(), description: description.to_owned(), parameters } }
    }

    async fn exec(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let command = arguments::text(args, "command").unwrap_or_default();
        if command.contains('\0') {
            return Err(Error::arguments(NAME, "`command` holds a NUL byte"));
        }
        let asked = arguments::number(args, "timeout").map_or(context.rules.timeout, Duration::from_secs);
        let timeout = asked.min(context.rules.timeout);
        let spec = Spec {
            program: shell(context),
            args: ["-c", command].map(Into::into).to_vec(),
            cwd: context.workspace.clone(),
            env: context.rules.env.clone(),
            timeout,
            // Two streams share what one result may hold.
            output_bytes_max: context.rules.output_bytes_max / 2,
            spill: context.rules.spill.clone(),
        };
        let ended = candor_sandbox::run(&spec, &context.cancel).await?;
        log_cuts(&ended, context);
        told(&ended, timeout, context)
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

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::exec(args, context).await, context) })
    }
}

/// The shell to use. By its whole path, as that starts faster and does not depend on what the command's `PATH` holds.
fn shell(context: &ToolContext) -> PathBuf {
    let path = context.rules.env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let in_path = path
        .split(':')
        .filter(|directory| directory.starts_with('/'))
        .map(|directory| Path::new(directory).join("bash"));
    let mut candidates = SHELLS.iter().map(PathBuf::from).chain(in_path);
    candidates.find(|candidate| candidate.is_file()).unwrap_or_else(|| SHELL_OF_LAST_RESORT.into())
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
fn told(ended: &Ended, limit: Duration, context: &ToolContext) -> Result<ToolOutput, Error> {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    let tool = NAME.to_owned();
    let last = last_lines(if stderr.trim().is_empty() { &stdout } else { &stderr });
    let (exit_code, error) = match ended.how {
        How::Exited(0) => (Some(0), None),
        How::Exited(code) => {
            (Some(code), Some(Error::Failed { tool, status: code.to_string(), output: last }))
        }
        How::Signalled(signal) => {
            (None, Some(Error::Failed { tool, status: format!("signal {signal}"), output: last }))
        }
        How::TimedOut => (None, Some(Error::TimedOut { tool, limit })),
        How::Cancelled => return Err(Error::Interrupted { tool }),
    };
    let lines = lines(&ended.stdout) + lines(&ended.stderr);
    let result = json!({
        "stdout": stdout,
        "stderr": stderr,
        "exit_code": exit_code,
        "timed_out": ended.how == How::TimedOut,
    });
    let Some(error) = error else {
        return Ok(ToolOutput::success(result.to_string(), format!("exit 0, {}", counted(lines))));
    };
    note(&error, context);
    let for_people = match ended.how {
        How::Exited(code) => format!("exit {code}, {}", counted(lines)),
        How::Signalled(signal) => format!("ended by signal {signal}, {}", counted(lines)),
        _ => format!("stopped after {} s, {}", limit.as_secs_f64(), counted(lines)),
    };
    Ok(ToolOutput { for_people, ..ToolOutput::failure_with(&error, result) })
}

fn lines(output: &Output) -> usize {
    output.text().lines().count()
}

fn counted(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

fn last_lines(text: &str) -> String {
    let text = text.trim_end();
    let start = text.char_indices().rev().nth(CARD_OUTPUT_CHARS_MAX - 1).map_or(0, |(index, _)| index);
    text[start..].to_owned()
}
