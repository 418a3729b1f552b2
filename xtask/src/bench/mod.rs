//! `cargo xtask bench`: runs every benchmark, holds the figures against the goals, and writes the page.
//!
//! Timing never fails anything: a missed goal is a row that says so. A benchmark that does not run is a failure.

mod divan;
mod goals;
mod page;
mod runs;
mod starts;

use anyhow::Result;

use crate::generate;
use crate::invocation::Invocation;
use crate::machine::{self, Stolen};
use crate::workspace::Workspace;

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
    let mut stolen = Vec::new();
    let mut all_ran = true;
    for &(package, target) in SUITES {
        println!("{package}: {target} …");
        let time = Stolen::begin();
        let finished = Invocation::cargo(&workspace.root)
            // With the features of the whole workspace: for one package alone half of it would be built again.
            .args(["bench", "--locked", "--workspace", "--bench", target])
            .args(["--", "--max-time", BENCHMARK_SECONDS_MAX])
            .finish()?;
        stolen.push((target, time.percent()));
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
    let runs = runs::measure(workspace, &mut stolen)?;
    all_ran &= !runs.is_empty();
    let rows = judge(&suites).into_iter().chain(judge_starts(&starts)).chain([runs::dist(workspace)?]);
    let rows: Vec<Row> = rows.chain(runs).collect();
    for row in &rows {
        println!("{row}");
    }
    let machine = format!("{}\n{}", machine::describe(&workspace.root), told(&stolen));
    let text = page(&rows, &suites, &machine);
    generate::write(&workspace.root.join(PAGE), &text)?;
    println!("wrote {PAGE}");
    Ok(all_ran)
}

/// How much of the machine's time was somebody else's while each benchmark ran, so that nobody takes that for our slowness.
pub fn told(stolen: &[(&str, Option<u64>)]) -> String {
    let known = stolen.iter().filter_map(|(target, percent)| Some(format!("{target} {} %", (*percent)?)));
    let known: Vec<String> = known.collect();
    if known.is_empty() {
        return String::new();
    }
    format!("Time that the machine below this one took meanwhile, building included: {}.", known.join(", "))
}
