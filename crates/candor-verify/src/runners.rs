//! What test runners say about their tests, whatever their exit code is.

use std::sync::LazyLock;

use regex::Regex;

/// How runners say how many tests there were. The number of those that ran is the first group, none where it says none; what of
/// it was left out is the second.
static COUNTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        // cargo: one line for every binary. What is ignored is not among those that passed.
        r"(?m)^test result: \w+\. (\d+) passed;",
        // cargo nextest.
        r"(?m)^\s*Summary \[[^\]]*\]\s+(\d+) tests? run:",
        // unittest.
        r"(?m)^Ran (\d+) tests? in [^\n]*(?:\n+OK \(skipped=(\d+)\))?",
        // node --test: TAP, and the reporter for people.
        r"(?m)^(?:#|ℹ) pass (\d+)$",
        // mocha.
        r"(?m)^\s*(\d+) passing\b",
        // jest and vitest: `Tests: 1 skipped, 4 passed, 5 total`, `Tests  3 passed | 1 skipped (4)`.
        r"(?m)^\s*Tests:? +(?:\d+ (?:failed|skipped|todo|pending)[, |]*)*(?:(\d+) passed)?[^\n]*?(?:\d+ total|\(\d+\))\s*$",
        // pytest.
        r"(?m)^(?:=+ )?(?:\d+ failed, )?(\d+) passed\b",
        // bun.
        r"(?m)^\s*(\d+) pass$",
        // deno.
        r"(?m)^(?:ok|FAILED) \| (\d+) passed\b",
        // ctest.
        r"(?m)tests failed out of (\d+)$",
        // prove.
        r"(?m)^Files=\d+, Tests=(\d+),",
        // maven.
        r"(?m)^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)$",
        // dotnet.
        r"(?m)Failed:\s+\d+, Passed:\s+(\d+), Skipped:",
        // rspec.
        r"(?m)^(\d+) examples?, \d+ failures?(?:, (\d+) pending)?",
        // minitest.
        r"(?m)^(\d+) (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, (\d+) skips",
        // mix.
        r"(?m)^(?:\d+ doctests?, )?(\d+) tests?, \d+ failures?(?:, (\d+) (?:excluded|skipped))?$",
        // PHPUnit.
        r"(?m)^OK \((\d+) tests?,",
        r"(?m)^Tests: (\d+), Assertions: \d+(?:[^\n]*Skipped: (\d+))?",
        // swift.
        r"(?m)^\s*Executed (\d+) tests?, with (?:(\d+) tests? skipped)?",
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
        // pytest, unittest.
        r"(?mi)^(?:=+ )?no tests ran\b",
        r"(?m)^collected 0 items\b",
        r"(?m)^(?:=+ )?\d+ (?:skipped|deselected)\b[^\n]* in [\d.]+s\b",
        // bats, and whatever else writes TAP.
        r"(?m)^1\.\.0\b",
        // ctest, jest, vitest, mocha, ava, PHPUnit, maven, mix, dotnet, swift, prove.
        r"(?m)^No tests were found",
        r"(?m)^No test files found",
        r"(?m)^No tests? found\b",
        r"(?m)^\s*(?:✖ )?Couldn.t find any files to test",
        r"(?m)^No tests executed!",
        r"(?m)^(?:\[INFO\] )?No tests to run\.?$",
        r"(?m)^There are no tests to run",
        r"(?m)^No test is available in ",
        r"(?m)^Result: NOTESTS$",
        r"(?m)^running 0 tests$",
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
    // go: one line for every package.
    let is_empty = |line: &str| line.contains("[no test files]") || line.contains("[no tests to run]");
    let mut packages = output.lines().filter(|line| line.starts_with("ok  \t") || is_empty(line)).peekable();
    if packages.peek().is_some() {
        return packages.all(is_empty);
    }
    let (mut any, mut ran) = (false, 0);
    for found in COUNTS.iter().flat_map(|pattern| pattern.captures_iter(output)) {
        let number = |at| found.get(at).and_then(|count| count.as_str().parse::<u64>().ok()).unwrap_or(0);
        any = true;
        ran += number(1).saturating_sub(number(2));
    }
    if any {
        return ran == 0;
    }
    NONE.iter().any(|pattern| pattern.is_match(output))
}

/// The code by which runners of Python say that there was no test to run.
pub(crate) const NO_TESTS_CODE: i32 = 5;
