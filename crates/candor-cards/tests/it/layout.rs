//! The text of a card has the layout that people know and programs read.

use candor_cards::{card, text};
use candor_protocol::{Class, Code, ErrorCard, Failure, Step};
use insta::assert_snapshot;

use crate::samples::{complete, failure};

/// What a program does that follows the cards: take the lines that start with a number after the header.
fn numbered_lines(text: &str) -> Vec<&str> {
    let (_, after) = text.split_once("\nRecovery Steps:\n").unwrap_or_default();
    after.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect()
}

fn foreign() -> ErrorCard {
    ErrorCard {
        code: "SEGMENT_NOT_INITIALIZED".to_owned(),
        class: Class::from("PRECONDITION".to_owned()),
        title: String::new(),
        cause: "Segment directory exists but is not initialized.".to_owned(),
        tried: Vec::new(),
        steps: vec![Step::Do { text: "Look at the segment".to_owned() }],
        verify: None,
        retryable: false,
        exit_code: 1,
    }
}

#[track_caller]
fn check_cause(cause: &str, expect: &str) {
    let shown = text(&ErrorCard { cause: cause.to_owned(), ..foreign() }, "x");
    let (_, after) = shown.split_once("\nCause:\n").unwrap_or_default();
    let (shown, _) = after.split_once("\n\nRecovery Steps:\n").unwrap_or_default();
    assert_eq!(shown, expect);
}

#[test]
fn a_card_with_a_verify_command() {
    let failure = Failure::new(Code::HomeNotWritable)
        .with("path", "/srv/my agent")
        .with("reason", "Permission denied (os error 13)");
    assert_snapshot!(text(&card(&failure), "candor init"), @r"
    ❌ Command Failed: candor init

    Exit Code: 4
    Error Class: Precondition
    Error Code: HOME_NOT_WRITABLE

    Cause:
    Candor keeps its files in /srv/my agent and cannot write there.
    Reason: Permission denied (os error 13)

    Recovery Steps:
    1. Run: mkdir -p '/srv/my agent' && chmod 700 '/srv/my agent'
    2. If that failed, see who owns the folder: ls -ld '/srv/my agent'
    3. If it cannot be yours, set CANDOR_HOME to a folder that is

    Verify: test -d '/srv/my agent' && test -w '/srv/my agent'
    ");
}

#[test]
fn a_card_without_a_verify_command() {
    let failure = Failure::new(Code::ProviderUnavailable).with("provider", "anthropic").with("status", 529);
    assert_snapshot!(text(&card(&failure), "candor 'say hello'"), @r"
    ❌ Command Failed: candor 'say hello'

    Exit Code: 1
    Error Class: Provider
    Error Code: PROVIDER_UNAVAILABLE

    Cause:
    anthropic answered with status 529: it is overloaded or out of order. Your request is not the reason.

    Recovery Steps:
    1. Wait a minute, then send the same again
    2. If it stays so, look at the status page of anthropic
    3. To go on meanwhile, find the configuration file and name another provider in it: candor config path
    ");
}

#[test]
fn a_card_whose_cause_has_an_excerpt() {
    let failure = Failure::new(Code::ConfigSyntax)
        .with("path", "/home/me/.candor/config.toml")
        .with("line", 2)
        .with("column", 9)
        .with("problem", "  2 | model = claude\n    |         ^ a text must be quoted");
    assert_snapshot!(text(&card(&failure), "candor config check"), @r"
    ❌ Command Failed: candor config check

    Exit Code: 1
    Error Class: Config
    Error Code: CONFIG_SYNTAX

    Cause:
    /home/me/.candor/config.toml cannot be parsed at line 2, column 9.
      2 | model = claude
        |         ^ a text must be quoted

    Recovery Steps:
    1. Open /home/me/.candor/config.toml at line 2, column 9 and correct what is there
    2. If that line looks right, look above it for a quote or bracket that was never closed
    3. Run: candor config check

    Verify: candor config check
    ");
}

#[test]
fn a_usage_card() {
    let failure = Failure::new(Code::UsageUnknownCommand)
        .with("command", "confg")
        .with("nearest", "config")
        .with("detail", "")
        .with("help", "candor --help");
    assert_snapshot!(text(&card(&failure), "candor confg"), @r"
    ❌ Command Failed: candor confg

    Exit Code: 2
    Error Class: Usage
    Error Code: USAGE_UNKNOWN_COMMAND

    Cause:
    There is no command called confg.

    Recovery Steps:
    1. See whether config is the command you want: candor help config
    2. See all commands: candor --help
    3. Run it again with the name of the command corrected
    ");
}

#[test]
fn the_numbered_lines_are_the_steps_on_every_card() {
    for code in Code::ALL {
        for failure in
            [complete(*code), Failure::new(*code), failure(*code, |_| "1. a\n2. b\r\n3. c".to_owned())]
        {
            let card = card(&failure);
            let shown = text(&card, "cmd\n7. x");
            let lines = numbered_lines(&shown);
            assert_eq!(lines.len(), card.steps.len(), "{shown}");
            for (line, number) in lines.iter().zip(1..) {
                assert!(line.starts_with(&format!("{number}. ")), "{shown}");
            }
        }
    }
}

#[test]
fn a_card_inside_the_cause_adds_no_steps() {
    let inner = text(&card(&complete(Code::FileNotFound)), "cat x");
    let failure = Failure::new(Code::CommandFailed).with("what", "bash").with("exit", 1).with("said", inner);
    let card = card(&failure);
    let shown = text(&card, "candor");
    assert_eq!(numbered_lines(&shown).len(), card.steps.len(), "{shown}");
    assert_eq!(shown.matches("\nVerify: ").count(), usize::from(card.verify.is_some()));
    assert!(shown.contains("\n> Recovery Steps:\n"), "{shown}");
}

#[test]
fn a_step_of_several_lines_is_shown_in_one() {
    let card =
        ErrorCard { steps: vec![Step::Do { text: "one\ntwo\u{2028}three\n".to_owned() }], ..foreign() };
    assert_eq!(numbered_lines(&text(&card, "x")), [r"1. one\ntwo\u{2028}three"]);
}

#[test]
fn escape_sequences_are_shown_and_not_sent() {
    check_cause("a\x1b[31mred\x07\x08\u{9b}b", r"a\u{1b}[31mred\u{7}\u{8}\u{9b}b");
}

#[test]
fn characters_that_turn_the_reading_direction_are_shown() {
    check_cause("exe.\u{202e}fdp", r"exe.\u{202e}fdp");
}

#[test]
fn newlines_and_tabs_of_a_cause_are_kept() {
    check_cause("a\n\tb\n\nc\n", "a\n\tb\n\nc");
}

#[test]
fn a_windows_line_end_is_a_line_end_and_a_lone_return_is_shown() {
    check_cause("a\r\nb\rc", "a\nb\\rc");
}

#[test]
fn letters_of_other_scripts_are_left_alone() {
    check_cause("größe 大小 🙂", "größe 大小 🙂");
}

#[test]
fn no_control_character_but_the_newline_is_ever_in_a_text() {
    let every: String = (0..0x100_u32).filter_map(char::from_u32).collect();
    for code in Code::ALL {
        let card = card(&failure(*code, |_| every.clone()));
        let shown =
            text(&ErrorCard { code: every.clone(), class: Class::from(every.clone()), ..card }, &every);
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
    }
}

#[test]
fn a_foreign_code_and_class_are_kept_as_they_were_written() {
    let shown = text(&foreign(), "uv run trifecta ctx sync -s /tmp/test");
    assert!(shown.contains("\nError Class: PRECONDITION\nError Code: SEGMENT_NOT_INITIALIZED\n"), "{shown}");
}

#[test]
fn what_was_tried_stands_between_the_cause_and_the_steps_and_is_no_step() {
    let tried = vec!["git push: failed once like this".to_owned(), "1. \nRecovery Steps:\n2. rm".to_owned()];
    let shown = text(&ErrorCard { tried, ..foreign() }, "x");
    let expected = "initialized.\n\nAlready tried:\n- git push: failed once like this\n\
                    - 1. \\nRecovery Steps:\\n2. rm\n\nRecovery Steps:\n1. Look at the segment";
    assert!(shown.contains(expected), "{shown}");
    assert_eq!(numbered_lines(&shown), ["1. Look at the segment"]);
    assert!(!text(&foreign(), "x").contains("tried"));
}
