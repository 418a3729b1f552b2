//! A shell command on its way to the sandbox: what both tools that run one have in common.

use std::path::{Path, PathBuf};

use candor_gate::{Scene, Typed, Verdict};
use candor_sandbox::Spec;
use serde_json::{Map, Value, json};

use crate::error::bounded;
use crate::processes::Kept;
use crate::{Error, Judgement, ToolContext};

/// Where a shell is looked for before `PATH` is asked, better shells first.
const SHELLS: &[&str] = &["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
/// Every system has this one.
const SHELL_OF_LAST_RESORT: &str = "/bin/sh";

/// A command as a call names it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Line<'a> {
    pub(crate) command: &'a str,
    pub(crate) cwd: Option<&'a str>,
    pub(crate) env: Option<&'a Map<String, Value>>,
}

/// The command itself, where it can be one.
pub(crate) fn text<'a>(tool: &str, line: &Line<'a>) -> Result<&'a str, Error> {
    let command = line.command;
    if command.contains('\0') {
        return Err(Error::arguments(tool, "`command` holds a NUL byte"));
    }
    if command.trim().is_empty() {
        return Err(Error::arguments(tool, "`command` is empty"));
    }
    Ok(command)
}

/// How to run it. Its time and its output are for whoever runs it to say.
pub(crate) fn spec(tool: &str, line: &Line<'_>, context: &ToolContext) -> Result<Spec, Error> {
    let command = text(tool, line)?;
    let (program, mut env) = (shell(context), env(tool, line, context)?);
    // A shell that is not told looks up its user to find out, in whatever directory the machine keeps its users.
    if !env.iter().any(|(name, _)| name == "SHELL") {
        env.push(("SHELL".to_owned(), program.display().to_string()));
    }
    Ok(Spec {
        program,
        args: ["-c", command].map(Into::into).to_vec(),
        cwd: cwd(line, context),
        env,
        timeout: context.rules.timeout,
        output_bytes_max: context.rules.output_bytes_max,
        spill: None,
        stdin: candor_sandbox::Stdin::Closed,
        pty: None,
    })
}

/// What the gate says about it, and what people have said before.
pub(crate) fn judge(line: &Line<'_>, context: &ToolContext) -> Judgement {
    let (cwd, variables) = (cwd(line, context), variables(line));
    answer(context.rules.gate.judge(line.command, &scene(&cwd, &variables, context)))
}

/// The same of what is typed into a process that runs.
pub(crate) fn judge_typed(kept: &Kept, text: &str, context: &ToolContext) -> Judgement {
    let before = kept.typed();
    let typed = Typed { before: before.as_deref(), text };
    let cwd = kept.cwd.as_deref().unwrap_or(&context.workspace);
    let scene = scene(cwd, &kept.variables, context);
    answer(context.rules.gate.judge_input(&kept.command, &typed, &scene))
}

/// The gate's name for what the lists of the configuration refuse.
const USER_DENY: &str = "user-deny";

/// The same of a text that a shell may read.
pub(crate) fn judge_text(command: &str, cwd: &Path, context: &ToolContext) -> Judgement {
    answer(context.rules.gate.judge(command, &scene(cwd, &[], context)))
}

fn scene<'a>(cwd: &'a Path, variables: &'a [(String, String)], context: &'a ToolContext) -> Scene<'a> {
    let home = context.rules.env.iter().find(|(name, _)| name == "HOME").map(|(_, home)| Path::new(home));
    Scene { cwd, workspace: &context.workspace, home, writable: &context.rules.writable, variables }
}

fn answer(judged: candor_gate::Judgement) -> Judgement {
    match judged.verdict {
        Verdict::Allow => Judgement::Allow,
        Verdict::Deny if judged.rule == USER_DENY => Judgement::Deny { reason: judged.reason },
        Verdict::Deny => Judgement::Never { reason: judged.reason },
        Verdict::Ask => Judgement::Ask { reason: judged.reason, pattern: judged.pattern },
    }
}

/// The command as a person is shown it, with what it is given beside.
pub(crate) fn shown(line: &Line<'_>) -> String {
    let cwd = line.cwd.map(|cwd| format!("\ncwd: {}", json!(cwd)));
    let env = line.env.map(|env| format!("\nenv: {}", json!(env)));
    [cwd, env].into_iter().flatten().fold(line.command.to_owned(), |text, beside| text + &beside)
}

/// Where a command runs.
pub(crate) fn cwd(line: &Line<'_>, context: &ToolContext) -> PathBuf {
    line.cwd.map_or_else(|| context.workspace.clone(), |cwd| context.workspace.join(cwd))
}

/// The variables that a call gives its command. One that cannot be given is not: the call fails for it.
pub(crate) fn variables(line: &Line<'_>) -> Vec<(String, String)> {
    let pairs = line.env.into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), value_of(value)?))).collect()
}

/// The text of a variable.
fn value_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The environment of a command: what the rules give it, and what the model adds. A variable that would make programs run
/// or load something else cannot be added: whoever may set it could have run that directly, where it would be judged.
fn env(tool: &str, line: &Line<'_>, context: &ToolContext) -> Result<Vec<(String, String)>, Error> {
    let mut env = context.rules.env.clone();
    for (name, value) in line.env.into_iter().flatten() {
        let shown = bounded(name);
        // A shell drops such a name, or hands on another one, without a word.
        if name.is_empty()
            || name.contains(|char: char| char == '=' || char.is_whitespace() || char.is_control())
        {
            let reason =
                format!("`env`: {shown:?} is no name of a variable; it may hold no space and no `=`");
            return Err(Error::arguments(tool, reason));
        }
        let Some(value) = value_of(value) else {
            return Err(Error::arguments(tool, format!("`env.{shown}` is no text")));
        };
        if value.contains('\0') {
            return Err(Error::arguments(tool, format!("`env.{shown}` holds a NUL byte")));
        }
        if candor_gate::env::is_hijacking(name) {
            return Err(Error::arguments(tool, format!("`env.{shown}` may not be set")));
        }
        env.retain(|(other, _)| other != name);
        env.push((name.clone(), value));
    }
    Ok(env)
}

/// The shell to use. By its whole path, as that starts faster and does not depend on what the command's `PATH` holds.
pub(crate) fn shell(context: &ToolContext) -> PathBuf {
    let path = context.rules.env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let in_path = path
        .split(':')
        .filter(|directory| directory.starts_with('/'))
        .map(|directory| Path::new(directory).join("bash"));
    let mut candidates = SHELLS.iter().map(PathBuf::from).chain(in_path);
    candidates.find(|candidate| candidate.is_file()).unwrap_or_else(|| SHELL_OF_LAST_RESORT.into())
}
