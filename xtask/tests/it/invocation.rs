use std::path::Path;

use xtask::invocation::Invocation;

fn shell(script: &str) -> Invocation {
    Invocation::new("sh", Path::new(".")).args(["-c", script])
}

#[test]
fn both_streams_come_in_the_order_they_were_printed() {
    let finished = shell("echo one; echo two >&2; echo three; exit 3").finish().expect("sh starts");
    assert!(!finished.success);
    assert_eq!(finished.output, "one\ntwo\nthree\n");
}

#[test]
fn stdout_alone_is_for_programs_and_failures_show_stderr() {
    assert_eq!(shell("echo out; echo err >&2").stdout().expect("it ends well"), "out\n");
    let error = shell("echo why >&2; exit 1").stdout().expect_err("it fails").to_string();
    assert!(error.starts_with("`sh -c echo why >&2; exit 1` failed") && error.ends_with("\nwhy"), "{error}");
}

#[test]
fn a_program_that_is_not_there_does_not_succeed() {
    assert!(!Invocation::new("no-such-program-here", Path::new(".")).succeeds());
    assert!(shell("true").succeeds() && !shell("false").succeeds());
}
