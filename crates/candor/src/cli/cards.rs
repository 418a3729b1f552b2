//! `candor card`: what it takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// What `candor harness` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Without DIR/.candor/harness.yaml the usual scenarios run: help, sync, search and get. With it, what it lists runs instead, so look at it
before you run the harness in a folder of somebody else's:

  usual: true                       # run the usual ones first
  scenarios:
    - { name: build, run: 'make', timeout: 5m }
    - { name: refused, run: 'candor ctx get -s {segment} --ids none:0', expect: { exit: 1, code: UNKNOWN_ID } }
    - { name: docs, run: 'make docs', required: false, expect: { stdout: 'pages written' } }")]
pub(crate) struct Harness {
    /// The segment to run on
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Append the results to this file instead of the usual one
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write a report for build servers
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

/// What `candor card` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  candor card -- cargo build                     run it; when it fails, its card says what to do
  candor card --timeout 30s -- ./deploy.sh       end it after a while
  make 2>&1 | candor card --command make --exit-code 2
  candor card --from-file build.log --command 'cargo build' --exit-code 101")]
pub(crate) struct Card {
    /// End the command after this long: 30s, 5m
    #[arg(long, value_name = "DURATION", value_parser = super::options::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Append the result to this file instead of the usual one
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print the result as one JSON line, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no card
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Explain an output that was captured earlier; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["timeout", "line"])]
    pub(crate) from_file: Option<PathBuf>,
    /// The command that gave a captured output
    #[arg(long, value_name = "LINE")]
    pub(crate) command: Option<String>,
    /// Its exit code
    #[arg(long, value_name = "N")]
    pub(crate) exit_code: Option<i32>,
    /// The command to run
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) line: Vec<String>,
}
