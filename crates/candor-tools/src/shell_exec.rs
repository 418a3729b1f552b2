//! `shell_exec`: runs a command in the workspace.

use std::time::Duration;

use candor_protocol::ToolSpec;
use candor_sandbox::{Ended, How};
use serde_json::{Map, Value, json};

use crate::arguments::AtLeast;
use crate::carrying::{Streams, carry_out};
use crate::command::Line;
use crate::explaining::Said;
use crate::output::counted;
use crate::output::note;
use crate::shortened::CUT;
use crate::{
    BoxFuture, Effect, Error, Judgement, Tool, ToolContext, ToolOutput, arguments, command, explaining,
};

const NAME: &str = "shell_exec";

arguments! {
    struct Args<'a> {
        command: &'a str;
        cwd: Option<&'a str>;
        env: Option<&'a Map<String, Value>>;
        timeout: Option<AtLeast<1>> = "seconds";
    }
}

impl<'a> Args<'a> {
    fn line(&self) -> Line<'a> {
        Line { command: self.command, cwd: self.cwd, env: self.env }
    }
}

/// Runs a command in the workspace.
pub(crate) struct ShellExec {
    spec: ToolSpec,
}

impl ShellExec {
    pub(crate) fn new() -> Self {
        Self::named(NAME)
    }

    /// The same under another name: whoever is asked is told who wants it.
    pub(crate) fn named(name: &str) -> Self {
        let description = "Run a bash command in the workspace.\nWhat it leaves running is ended.";
        Self { spec: arguments::spec::<Args<'_>>(name, description) }
    }

    async fn exec(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let args: Args<'_> = arguments::of(NAME, args)?;
        let line = args.line();
        let mut spec = command::spec(NAME, &line, context)?;
        let asked = args.timeout.map_or(context.rules.timeout, |seconds| Duration::from_secs(seconds.0));
        spec.timeout = asked.min(context.rules.timeout);
        // Two streams share what one result may hold.
        spec.output_bytes_max = context.rules.output_bytes_max / 2;
        spec.spill = context.walls.spill()?;
        let carried = carry_out(&spec, context).await?;
        let output = told(&carried.ended, spec.timeout, &line, context).await;
        Ok(carried.told(ToolOutput::of(output, context)))
    }
}

impl Tool for ShellExec {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_walled(&self) -> bool {
        true
    }

    fn looks_first(&self) -> bool {
        true
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["bash"]
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Acts
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn judge(&self, args: &Value, context: &ToolContext) -> Judgement {
        match arguments::read::<Args<'_>>(args) {
            Ok(args) => command::judge(&args.line(), context),
            Err(reason) => Judgement::Deny { reason },
        }
    }

    fn shown(&self, args: &Value) -> String {
        arguments::read::<Args<'_>>(args)
            .map_or_else(|_| args.to_string(), |args| command::shown(&args.line()))
    }

    /// This very command as it was shown, with what it is given beside, and no other: what else begins like it may do anything.
    fn pattern(&self, args: &Value, _context: &ToolContext) -> Option<String> {
        arguments::read::<Args<'_>>(args).ok().map(|args| command::shown(&args.line()))
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::exec(args, context).await, context) })
    }
}

/// What the model is told. A command that failed or was stopped has said why, so its output is told beside the card.
async fn told(
    ended: &Ended,
    limit: Duration,
    line: &Line<'_>,
    context: &ToolContext,
) -> Result<ToolOutput, Error> {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    if ended.how == How::Cancelled {
        return Err(Error::Interrupted { tool: NAME.to_owned() });
    }
    // What it said is put in when it is known how much room there is.
    let mut result = json!({
        "stdout": "",
        "stderr": "",
        "exit_code": if let How::Exited(code) = ended.how { Some(code) } else { None },
        "timed_out": ended.how == How::TimedOut,
    });
    let Some(how) = explaining::failed(ended.how, limit) else {
        let lines = put(&mut result, 0, ended, context);
        return Ok(ToolOutput::success(result.to_string(), format!("exit 0, {lines}")));
    };
    if let Some(hint) = hint(&stdout, &stderr, context) {
        result["sandbox"] = hint.into();
    }
    if ended.how == How::TimedOut {
        note(&Error::TimedOut { tool: NAME.to_owned(), limit }, context);
    }
    let last = last_line(&stderr).or_else(|| last_line(&stdout)).map(|line| format!(": {line}"));
    let last = last.unwrap_or_default();
    let explained = explaining::explained(line, how, Said { stdout, stderr }, context).await;
    let card_bytes = json!(explained.card).to_string().len();
    let lines = put(&mut result, card_bytes, ended, context);
    let for_people = match ended.how {
        How::Exited(code) => format!("exit {code}{last}"),
        How::Signalled(signal) => format!("ended by signal {signal}{last}"),
        _ => format!("stopped after {} s, {lines}", limit.as_secs_f64()),
    };
    Ok(ToolOutput::command_failure(explained, result, for_people))
}

/// What a program that fails says last is mostly why.
fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// Puts in what it said, beside what else the result will hold; how much that is, for people.
fn put(result: &mut Value, more_bytes: usize, ended: &Ended, context: &ToolContext) -> String {
    let said = Streams::beside(result, more_bytes, ended, context.rules.output_bytes_max);
    said.log_cuts(NAME, ended, context);
    let lines = said.stdout.lines().count() + said.stderr.lines().count();
    result["stdout"] = said.stdout.into();
    result["stderr"] = said.stderr.into();
    counted(lines as u64, "line", "lines") + if said.is_cut { CUT } else { "" }
}

/// Git would run what a command writes into the configuration and the hooks of a new repository, outside of the walls.
const NO_NEW_REPOSITORY: &str = "the sandbox lets no command make a repository of the workspace itself: a person has to run `git init` \
                                 there first; a repository in a folder below works";

/// Where nothing but `/tmp` is to be written, no setting for paths opens another.
const READ_ONLY: &str = "the permission is read-only: the sandbox lets commands write below /tmp alone, whatever sandbox.writable names";

/// Without this a model takes a hidden file for one with a wrong mode.
const HIDDEN: &str = "the sandbox hides where keys, tokens and passwords are kept (security.denied_paths)";

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
    let policy = context.walls.plan().policy.as_ref()?;
    let said = |text: &str| stderr.contains(text) || stdout.contains(text);
    let makes_a_repository =
        [stderr, stdout].iter().any(|text| explaining::makes_a_repository(text, context));
    if said("Read-only file system") && makes_a_repository {
        return Some(NO_NEW_REPOSITORY);
    }
    if said("Read-only file system") && policy.writable.is_empty() {
        return Some(READ_ONLY);
    }
    if said("Permission denied") && policy.hidden.iter().filter_map(|path| path.to_str()).any(said) {
        return Some(HIDDEN);
    }
    HINTS.iter().find(|(text, _)| said(text)).map(|(_, hint)| *hint)
}

#[cfg(test)]
#[path = "shell_exec_tests.rs"]
mod tests;
