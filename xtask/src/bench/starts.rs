//! How long the binary takes to start, next to the least that any Rust program takes.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::goals::{Met, Row, shown_ns, shown_ratio};
use crate::invocation::Invocation;
use crate::workspace::Workspace;

const SAMPLES: usize = 300;
/// Enough for the page cache and the processor's clock to settle.
const WARM_UP: usize = 20;
const START_MAX: Duration = Duration::from_millis(3);
const RATIO_MAX: f64 = 4.0;

/// The times of both programs, in the order they were taken.
#[derive(Debug)]
pub struct Starts {
    /// `candor --version`.
    pub candor: Vec<Duration>,
    /// A hello world.
    pub hello: Vec<Duration>,
    /// The size of our binary.
    pub binary_bytes: u64,
}

/// Starts both programs in turn, so that whatever else the machine does falls on both alike.
pub(super) fn measure(workspace: &Workspace) -> Result<Starts> {
    let candor = workspace.build_candor("release")?;
    let hello = build_hello(workspace)?;
    let binary_bytes = fs::metadata(&candor).context("cannot look at the binary")?.len();
    let mut starts = Starts { candor: Vec::new(), hello: Vec::new(), binary_bytes };
    for sample in 0..WARM_UP + SAMPLES {
        let times = (time(&candor, &["--version"])?, time(&hello, &[])?);
        if sample >= WARM_UP {
            starts.candor.push(times.0);
            starts.hello.push(times.1);
        }
    }
    Ok(starts)
}

/// The rows about starting.
pub fn judge_starts(starts: &Starts) -> Vec<Row> {
    let (candor, hello) = (percentile(&starts.candor, 50), percentile(&starts.hello, 50));
    let ratio = candor.as_secs_f64() / hello.as_secs_f64().max(f64::MIN_POSITIVE);
    let shown = |times: &[Duration]| {
        let [median, late] = [50, 95].map(|percent| shown_ns(percentile(times, percent).as_secs_f64() * 1e9));
        format!("{median} (95 of 100 within {late})")
    };
    let met = |keeps| if keeps { Met::Yes } else { Met::No };
    vec![
        Row {
            measure: "`candor --version`, from start to exit".to_owned(),
            goal: format!("≤ {} ms", START_MAX.as_millis()),
            measured: shown(&starts.candor),
            met: met(candor <= START_MAX),
        },
        Row {
            measure: format!("the same, against a Rust hello world ({})", shown(&starts.hello)),
            goal: format!("≤ {RATIO_MAX} ×"),
            measured: shown_ratio(ratio),
            met: met(ratio <= RATIO_MAX),
        },
        Row {
            measure: "size of the binary, `release` profile".to_owned(),
            goal: "–".to_owned(),
            measured: shown_size(starts.binary_bytes),
            met: Met::NoGoal,
        },
    ]
}

pub(super) fn shown_size(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

/// The time that this many of a hundred stay within.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    let index = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(index).copied().unwrap_or_default()
}

fn time(program: &Path, args: &[&str]) -> Result<Duration> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().with_context(|| format!("cannot start {}", program.display()))?;
    let elapsed = started.elapsed();
    if !status.success() {
        bail!("{} failed ({status})", program.display());
    }
    Ok(elapsed)
}

fn build_hello(workspace: &Workspace) -> Result<PathBuf> {
    let dir = workspace.target_dir.join("bench");
    fs::create_dir_all(&dir).context("cannot make a folder for the hello world")?;
    let source = dir.join("hello.rs");
    fs::write(&source, "fn main() {\n    println!(\"hello\");\n}\n")
        .context("cannot write the hello world")?;
    let hello = dir.join("hello");
    let args: [&OsStr; 4] = ["-O".as_ref(), "-o".as_ref(), hello.as_os_str(), source.as_os_str()];
    Invocation::new("rustc", &workspace.root).args(args).stdout()?;
    Ok(hello)
}
