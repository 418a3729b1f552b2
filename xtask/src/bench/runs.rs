//! Whole runs against a fake model: the benchmark of the binary's package measures and judges, this puts its figures in rows.

use std::fs;

use anyhow::{Context, Result};

use super::goals::{Met, Row};
use super::starts::shown_size;
use crate::invocation::Invocation;
use crate::machine::Stolen;
use crate::needs;
use crate::workspace::Workspace;

/// The benchmarks that judge themselves, each name once in the workspace.
const TARGETS: [&str; 9] =
    ["runs", "cards", "walls", "storing", "packs", "memory", "serving", "verifying", "idle"];
/// What a line with a figure begins with.
const FIGURE: &str = "figure | ";
/// The largest binary that we would hand to a stranger.
const DIST_BYTES_MAX: u64 = 25_000_000;

/// The rows about whole runs; none when the benchmark did not run.
pub(super) fn measure(
    workspace: &Workspace,
    stolen: &mut Vec<(&'static str, Option<u64>)>,
) -> Result<Vec<Row>> {
    // What is measured is what we would hand out.
    let binary = workspace.build_candor("dist")?;
    // Without it the rows about the search say so.
    if let Err(missing) = needs::install(&needs::RIPGREP, workspace) {
        println!("  {}", missing.reason);
    }
    let mut rows = Vec::new();
    for target in TARGETS {
        println!("  {target} …");
        let time = Stolen::begin();
        let finished = Invocation::cargo(&workspace.root)
            .args(["bench", "--locked", "--workspace", "--bench", target])
            .env("CANDOR_MEASURED", &binary)
            .finish()?;
        stolen.push((target, time.percent()));
        if !finished.success {
            println!("{}", finished.output.trim_end());
            return Ok(Vec::new());
        }
        rows.extend(figures(&finished.output));
    }
    Ok(rows)
}

/// The size of the binary as it is handed out.
pub(super) fn dist(workspace: &Workspace) -> Result<Row> {
    let binary = workspace.build_candor("dist")?;
    let bytes = fs::metadata(&binary).context("cannot look at the binary")?.len();
    Ok(Row {
        measure: "size of the binary, `dist` profile".to_owned(),
        goal: format!("≤ {} MB", DIST_BYTES_MAX / 1_000_000),
        measured: shown_size(bytes),
        met: if bytes <= DIST_BYTES_MAX { Met::Yes } else { Met::No },
    })
}

/// The rows in what the benchmark printed.
pub fn figures(output: &str) -> Vec<Row> {
    output.lines().filter_map(|line| figure(line.strip_prefix(FIGURE)?)).collect()
}

fn figure(line: &str) -> Option<Row> {
    let mut parts = line.split(" | ").map(str::to_owned);
    let [measure, goal, measured] = [parts.next()?, parts.next()?, parts.next()?];
    let met = match parts.next()?.as_str() {
        "yes" => Met::Yes,
        "no" => Met::No,
        _ => Met::NoGoal,
    };
    Some(Row { measure, goal, measured, met })
}
