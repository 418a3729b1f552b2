//! The system prompt stands before a copy of the messages, and nowhere else.

use candor_agent::{Layers, Sourced, build_messages};
use candor_protocol::{Message, Role};

fn texts(messages: &[Message]) -> Vec<(Role, String)> {
    messages.iter().map(|message| (message.role, message.plain_text())).collect()
}

fn said(role: Role, text: &str) -> (Role, String) {
    (role, text.to_owned())
}

#[test]
fn test_agent_default_system_prompt_none() {
    // Nothing configured is the built-in identity; only the empty text means none.
    assert!(Layers::default().assemble().is_some());
    let empty = Sourced { text: String::new(), source: "system_prompt".to_owned() };
    assert_eq!(Layers { identity: Some(empty), ..Layers::default() }.assemble(), None);
}

#[test]
fn test_agent_with_system_prompt() {
    let identity = Sourced { text: "test".to_owned(), source: "system_prompt".to_owned() };
    let prompt = Layers { identity: Some(identity), ..Layers::default() }.assemble();
    assert_eq!(prompt.as_deref(), Some("test"));
}

#[test]
fn test_build_messages_with_system_prompt() {
    let built = build_messages(Some("You are helpful."), &[Message::text(Role::User, "Hi")]);
    assert_eq!(texts(&built), [said(Role::System, "You are helpful."), said(Role::User, "Hi")]);
}

#[test]
fn test_build_messages_without_system_prompt() {
    let messages = [Message::text(Role::User, "Hi"), Message::text(Role::Assistant, "Hello")];
    assert_eq!(build_messages(None, &messages), messages);
}

#[test]
fn test_build_messages_preserves_original() {
    let messages = vec![Message::text(Role::User, "Hi")];
    let before = messages.clone();
    let built = build_messages(Some("You are helpful."), &messages);
    assert_eq!(built.len(), 2);
    assert_eq!(messages, before);
}

#[test]
fn test_build_messages_with_history() {
    let history = [
        Message::text(Role::User, "Q1"),
        Message::text(Role::Assistant, "A1"),
        Message::text(Role::User, "Q2"),
    ];
    let built = build_messages(Some("Be brief."), &history);
    let expected = [
        said(Role::System, "Be brief."),
        said(Role::User, "Q1"),
        said(Role::Assistant, "A1"),
        said(Role::User, "Q2"),
    ];
    assert_eq!(texts(&built), expected);
}
