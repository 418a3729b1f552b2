//! Variables that a command is given beside its text.

use std::path::Path;

use candor_gate::Verdict::{Allow, Ask, Deny};
use candor_gate::{Gate, Scene, Verdict};

fn judge(variables: &[(&str, &str)], command: &str) -> Verdict {
    let workspace = Path::new("/home/dev/project");
    let variables: Vec<(String, String)> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let home = Some(Path::new("/home/dev"));
    let scene = Scene { cwd: workspace, workspace, home, writable: &[], variables: &variables };
    Gate::default().judge(command, &scene).verdict
}

#[test]
fn a_variable_that_is_given_is_known() {
    for (name, value, command, verdict) in [
        ("D", "/home/dev", "rm -rf \"$D\"", Deny),
        ("D", "/", "rm -rf $D", Deny),
        ("D", "/etc", "rm -rf \"${D}/x\"", Deny),
        ("D", "", "rm -rf \"$D/etc\"", Deny),
        ("D", "/etc/passwd", "echo x >> \"$D\"", Deny),
        ("D", "rm -rf /", "$D", Deny),
        ("D", "rm -rf /", "sh -c \"$D\"", Deny),
        ("D", "rm -rf /", "eval \"$D\"", Deny),
        ("D", "/", "sh -c 'rm -rf \"$D\"'", Deny),
        ("D", "D2", "D2=/; rm -rf \"${!D}\"", Deny),
        ("D", "build", "rm -rf \"$D\"", Allow),
        ("D", "a.log", "echo x >> \"$D\"", Allow),
        ("D", "/home/dev", "echo \"$D\"", Allow),
        ("D", "/", "D=build; rm -rf \"$D\"", Allow),
    ] {
        assert_eq!(judge(&[(name, value)], command), verdict, "{name}={value} {command}");
    }
}

#[test]
fn what_is_given_goes_before_what_is_assumed() {
    for (name, value, command, verdict) in [
        ("TMPDIR", "", "rm -rf \"$TMPDIR/etc\"", Deny),
        ("TMPDIR", "/", "rm -rf \"$TMPDIR\"", Deny),
        ("TMPDIR", "/home/dev", "cd \"$TMPDIR\" && rm -rf *", Deny),
        ("TMPDIR", "/tmp/mine", "rm -rf \"$TMPDIR\"", Allow),
        ("HOME", "/", "rm -rf ~/etc", Deny),
        ("HOME", "/etc", "cd && rm -rf *", Deny),
        ("HOME", "/etc", "rm -rf \"$HOME\"", Deny),
        ("HOME", "/tmp/home", "rm -rf ~/.cache", Allow),
        ("HOME", "/tmp/home", "rm -rf /home/dev", Deny),
        ("CDPATH", "/", "cd etc && rm -rf *", Deny),
        // A shell finds out by itself where it is.
        ("PWD", "/", "rm -rf \"$PWD/etc\"", Allow),
    ] {
        assert_eq!(judge(&[(name, value)], command), verdict, "{name}={value} {command}");
    }
}

#[test]
fn a_variable_that_makes_programs_do_something_else_is_asked_about() {
    for (name, value) in [("N", "a[$(id)]"), ("GNUMAKEFLAGS", "--eval=x"), ("GIT_PAGER", "./mine")] {
        assert_eq!(judge(&[(name, value)], "ls"), Ask, "{name}={value}");
    }
    assert_eq!(judge(&[("NODE_ENV", "test"), ("N", "1")], "npm test"), Allow);
}
