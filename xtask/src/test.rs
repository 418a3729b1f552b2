//! `cargo xtask test`: everything that must hold, in one command.

use anyhow::Result;

use crate::invocation::Invocation;
use crate::needs::{self, Missing, Tests};
use crate::postgres::{self, Server};
use crate::report::{Outcome, Report, SkipPolicy, StepResult};
use crate::workspace::Workspace;
use crate::{elsewhere, generate, licences, sweep, tidy};

/// One step of the test command.
#[derive(Debug)]
pub struct Step {
    /// Its name, as `--only` takes it.
    pub name: &'static str,
    run: fn(&mut Surroundings) -> Result<StepResult>,
}

/// Every step, in order: quick ones first, and what a later one needs before it.
pub const STEPS: &[Step] = &[
    Step { name: "needs", run: needs::step },
    Step { name: "tidy", run: |around| tidy::step(&around.workspace) },
    Step { name: "generate", run: |around| generate::step(&around.workspace) },
    Step { name: "fmt", run: fmt },
    Step { name: "clippy", run: clippy },
    Step { name: "tests", run: tests },
    Step { name: "doctests", run: doctests },
    Step { name: "sweeps", run: sweeps },
    Step { name: "elsewhere", run: elsewhere::tests },
    Step { name: "macos", run: elsewhere::macos },
    Step { name: "doc", run: doc },
    Step { name: "licences", run: |around| licences::step(&around.workspace) },
];

/// What the steps stand on.
#[derive(Debug)]
pub struct Surroundings {
    /// The workspace under test.
    pub workspace: Workspace,
    /// What the tests need and could not get.
    pub missing: Vec<Missing>,
}

impl Surroundings {
    pub(crate) fn missing_for_all(&self) -> Option<&Missing> {
        self.missing.iter().find(|missing| missing.need.tests == Tests::All)
    }

    fn has(&self, need: &str) -> bool {
        !self.missing.iter().any(|missing| missing.need.name == need)
    }

    fn cargo(&self, args: &[&str]) -> Invocation {
        Invocation::cargo(&self.workspace.root).args(args)
    }
}

/// Runs the named steps, or all of them; true when everything went as it must.
pub fn run(workspace: Workspace, only: &[String]) -> Result<bool> {
    let missing = needs::look(&workspace);
    let mut surroundings = Surroundings { workspace, missing };
    let mut report = Report::start(SkipPolicy::from_env());
    for step in STEPS {
        if only.is_empty() || only.iter().any(|name| name == step.name) {
            report.step(step.name, || (step.run)(&mut surroundings));
        }
    }
    println!("{}", report.summary());
    Ok(report.is_success())
}

fn fmt(around: &mut Surroundings) -> Result<StepResult> {
    with_component(
        "rustfmt",
        around.cargo(&["fmt", "--version"]),
        around.cargo(&["fmt", "--all", "--check", "--", "--color", "never"]),
    )
}

fn clippy(around: &mut Surroundings) -> Result<StepResult> {
    let check = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    with_component("clippy", around.cargo(&["clippy", "--version"]), around.cargo(&check))
}

fn tests(around: &mut Surroundings) -> Result<StepResult> {
    if let Some(missing) = around.missing_for_all() {
        return Ok(Outcome::Skipped(missing.reason.clone()).into());
    }
    let filter = filter(&format!("not {}", sweep::TESTS), &around.missing);
    let quiet = ["--status-level", "fail", "-E", &filter];
    // Stopped when this function ends, however it does.
    let server = around.has(postgres::PROGRAM).then(Server::start).transpose()?;
    let address = server.as_ref().map(Server::url).unwrap_or_default();
    let runner = nextest(&around.workspace).env(postgres::VARIABLE, address);
    let finished = runner.args(limits(&around.workspace)).args(quiet).finish()?;
    let notes =
        [format!("{} tests run", tests_run(&finished.output))].into_iter().chain(figures(&finished.output));
    let result = if finished.success { StepResult::passed() } else { StepResult::failed(finished.output) };
    Ok(StepResult { skipped: left_out(&around.missing), ..result.with_notes(notes) })
}

/// The figures that tests print about themselves.
fn figures(output: &str) -> Vec<String> {
    output.lines().filter_map(|line| line.trim().strip_prefix("figure: ")).map(str::to_owned).collect()
}

/// How many tests the runner says it ran. What it calls skipped is not told on: those are the sweeps, and what
/// [`left_out`] names.
pub fn tests_run(output: &str) -> usize {
    let summary = output.lines().rev().find_map(|line| line.trim_start().strip_prefix("Summary"));
    let count = summary.and_then(|summary| summary.split_once(']')?.1.split_whitespace().next());
    // With a failure that stops the runner it says 15/30.
    count.and_then(|count| count.split('/').next()?.parse().ok()).unwrap_or(0)
}

/// The test runner on the whole workspace, going on after a failure.
pub(crate) fn nextest(workspace: &Workspace) -> Invocation {
    let run = ["nextest", "run", "--workspace", "--locked", "--no-fail-fast"];
    Invocation::cargo(&workspace.root).args(run).env("CANDOR_SUITES", needs::suites_dir(workspace))
}

/// What keeps a test that hangs from hanging everything. The file is xtask's own: on their own machine people may
/// want to sit in a debugger for longer.
pub(crate) fn limits(workspace: &Workspace) -> [String; 2] {
    let file = workspace.root.join("xtask").join("nextest.toml");
    ["--tool-config-file".to_owned(), format!("xtask:{}", file.display())]
}

/// Those of the chosen tests that have all they need.
pub fn filter(chosen: &str, missing: &[Missing]) -> String {
    let names = missing.iter().filter_map(named);
    names.fold(chosen.to_owned(), |filter, (name, _)| format!("{filter} and not test(/{name}/)"))
}

/// What [`filter`] leaves out, each with its reason.
pub fn left_out(missing: &[Missing]) -> Vec<String> {
    missing.iter().filter_map(named).map(|(name, reason)| format!("tests named `{name}`: {reason}")).collect()
}

fn named(missing: &Missing) -> Option<(&'static str, &str)> {
    match missing.need.tests {
        Tests::Named(name) => Some((name, &missing.reason)),
        Tests::All => None,
    }
}

fn doctests(around: &mut Surroundings) -> Result<StepResult> {
    passes(around.cargo(&["test", "--doc", "--workspace", "--locked"]))
}

fn sweeps(around: &mut Surroundings) -> Result<StepResult> {
    match around.missing_for_all() {
        Some(missing) => Ok(Outcome::Skipped(missing.reason.clone()).into()),
        None => sweep::step(&around.workspace, &filter(sweep::TESTS, &around.missing)),
    }
}

/// Private items are documented too: the readers of these pages work on the code, and a link that broke inside
/// a crate misleads them as much as one that broke outside.
fn doc(around: &mut Surroundings) -> Result<StepResult> {
    let doc = ["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"];
    passes(around.cargo(&doc).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs a check that is a component of the toolchain, or says how to get the component.
fn with_component(component: &str, probe: Invocation, check: Invocation) -> Result<StepResult> {
    if !probe.succeeds() {
        let reason = format!("{component} is not installed; get it with `rustup component add {component}`");
        return Ok(Outcome::Skipped(reason).into());
    }
    passes(check)
}

fn passes(invocation: Invocation) -> Result<StepResult> {
    let finished = invocation.finish()?;
    Ok(if finished.success { StepResult::passed() } else { StepResult::failed(finished.output) })
}
