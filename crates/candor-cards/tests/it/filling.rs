//! Facts reach the card whole, and no hole of a template reaches a person.

use candor_cards::{card, catalogue, entry, outline, text};
use candor_protocol::{Code, ErrorCard, Failure, Step};

use crate::samples::{complete, facts_of};

/// Everything of a card that a person may read, in one string.
fn everything(card: &ErrorCard) -> String {
    format!("{}\n{}", card.title, text(card, "candor"))
}

#[test]
fn a_failure_with_all_its_facts_loses_no_step_and_no_fact() {
    for code in Code::ALL {
        let card = card(&complete(*code));
        let shown = everything(&card);
        assert_eq!(card.steps.len(), entry(*code).steps.len(), "{code}");
        assert_eq!(card.verify.is_some(), entry(*code).verify.is_some(), "{code}");
        assert!(!card.cause.contains("unknown"), "{code}: {shown}");
        for name in facts_of(*code) {
            assert!(shown.contains(&format!("the-{name}-fact")), "{code} does not show {name}: {shown}");
            assert!(!shown.contains(&format!("{{{name}}}")), "{code}: {shown}");
        }
    }
}

#[test]
fn a_failure_without_facts_still_makes_a_whole_card() {
    for code in Code::ALL {
        let card = card(&Failure::new(*code));
        assert!(card.steps.len() >= 2, "{code}: {:?}", card.steps);
        for name in facts_of(*code) {
            for hole in [format!("{{{name}}}"), format!("{{!{name}}}")] {
                assert!(!everything(&card).contains(&hole), "{code}: {}", everything(&card));
            }
        }
    }
}

#[test]
fn a_missing_fact_is_unknown_in_the_cause() {
    let card = card(&Failure::new(Code::FileIo).with("path", "/a"));
    assert_eq!(card.cause, "Reading or writing /a failed.\nReason: unknown");
}

#[test]
fn an_empty_fact_is_said_to_be_empty() {
    let failure = Failure::new(Code::UsageInvalidValue).with("argument", "--level").with("value", "");
    assert_eq!(card(&failure).cause, "--level cannot take the value (empty).");
}

#[test]
fn a_line_of_the_cause_that_would_be_one_missing_fact_is_left_out() {
    let card = card(&Failure::new(Code::UsageUnknownArgument).with("argument", "--colour"));
    assert_eq!(card.cause, "This command does not know the argument --colour.");
}

#[test]
fn a_step_whose_fact_is_missing_is_left_out() {
    let failure = Failure::new(Code::ConfigUnknownKey).with("path", "/c.toml").with("key", "zzz");
    let card = card(&failure);
    assert_eq!(card.steps[0], Step::Do { text: "Otherwise remove zzz from /c.toml".to_owned() });
    assert_eq!(card.steps.len(), 2);
}

#[test]
fn steps_that_need_no_fact_take_the_place_of_those_left_out() {
    let card = card(&Failure::new(Code::FileIsDirectory));
    let run = |command: &str| Step::run(command);
    assert_eq!(card.steps, [run("candor errors show FILE_IS_DIRECTORY"), run("candor doctor")]);
    assert_eq!(card.verify, None);
}

#[test]
fn a_fact_of_several_lines_is_kept_as_it_is() {
    let excerpt = "config.toml:3:9\n  3 | level = loud\n    |         ^^^^ one of error, warn, info, debug\n";
    let failure = Failure::new(Code::ConfigInvalid)
        .with("path", "config.toml")
        .with("count", 1)
        .with("problems", excerpt);
    let cause = card(&failure).cause;
    assert_eq!(cause.split_once('\n').unwrap().1, excerpt.trim_end());
}

#[test]
fn a_fact_in_braces_is_not_filled_a_second_time() {
    let failure = Failure::new(Code::FileIo).with("path", "/{reason}").with("reason", "{path}");
    assert_eq!(card(&failure).cause, "Reading or writing /{reason} failed.\nReason: {path}");
}

#[test]
fn doubled_braces_in_a_template_are_braces() {
    let card = card(&Failure::new(Code::DiskFull).with("path", "/a/b"));
    let verify = card.verify.unwrap();
    assert!(verify.contains("awk 'NR == 2 { print $4 }'"), "{verify}");
}

#[test]
fn a_fact_of_a_megabyte_is_shortened_and_says_so() {
    let output = "é".repeat(500_000);
    let card =
        card(&Failure::new(Code::CommandFailed).with("what", "bash").with("exit", 1).with("said", output));
    assert!(card.cause.len() < 70_000, "{}", card.cause.len());
    assert!(card.cause.ends_with("é… (934464 bytes left out)"), "{}", &card.cause[card.cause.len() - 60..]);
}

#[test]
fn a_fact_too_long_to_be_inserted_whole_is_not_inserted_into_a_command() {
    let card = card(&Failure::new(Code::FileIsDirectory).with("path", "x".repeat(100_000)));
    assert_eq!(card.verify, None);
}

#[test]
fn a_path_that_ends_in_a_space_keeps_it_in_a_command() {
    let card = card(&Failure::new(Code::FileIsDirectory).with("path", "/a "));
    assert_eq!(card.verify.as_deref(), Some("test -f '/a '"));
}

#[test]
fn the_first_of_two_facts_with_one_name_counts() {
    let card = card(&Failure::new(Code::FileIo).with("path", "/a").with("path", "/b").with("reason", "r"));
    assert_eq!(card.cause, "Reading or writing /a failed.\nReason: r");
}

#[test]
fn the_same_failure_gives_the_same_bytes() {
    for code in Code::ALL {
        let failure = complete(*code);
        assert_eq!(text(&card(&failure), "x"), text(&card(&failure), "x"));
    }
}

#[test]
fn an_outline_names_its_facts_in_capitals() {
    let card = outline(entry(Code::ConfigUnreadable));
    assert_eq!(card.cause, "The configuration file PATH cannot be read.\nReason: REASON");
    assert_eq!(card.steps[0], Step::run("chmod u+r PATH"));
    for entry in catalogue() {
        assert_eq!(outline(entry).steps.len(), entry.steps.len(), "{}", entry.code);
    }
}
