//! A picture that came of a call, in each dialect.

use candor_protocol::{Image, Message, Part, Role};
use serde_json::{Value, json};

use super::super::Dialect;
use super::{call, request, result, user};

/// A conversation in which the second of two calls gave pictures of these kinds.
fn said(kinds: &[&str]) -> Vec<Message> {
    let Part::ToolResult(mut seen) = result("b", "[a chart]") else { panic!("no result") };
    let image = |kind: &&str| Image { media_type: (*kind).to_owned(), data: "aGk=".to_owned() };
    seen.images = kinds.iter().map(image).collect();
    vec![
        user(vec![Part::text("Look.")]),
        Message::new(Role::Assistant, vec![call("a", None), call("b", None)]),
        Message::new(Role::Tool, vec![result("a", "rain"), Part::ToolResult(seen)]),
    ]
}

/// What follows the answer in a request.
fn written(dialect: Dialect, model: &str, kinds: &[&str]) -> Vec<Value> {
    let mut asked = request(said(kinds));
    asked.model = model.to_owned();
    let body = dialect.wire().body(&asked);
    let all = body["messages"].as_array().or(body["input"].as_array()).or(body["contents"].as_array());
    let skipped = if dialect == Dialect::OpenaiResponses { 3 } else { 2 };
    all.unwrap()[skipped..].to_vec()
}

#[test]
fn anthropic_takes_it_in_the_result() {
    let source = json!({"type": "base64", "media_type": "image/png", "data": "aGk="});
    let turn = &written(Dialect::Anthropic, "claude-sonnet-4-5", &["image/png"])[0]["content"];
    assert_eq!(turn[0]["content"], "rain");
    assert_eq!(
        turn[1]["content"],
        json!([{"type": "text", "text": "[a chart]"}, {"type": "image", "source": source}])
    );
}

#[test]
fn anthropic_is_told_of_one_that_it_would_refuse() {
    let words = |kind: &str| json!({"type": "text", "text": format!("[A picture ({kind}) cannot be shown to this model.]")});
    let turn = &written(Dialect::Anthropic, "m", &["image/tiff"])[0]["content"];
    assert_eq!(turn[1]["content"][1], words("image/tiff"));
    let mut large = said(&["image/png"]);
    let Part::ToolResult(seen) = &mut large[2].parts[1] else { panic!("no result") };
    seen.images[0].data = "A".repeat((5 << 20) + 4);
    let body = Dialect::Anthropic.wire().body(&request(large));
    assert_eq!(body["messages"][2]["content"][1]["content"][1], words("image/png"));
}

#[test]
fn responses_take_it_in_the_output() {
    let outputs = written(Dialect::OpenaiResponses, "gpt-5", &["image/png"]);
    assert_eq!(outputs[0]["output"], "rain");
    assert_eq!(
        outputs[1],
        json!({"type": "function_call_output", "call_id": "b", "output": [
            {"type": "input_text", "text": "[a chart]"},
            {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
        ]})
    );
}

#[test]
fn chat_has_the_user_show_it_after_all_results() {
    assert_eq!(
        written(Dialect::OpenaiChat, "gpt-4o", &["image/png", "image/gif"]),
        [
            json!({"role": "tool", "tool_call_id": "a", "content": "rain"}),
            json!({"role": "tool", "tool_call_id": "b", "content": "[a chart]"}),
            json!({"role": "user", "content": [
                {"type": "text", "text": "The picture from weather (b):"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                {"type": "text", "text": "The picture from weather (b):"},
                {"type": "image_url", "image_url": {"url": "data:image/gif;base64,aGk="}},
            ]}),
        ]
    );
}

#[test]
fn ollama_has_the_user_show_it_after_all_results() {
    assert_eq!(
        written(Dialect::Ollama, "gemma3", &["image/png"]),
        [
            json!({"role": "tool", "tool_name": "weather", "content": "rain"}),
            json!({"role": "tool", "tool_name": "weather", "content": "[a chart]"}),
            json!({"role": "user", "content": "The picture from weather (b):", "images": ["aGk="]}),
        ]
    );
}

#[test]
fn gemini_takes_it_beside_the_response_or_inside_of_it() {
    let response = |said: &str| json!({"name": "weather", "response": {"result": said}});
    let picture = json!({"inlineData": {"mimeType": "image/png", "data": "aGk="}});
    assert_eq!(
        written(Dialect::Gemini, "gemini-2.5-pro", &["image/png"])[0]["parts"],
        json!([{"functionResponse": response("rain")}, {"functionResponse": response("[a chart]")}, picture])
    );
    let mut with_parts = response("[a chart]");
    with_parts["parts"] = json!([picture]);
    assert_eq!(
        written(Dialect::Gemini, "models/gemini-3-pro", &["image/png"])[0]["parts"],
        json!([{"functionResponse": response("rain")}, {"functionResponse": with_parts}])
    );
    let gif = "[a chart]\n[A picture (image/gif) cannot be shown to this model.]";
    assert_eq!(
        written(Dialect::Gemini, "gemini-2.5-pro", &["image/gif"])[0]["parts"][1],
        json!({"functionResponse": response(gif)})
    );
}

#[test]
fn a_result_without_one_is_written_as_ever() {
    assert_eq!(written(Dialect::OpenaiChat, "m", &[]).len(), 2);
    assert_eq!(written(Dialect::Ollama, "m", &[]).len(), 2);
    assert_eq!(written(Dialect::OpenaiResponses, "m", &[])[1]["output"], "[a chart]");
    assert_eq!(written(Dialect::Anthropic, "m", &[])[0]["content"][1]["content"], "[a chart]");
}
