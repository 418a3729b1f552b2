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

/// Counts the time that the machine below ours, if we run in one, has given to others.
pub(crate) struct Stolen(Option<(u64, u64)>);

impl Stolen {
    pub(crate) fn begin() -> Self {
        Self(times())
    }

    /// How much of the time since then was taken, in hundredths; nothing where the kernel does not say.
    pub(crate) fn percent(&self) -> Option<u64> {
        let ((all, stolen), (all_before, stolen_before)) = (times()?, self.0?);
        stolen.checked_sub(stolen_before)?.checked_mul(100)?.checked_div(all.checked_sub(all_before)?)
    }
}

/// The time of all cores together, and how much of it was stolen.
fn times() -> Option<(u64, u64)> {
    /// Which of the numbers it is, and after which come times that others include.
    const STEAL: usize = 7;
    let text = fs::read_to_string("/proc/stat").ok()?;
    let numbers = text.lines().next()?.split_whitespace().skip(1).take(STEAL + 1);
    let numbers: Vec<u64> = numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?;
    Some((numbers.iter().sum(), *numbers.get(STEAL)?))
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
