//! `candor harness`: runs commands as a stranger would, and writes down what came of each.

mod ids;
mod junit;
mod scenario;

use std::fs;
use std::path::{Path, PathBuf};

use candor_cards::{Command, Failed, Record, RuleBase};
use candor_protocol::{Code, Failure};
use candor_sandbox::{Ended, Sandbox, Spec, Stdin};
use candor_tools::how;
use tokio_util::sync::CancellationToken;

use crate::cli::Harness;
use crate::commands::card::surroundings;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::recipes;
use crate::results;
use crate::screen::block_on;
use crate::stops::Stops;
use scenario::Scenario;

/// How much of each stream is kept.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// What came of a scenario.
struct Outcome {
    scenario: Scenario,
    record: Record,
    /// What was not as expected; nothing when it passed.
    wrong: Option<String>,
}

pub(crate) fn run(options: &Harness, context: &Context<'_>) -> Result<Exit, Fail> {
    // Without the dots of `.` and `./x`, which nobody wants to read.
    let directory: PathBuf = context.request.cwd.join(&options.dir).components().collect();
    let outcomes = outcomes(options, &directory, context);
    if let Some(file) = &options.junit {
        match write_report(&outcomes, &context.request.cwd.join(file), context) {
            // What kept the harness from running is more important than that nobody could be told.
            Err(failure) if outcomes.is_err() => {
                context.screen.warn(&format!("no report: {}", candor_cards::card(&failure).cause));
            }
            written => written?,
        }
    }
    summary(&outcomes?, options, &directory, context)
}

/// Writes what came of the harness for a build server, also when that is nothing: it would take a missing report for the
/// one of yesterday.
fn write_report(
    outcomes: &Result<Vec<Outcome>, Fail>,
    path: &Path,
    context: &Context<'_>,
) -> Result<(), Failure> {
    let report = match outcomes {
        Ok(outcomes) => junit::report(outcomes),
        Err(Fail::Card(failure)) => junit::error(&candor_cards::card(failure), context.screen.command()),
        // Somebody stopped it, and knows.
        Err(_) => return Ok(()),
    };
    let text = context.screen.redactor().redact_str(&report).into_owned();
    fs::write(path, text).map_err(|error| Failure::file(path, &error))
}

/// Runs all scenarios.
fn outcomes(options: &Harness, directory: &Path, context: &Context<'_>) -> Result<Vec<Outcome>, Fail> {
    let segment = options.dir.to_string_lossy().into_owned();
    fs::read_dir(directory).map_err(|error| Failure::file(directory, &error))?;
    let scenarios = scenario::read(directory)?;
    let runner = Runner { context, rules: recipes::rules(context), directory };
    let ids = match runner.resolve(&segment)? {
        Ok(ids) => ids,
        Err(card) => {
            let record = Record::of_card(results::now(), "harness_resolve_ids", &card);
            results::append(&record, options.out.as_deref(), directory, context.screen);
            return Err(Failure::new(Code::HarnessNoIds).with("path", &segment).into());
        }
    };
    context.screen.say(format_args!("✅ Resolved IDs: {}", ids::shown(&ids)))?;
    let mut outcomes = Vec::new();
    for scenario in scenarios {
        let outcome = runner.run(scenario.filled(&segment, &ids))?;
        results::append(&outcome.record, options.out.as_deref(), directory, context.screen);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn summary(
    outcomes: &[Outcome],
    options: &Harness,
    directory: &Path,
    context: &Context<'_>,
) -> Result<Exit, Fail> {
    let failed = outcomes.iter().filter(|outcome| outcome.wrong.is_some()).count();
    let required =
        outcomes.iter().filter(|outcome| outcome.wrong.is_some() && outcome.scenario.required).count();
    let file = options.out.as_ref().map_or_else(|| results::usual(directory), |file| directory.join(file));
    context.screen.say(format_args!(
        "\n{} scenarios: {} passed, {failed} failed ({required} of them required)",
        outcomes.len(),
        outcomes.len() - failed
    ))?;
    context.screen.say(format_args!("Output: {}", file.display()))?;
    Ok(if required > 0 { Exit::Bad } else { Exit::Good })
}

struct Runner<'a> {
    context: &'a Context<'a>,
    rules: std::sync::Arc<RuleBase>,
    directory: &'a Path,
}

impl Runner<'_> {
    /// Real ids: from the pack; else from the pack after a sync; else there is nothing to run with.
    fn resolve(&self, segment: &str) -> Result<Result<Vec<String>, candor_protocol::ErrorCard>, Fail> {
        if let Some(ids) = ids::from_pack(self.directory) {
            return Ok(Ok(ids));
        }
        let sync = Scenario::new("sync for ids", "candor ctx sync -s {segment}").filled(segment, &[]);
        self.run(sync)?;
        Ok(ids::from_pack(self.directory)
            .ok_or_else(|| candor_cards::card(&Failure::new(Code::HarnessNoIds).with("path", segment))))
    }

    /// Runs one scenario and says what came of it.
    fn run(&self, scenario: Scenario) -> Result<Outcome, Fail> {
        let screen = self.context.screen;
        screen.say(format_args!("▶️  Running: {}", scenario.run))?;
        let ended = self.ended(&scenario)?;
        let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
        let command = Command::line(&scenario.run);
        let failed = Failed {
            command: &command,
            how: how(ended.how, scenario.timeout()),
            stdout: &stdout,
            stderr: &stderr,
        };
        let (record, _) = Record::new(
            results::now(),
            &failed,
            Some(ended.duration),
            &self.rules,
            &surroundings(self.context, &self.context.request.cwd),
        );
        let wrong = scenario.wrong(&record, &stdout, &stderr);
        match &wrong {
            None => screen.say(format_args!("   ✅ Success"))?,
            Some(wrong) => {
                screen.say(format_args!("   ❌ Failed: {wrong}"))?;
                for line in record.error_prompt.iter().flat_map(|prompt| prompt.lines()) {
                    screen.say(format_args!("   {line}"))?;
                }
            }
        }
        if let Some(report) = &record.pd_report {
            screen.say(format_args!("   📊 PD_REPORT: {}", ids::shown_report(report)))?;
        }
        Ok(Outcome { scenario, record, wrong })
    }

    fn ended(&self, scenario: &Scenario) -> Result<Ended, Fail> {
        let spec = Spec {
            program: "/bin/sh".into(),
            args: ["-c", &scenario.run].map(Into::into).to_vec(),
            cwd: self.context.request.cwd.clone(),
            env: self.env(),
            timeout: scenario.timeout(),
            output_bytes_max: OUTPUT_BYTES_MAX,
            spill: None,
            stdin: Stdin::Closed,
            pty: None,
        };
        let ended = block_on(async {
            let (mut stops, cancel) = (Stops::listen()?, CancellationToken::new());
            let (walls, mut stopped) = (Sandbox::bare(), false);
            let mut running = std::pin::pin!(candor_sandbox::run(&spec, &walls, &cancel));
            loop {
                tokio::select! {
                    ended = &mut running => return Ok((ended, stopped)),
                    _ = stops.next() => {
                        stopped = true;
                        cancel.cancel();
                    }
                }
            }
        })?;
        match ended {
            (_, true) => Err(Fail::Stopped),
            (ended, false) => ended.map_err(|error| error.failure().into()),
        }
    }

    /// Our own environment, in which `candor` is this very program.
    fn env(&self) -> Vec<(String, String)> {
        let own = std::env::current_exe()
            .ok()
            .and_then(|exe| exe.parent().map(|parent| parent.display().to_string()));
        let all = self.context.env().all().map(|(name, value)| match (name, &own) {
            ("PATH", Some(own)) => (name.to_owned(), format!("{own}:{value}")),
            _ => (name.to_owned(), value.to_owned()),
        });
        all.collect()
    }
}
