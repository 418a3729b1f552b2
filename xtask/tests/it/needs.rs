use std::collections::HashSet;
use std::fs;
use std::path::Path;

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

/// All test sources of the workspace.
fn test_sources() -> String {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(own.join("../crates")).expect("a folder");
    let tests = crates.map(|entry| entry.expect("an entry").path().join("tests/it"));
    tests.chain([own.join("tests/it")]).filter(|dir| dir.is_dir()).map(|dir| sources_in(&dir)).collect()
}

fn sources_in(dir: &Path) -> String {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let sources = entries.filter_map(|path| match path.extension() {
        _ if path.is_dir() => Some(sources_in(&path)),
        Some(extension) if extension == "rs" => fs::read_to_string(&path).ok(),
        _ => None,
    });
    sources.collect()
}

#[test]
fn each_need_is_there_once_and_some_test_needs_it() {
    let (sources, mut seen) = (test_sources(), HashSet::new());
    for need in NEEDS {
        if let Tests::Named(name) = need.tests {
            // A test, or a module of tests.
            let asks = |line: &str| {
                let line = line.trim_start().trim_start_matches("async ");
                (line.starts_with("fn ") || line.starts_with("mod ")) && line.contains(name)
            };
            assert!(
                sources.lines().any(asks),
                "no test is named {name}, so {} is installed for nothing",
                need.name
            );
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
