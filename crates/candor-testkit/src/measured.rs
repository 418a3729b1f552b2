//! Which binary a benchmark measures, and how it tells a figure.

use std::path::PathBuf;

/// Names the binary to measure, when that is not the one that was built for the benchmark.
const VARIABLE: &str = "CANDOR_MEASURED";

/// The binary to measure: the one that we would hand out, where `cargo xtask bench` has built it, else the one at hand.
pub fn measured(built: &str) -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| built.into(), PathBuf::from)
}

/// Prints one figure for `cargo xtask bench`: what is measured, what was promised, what it is, and whether that is enough.
#[expect(clippy::print_stdout, reason = "what a benchmark has to say goes to whoever runs it")]
pub fn row(measure: &str, goal: &str, measured: &str, met: Option<bool>) {
    let met = match met {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    };
    println!("figure | {measure} | {goal} | {measured} | {met}");
}
