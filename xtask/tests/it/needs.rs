use std::collections::HashSet;

use xtask::needs::{Missing, NEEDS, Need, Tests};
use xtask::test::{filter, left_out, tests_run};

fn missing(name: &str) -> Missing {
    let need: &'static Need = NEEDS.iter().find(|need| need.name == name).expect("a need of this name");
    Missing { need, reason: format!("{name} cannot be had"), detail: String::new() }
}

#[test]
fn with_everything_there_nothing_is_left_out() {
    assert_eq!(filter("all()", &[]), "all()");
    assert_eq!(left_out(&[]), Vec::<String>::new());
}

#[test]
fn a_missing_suite_leaves_out_its_tests_with_the_reason() {
    let missing = [missing("yaml-test-suite"), missing("json-test-suite")];
    let expected = "all() and not test(/yaml_test_suite/) and not test(/json_test_suite/)";
    assert_eq!(filter("all()", &missing), expected);
    assert_eq!(
        left_out(&missing),
        [
            "tests named `yaml_test_suite`: yaml-test-suite cannot be had",
            "tests named `json_test_suite`: json-test-suite cannot be had",
        ]
    );
}

#[test]
fn each_suite_has_tests_of_its_own_name() {
    let mut seen = HashSet::new();
    for need in NEEDS {
        if let Tests::Named(name) = need.tests {
            assert_eq!(name, need.name.replace('-', "_"));
        }
        assert!(seen.insert(need.name), "{} is there twice", need.name);
    }
}

#[test]
fn the_runner_is_asked_how_many_tests_it_ran() {
    let summary = "x\n     Summary [   1.886s] 104 tests run: 103 passed, 1 failed, 1 skipped\n  FAIL y\n";
    assert_eq!(tests_run(summary), 104);
    assert_eq!(tests_run("     Summary [   0.1s] 1 test run: 1 passed, 0 skipped"), 1);
    assert_eq!(tests_run("     Summary [   1.422s] 16/30 tests run: 15 passed, 1 failed"), 16);
    assert_eq!(tests_run("error: could not compile"), 0);
}
