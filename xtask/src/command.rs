//! The command line of xtask. Few enough words to be read by hand, so that no argument parser has to compile first.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{bench, conformance, generate, sweep, test, tidy};

/// What `cargo xtask` can do.
pub const USAGE: &str = "\
cargo xtask test [--only STEP,…]          everything that must hold: checks, tests, sweeps, docs, licences
cargo xtask tidy                          the checks of the repository itself
cargo xtask generate [--check]            write the generated files, or say which are stale
cargo xtask man [DIR]                     write the man pages (default: the target folder)
cargo xtask bench                         run the benchmarks and write docs/benchmarks.md
cargo xtask conformance                   run the suites that are not ours and write docs/conformance.md
cargo xtask sweep [--seconds N] [--seed S]    run every sweep for long and write docs/sweeps.md";

/// One parsed command.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Everything, or only the named steps.
    Test(Vec<String>),
    /// The checks of the repository itself.
    Tidy,
    /// Write or check the generated files.
    Generate(generate::Mode),
    /// Write the man pages.
    Man(Option<PathBuf>),
    /// Measure.
    Bench,
    /// Run the suites that are not ours.
    Conformance,
    /// Run the sweeps for long.
    Sweep(sweep::Budget),
}

impl Command {
    /// Reads the arguments after `cargo xtask`.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut args = args.into_iter();
        let command = match args.next().as_deref() {
            Some("test") => Self::Test(parse_only(&mut args)?),
            Some("tidy") => Self::Tidy,
            Some("generate") => Self::Generate(match args.next().as_deref() {
                None => generate::Mode::Write,
                Some("--check") => generate::Mode::Check,
                Some(other) => bail!("`generate` does not know `{other}`"),
            }),
            Some("man") => Self::Man(args.next().map(PathBuf::from)),
            Some("bench") => Self::Bench,
            Some("conformance") => Self::Conformance,
            Some("sweep") => Self::Sweep(parse_budget(&mut args)?),
            Some(other) => bail!("there is no command `{other}`"),
            None => bail!("which command?"),
        };
        match args.next() {
            Some(rest) => bail!("`{rest}` is one argument too many"),
            None => Ok(command),
        }
    }

    /// Does it.
    pub fn run(self) -> Result<ExitCode> {
        let workspace = Workspace::load()?;
        let success = match self {
            Self::Test(only) => test::run(workspace, &only)?,
            Self::Tidy => tidy::run(&workspace)?,
            Self::Generate(mode) => generate::run(&workspace, mode)?,
            Self::Man(dir) => generate::man(&workspace, dir)?,
            Self::Bench => bench::run(&workspace)?,
            Self::Conformance => conformance::run(&workspace)?,
            Self::Sweep(budget) => sweep::run(&workspace, budget)?,
        };
        Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn parse_only(args: &mut impl Iterator<Item = String>) -> Result<Vec<String>> {
    let steps = match args.next().as_deref() {
        None => return Ok(Vec::new()),
        Some("--only") => args.next().context("`--only` needs the names of steps")?,
        Some(other) => bail!("`test` does not know `{other}`"),
    };
    let steps: Vec<String> = steps.split(',').map(str::to_owned).collect();
    for step in &steps {
        if !test::STEPS.iter().any(|known| known.name == step) {
            let known: Vec<&str> = test::STEPS.iter().map(|known| known.name).collect();
            bail!("there is no step `{step}`; there are {}", known.join(", "));
        }
    }
    Ok(steps)
}

fn parse_budget(args: &mut impl Iterator<Item = String>) -> Result<sweep::Budget> {
    let mut budget = sweep::Budget::long();
    while let Some(flag) = args.next() {
        let mut number = || -> Result<u64> {
            let value = args.next().with_context(|| format!("`{flag}` needs a number"))?;
            value.parse().with_context(|| format!("`{flag}` needs a whole number, not `{value}`"))
        };
        match flag.as_str() {
            "--seconds" => budget.seconds = number()?,
            "--seed" => budget.seed = number()?,
            other => bail!("`sweep` does not know `{other}`"),
        }
    }
    Ok(budget)
}
