//! Broken conversations, and what becomes of them.

use candor_protocol::{Message, Part, Reasoning, Role, ToolCall, ToolResult};
use serde_json::json;

use super::sound;

fn call(id: &str, name: &str) -> Part {
    Part::ToolCall(ToolCall {
        call_id: id.to_owned(),
        tool_name: name.to_owned(),
        args: json!({}),
        malformed: None,
        opaque: None,
    })
}

fn result(id: &str, content: &str) -> Part {
    Part::ToolResult(ToolResult {
        call_id: id.to_owned(),
        tool_name: "t".to_owned(),
        content: content.to_owned(),
        is_error: false,
        card: None,
        images: Vec::new(),
    })
}

fn thought(text: &str) -> Part {
    Part::Reasoning(Reasoning { text: text.to_owned(), opaque: None })
}

/// A conversation in short: `user: hi`, `assistant: a!t` for a call, `tool: a=result`.
fn short(messages: &[Message]) -> Vec<String> {
    let part = |part: &Part| match part {
        Part::Text { text } => text.clone(),
        Part::Image { .. } => "image".to_owned(),
        Part::File { .. } => "file".to_owned(),
        Part::Reasoning(thought) => format!("({})", thought.text),
        Part::ToolCall(call) => format!("{}!{}", call.call_id, call.tool_name),
        Part::ToolResult(result) => {
            format!("{}={}", result.call_id, result.content.chars().take(11).collect::<String>())
        }
    };
    let line = |message: &Message| {
        let parts: Vec<String> = message.parts.iter().map(part).collect();
        format!("{:?}: {}", message.role, parts.join(" ")).to_lowercase()
    };
    messages.iter().map(line).collect()
}

#[track_caller]
fn check(messages: Vec<(Role, Vec<Part>)>, expect: &[&str]) {
    let messages: Vec<_> = messages.into_iter().map(|(role, parts)| Message::new(role, parts)).collect();
    let repaired = sound(&messages);
    assert_eq!(short(&repaired), expect);
    assert_eq!(sound(&repaired), repaired, "what is repaired needs no repair");
}

#[test]
fn a_sound_conversation_stays_as_it_is() {
    let messages = [
        Message::text(Role::System, "be good"),
        Message::text(Role::User, "hi"),
        Message::new(Role::Assistant, vec![thought("hm"), Part::text("ok"), call("a", "t"), call("b", "t")]),
        Message::new(Role::Tool, vec![result("a", "1"), result("b", "2")]),
        Message::text(Role::Assistant, "done"),
        Message::text(Role::User, "more"),
        Message::text(Role::User, "and more"),
    ];
    let repaired = sound(&messages);
    assert_eq!(short(&repaired), short(&messages));
}

#[test]
fn a_call_without_a_result_gets_one() {
    check(
        vec![(Role::Assistant, vec![call("a", "t"), call("b", "t")]), (Role::Tool, vec![result("b", "2")])],
        &["assistant: a!t b!t", "tool: a=interrupted b=2"],
    );
    check(
        vec![(Role::Assistant, vec![call("a", "t")]), (Role::User, vec![Part::text("hello?")])],
        &["assistant: a!t", "tool: a=interrupted", "user: hello?"],
    );
}

#[test]
fn a_result_without_a_call_goes() {
    check(
        vec![
            (Role::Tool, vec![result("x", "0")]),
            (Role::User, vec![Part::text("hi"), result("y", "0")]),
            (Role::Assistant, vec![call("a", "t")]),
            (Role::Tool, vec![result("z", "3"), result("a", "1"), result("a", "again")]),
        ],
        &["user: hi", "assistant: a!t", "tool: a=1"],
    );
}

#[test]
fn a_result_that_comes_late_or_out_of_order_finds_its_place() {
    check(
        vec![
            (Role::Assistant, vec![call("a", "t"), call("b", "t")]),
            (Role::Tool, vec![result("b", "2")]),
            (Role::User, vec![Part::text("wait")]),
            (Role::Tool, vec![result("a", "1")]),
        ],
        &["assistant: a!t b!t", "tool: a=1 b=2", "user: wait"],
    );
}

#[test]
fn ids_that_come_again_are_made_unique() {
    check(
        vec![
            (Role::Assistant, vec![call("a", "t"), call("a", "u")]),
            (Role::Tool, vec![result("a", "1"), result("a", "2")]),
            (Role::Assistant, vec![call("a", "t"), call("", "t")]),
            (Role::Tool, vec![result("a", "3"), result("", "4")]),
        ],
        &["assistant: a!t a_2!u", "tool: a=1 a_2=2", "assistant: a_3!t call!t", "tool: a_3=3 call=4"],
    );
}

#[test]
fn ids_and_names_are_cut_to_what_providers_take() {
    let long = "x".repeat(70);
    let messages = [Message::new(Role::Assistant, vec![call(&long, &long), call("b", "my tool.né")])];
    let repaired = sound(&messages);
    let calls: Vec<_> = repaired[0].calls().collect();
    assert_eq!((calls[0].call_id.len(), calls[0].tool_name.len()), (40, 64));
    assert_eq!(calls[1].tool_name, "my_tool_n_");
    let Part::ToolResult(result) = &repaired[1].parts[0] else { panic!("no result") };
    assert_eq!(result.call_id, calls[0].call_id);
}

#[test]
fn blank_texts_and_empty_messages_go() {
    check(
        vec![
            (Role::System, vec![Part::text("  ")]),
            (Role::User, vec![Part::text("\n"), Part::text("hi")]),
            (Role::Assistant, vec![Part::text("")]),
            (Role::User, vec![]),
            (Role::Assistant, vec![Part::text(" "), call("a", "t")]),
            (Role::Tool, vec![result("a", " \n")]),
        ],
        &["user: hi", "assistant: a!t", "tool: a=(no output)"],
    );
}

#[test]
fn a_thought_alone_is_no_answer() {
    check(
        vec![
            (Role::User, vec![Part::text("hi")]),
            (Role::Assistant, vec![thought("hm")]),
            (Role::User, vec![Part::text("?")]),
        ],
        &["user: hi", "user: ?"],
    );
}

#[test]
fn pictures_of_a_tool_are_shown_by_the_user() {
    let image = Part::Image { media_type: "image/png".to_owned(), data: "AA==".to_owned() };
    check(
        vec![(Role::Assistant, vec![call("a", "t")]), (Role::Tool, vec![result("a", "1"), image])],
        &["assistant: a!t", "tool: a=1", "user: image"],
    );
}
