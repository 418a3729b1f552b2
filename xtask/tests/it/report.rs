use std::time::Duration;

use xtask::report::{Outcome, Report, SkipPolicy, StepResult, shown};

#[track_caller]
fn check(policy: SkipPolicy, results: &[(&str, StepResult)], success: bool, expected: &[&str]) {
    let mut report = Report::start(policy);
    for (name, result) in results {
        report.record(name, result);
    }
    let summary = report.summary();
    let lines: Vec<&str> = summary.lines().collect();
    let matches = lines.len() == expected.len()
        && lines.iter().zip(expected).all(|(line, expected)| line.starts_with(expected));
    assert!(matches, "expected {expected:#?}\nfound {lines:#?}");
    assert_eq!(report.is_success(), success);
}

fn skipped(reason: &str) -> StepResult {
    Outcome::Skipped(reason.to_owned()).into()
}

#[test]
fn one_line_when_all_is_well() {
    let results = [("tidy", StepResult::passed()), ("fmt", StepResult::passed())];
    check(SkipPolicy::Fail, &results, true, &["xtask test: 2 passed, 0 failed, 0 skipped in 0.0s"]);
}

#[test]
fn a_failure_is_named_above_the_summary() {
    let results = [("tidy", StepResult::failed("a.rs:1: bad")), ("fmt", StepResult::passed())];
    check(
        SkipPolicy::Tolerate,
        &results,
        false,
        &["failed: tidy", "xtask test: 1 passed, 1 failed, 0 skipped in "],
    );
}

#[test]
fn a_skip_is_printed_and_fails_only_where_nobody_reads() {
    let results = [("tests", skipped("no nextest"))];
    let summary = "xtask test: 0 passed, 0 failed, 1 skipped in ";
    check(SkipPolicy::Tolerate, &results, true, &["skipped: tests: no nextest", summary]);
    let fatal = "skipped (a failure, because CI=true): tests: no nextest";
    check(SkipPolicy::Fail, &results, false, &[fatal, summary]);
}

#[test]
fn a_part_left_out_of_a_passing_step_is_a_skip_too() {
    let partly = StepResult { skipped: vec!["no npm".to_owned()], ..StepResult::passed() };
    let expected = [
        "skipped (a failure, because CI=true): tests: no npm",
        "xtask test: 1 passed, 0 failed, 1 skipped in ",
    ];
    check(SkipPolicy::Fail, &[("tests", partly)], false, &expected);
}

#[test]
fn a_step_that_cannot_run_fails_and_the_next_one_still_runs() {
    let mut report = Report::start(SkipPolicy::Tolerate);
    report.step("first", || anyhow::bail!("no such program"));
    let mut ran = false;
    report.step("second", || {
        ran = true;
        Ok(StepResult::passed())
    });
    assert!(ran && !report.is_success());
    assert!(report.summary().contains("1 passed, 1 failed"), "{}", report.summary());
}

#[test]
fn durations_are_for_people() {
    let table = [(300, "0.3s"), (59_900, "59.9s"), (60_000, "1m00s"), (250_400, "4m10s")];
    for (milliseconds, expected) in table {
        assert_eq!(shown(Duration::from_millis(milliseconds)), expected);
    }
}
