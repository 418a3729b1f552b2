//! Help for those who ask, cards for those who mistyped.

use candor_testkit::Home;

use crate::rig::{candor, run, steps};

/// Rows and columns of a terminal that fills a small screen.
const SCREEN: (usize, usize) = (60, 100);

#[test]
fn help_fits_a_screen_and_has_examples() {
    let text = run("--help").ok().stdout;
    assert!(text.lines().count() <= SCREEN.0, "{} lines", text.lines().count());
    assert!(text.lines().all(|line| line.chars().count() <= SCREEN.1));
    assert!(text.contains("Examples:\n  candor \""), "{text}");
    for command in ["init", "doctor", "config", "errors", "serve", "logs", "redact", "demo", "completions"] {
        assert!(text.contains(&format!("\n  {command} ")), "{command}");
        run(&format!("{command} --help")).ok();
    }
    assert!(!text.contains("workflow") && !text.contains("generate"), "what is not there is not offered");
}

#[test]
fn no_arguments_show_the_help_and_are_bad_usage() {
    let ran = run("").code(2);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("Usage: candor"), "{}", ran.stderr);
}

#[test]
fn the_version_has_the_facts_of_the_build() {
    let text = run("--version").ok().stdout;
    assert!(text.starts_with(concat!("candor ", env!("CARGO_PKG_VERSION"), " (")), "{text}");
    assert!(text.contains("rustc 1.") && text.contains("linux"), "{text}");
    assert_eq!(text.lines().count(), 1);
}

#[track_caller]
fn check_card(line: &str, code: &str, says: &str) {
    let ran = run(line).code(2);
    assert_eq!(ran.stdout, "", "answers only");
    assert!(ran.stderr.contains(&format!("Error Code: {code}\n")), "{}", ran.stderr);
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    assert!(steps(&ran.stderr).len() >= 2, "{}", ran.stderr);
}

#[test]
fn mistakes_get_a_card_that_names_them() {
    check_card("config show --orgin", "USAGE_UNKNOWN_ARGUMENT", "a similar argument exists: '--origin'");
    check_card("config show --orgin", "USAGE_UNKNOWN_ARGUMENT", "candor config show --help");
    check_card("errors show", "USAGE_MISSING_ARGUMENT", "which was not given.\n\nRecovery Steps:");
    check_card("completions tcsh", "USAGE_INVALID_VALUE", "[possible values: bash");
    check_card("logs --level loud", "USAGE_INVALID_VALUE", "error, warn, info or debug");
    check_card("logs --since yesterdayish", "USAGE_INVALID_VALUE", "yesterdayish");
    check_card("config chekc", "USAGE_UNKNOWN_COMMAND", "candor help config check");
    check_card("confg check", "USAGE_UNKNOWN_COMMAND", "candor help config");
    check_card("config check --permission root", "USAGE_INVALID_VALUE", "read-only");
    check_card("config check --provider antropic", "USAGE_INVALID_VALUE", "did you mean \"anthropic\"?");
    check_card("config show logging.levl", "USAGE_INVALID_VALUE", "did you mean logging.level?");
    check_card("init --config x.toml", "USAGE_CONFLICT", "init writes the configuration of the home");
    check_card("errors show CONFIG_INVALD", "USAGE_UNKNOWN_CODE", "CONFIG_INVALID");
    check_card("doctr", "USAGE_UNKNOWN_COMMAND", "doctor");
}

#[test]
fn a_command_of_other_programs_is_no_prompt_and_the_card_has_ours() {
    for (word, ours) in [
        ("chat", "candor -r"),
        ("repl", "candor -r"),
        ("Resume", "candor -r -c"),
        ("continue", "candor -r -c"),
        ("history", "candor sessions list"),
        ("login", "candor init"),
        ("version", "candor --version"),
    ] {
        check_card(word, "USAGE_UNKNOWN_COMMAND", &format!("\n1. Run: {ours}\n"));
    }
}

#[test]
fn commands_of_later_builds_say_so_and_are_no_prompt() {
    for line in ["acp", "workflow list", "cron list"] {
        check_card(
            line,
            "USAGE_NOT_IN_THIS_BUILD",
            &format!("candor {} is planned", line.split(' ').next().unwrap_or_default()),
        );
    }
}

#[test]
fn a_prompt_is_what_has_a_space_or_follows_two_dashes() {
    let home = Home::new();
    for arguments in [
        vec!["init the repo"],
        vec!["--", "init"],
        vec!["--", "resume"],
        vec!["resume", "the", "download"],
        vec!["chat about this"],
        vec!["tell", "me", "more"],
        vec!["please", "delete", "config", "path"],
        vec!["-m", "config", "explain", "init"],
        vec!["confirm", "the", "tests", "pass"],
    ] {
        let ran = candor(&home, "").args(&arguments).run().code(4);
        assert!(ran.stderr.contains("PROVIDER_NOT_CONFIGURED"), "{arguments:?}: {}", ran.stderr);
    }
    assert!(!home.path().join("config.toml").exists(), "nothing was initialised");
}

#[test]
fn the_head_of_a_card_is_the_command_as_typed() {
    let ran = candor(&Home::new(), "errors show --json").args(["it's", "x"]).run().code(2);
    assert!(
        ran.stderr.starts_with("❌ Command Failed: candor errors show --json 'it'\\''s' x\n"),
        "{}",
        ran.stderr
    );
}
