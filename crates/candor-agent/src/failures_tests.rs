use candor_protocol::{Code, ErrorCard, Failure, RecoveredBy, ToolCall};
use candor_tools::Registry;
use serde_json::{Value, json};

use super::{Failures, may_have_changed};
use crate::target::Target;

fn target(tool: &str, args: Value) -> Target {
    let call =
        ToolCall { call_id: "c".to_owned(), tool_name: tool.to_owned(), args, malformed: None, opaque: None };
    Target::of(&call, &Registry::built_in())
}

fn command(line: &str) -> Target {
    target("shell_exec", json!({ "command": line }))
}

fn card(said: &str) -> ErrorCard {
    let failure = Failure::new(Code::CommandFailed).with("program", "make").with("exit", 2);
    candor_cards::card(&failure.with("said", said).with("command", "make"))
}

/// Each in an answer of its own; whether the run is stuck then.
fn fails(failures: &mut Failures, target: &Target, said: &str) -> bool {
    failures.begin_turn();
    failures.failed(target, &card(said));
    failures.take_stuck().is_some()
}

fn works(failures: &mut Failures, line: &str) {
    let target = command(line);
    failures.begin_turn();
    failures.worked(&target, may_have_changed(&target, true, false));
}

#[test]
fn the_third_time_is_stuck_whatever_the_words_and_whatever_was_only_looked_at() {
    let mut failures = Failures::default();
    assert!(!fails(&mut failures, &command("make  all"), "at 10:01"));
    works(&mut failures, "ls -la | head");
    assert!(!fails(&mut failures, &command("make all"), "at 10:02"));
    works(&mut failures, "cat Makefile");
    assert!(fails(&mut failures, &command(" make all\n"), "at 10:03"));
}

#[test]
fn what_may_have_changed_something_begins_the_count_anew() {
    let mut failures = Failures::default();
    for said in ["error 1", "error 2", "error 3", "error 4", "error 5", "error 6"] {
        assert!(!fails(&mut failures, &command("make"), said), "{said}");
        works(&mut failures, "sed -i s/a/b/ main.c");
    }
}

#[test]
fn the_very_same_card_five_times_is_stuck_whatever_was_done() {
    let mut failures = Failures::default();
    for _ in 1..5 {
        assert!(!fails(&mut failures, &command("make"), "error 1"));
        works(&mut failures, "pip install it");
    }
    assert!(fails(&mut failures, &command("make"), "error 1"));
}

#[test]
fn another_target_another_code_or_another_directory_is_another_failure() {
    let mut failures = Failures::default();
    let here = target("shell_exec", json!({ "command": "make", "cwd": "a" }));
    for _ in 0..2 {
        assert!(!fails(&mut failures, &command("make"), ""));
        assert!(!fails(&mut failures, &command("make test"), ""));
        assert!(!fails(&mut failures, &here, ""));
        failures.failed(&command("make"), &candor_cards::card(&Failure::new(Code::ToolTimeout)));
    }
    assert!(failures.take_stuck().is_none());
    assert!(fails(&mut failures, &here, ""));
}

#[test]
fn a_target_that_works_is_forgotten() {
    let mut failures = Failures::default();
    for _ in 0..4 {
        assert!(!fails(&mut failures, &command("ls x"), ""));
        assert!(!fails(&mut failures, &command("ls x"), ""));
        works(&mut failures, "ls x");
    }
}

#[test]
fn the_calls_of_one_answer_count_once() {
    let mut failures = Failures::default();
    failures.begin_turn();
    let edit = |old: &str| target("file_edit", json!({ "path": "a.rs", "old": old }));
    for old in ["x", "y", "z", "w"] {
        assert_eq!(failures.failed(&edit(old), &card("")).repeat, 1);
    }
    assert!(failures.take_stuck().is_none());
    assert!(!fails(&mut failures, &edit("w"), ""));
    assert!(fails(&mut failures, &edit("w"), ""), "the last of the first answer was counted as well");
}

#[test]
fn other_arguments_for_a_file_are_another_call_and_stuck_only_when_nothing_else_works() {
    let edit = |old: &str| target("file_edit", json!({ "path": "a.rs", "old": old }));
    let mut failures = Failures::default();
    for old in ["p", "q", "r", "s", "t", "u", "v"] {
        assert!(!fails(&mut failures, &edit(old), ""), "{old}");
        failures.worked(&target("file_read", json!({ "path": "a.rs" })), false);
    }
    for old in ["x", "y"] {
        assert!(!fails(&mut failures, &edit(old), ""), "{old}");
        works(&mut failures, "ls");
        assert!(!fails(&mut failures, &edit(old), ""), "{old} a second time");
    }
    works(&mut failures, "ls");
    assert!(fails(&mut failures, &edit("x"), ""), "the same call, although another came in between");
    let mut failures = Failures::default();
    for old in ["p", "q", "r", "s"] {
        assert!(!fails(&mut failures, &edit(old), ""), "{old}");
    }
    failures.begin_turn();
    failures.failed(&edit("t"), &card(""));
    let cause = candor_cards::card(&failures.take_stuck().unwrap()).cause;
    assert!(cause.starts_with("COMMAND_FAILED × 5: file_edit a.rs\n"), "{cause}");
    assert!(cause.contains("5 times with calls of file_edit on the same target in a row"), "{cause}");
}

#[test]
fn the_second_time_says_what_was_tried_since_the_first() {
    let mut failures = Failures::default();
    works(&mut failures, "echo before");
    failures.begin_turn();
    let first = failures.failed(&command("make"), &card(""));
    assert_eq!((first.is_first, first.tried.len()), (true, 0));
    for line in ["one", "two", "three", "four", "five", "two"] {
        works(&mut failures, line);
    }
    failures.begin_turn();
    let second = failures.failed(&command("make"), &card(""));
    assert_eq!((second.repeat, second.is_first), (2, false));
    let expected =
        ["make: failed once like this", "three: worked", "four: worked", "five: worked", "two: worked"];
    assert_eq!(second.tried, expected);
}

#[test]
fn the_end_names_the_code_the_count_the_target_and_what_was_tried() {
    let mut failures = Failures::default();
    failures.begin_turn();
    failures.failed(&command("make"), &card("no rule"));
    works(&mut failures, "ls");
    for _ in 0..2 {
        failures.begin_turn();
        failures.failed(&command("make"), &card("no rule"));
    }
    let cause = candor_cards::card(&failures.take_stuck().unwrap()).cause;
    assert!(cause.starts_with("COMMAND_FAILED × 3: make\n"), "{cause}");
    assert!(cause.contains("Tried: ls: worked\n") && cause.ends_with("no rule"), "{cause}");
}

#[test]
fn a_failure_is_got_past_when_a_command_of_its_kind_works() {
    let mut failures = Failures::default();
    let _ = fails(&mut failures, &command("git push"), "");
    let _ = fails(&mut failures, &command("git push -u origin main"), "");
    assert_eq!(failures.worked(&command("git status"), false), []);
    assert_eq!(failures.worked(&target("file_read", json!({ "path": "git push" })), false), []);
    let past = failures.worked(&command("cd . && git push --force"), true);
    assert_eq!((past.len(), past[0].failures, past[0].by), (1, 2, RecoveredBy::Model));
    assert_eq!(past[0].code, "COMMAND_FAILED");
    assert_eq!(failures.worked(&command("git push"), true), []);
}
