//! `candor verify`: what it takes.

use clap::Args;

/// What `candor verify` takes.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people type")]
#[command(after_help = "\
No model and no key is needed. What .candor/verify.yaml declares is checked, and else what is found.
Everything runs behind the walls that a model's commands run behind.
Exit codes: 0 verified, 1 failed, 2 bad usage, 4 unverifiable, 130 stopped.")]
pub(crate) struct Verify {
    /// Only this service
    #[arg(long, value_name = "NAME")]
    pub(crate) service: Option<String>,
    /// Say what would run, and why; run nothing
    #[arg(long, conflicts_with_all = ["watch", "junit", "sarif"])]
    pub(crate) plan: bool,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["junit", "sarif"])]
    pub(crate) json: bool,
    /// Print `JUnit` XML
    #[arg(long, conflicts_with = "sarif")]
    pub(crate) junit: bool,
    /// Print SARIF
    #[arg(long)]
    pub(crate) sarif: bool,
    /// Look again whenever a file changes
    #[arg(long)]
    pub(crate) watch: bool,
}
