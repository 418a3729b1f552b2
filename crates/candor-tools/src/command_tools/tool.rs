//! Runs the program of an entry.

use std::path::PathBuf;
use std::time::Duration;

use candor_protocol::ToolSpec;
use candor_sandbox::{How, Spec, Stdin};
use serde_json::{Map, Value, json};

use super::entry::{Entry, variable};
use super::filling::fill;
use crate::carrying::{Streams, carry_out};
use crate::command::{self, Line};
use crate::explaining::{self, Said};
use crate::output::note;
use crate::{BoxFuture, Effect, Error, Judgement, Tool, ToolContext, ToolOutput, arguments};

/// A program as a tool.
pub(super) struct CommandTool {
    entry: Entry,
    spec: ToolSpec,
    /// What the program gets besides the environment of all commands.
    env: Vec<(String, String)>,
}

impl CommandTool {
    /// The tool of an entry; `host` is where `${NAME}` is looked up.
    pub(super) fn new(entry: Entry, host: &[(String, String)]) -> Self {
        let of = |value: &str| match variable(value) {
            Some(name) => host.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone()),
            None => Some(value.to_owned()),
        };
        let env = entry.env.iter().map(|(name, value)| (name.clone(), of(&value.0).unwrap_or_default()));
        Self { spec: entry.spec(), env: env.collect(), entry }
    }

    /// The same as a shell would be told it: for the rules, for people and for whoever explains a failure.
    fn line(&self, args: &Value) -> String {
        let filled = fill(&self.entry, object(args)).unwrap_or_default();
        let words = std::iter::once(self.entry.cmd.clone()).chain(filled);
        words.map(|word| candor_cards::quote(&word)).collect::<Vec<_>>().join(" ")
    }

    fn process(&self, args: &Value, context: &ToolContext) -> Result<Spec, Error> {
        let filled = fill(&self.entry, object(args)).map_err(|why| Error::arguments(&self.spec.name, why))?;
        let mut env = context.rules.env.clone();
        env.retain(|(name, _)| !self.env.iter().any(|(own, _)| own == name));
        env.extend(self.env.iter().cloned());
        let limit = self.entry.output_limit.unwrap_or(context.rules.output_bytes_max);
        Ok(Spec {
            program: PathBuf::from(&self.entry.cmd),
            args: filled.into_iter().map(Into::into).collect(),
            cwd: context.workspace.clone(),
            env,
            timeout: self.time_max(args, context),
            // Two streams share what one result may hold.
            output_bytes_max: limit.min(context.rules.output_bytes_max) / 2,
            spill: context.walls.spill()?,
            stdin: Stdin::Closed,
            pty: None,
        })
    }

    async fn exec(&self, args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let name = &self.spec.name;
        let spec = self.process(args, context)?;
        let carried = carry_out(&spec, context).await?;
        let ended = &carried.ended;
        if ended.how == How::Cancelled {
            let broken_off = ToolOutput::failure(&Error::Interrupted { tool: name.clone() });
            return Ok(carried.told(broken_off));
        }
        let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
        // Both streams had the half of it.
        let put = |told: &mut Value, more_bytes: usize| {
            let said = Streams::beside(told, more_bytes, ended, 2 * spec.output_bytes_max);
            said.log_cuts(name, ended, context);
            let said = [said.stdout, said.stderr].into_iter().filter(|text| !text.is_empty());
            told["output"] = said.collect::<Vec<_>>().join("\n").into();
        };
        let mut told = json!({ "output": "" });
        let output = match explaining::failed(ended.how, spec.timeout) {
            None => {
                put(&mut told, 0);
                ToolOutput::success(told.to_string(), "exit 0")
            }
            Some(how) => {
                told["exit_code"] = if let How::Exited(code) = ended.how { code.into() } else { Value::Null };
                if ended.how == How::TimedOut {
                    note(&Error::TimedOut { tool: name.clone(), limit: spec.timeout }, context);
                }
                let line = self.line(args);
                let line = Line { command: &line, ..Line::default() };
                let explained = explaining::explained(&line, how, Said { stdout, stderr }, context).await;
                put(&mut told, json!(explained.card).to_string().len());
                let for_people = explained.card.title.clone();
                ToolOutput::command_failure(explained, told, for_people)
            }
        };
        Ok(carried.told(output))
    }
}

impl Tool for CommandTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::problem(&self.spec.parameters, args).or_else(|| {
            let given = object(args);
            let mut known = self.entry.parameters.iter();
            known.find_map(|(name, parameter)| {
                let value = given.get(name).filter(|value| !value.is_null())?;
                parameter.problem(value).map(|why| format!("`{name}` {why}"))
            })
        })
    }

    fn is_walled(&self) -> bool {
        true
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Acts
    }

    fn time_max(&self, _args: &Value, context: &ToolContext) -> Duration {
        self.entry.timeout().unwrap_or(context.rules.timeout)
    }

    fn judge(&self, args: &Value, context: &ToolContext) -> Judgement {
        command::judge_text(&self.line(args), &context.workspace, context)
    }

    fn shown(&self, args: &Value) -> String {
        self.line(args)
    }

    fn pattern(&self, args: &Value, _context: &ToolContext) -> Option<String> {
        Some(self.line(args))
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(self.exec(args, context).await, context) })
    }
}

/// What is given. The arguments have been looked at before: where they are no object, nothing is.
fn object(args: &Value) -> &Map<String, Value> {
    static NOTHING: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    args.as_object().unwrap_or(&NOTHING)
}
