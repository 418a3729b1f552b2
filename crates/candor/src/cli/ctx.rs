//! `candor ctx` and what its commands take.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum Ctx {
    /// Make a folder a segment: a configuration and a reading list
    Create(Place),
    /// Pack what has changed
    Sync(Place),
    /// Make the reading list anew; what you wrote in it is kept
    RefreshPrime(Place),
    /// Look whether the pack can be relied on: form, hashes, index
    Validate(Place),
    /// Find chunks by words
    Search(CtxSearch),
    /// Read chunks within a budget
    Get(CtxGet),
    /// What is in the pack, and how old it is
    Stats(Place),
}

/// Which segment, and how to answer.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The folder of the segment
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) segment: PathBuf,
    /// How many seconds to wait for another process that works on it
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) wait: Duration,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: u32 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Ok(Duration::from_secs(seconds.into()))
}

#[derive(Debug, Args)]
pub(crate) struct CtxSearch {
    #[command(flatten)]
    pub(crate) place: Place,
    /// What to look for: words, or names as in programs
    #[arg(short, long, value_name = "WORDS")]
    pub(crate) query: String,
    /// How many chunks at most
    #[arg(short, long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct CtxGet {
    #[command(flatten)]
    pub(crate) place: Place,
    /// The ids of chunks, separated by commas
    #[arg(short, long, value_name = "ID,...", required = true)]
    pub(crate) ids: Vec<String>,
    /// How much of each
    #[arg(long, value_name = "MODE", default_value = "excerpt")]
    pub(crate) mode: CtxMode,
    /// About how many tokens in all; the first chunk is printed whatever it has
    #[arg(short, long, value_name = "TOKENS", default_value = "1500")]
    pub(crate) budget: u64,
    /// How many chunks at most
    #[arg(long, value_name = "N")]
    pub(crate) max_chunks: Option<u64>,
    /// Stop when the query is found in the reading list and defined in a text
    #[arg(long)]
    pub(crate) stop_on_evidence: bool,
    /// What is looked for
    #[arg(short, long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Print a last line for programs, the report of what was printed
    #[arg(long)]
    pub(crate) pd_report: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CtxMode {
    /// The first 25 lines that are not blank
    Excerpt,
    /// All of it
    Raw,
    /// Headings, or what is defined
    Skeleton,
}
