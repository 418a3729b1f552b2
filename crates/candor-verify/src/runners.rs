//! What test runners say about their tests, whatever their exit code is.

use std::sync::LazyLock;

use regex::Regex;

/// How runners say how many tests there were. The number is the first group; what of it was left out is the second.
static COUNTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        // cargo: one line for every binary.
        r"(?m)^running (\d+) tests?$",
        // unittest.
        r"(?m)^Ran (\d+) tests? in [^\n]*\n+OK \(skipped=(\d+)\)",
        r"(?m)^Ran (\d+) tests? in ",
        // node --test: TAP, and the reporter for people.
        r"(?m)^(?:#|ℹ) pass (\d+)$",
        // mocha.
        r"(?m)^\s*(\d+) passing\b",
        // jest and vitest.
        r"(?m)^\s*Tests:? .*?(\d+) total",
        // pytest.
        r"(?m)^(?:=+ )?(\d+) passed\b",
        // ctest.
        r"(?m)tests failed out of (\d+)$",
        // prove.
        r"(?m)^Files=\d+, Tests=(\d+),",
        // maven.
        r"(?m)^(?:\[INFO\] )?Tests run: (\d+),",
    ])
});

/// How runners say that tests failed.
static FAILED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"(?m)^FAILED \((?:failures|errors)=\d+[^)]*\)",
        r"(?m)^test result: FAILED\.[^\n]*",
        r"(?m)^(?:#|ℹ) fail [1-9]\d*$",
        r"(?m)^\s*[1-9]\d* failing$",
        r"(?m)^\s*Tests:? +[1-9]\d* failed\b[^\n]*",
        r"(?m)^(?:=+ )?[1-9]\d* failed\b[^\n]*",
        r"(?m)^--- FAIL: [^\n]*",
        r"(?m)^FAILED \S+::\S+[^\n]*",
        r"(?m)^[1-9]\d* failures?$",
    ])
});

/// What runners say where there is nothing, on a line of its own.
static NONE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"(?mi)^(?:=+ )?no tests ran\b",
        r"(?m)^No tests were found",
        r"(?m)^No test files found",
        r"(?m)^No tests found",
    ])
});

fn compiled(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// The line by which a runner says that tests failed. One that hides it behind its exit code has failed all the same.
pub(crate) fn failed(output: &str) -> Option<String> {
    let found = FAILED.iter().find_map(|pattern| pattern.find(output))?;
    Some(found.as_str().trim().chars().take(120).collect())
}

/// Whether the runner says that it ran no test at all, or left out every one.
pub(crate) fn none_ran(output: &str) -> bool {
    let packages =
        output.lines().filter(|line| line.starts_with("ok  \t") || line.contains("[no test files]"));
    let packages: Vec<&str> = packages.collect();
    if !packages.is_empty() {
        return packages.iter().all(|line| line.contains("[no test files]"));
    }
    let (mut any, mut ran) = (false, 0);
    for pattern in COUNTS.iter() {
        for found in pattern.captures_iter(output) {
            let number = |at| found.get(at).and_then(|count| count.as_str().parse::<u64>().ok());
            if let Some(count) = number(1) {
                any = true;
                ran += count.saturating_sub(number(2).unwrap_or(0));
            }
        }
        if any {
            return ran == 0;
        }
    }
    NONE.iter().any(|pattern| pattern.is_match(output))
}
