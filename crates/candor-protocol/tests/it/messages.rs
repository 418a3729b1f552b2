//! Messages as they are stored.

use candor_protocol::{Message, Opaque, Part, Reasoning, Role, ToolCall, ToolResult, Usage};
use serde_json::json;

#[test]
fn every_part_keeps_what_it_was_given() {
    let parts = vec![
        Part::text("words"),
        Part::Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() },
        Part::File {
            name: "a.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            data: "aGk=".to_owned(),
        },
        Part::Reasoning(Reasoning {
            text: "hm".to_owned(),
            opaque: Some(Opaque { dialect: "anthropic".to_owned(), data: json!({"signature": "s"}) }),
        }),
        Part::ToolCall(ToolCall {
            call_id: "c".to_owned(),
            tool_name: "t".to_owned(),
            args: json!({"a": 1}),
            malformed: Some("{".to_owned()),
            opaque: None,
        }),
        Part::ToolResult(ToolResult {
            call_id: "c".to_owned(),
            tool_name: "t".to_owned(),
            content: "r".to_owned(),
            is_error: true,
            card: None,
            images: Vec::new(),
        }),
    ];
    let message = Message {
        model: Some("m".to_owned()),
        usage: Some(Usage::new(1, 2)),
        ..Message::new(Role::Assistant, parts)
    };
    let json = serde_json::to_string(&message).expect("JSON");
    assert_eq!(serde_json::from_str::<Message>(&json).expect("a message"), message);
    let types: Vec<_> = serde_json::from_str::<serde_json::Value>(&json).expect("JSON")["parts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|part| part["type"].clone())
        .collect();
    assert_eq!(types, ["text", "image", "file", "reasoning", "tool_call", "tool_result"]);
}

#[test]
fn usage_adds_up_and_never_overflows() {
    let mut usage = Usage::new(u64::MAX, 1);
    usage += Usage { cache_read_tokens: 3, ..Usage::new(5, 2) };
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.cache_read_tokens), (u64::MAX, 3, 3));
}
