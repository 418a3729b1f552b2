//! Checks, profiles and verdicts.

use candor_protocol::{CheckResult, VerdictStatus};
use candor_verify::profile::Profile;
use candor_verify::run::Verified;
use candor_verify::verdict::signature;

use crate::rig::{Everything, Site, of, seen, status};

fn checks(lines: &str) -> String {
    format!("checks:\n{lines}")
}

/// A declared test that says this, and ends with this code.
async fn ending(said: &str, code: u8) -> Verified {
    let yaml = checks(&format!("  - {{ name: unit, run: 'cat said; exit {code}', kind: test }}\n"));
    Site::declaring(&yaml, &[("said", said)]).verify().await
}

async fn saying(said: &str) -> Verified {
    ending(said, 0).await
}

#[tokio::test]
async fn nothing_to_run_is_unverifiable_and_never_a_pass() {
    let verified = Site::new(&[("notes.txt", "hello\n")]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Unverifiable);
    let card = of(&verified, "verification").card.as_ref().expect("a card");
    assert_eq!(card.code, "VERIFY_NOTHING_TO_RUN");
}

#[tokio::test]
async fn reading_a_file_without_an_error_is_not_running_it() {
    let verified = Site::new(&[("tool.py", "print('hello')\n")]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", seen(&verified));
}

#[tokio::test]
async fn a_test_that_passes_the_second_time_is_called_flaky() {
    let yaml = checks("  - { name: unit, run: 'test -f ran || { touch ran; exit 1; }', kind: test }\n");
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified);
    let unit = of(&verified, "unit");
    assert_eq!(
        (unit.result, unit.summary.as_str()),
        (CheckResult::Flaky, "failed once (exit code 1), passed on the second try")
    );
}

#[tokio::test]
async fn a_test_that_fails_twice_has_failed() {
    let yaml = checks("  - { name: unit, run: 'echo x >> ran; exit 1', kind: test }\n");
    let mut site = Site::declaring(&yaml, &[]);
    let verified = site.verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed);
    assert_eq!(
        std::fs::read_to_string(site.root().join("ran")).expect("it ran"),
        "x\nx\n",
        "once more, and no more"
    );
}

#[tokio::test]
async fn a_test_suite_that_hangs_fails_in_its_time() {
    let yaml = checks("  - { name: unit, run: 'sleep 100', kind: test, timeout: 300ms }\n");
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed);
    assert!(of(&verified, "unit").summary.contains("did not end within 300 ms"));
}

#[tokio::test]
async fn what_cannot_be_built_is_not_tested() {
    let yaml = checks(
        "  - { name: build, run: 'exit 1', kind: build }\n  - { name: unit, run: 'touch tested', kind: test }\n",
    );
    let mut site = Site::declaring(&yaml, &[]);
    let verified = site.verify().await;
    assert_eq!(seen(&verified), ["build failed", "unit skipped"]);
    assert!(!site.root().join("tested").exists());
}

#[tokio::test]
async fn each_profile_takes_what_its_row_says() {
    let yaml = checks(
        "  - { name: s, run: 'test -d .', kind: syntax }\n  - { name: b, run: 'test -d .', kind: build }\n\
         \x20 - { name: y, run: 'test -d .', kind: types }\n  - { name: l, run: 'test -d .', kind: lint }\n\
         \x20 - { name: t, run: 'test -d .', kind: test }\n",
    );
    for (profile, expected) in [
        (Profile::Strict, vec!["s", "b", "y", "l", "t"]),
        (Profile::Fast, vec!["s", "b", "y", "t"]),
        (Profile::Smoke, vec!["y"]),
        (Profile::Yolo, vec!["t"]),
    ] {
        let mut site = Site::declaring(&yaml, &[]);
        site.profile = profile;
        let verified = site.verify().await;
        let names: Vec<String> = seen(&verified).iter().map(|line| line.replace(" passed", "")).collect();
        assert_eq!(names, expected, "{profile}");
        assert_eq!(status(&verified), VerdictStatus::Verified, "{profile}");
    }
}

#[tokio::test]
async fn more_than_the_profile_has_room_for_is_said_and_is_no_pass() {
    let lines: Vec<String> =
        (0..9).map(|n| format!("  - {{ name: c{n}, run: 'test -d .', kind: build }}\n")).collect();
    let lines = lines.concat();
    let verified = Site::declaring(&checks(&lines), &[]).verify().await;
    assert!(verified.is_budget_spent);
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", seen(&verified));
    assert_eq!(of(&verified, "budget").card.as_ref().expect("a card").code, "VERIFY_BUDGET_SPENT");
}

#[tokio::test]
async fn a_mistake_in_a_declaration_is_told_with_its_place_and_the_rest_is_checked() {
    let yaml = "checks:\n  - { name: unit, run: 'touch ran', kind: tset }\n  - { name: other, run: 'touch ran', kind: test }\n";
    let mut site = Site::declaring(yaml, &[]);
    let verified = site.verify().await;
    assert!(site.root().join("ran").exists());
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", seen(&verified));
    let card = of(&verified, ".candor/verify.yaml").card.as_ref().expect("a card");
    assert_eq!(card.code, "VERIFY_PLAN_INVALID");
    assert!(card.cause.contains("line 2, column "), "{}", card.cause);
}

#[tokio::test]
async fn complaints_are_counted_and_cleared_when_they_are_gone() {
    let yaml = checks("  - { name: syntax, run: 'python3 -m py_compile tool.py', kind: syntax }\n");
    let mut site = Site::declaring(&yaml, &[("tool.py", "def broken(:\n    pass\n")]);
    site.verify().await;
    let verified = site.verify().await;
    let line = &verified.report.diagnostics[0];
    assert_eq!((line.seen, line.diagnostic.line, line.diagnostic.file.as_str()), (2, Some(1), "tool.py"));
    site.write("tool.py", "def fine():\n    pass\n");
    let verified = site.verify().await;
    assert_eq!(verified.report.diagnostics.len(), 0);
}

#[tokio::test]
async fn the_same_failure_has_the_same_signature_and_another_one_another() {
    let run = async |command: &str| {
        let yaml = checks(&format!("  - {{ name: unit, run: {command:?}, kind: test }}\n"));
        signature(&Site::declaring(&yaml, &[]).verify().await.report.verdict)
    };
    let first = run("echo 'took 12 ms: boom'; exit 1").await;
    assert_eq!(first, run("echo 'took 97 ms: boom'; exit 1").await);
    assert_ne!(first, run("echo 'took 12 ms: bang'; exit 1").await);
}

#[tokio::test]
async fn it_tells_how_far_it_is() {
    let host = Everything::default();
    let yaml = checks("  - { name: unit, run: 'test -d .', kind: test }\n");
    Site::declaring(&yaml, &[]).verify_for(&host).await;
    assert_eq!(*host.told.lock().expect("no panic"), ["began unit", "ended unit passed"]);
}

#[tokio::test]
async fn tests_that_do_not_exist_prove_nothing() {
    let verified = saying("Ran 0 tests in 0.000s").await;
    assert_eq!(
        (status(&verified), of(&verified, "unit").result),
        (VerdictStatus::Unverifiable, CheckResult::Skipped)
    );
}

#[tokio::test]
async fn a_runner_that_hides_its_failures_behind_exit_code_0_has_failed() {
    for said in [
        "FAILED (failures=1)",
        "  2 failing",
        "# fail 1",
        "--- FAIL: TestAdd (0.00s)",
        "1 failed, 3 passed in 0.1s",
    ] {
        let verified = saying(said).await;
        assert_eq!(status(&verified), VerdictStatus::Failed, "{said}");
        assert!(of(&verified, "unit").summary.starts_with("exit code 0, but it says"), "{said}");
    }
    for said in ["0 failing", "# fail 0", "12 passed in 0.1s", "the word FAILED in a sentence"] {
        let verified = saying(said).await;
        assert_eq!(status(&verified), VerdictStatus::Verified, "{said}");
    }
}

#[tokio::test]
async fn tests_that_were_all_left_out_prove_nothing() {
    let verified = saying("Ran 2 tests in 0.1s\n\nOK (skipped=2)\n").await;
    assert_eq!(of(&verified, "unit").result, CheckResult::Skipped, "{:?}", seen(&verified));
    let verified = saying("No tests found\nTests: 5 passed, 5 total\n").await;
    assert_eq!(of(&verified, "unit").result, CheckResult::Passed, "what was counted says more than words");
}

#[tokio::test]
async fn what_is_declared_is_not_left_out_in_silence() {
    let mut lines = vec!["  - { name: style, run: 'exit 1', kind: lint }\n".to_owned()];
    lines.extend((0..20).map(|n| format!("  - {{ name: c{n}, run: 'test -d .', kind: custom }}\n")));
    let mut site = Site::declaring(&checks(&lines.concat()), &[]);
    site.profile = Profile::Strict;
    let verified = site.verify().await;
    assert_ne!(status(&verified), VerdictStatus::Verified, "{:?}", seen(&verified));
}

#[tokio::test]
async fn a_flaky_test_does_not_take_the_room_of_the_others() {
    let flaky = "  - { name: one, run: 'test -f ran || { touch ran; exit 1; }', kind: test }\n";
    let others = "  - { name: two, run: 'test -d .', kind: test }\n  - { name: three, run: 'test -d .', kind: test }\n";
    let verified = Site::declaring(&checks(&format!("{flaky}{others}")), &[]).verify().await;
    assert_eq!(seen(&verified), ["one failed", "two passed", "three passed"]);
    assert!(!verified.is_budget_spent);
}

#[tokio::test]
async fn a_test_that_failed_has_run_whatever_else_was_missing() {
    let script = "no-such-tool-xyz; echo 'FAILED (failures=1)'; exit 1";
    let yaml = checks(&format!("  - {{ name: unit, run: \"{script}\", kind: test }}\n"));
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed, "{:?}", seen(&verified));
}

#[tokio::test]
async fn the_syntax_of_one_language_is_not_covered_by_the_build_of_another() {
    let files = [("x.c", "int main(void) { return 0; }\n"), ("main.py", "def x( return\n")];
    let verified = Site::new(&files).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed, "{:?}", seen(&verified));
}

#[tokio::test]
async fn secrets_in_the_output_of_a_check_are_masked_in_all_evidence_and_in_the_ledger() {
    let yaml = checks("  - { name: unit, run: 'sh test.sh', kind: test }\n");
    let test = "echo 'tool.py:3: error: hunter2 is no number' >&2; exit 1\n";
    let mut site = Site::declaring(&yaml, &[("test.sh", test)]);
    let verified = site.verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed);
    let told = format!("{:?} {:?}", verified.report, site.ledger.entries());
    assert!(told.contains("[REDACTED] is no number") && !told.contains("hunter2"), "{told}");
}

#[tokio::test]
async fn a_folder_that_became_a_link_out_of_the_workspace_is_not_entered() {
    let yaml = checks(
        "  - { name: a, run: 'rmdir sub && ln -s /etc sub', kind: build }\n  - { name: b, run: 'pwd -P > ../ran || true', kind: test, cwd: sub }\n",
    );
    let mut site = Site::declaring(&yaml, &[]);
    std::fs::create_dir(site.root().join("sub")).expect("a folder");
    let verified = site.verify().await;
    assert_eq!(of(&verified, "b").result, CheckResult::Unverifiable, "{:?}", seen(&verified));
}

#[tokio::test]
async fn runners_of_all_stacks_that_ran_no_test_prove_nothing() {
    for said in [
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n",
        "running 2 tests\nii\ntest result: ok. 0 passed; 0 failed; 2 ignored; 0 measured\n",
        "collected 0 items\n\n=== no tests ran in 0.01s ===\n",
        "==== 3 skipped in 0.02s ====\n",
        "NO TESTS RAN\n",
        "No tests found, exiting with code 0\n",
        "Tests:       0 total\n",
        "Tests:       2 skipped, 2 total\n",
        " Tests  2 skipped (2)\n",
        "No test files found, exiting with code 0\n",
        "# tests 0\n# pass 0\n# fail 0\n",
        "  0 passing (2ms)\n  3 pending\n",
        " 0 pass\n 0 fail\n",
        "ok | 0 passed | 0 failed (2ms)\n",
        "?   \texample.com/a\t[no test files]\n",
        "ok  \texample.com/a\t0.002s [no tests to run]\n",
        "No tests were found!!!\n",
        "[INFO] No tests to run.\n",
        "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2\n",
        "No test is available in /x/a.dll. Make sure that test discoverer\n",
        "Passed!  - Failed:     0, Passed:     0, Skipped:     3, Total:     3\n",
        "0 examples, 0 failures\n",
        "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n",
        "There are no tests to run\n",
        "No tests executed!\n",
        "Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds\n",
        "Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n",
        "1..0\n",
    ] {
        let verified = saying(said).await;
        let unit = of(&verified, "unit");
        assert_eq!(
            (unit.result, unit.summary.as_str()),
            (CheckResult::Skipped, "there are no tests"),
            "{said}"
        );
        assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{said}");
    }
}

#[tokio::test]
async fn runners_that_ran_some_test_prove_something() {
    for said in [
        "test result: ok. 3 passed; 0 failed; 0 ignored\n\nrunning 0 tests\ntest result: ok. 0 passed; 0 failed\n",
        "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.002s\n",
        "Tests:       1 skipped, 4 passed, 5 total\n",
        " Tests  3 passed | 1 skipped (4)\n",
        "0 passing (1ms)\n12 passed in 0.10s\n",
        "2 passed, 3 skipped in 0.1s\n",
        "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1\n",
        "5 examples, 0 failures, 1 pending\n",
        "3 tests, 0 failures\n",
        "Done in 1.23s.\n",
        "everything is fine\n",
    ] {
        let verified = saying(said).await;
        assert_eq!(status(&verified), VerdictStatus::Verified, "{said}: {:?}", seen(&verified));
    }
}

#[tokio::test]
async fn the_code_of_python_for_no_tests_is_no_failure_and_no_pass() {
    let verified = ending("collected 0 items\n\n=== no tests ran in 0.01s ===\n", 5).await;
    assert_eq!(of(&verified, "unit").result, CheckResult::Skipped, "{:?}", seen(&verified));
    let verified = ending("something else went wrong\n", 5).await;
    assert_eq!(of(&verified, "unit").result, CheckResult::Failed, "{:?}", seen(&verified));
    let verified = ending("no tests ran in 0.00s\nERROR: file or directory not found: x\n", 4).await;
    assert_eq!(of(&verified, "unit").result, CheckResult::Failed, "{:?}", seen(&verified));
}

/// The clock goes on as soon as there is nothing to do but wait, so that each of these is ended at once.
#[tokio::test(start_paused = true)]
async fn a_check_that_only_the_profile_cuts_off_spends_the_budget_and_does_not_fail() {
    let lines = "  - { name: a, run: 'exec sleep 1000', timeout: 50s }\n  - { name: b, run: 'exec sleep 1000' }\n\
                 \x20 - { name: c, run: 'exec sleep 1000' }\n";
    let mut site = Site::declaring(&checks(lines), &[]);
    site.profile = Profile::Fast;
    let verified = site.verify().await;
    // Fast has 10 minutes and gives 5 to each: 50 s, 5 min, and what is left.
    assert_eq!(seen(&verified)[..3], ["a failed", "b failed", "c unverifiable"]);
    assert_eq!(of(&verified, "c").summary, "not finished: the profile's time was spent");
    assert_eq!(of(&verified, "b").summary, "it did not end within 5 min");
    assert!(verified.is_budget_spent);
}

#[tokio::test]
async fn what_a_check_found_that_is_no_more_is_forgotten() {
    let of = |name: &str| {
        checks(&format!("  - {{ name: {name}, run: 'python3 -m py_compile tool.py', kind: syntax }}\n"))
    };
    let mut site = Site::declaring(&of("old"), &[("tool.py", "def broken(:\n    pass\n")]);
    site.verify().await;
    site.write(".candor/verify.yaml", &of("new"));
    let verified = site.verify().await;
    let checks: Vec<&str> = verified.report.diagnostics.iter().map(|seen| seen.check.as_str()).collect();
    assert_eq!(checks, ["new"]);
}
