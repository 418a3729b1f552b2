//! `cargo xtask bench`: runs every benchmark, holds the figures against the goals, and writes the page.
//!
//! Timing never fails anything: a missed goal is a row that says so. A benchmark that does not run is a failure.

mod divan;
mod goals;
mod page;
mod runs;
mod starts;

use anyhow::Result;

use crate::invocation::Invocation;
use crate::workspace::Workspace;
use crate::{generate, machine};

pub use divan::{Measurement, Rate, Unit, parse};
pub use goals::{Met, Row, Suite, judge};
pub use page::page;
pub use runs::figures;
pub use starts::{Starts, judge_starts};

const PAGE: &str = "docs/benchmarks.md";

/// After how long a benchmark takes no more samples: by then its median has settled, and there are dozens.
const BENCHMARK_SECONDS_MAX: &str = "5";

/// The benchmarks of the workspace: package and target.
const SUITES: &[(&str, &str)] = &[
    ("candor-redact", "throughput"),
    ("candor-log", "log"),
    ("candor-config", "load"),
    ("candor-agent", "compaction"),
    ("candor-gate", "judge"),
    ("candor-cards", "matching"),
    ("candor-verify", "log_scan"),
];

/// Measures everything and writes the page; false when a benchmark did not run.
pub fn run(workspace: &Workspace) -> Result<bool> {
    let mut suites = Vec::new();
    let mut all_ran = true;
    for &(package, target) in SUITES {
        println!("{package}: {target} …");
        let finished = Invocation::cargo(&workspace.root)
            // With the features of the whole workspace: for one package alone half of it would be built again.
            .args(["bench", "--locked", "--workspace", "--bench", target])
            .args(["--", "--max-time", BENCHMARK_SECONDS_MAX])
            .finish()?;
        let measurements = parse(&finished.output);
        if !finished.success || measurements.is_empty() {
            println!("{}", finished.output.trim_end());
            all_ran = false;
        }
        suites.push(Suite { package, target, measurements });
    }
    println!("process starts …");
    let starts = starts::measure(workspace)?;
    println!("whole runs …");
    let runs = runs::measure(workspace)?;
    all_ran &= !runs.is_empty();
    let rows = judge(&suites).into_iter().chain(judge_starts(&starts)).chain([runs::dist(workspace)?]);
    let rows: Vec<Row> = rows.chain(runs).collect();
    for row in &rows {
        println!("{row}");
    }
    let text = page(&rows, &suites, &machine::describe(&workspace.root));
    generate::write(&workspace.root.join(PAGE), &text)?;
    println!("wrote {PAGE}");
    Ok(all_ran)
}
