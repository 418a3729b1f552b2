//! The `sweep_*` tests: a short sample inside the test command, or all of them for long.

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};

use anyhow::{Context, Result};

use crate::invocation::Finished;
use crate::postgres::{self, Server};
use crate::report::StepResult;
use crate::test::{self, limits, nextest};
use crate::workspace::Workspace;
use crate::{generate, machine, needs};

/// How nextest is told which tests are sweeps: those whose own name begins with the word.
pub const TESTS: &str = "test(/(^|::)sweep_/)";

/// How long each sweep of the test command goes on, and how long it may at most be asked to.
const SAMPLE_SECONDS: u64 = 10;
const SAMPLE_SECONDS_MAX: u64 = 60;
/// How long each sweep goes on when nothing else is happening: a night has room for a hundred of these.
const LONG_SECONDS: u64 = 300;

const PAGE: &str = "docs/sweeps.md";

/// How long each sweep goes on, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// For each sweep.
    pub seconds: u64,
    /// The same for all of them.
    pub seed: u64,
}

/// What one sweep said about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepLine {
    /// The sweep's name.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// How many cases it tried.
    pub cases: u64,
    /// For how long.
    pub seconds: f64,
    /// The case that failed, if one did.
    pub failed_case: Option<u64>,
}

struct Swept {
    success: bool,
    output: String,
    lines: Vec<SweepLine>,
}

impl Budget {
    /// The sample of the test command, which the environment may lengthen up to a minute or give a seed.
    pub fn sample() -> Result<Self> {
        let seconds =
            number_from_env("CANDOR_SWEEP_SECONDS")?.unwrap_or(SAMPLE_SECONDS).min(SAMPLE_SECONDS_MAX);
        Ok(Self { seconds, seed: number_from_env("CANDOR_SWEEP_SEED")?.unwrap_or_else(random_seed) })
    }

    /// The long one of `cargo xtask sweep`.
    pub fn long() -> Self {
        Self { seconds: LONG_SECONDS, seed: random_seed() }
    }
}

/// The step of the test command, for the sweeps that have all they need.
pub fn step(workspace: &Workspace, filter: &str) -> Result<StepResult> {
    let budget = Budget::sample()?;
    let swept = sweep(workspace, filter, budget)?;
    let head = format!("seed {}, {} s each; again with CANDOR_SWEEP_SEED={0}", budget.seed, budget.seconds);
    let notes = std::iter::once(head).chain(swept.lines.iter().map(SweepLine::to_string)).collect::<Vec<_>>();
    let result = if swept.success { StepResult::passed() } else { StepResult::failed(swept.output) };
    Ok(result.with_notes(notes))
}

/// `cargo xtask sweep`.
pub fn run(workspace: &Workspace, budget: Budget) -> Result<bool> {
    println!("sweeps: seed {}, {} s each", budget.seed, budget.seconds);
    let missing = needs::install_all(workspace);
    for left_out in test::left_out(&missing) {
        println!("skipped: {left_out}");
    }
    let swept = sweep(workspace, &test::filter(TESTS, &missing), budget)?;
    for line in &swept.lines {
        println!("{line}");
    }
    if !swept.success {
        println!("{}", swept.output);
    }
    let text = page(&swept.lines, &machine::describe(&workspace.root));
    generate::write(&workspace.root.join(PAGE), &text)?;
    println!("wrote {PAGE}");
    Ok(swept.success)
}

/// Unoptimised on purpose: the scanners are optimised in every profile, and debug assertions and overflow checks
/// find more than a larger count would.
fn sweep(workspace: &Workspace, filter: &str, budget: Budget) -> Result<Swept> {
    // A long run is watched by whoever started it, and may be asked to take any time.
    let limits = (budget.seconds <= SAMPLE_SECONDS_MAX).then(|| limits(workspace));
    // Where there is none, the sweeps that need it are left out already, or say that it is missing.
    let server = Server::start().ok();
    let address = server.as_ref().map(Server::url).unwrap_or_default();
    let finished = nextest(workspace)
        .env(postgres::VARIABLE, address)
        .args(limits.into_iter().flatten())
        .args(["--no-tests=pass", "--success-output", "immediate", "-E", filter])
        .env("CANDOR_SWEEP_SEED", budget.seed.to_string())
        .env("CANDOR_SWEEP_SECONDS", budget.seconds.to_string())
        .finish()?;
    let Finished { success, mut output } = finished;
    let lines: Vec<SweepLine> = output.lines().filter_map(SweepLine::parse).collect();
    let silent = test::tests_run(&output).saturating_sub(lines.len());
    if silent > 0 {
        let _ = writeln!(
            output,
            "{silent} of the sweeps did not print their line: use `Sweep` of candor-testkit"
        );
    }
    Ok(Swept { success: success && silent == 0, output, lines })
}

impl SweepLine {
    /// Reads the line a sweep prints. The test runner may have put the test's own name before it.
    pub fn parse(line: &str) -> Option<Self> {
        let (_, line) = line.rsplit_once("sweep ")?;
        let (name, facts) = line.split_once(": seed ")?;
        let mut facts = facts.trim_end().split(", ");
        let seed = facts.next()?.parse().ok()?;
        let cases = facts.next()?.strip_suffix(" cases")?.parse().ok()?;
        let seconds = facts.next()?.strip_suffix(" s")?.parse().ok()?;
        let failed_case = match facts.next() {
            None => None,
            Some(failure) => Some(failure.strip_prefix("failed in case ")?.parse().ok()?),
        };
        Some(Self { name: name.to_owned(), seed, cases, seconds, failed_case })
    }
}

impl std::fmt::Display for SweepLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, seed, cases, seconds, failed_case } = self;
        write!(f, "sweep {name}: seed {seed}, {cases} cases, {seconds:.1} s")?;
        failed_case.map_or(Ok(()), |case| write!(f, ", failed in case {case}"))
    }
}

/// The page that records a long run.
pub fn page(lines: &[SweepLine], machine: &str) -> String {
    let mut page = String::from(
        "# Sweeps\n\nRandom cases from a printed seed. `cargo xtask test` runs a short sample of each; this page is \
         the last long run,\nwritten by `cargo xtask sweep`. The same seed gives the same cases.\n\n",
    );
    page.push_str(machine);
    page.push_str("\n\n| sweep | seed | cases | seconds | result |\n|---|---|---|---|---|\n");
    for line in lines {
        let SweepLine { name, seed, cases, seconds, failed_case } = line;
        let result = failed_case.map_or_else(|| "ok".to_owned(), |case| format!("**failed in case {case}**"));
        let _ = writeln!(page, "| `{name}` | {seed} | {cases} | {seconds:.0} | {result} |");
    }
    page
}

fn number_from_env(name: &str) -> Result<Option<u64>> {
    let Ok(text) = std::env::var(name) else {
        return Ok(None);
    };
    text.parse().map(Some).with_context(|| format!("{name} must be a whole number, not `{text}`"))
}

/// Random by way of the hasher's own random keys: no dependency, and 32 bits are easier to copy.
fn random_seed() -> u64 {
    RandomState::new().hash_one(0u8) >> 32
}
