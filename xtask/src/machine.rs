//! What a figure was measured on, as one paragraph for the generated pages.

use std::fs;
use std::path::Path;

use crate::invocation::Invocation;

/// Machine, toolchain, commit and day. A fact that cannot be had is left out: no figure depends on it.
pub(crate) fn describe(root: &Path) -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let first_line = |program: &str, args: &[&str]| {
        let text = Invocation::new(program, root).args(args).stdout().ok()?;
        text.lines().next().map(str::to_owned)
    };
    let facts = [
        proc_field("/proc/cpuinfo", "model name").map(|model| format!("{model}, {cores} cores")),
        proc_field("/proc/meminfo", "MemTotal").and_then(|total| gibibytes(&total)),
        fs::read_to_string("/proc/sys/kernel/osrelease")
            .ok()
            .map(|kernel| format!("Linux {}", kernel.trim())),
        first_line("rustc", &["--version"]),
        first_line("git", &["describe", "--always", "--dirty"]).map(|commit| format!("commit {commit}")),
        first_line("date", &["-u", "+%Y-%m-%d"]),
    ];
    format!("Measured on: {}.", facts.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

fn proc_field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn gibibytes(kibibytes: &str) -> Option<String> {
    let count: u64 = kibibytes.split_whitespace().next()?.parse().ok()?;
    Some(format!("{} GiB", (count + (1 << 19)) >> 20))
}
