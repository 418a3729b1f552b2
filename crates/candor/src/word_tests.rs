//! What lines mean as an answer.

use candor_protocol::Answer;

use super::Asked;

fn check(choices: &[&str], line: &str, expect: Option<(&str, Option<&str>)>) {
    let choices: Vec<String> = choices.iter().map(|choice| (*choice).to_owned()).collect();
    let read = Asked { call_id: "c", choices: &choices }.read(line);
    let read = read.as_ref().map(|(choice, reason)| (choice.as_str(), reason.as_deref()));
    assert_eq!(read, expect, "{line}");
}

#[test]
fn an_approval_takes_a_letter_a_word_or_a_reason() {
    let choices = &[Answer::ONCE, Answer::ALWAYS, Answer::NO];
    check(choices, "y", Some(("once", None)));
    check(choices, "YES", Some(("once", None)));
    check(choices, "a", Some(("always", None)));
    check(choices, "n", Some(("no", None)));
    check(choices, "use git stash instead", Some(("no", Some("use git stash instead"))));
    check(choices, "", None);
    // What cannot be allowed for good is asked again rather than taken for a reason.
    check(&[Answer::ONCE, Answer::NO], "a", None);
}

#[test]
fn a_question_takes_a_number_a_choice_or_any_words() {
    check(&["red", "blue"], "2", Some(("blue", None)));
    check(&["red", "blue"], "Red", Some(("red", None)));
    check(&["red", "blue"], "3", None);
    check(&["red", "blue"], "green", None);
    check(&[], "anything at all", Some(("anything at all", None)));
}
