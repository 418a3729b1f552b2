//! What `/responses` is sent.

use candor_protocol::{Message, Part, Role};
use serde_json::{Value, json};

use super::{call, file, opaque, picture, request, result, thought, user, weather};
use crate::Request;
use crate::dialect::Dialect::{self, OpenaiResponses};

fn body(request: &Request) -> Value {
    OpenaiResponses.wire().body(request)
}

#[test]
fn a_whole_request() {
    let kept = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "xyz" });
    let mut request = request(vec![
        Message::text(Role::System, "Be brief."),
        user(vec![
            Part::text("look"),
            picture(),
            file("a.pdf", "application/pdf"),
            file("a.zip", "application/zip"),
        ]),
        Message::new(
            Role::Assistant,
            vec![
                thought("hm", opaque(OpenaiResponses, kept.clone())),
                Part::text("I look."),
                call("a", None),
            ],
        ),
        Message::new(Role::Tool, vec![result("a", "rain")]),
    ]);
    request.model = "gpt-5".to_owned();
    request.tools = vec![weather()];
    request.max_tokens = Some(100);
    request.cache_key = Some("session".to_owned());
    assert_eq!(
        body(&request),
        json!({
            "model": "gpt-5",
            "instructions": "Be brief.",
            "input": [
                { "type": "message", "role": "user", "content": [
                    { "type": "input_text", "text": "look" },
                    { "type": "input_image", "image_url": "data:image/png;base64,AAAA" },
                    { "type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA" },
                    { "type": "input_text", "text": "[The file a.zip (application/zip) cannot be shown to this model.]" },
                ] },
                kept,
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "I look." }] },
                { "type": "function_call", "call_id": "a", "name": "weather", "arguments": "{\"city\":\"Oslo\"}" },
                { "type": "function_call_output", "call_id": "a", "output": "rain" },
            ],
            "tools": [{
                "type": "function",
                "name": "weather",
                "description": "Tells the weather.",
                "parameters": { "type": "object", "properties": { "city": { "type": "string" } } },
                "strict": false,
            }],
            "stream": true,
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "max_output_tokens": 100,
            "prompt_cache_key": "session",
        })
    );
}

#[test]
fn models_that_do_not_think_are_not_asked_for_thoughts() {
    let request = Request { model: "gpt-4o".to_owned(), ..request(vec![]) };
    assert_eq!(body(&request).get("include"), None);
}

#[test]
fn thoughts_that_lead_nowhere_or_came_from_elsewhere_stay_out() {
    let data = json!({ "type": "reasoning", "encrypted_content": "xyz" });
    let body = body(&request(vec![Message::new(
        Role::Assistant,
        vec![
            thought("a", opaque(Dialect::Anthropic, data.clone())),
            Part::text("ok"),
            thought("b", opaque(OpenaiResponses, data)),
        ],
    )]));
    let kinds: Vec<_> = body["input"].as_array().unwrap().iter().map(|item| item["type"].clone()).collect();
    assert_eq!(kinds, ["message"]);
}
