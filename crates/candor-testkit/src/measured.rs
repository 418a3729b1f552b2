//! Which binary a benchmark measures.

use std::path::PathBuf;

/// Names the binary to measure, when that is not the one that was built for the benchmark.
const VARIABLE: &str = "CANDOR_MEASURED";

/// The binary to measure: the one that we would hand out, where `cargo xtask bench` has built it, else the one at hand.
pub fn measured(built: &str) -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| built.into(), PathBuf::from)
}
