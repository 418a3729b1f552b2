use std::path::{Path, PathBuf};

use xtask::conformance::{PAGE, Scenario, difference, page, parse, results, tables, unexplained};

/// As the suite prints it.
const PRINTED: &str = "Running requirements 2025-11-25 (4 scenarios) in parallel...

✓ noise: 1 passed, 0 failed

=== SUITE SUMMARY ===

✓ initialize: 3 passed, 0 failed
✗ tools_call: 2 passed, 1 failed
✗ auth/dpop: 0 passed, 1 failed, 2 warnings
✗ new-one: 0 passed, 1 failed
✓ json-schema: 4 passed, 0 failed

Total: 9 passed, 3 failed, 2 warnings

Not scored for 2025-11-25: 3 scenario(s) run, 2 failing. These do not affect conformance.
  ✗ auth/dpop (extension)
  ✗ new-one (added-after-release)
  ✓ json-schema (added-after-release)
";

fn scenario(name: &str, is_required: bool, has_passed: bool) -> Scenario {
    Scenario { name: name.to_owned(), is_required, has_passed }
}

#[test]
fn what_the_suite_prints_is_understood() {
    let expected = [
        scenario("initialize", true, true),
        scenario("tools_call", true, false),
        scenario("auth/dpop", false, false),
        scenario("new-one", false, false),
        scenario("json-schema", false, true),
    ];
    assert_eq!(parse(PRINTED), expected);
    assert_eq!(parse("something else"), []);
}

#[test]
fn what_fails_needs_a_reason_and_what_is_required_has_none() {
    let told = unexplained(&vec![parse(PRINTED), Vec::new()]);
    assert_eq!(
        told,
        ["2025-11-25: tools_call is required and fails", "2025-11-25: new-one fails and has no reason"]
    );
}

#[test]
fn the_page_has_every_scenario_and_another_result_makes_it_stale() {
    let found = vec![parse(PRINTED), vec![scenario("initialize", true, true)]];
    let text = tables(&found);
    assert!(text.contains("| 2025-11-25 | 2 | 1 | 3 | 1 |\n| 2026-07-28 | 1 | 1 | 0 | 0 |"), "{text}");
    assert!(text.contains("| `initialize` | pass | pass |  |"), "{text}");
    assert!(text.contains("| `tools_call` | **fail** | – | not known |"), "{text}");
    assert!(text.contains("| `auth/dpop` | fail (beside) | – | an extension"), "{text}");
    let written = page(&found, &[true, false]);
    assert_eq!(difference(&written, &found), None);
    let mut other = found;
    other[1][0].has_passed = false;
    let news = difference(&written, &other).expect("a difference");
    assert!(news.contains("| `initialize` | pass | **fail** |"), "{news}");
}

/// Runs the official suite, as `cargo xtask conformance` does, and holds what it gave against the page.
#[test]
fn npm_conformance_suite() {
    #[expect(clippy::disallowed_methods, reason = "the test command says where it has put what it installs")]
    let suites = std::env::var_os("CANDOR_SUITES").map(PathBuf::from);
    let suites = suites.expect("CANDOR_SUITES is not set: run this through `cargo xtask test`");
    let test = std::env::current_exe().expect("this test's own path");
    let client =
        test.parent().and_then(Path::parent).expect("the folder of the profile").join("examples/conformance");
    assert!(client.is_file(), "{} is not there: it is built with the workspace's tests", client.display());
    let found = results(&suites, &client).expect("the suite");
    assert_eq!(unexplained(&found), Vec::<String>::new());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PAGE);
    let written = std::fs::read_to_string(page).expect("the page");
    assert_eq!(difference(&written, &found), None);
}
