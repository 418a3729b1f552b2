//! What happens when nobody can be told.

use candor_testkit::{Candor, Home};

use crate::rig::BINARY;

fn shell<'h>(home: &'h Home, line: &str) -> Candor<'h> {
    Candor::new("sh", home).args(["-c", line]).env("CANDOR", BINARY)
}

#[test]
fn a_full_disk_behind_standard_output_is_a_card() {
    let home = Home::new();
    shell(&home, "\"$CANDOR\" errors list > /dev/full")
        .run()
        .code(4)
        .stderr_has("Error Code: DISK_FULL")
        .stderr_has("for /dev/full");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let home = Home::new();
    let ran = shell(&home, "{ \"$CANDOR\" errors list; echo status $? >&2; } | head -n 1").run().ok();
    assert_eq!(ran.stdout.lines().count(), 1);
    assert!(ran.stderr.contains("status 0") && !ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn closed_streams_do_not_panic() {
    let home = Home::new();
    for line in
        ["\"$CANDOR\" config check >&-", "\"$CANDOR\" config chekc 2>&-", "\"$CANDOR\" doctor >&- 2>&-"]
    {
        let ran = shell(&home, line).run();
        assert!(!ran.stderr.contains("panicked"), "{line}: {}", ran.stderr);
        assert!(ran.status < 100, "{line}: {}", ran.status);
    }
}

#[test]
fn colours_are_shown_on_a_terminal_that_wants_them() {
    let home = Home::new();
    let on_terminal = |line: &str| {
        Candor::new("script", &home)
            .args(["-qec", &format!("{BINARY} {line}"), "/dev/null"])
            .env("TERM", "xterm")
            .run()
            .stdout
    };
    assert!(on_terminal("doctor").contains("\u{1b}["));
    assert!(!on_terminal("doctor --no-color").contains("\u{1b}["));
    let plain = Candor::new(BINARY, &home).args(["doctor"]).run().ok().stdout;
    assert!(!plain.contains("\u{1b}["));
    let no_color = Candor::new("script", &home)
        .args(["-qec", &format!("{BINARY} doctor"), "/dev/null"])
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .run()
        .stdout;
    assert!(!no_color.contains("\u{1b}["));
}

#[test]
fn a_deleted_current_directory_is_no_reason_to_fail() {
    let home = Home::new();
    shell(&home, "mkdir gone && cd gone && rmdir ../gone && \"$CANDOR\" config check").run().ok();
}
