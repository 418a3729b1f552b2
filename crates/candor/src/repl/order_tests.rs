//! What lines mean.

use super::{Input, Order, read};

#[track_caller]
fn check(text: &str, expected: &Input) {
    assert_eq!(&read(text), expected, "{text:?}");
}

#[track_caller]
fn check_message(text: &str, expected: &str) {
    check(text, &Input::Message(expected.to_owned()));
}

#[track_caller]
fn check_mistake(text: &str, says: &str) {
    let Input::Mistake(said) = read(text) else { panic!("{text:?} is no mistake") };
    assert!(said.contains(says) && said.contains("put a space before it"), "{text:?}: {said}");
}

#[test]
fn words_are_messages() {
    check_message("hello", "hello");
    check_message("  hello there \n", "hello there");
    check_message("one\ntwo", "one\ntwo");
    check_message("not /new", "not /new");
}

#[test]
fn a_message_may_begin_with_a_slash() {
    check_message("//etc/hosts has what?", "/etc/hosts has what?");
    check_message(" /new is a command", "/new is a command");
    check_message("///", "//");
    check_message("/usr/bin/x: not found\nwhat is this?", "/usr/bin/x: not found\nwhat is this?");
}

#[test]
fn commands_are_read_with_what_stands_behind_them() {
    check("/new", &Input::Order(Order::New));
    check("/new  ", &Input::Order(Order::New));
    check("/sessions", &Input::Order(Order::Sessions(None)));
    check("/sessions two  words", &Input::Order(Order::Sessions(Some("two  words".to_owned()))));
    check("/resume 3", &Input::Order(Order::Resume(Some("3".to_owned()))));
    check("/model\tx", &Input::Order(Order::Model(Some("x".to_owned()))));
    check("/rename A name", &Input::Order(Order::Rename("A name".to_owned())));
    check("/exit", &Input::Order(Order::Quit));
    check("", &Input::Nothing);
    check(" \t ", &Input::Nothing);
    check("/rename", &Input::Mistake("/rename needs a name after it.".to_owned()));
}

#[test]
fn what_is_no_command_is_not_sent() {
    check_mistake("/sesions", "Did you mean /sessions?");
    check_mistake("/quitt", "Did you mean /quit?");
    check_mistake("/etc/hosts has what?", "/help lists them.");
    check_mistake("/", "no command /");
    check_mistake("/help me with this", "/help takes nothing after it.");
    check_mistake("/new session please", "/new takes nothing after it.");
}
