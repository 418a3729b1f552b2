//! The page of figures.

use std::fmt::Write as _;

use super::divan::{Measurement, Unit};
use super::goals::{Row, Suite, shown_bytes_rate, shown_ns};

/// What the page opens with.
const HEAD: &str = "\
# Benchmarks

Written by `cargo xtask bench`; run it to repeat them. Libraries are measured in release mode, whole runs and the server with the `dist` binary, which is what we hand out. It takes some minutes.
Other work on the machine makes the figures worse, never better. Nothing fails when a goal is missed: its row says so.
";

/// The whole page.
pub fn page(rows: &[Row], suites: &[Suite], machine: &str) -> String {
    let mut page = format!("{HEAD}\n{machine}\n\n| measure | goal | measured | met |\n|---|---|---|---|\n");
    for row in rows {
        let _ = writeln!(page, "{row}");
    }
    page.push_str("\n## Every benchmark\n\nMedians. Where several are about one goal, the worst is in the table above.\n");
    for suite in suites {
        let Suite { package, target, measurements } = suite;
        let _ = writeln!(page, "\n### `{package}`: {target}\n\n| benchmark | time | rate |\n|---|---|---|");
        for measurement in measurements {
            let Measurement { name, median_ns, .. } = measurement;
            let _ = writeln!(page, "| `{name}` | {} | {} |", shown_ns(*median_ns), shown_rates(measurement));
        }
    }
    page
}

fn shown_rates(measurement: &Measurement) -> String {
    let shown: Vec<String> = measurement
        .rates
        .iter()
        .map(|rate| match rate.unit {
            Unit::Bytes => shown_bytes_rate(rate.per_second),
            Unit::Items => format!("{:.0}k items/s", rate.per_second / 1e3),
        })
        .collect();
    if shown.is_empty() { "–".to_owned() } else { shown.join(", ") }
}
