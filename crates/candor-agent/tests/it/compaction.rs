//! Shortening without a model.

use candor_agent::shrink;
use candor_protocol::{Message, Part, Role, ToolCall, ToolResult};
use serde_json::json;

fn call(id: &str) -> Message {
    let call = ToolCall {
        call_id: id.to_owned(),
        tool_name: "shell_exec".to_owned(),
        args: json!({ "command": "ls" }),
        malformed: None,
        opaque: None,
    };
    Message::new(Role::Assistant, vec![Part::ToolCall(call)])
}

fn result(id: &str, bytes: usize) -> Message {
    let result = ToolResult {
        call_id: id.to_owned(),
        tool_name: "shell_exec".to_owned(),
        content: "x".repeat(bytes),
        is_error: false,
        card: None,
    };
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

#[test]
fn the_users_words_survive_and_the_newest_messages_stay() {
    let messages = [
        user("always use tabs"),
        call("a"),
        result("a", 50_000),
        user("now the second thing"),
        call("b"),
        result("b", 10),
    ];
    let shrunk = shrink(&messages, 100).unwrap();
    assert_eq!(shrunk.removed, 3);
    assert!(shrunk.summary.contains("always use tabs"));
    assert!(shrunk.summary.contains("Called shell_exec"));
    assert!(shrunk.summary.len() < 1000);
    assert_eq!(shrunk.messages[1..], messages[3..]);
}

#[test]
fn no_result_loses_its_call() {
    let mut messages = vec![user("go")];
    for id in ["a", "b", "c", "d"] {
        messages.push(call(id));
        messages.push(result(id, 10_000));
    }
    let shrunk = shrink(&messages, 10).unwrap();
    assert!(shrunk.messages.len() < messages.len());
    assert_eq!(
        shrunk.messages[1].role,
        Role::Assistant,
        "a kept part begins with a call, not with its result"
    );
    assert!(shrunk.summary.contains("User: go"));
}

#[test]
fn a_single_message_cannot_be_shortened() {
    assert_eq!(shrink(&[user(&"x".repeat(1_000_000))], 10), None);
}
