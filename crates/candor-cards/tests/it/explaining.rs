//! What is known without a rule, and how outputs of any kind are read.

use std::time::Duration;

use candor_cards::{Command, Explained, Failed, Given, How, NotStarted, RuleBase, Source, explain, text};
use proptest::prelude::*;

fn of(line: &str, how: How, output: &str) -> Explained {
    let command = Command::line(line);
    explain(
        &Failed { command: &command, how, stdout: "", stderr: output },
        &RuleBase::only([]),
        &Given::default(),
    )
}

#[test]
fn exit_codes_and_signals_are_explained() {
    let cases = [
        (How::Exited(1), "COMMAND_FAILED", "exit code 1", 1),
        (How::Exited(126), "COMMAND_NOT_EXECUTABLE", "126", 126),
        (How::Exited(127), "COMMAND_NOT_FOUND", "127", 127),
        (How::Exited(137), "COMMAND_KILLED", "signal 9, SIGKILL", 137),
        (How::Signalled(9), "COMMAND_KILLED", "memory ran out", 137),
        (How::Signalled(11), "COMMAND_CRASHED", "signal 11, SIGSEGV", 139),
        (How::Exited(139), "COMMAND_CRASHED", "SIGSEGV", 139),
        (How::Exited(143), "COMMAND_TERMINATED", "signal 15, SIGTERM", 143),
        (How::Signalled(2), "COMMAND_INTERRUPTED", "Ctrl-C", 130),
        (How::TimedOut(Duration::from_secs(3)), "COMMAND_TIMED_OUT", "after 3 s", 124),
        (How::NotStarted(NotStarted::NotFound), "COMMAND_NOT_FOUND", "tool: command not found", 127),
        (How::NotStarted(NotStarted::NotPermitted), "COMMAND_NOT_EXECUTABLE", "Permission denied", 126),
    ];
    for (how, code, cause, exit) in cases {
        let explained = of("tool --do it", how.clone(), "");
        assert_eq!(explained.source, Source::Generic);
        assert_eq!(explained.card.code, code, "{how:?}");
        assert!(explained.card.cause.contains(cause), "{how:?}: {}", explained.card.cause);
        assert_eq!(i32::from(explained.card.exit_code), exit, "{how:?}");
        assert!(explained.card.steps.len() >= 2, "{how:?}");
    }
}

#[test]
fn the_generic_card_names_the_program_and_says_the_same_every_time() {
    let card = || {
        text(
            &of("tool --do it", How::Exited(3), "reading config\nerror: no key called `x`\n").card,
            "tool --do it",
        )
    };
    let expected = "\
❌ Command Failed: tool --do it

Exit Code: 3
Error Class: Runtime
Error Code: COMMAND_FAILED

Cause:
tool ended with exit code 3.
error: no key called `x`

Recovery Steps:
1. Check the command's syntax and arguments: tool --help
2. Check that what it works on is here and ready: pwd && ls -la
3. Review the lines above: change what they name, then run it again: tool --do it

Verify: tool --do it";
    assert_eq!(card(), expected);
    assert_eq!(card(), card());
}

#[test]
fn the_most_telling_lines_are_shown_and_not_the_first() {
    let mut output = "compiling module\n".repeat(500);
    output.push_str("Error: cannot open the lid\n");
    output.push_str(&"cleaning up\n".repeat(500));
    let cause = of("build", How::Exited(1), &output).card.cause;
    assert_eq!(cause, "build ended with exit code 1.\nError: cannot open the lid");
}

#[test]
fn an_output_without_telling_words_shows_its_last_lines() {
    let cause = of("build", How::Exited(1), "one\ntwo\nthree\n").card.cause;
    assert_eq!(cause, "build ended with exit code 1.\none\ntwo\nthree");
}

#[test]
fn colours_line_ends_and_progress_bars_are_taken_off() {
    let output = "\u{1b}[31merror:\u{1b}[0m no lid\r\n10%\r50%\r100%\r\n\u{1b}]0;title\u{7}";
    let cause = of("build", How::Exited(1), output).card.cause;
    assert_eq!(cause, "build ended with exit code 1.\nerror: no lid");
}

#[test]
fn binary_output_is_not_shown() {
    let output: String = (0..4000).map(|n| if n % 7 == 0 { '\u{fffd}' } else { '\u{1}' }).collect();
    let cause = of("build", How::Exited(1), &output).card.cause;
    assert_eq!(cause, "build ended with exit code 1.\nIt said nothing.");
}

#[test]
fn words_of_another_language_get_a_step_that_asks_for_english() {
    let card = of("bau", How::Exited(2), "bau: Datei für den Bau fehlt\n").card;
    assert!(
        card.steps.iter().any(|step| step.to_string().ends_with("LC_ALL=C.UTF-8 bau")),
        "{:?}",
        card.steps
    );
}

proptest! {
    #[test]
    fn any_output_of_any_command_gives_a_card(line in ".{0,80}", output in ".{0,400}", exit in 1..300i32) {
        let command = Command::line(&line);
        let failed = Failed { command: &command, how: How::Exited(exit), stdout: &output, stderr: &output };
        let explained = explain(&failed, &RuleBase::only([]), &Given::default());
        prop_assert!(!explained.card.steps.is_empty());
        prop_assert!(explained.card.exit_code > 0);
        let again = explain(&failed, &RuleBase::only([]), &Given::default());
        prop_assert_eq!(explained, again);
    }
}

/// `command -v x` asks whether there is an x. It has not run one, and nobody can ask a shell's own word for its help.
#[test]
fn a_question_of_the_shell_is_not_blamed_on_the_program_that_it_asks_for() {
    for line in ["command -v nosuch", "command -V nosuch > /dev/null", "test -e nosuch", "[ -e nosuch ]"] {
        let card = of(line, How::Exited(1), "").card;
        assert!(card.cause.starts_with("The command ended with exit code 1."), "{line}: {}", card.cause);
        let asks = card.steps.iter().any(|step| step.to_string().contains("--help"));
        assert!(!asks, "{line}: {:?}", card.steps);
    }
    assert_eq!(Command::line("command git push").program(), "git", "without the option it runs it");
}

#[test]
fn a_command_that_said_nothing_has_no_lines_to_review() {
    let has = |output: &str, words: &str| {
        let card = of("ledger post", How::Exited(1), output).card;
        card.steps.iter().any(|step| step.to_string().contains(words))
    };
    let output = "ledger: entry 7 is not balanced\n";
    assert!(of("ledger post", How::Exited(1), "").card.cause.ends_with("It said nothing."));
    assert!(!has("", "lines above") && has("", "Have ledger say more"));
    assert!(has(output, "Review the lines above") && !has(output, "say more"));
}
