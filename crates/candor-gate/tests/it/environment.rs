//! Which variables pass.
//!
//! The table is tried by its effect, too, in the binary's tests.

use candor_gate::env::{filtered, is_hijacking};
use candor_gate::{Lists, Verdict};

use crate::scene::judge_with;

/// A line is `hijacks`, `secret` or `passes`, a tab, and a name.
const TABLE: &str = include_str!("environment.tsv");

#[track_caller]
fn check(allowed: &[&str], vars: &[&str], expect: &[&str]) {
    let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
    let passed = filtered(vars.iter().map(|name| (*name, "value")), &allowed);
    let names: Vec<&str> = passed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, expect);
    assert!(passed.iter().all(|(_, value)| value == "value"));
}

#[test]
fn s6_6_only_what_is_on_the_list_passes() {
    check(&["PATH", "HOME"], &["PATH", "HOME", "HOMEBREW", "path", "PAT", "X"], &["PATH", "HOME"]);
    check(&["LC_*", "TZ"], &["LC_ALL", "LC_TIME", "LANG", "TZ"], &["LC_ALL", "LC_TIME", "TZ"]);
    check(&[], &["PATH"], &[]);
}

#[test]
fn the_usual_ones_pass() {
    let usual =
        ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR", "TZ", "PWD", "SSH_AUTH_SOCK"];
    check(&["*"], &usual, &usual);
}

/// Not even by a list that names it.
#[test]
fn what_hijacks_a_program_or_is_called_like_a_secret_never_passes() {
    for (kind, name) in TABLE.lines().filter_map(|line| line.split_once('\t')) {
        let expect: &[&str] = if kind == "passes" { &[name] } else { &[] };
        check(&["*", name], &[name], expect);
        assert_eq!(is_hijacking(name), kind == "hijacks", "{name}");
    }
}

/// npm reads its variables in either case.
#[test]
fn the_case_of_a_name_does_not_matter() {
    check(&["*"], &["NPM_CONFIG_PREFIX", "npm_config_prefix", "ld_preload", "github_token"], &[]);
}

/// What the shell would run for somebody is asked about where a command sets it, and only there.
#[test]
fn a_command_that_sets_a_program_or_puts_code_into_others_is_asked_about() {
    for name in ["GIT_MAN_VIEWER", "GIT_SSH_COMMAND", "LD_PRELOAD", "BASH_ENV"] {
        let judged = judge_with(&Lists::default(), &format!("{name}=./mine make"));
        assert_eq!(judged.verdict, Verdict::Ask, "{name}");
        assert!(judged.reason.contains(name), "{}", judged.reason);
    }
    for ordinary in ["RUSTFLAGS=-Dwarnings cargo build", "NODE_OPTIONS=--max-old-space-size=4096 npm test"] {
        assert_eq!(judge_with(&Lists::default(), ordinary).verdict, Verdict::Allow, "{ordinary}");
    }
}
