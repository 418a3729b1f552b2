//! Checks, profiles and verdicts.

use candor_protocol::{CheckResult, VerdictStatus};
use candor_verify::profile::Profile;
use candor_verify::verdict::signature;

use crate::rig::{Everything, Site, of, seen, status};

fn checks(lines: &str) -> String {
    format!("checks:\n{lines}")
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
    assert_eq!(of(&verified, "unit").result, CheckResult::Flaky);
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
        "  - { name: s, run: 'true', kind: syntax }\n  - { name: b, run: 'true', kind: build }\n\
         \x20 - { name: y, run: 'true', kind: types }\n  - { name: l, run: 'true', kind: lint }\n\
         \x20 - { name: t, run: 'true', kind: test }\n",
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
        (0..9).map(|n| format!("  - {{ name: c{n}, run: 'true', kind: build }}\n")).collect();
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
    let yaml = checks("  - { name: unit, run: 'true', kind: test }\n");
    Site::declaring(&yaml, &[]).verify_for(&host).await;
    assert_eq!(*host.told.lock().expect("no panic"), ["began unit", "ended unit passed"]);
}

#[tokio::test]
async fn tests_that_do_not_exist_prove_nothing() {
    let yaml = checks("  - { name: unit, run: 'echo \"Ran 0 tests in 0.000s\"', kind: test }\n");
    let verified = Site::declaring(&yaml, &[]).verify().await;
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
        let yaml = checks(&format!("  - {{ name: unit, run: \"echo '{said}'\", kind: test }}\n"));
        let verified = Site::declaring(&yaml, &[]).verify().await;
        assert_eq!(status(&verified), VerdictStatus::Failed, "{said}");
        assert!(of(&verified, "unit").summary.starts_with("exit code 0, but it says"), "{said}");
    }
    for said in ["0 failing", "# fail 0", "12 passed in 0.1s", "the word FAILED in a sentence"] {
        let yaml = checks(&format!("  - {{ name: unit, run: \"echo '{said}'\", kind: test }}\n"));
        let verified = Site::declaring(&yaml, &[]).verify().await;
        assert_eq!(status(&verified), VerdictStatus::Verified, "{said}");
    }
}

#[tokio::test]
async fn tests_that_were_all_left_out_prove_nothing() {
    let yaml = checks(
        "  - { name: unit, run: \"printf 'Ran 2 tests in 0.1s\\\\n\\\\nOK (skipped=2)\\\\n'\", kind: test }\n",
    );
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(of(&verified, "unit").result, CheckResult::Skipped, "{:?}", seen(&verified));
    let yaml = checks(
        "  - { name: unit, run: \"printf 'No tests found\\\\nTests: 5 passed, 5 total\\\\n'\", kind: test }\n",
    );
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(of(&verified, "unit").result, CheckResult::Passed, "what was counted says more than words");
}

#[tokio::test]
async fn what_is_declared_is_not_left_out_in_silence() {
    let mut lines = vec!["  - { name: style, run: 'exit 1', kind: lint }\n".to_owned()];
    lines.extend((0..20).map(|n| format!("  - {{ name: c{n}, run: 'true', kind: custom }}\n")));
    let mut site = Site::declaring(&checks(&lines.concat()), &[]);
    site.profile = Profile::Strict;
    let verified = site.verify().await;
    assert_ne!(status(&verified), VerdictStatus::Verified, "{:?}", seen(&verified));
}

#[tokio::test]
async fn a_flaky_test_does_not_take_the_room_of_the_others() {
    let flaky = "  - { name: one, run: 'test -f ran || { touch ran; exit 1; }', kind: test }\n";
    let others = "  - { name: two, run: 'true', kind: test }\n  - { name: three, run: 'true', kind: test }\n";
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
