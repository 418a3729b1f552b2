//! `Candor` runs any program the same way; the shell stands in for the binary here.

use std::time::Duration;

use candor_testkit::{Candor, Home};

fn shell<'h>(home: &'h Home, script: &str) -> Candor<'h> {
    Candor::new("/bin/sh", home).args(["-c", script])
}

#[test]
fn streams_and_exit_code_come_back_apart() {
    let ran = shell(&Home::new(), "echo out; echo err >&2; exit 3").run().code(3);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("out\n", "err\n"));
}

#[test]
fn the_environment_is_the_throw_away_one_and_nothing_else() {
    let home = Home::new();
    let ran =
        shell(&home, "pwd; env | grep -v -e ^PATH= -e ^PWD= -e ^_= -e ^OLDPWD= -e ^SHLVL= | sort").run().ok();
    let expected = format!(
        "{}\nCANDOR_HOME={}\nHOME={}\nTMPDIR={}\n",
        home.workspace().display(),
        home.path().display(),
        home.user().display(),
        home.tmp().display()
    );
    assert_eq!(ran.stdout, expected);
}

#[test]
fn variables_can_be_set_and_removed() {
    let home = Home::new();
    let ran = shell(&home, "echo \"$A-${HOME-none}\"").env("A", "1").without_env("HOME").run().ok();
    assert_eq!(ran.stdout, "1-none\n");
}

#[test]
fn stdin_larger_than_a_pipe_is_delivered_while_the_child_answers() {
    let input = "0123456789\n".repeat(100_000);
    let ran = Candor::new("/bin/cat", &Home::new()).stdin(input.clone()).run().ok();
    assert!(ran.stdout == input, "got {} of {} bytes back", ran.stdout.len(), input.len());
}

#[test]
fn bytes_that_are_not_text_are_kept_as_they_are() {
    let ran = Candor::new("/bin/cat", &Home::new()).stdin([b'a', 0xff, b'b']).run().ok();
    assert_eq!(ran.stdout_bytes, [b'a', 0xff, b'b']);
    assert_eq!(ran.stdout, "a\u{fffd}b");
}

#[test]
fn a_signal_looks_as_it_does_in_a_shell() {
    shell(&Home::new(), "kill -TERM $$").run().code(143);
}

#[test]
#[should_panic(expected = "expected exit code 0\n$ sh -c echo gone wrong >&2; exit 9\nexit code 9")]
fn a_wrong_exit_code_shows_everything() {
    shell(&Home::new(), "echo gone wrong >&2; exit 9").run().ok();
}

#[test]
#[should_panic(
    expected = "did not end in time\n$ sh -c echo begun; exec sleep 1000\nnot ended\n--- stdout\nbegun"
)]
fn what_does_not_end_is_killed_and_shown() {
    // The limit is what this test waits for: as short as a loaded machine needs to get as far as the echo.
    shell(&Home::new(), "echo begun; exec sleep 1000").time_limit(Duration::from_secs(1)).run();
}

#[test]
#[should_panic(expected = "printed more than")]
fn endless_output_is_cut_short() {
    Candor::new("/bin/cat", &Home::new()).args(["/dev/zero"]).run();
}

#[test]
fn a_running_child_can_be_waited_for_and_stopped() {
    let home = Home::new();
    let script = "trap 'echo bye; exit 7' INT; echo ready; while :; do sleep 0.01; done";
    let running = shell(&home, script).spawn();
    running.wait_for_stdout("ready\n").signal("INT");
    let ran = running.finish().code(7);
    assert_eq!(ran.stdout, "ready\nbye\n");
}

#[test]
#[should_panic(expected = "waited in vain for \"never\" on stderr")]
fn waiting_ends_with_the_child() {
    shell(&Home::new(), "echo something else >&2").spawn().wait_for_stderr("never");
}
