//! What `/chat/completions` is sent.

use candor_protocol::{Message, Part, Role};
use serde_json::{Value, json};

use super::{call, file, opaque, picture, request, result, thought, user, weather};
use crate::Request;
use crate::dialect::Dialect::{self, OpenaiChat};

fn body(request: &Request) -> Value {
    OpenaiChat.wire().body(request)
}

#[track_caller]
fn check(messages: Vec<Message>, expect: &Value) {
    assert_eq!(&body(&request(messages))["messages"], expect);
}

#[test]
fn a_whole_request() {
    let mut request = request(vec![
        Message::text(Role::System, "Be brief."),
        Message::text(Role::User, "Weather in Oslo?"),
        Message::new(Role::Assistant, vec![Part::text("I look."), call("a", None), call("b", None)]),
        Message::new(Role::Tool, vec![result("a", "rain"), result("b", "more rain")]),
    ]);
    request.tools = vec![weather()];
    request.max_tokens = Some(100);
    request.cache_key = Some("session".to_owned());
    let function = json!({ "name": "weather", "arguments": "{\"city\":\"Oslo\"}" });
    assert_eq!(
        body(&request),
        json!({
            "model": "m",
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Weather in Oslo?" },
                { "role": "assistant", "content": "I look.", "tool_calls": [
                    { "id": "a", "type": "function", "function": function },
                    { "id": "b", "type": "function", "function": function },
                ] },
                { "role": "tool", "tool_call_id": "a", "content": "rain" },
                { "role": "tool", "tool_call_id": "b", "content": "more rain" },
            ],
            "tools": [{ "type": "function", "function": {
                "name": "weather",
                "description": "Tells the weather.",
                "parameters": { "type": "object", "properties": { "city": { "type": "string" } } },
            } }],
            "stream": true,
            "stream_options": { "include_usage": true },
            "max_tokens": 100,
        })
    );
}

#[test]
fn some_models_name_the_limit_otherwise() {
    for (model, field) in [
        ("gpt-5-mini", "max_completion_tokens"),
        ("openai/o3", "max_completion_tokens"),
        ("o1", "max_completion_tokens"),
        ("gpt-4o", "max_tokens"),
        ("olmo", "max_tokens"),
    ] {
        let request = Request { model: model.to_owned(), max_tokens: Some(9), ..request(vec![]) };
        assert_eq!(body(&request)[field], 9, "{model}");
    }
}

#[test]
fn pictures_and_files() {
    check(
        vec![user(vec![
            Part::text("look"),
            picture(),
            file("a.pdf", "application/pdf"),
            file("a.zip", "application/zip"),
        ])],
        &json!([{ "role": "user", "content": [
            { "type": "text", "text": "look" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
            { "type": "file", "file": { "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA" } },
            { "type": "text", "text": "[The file a.zip (application/zip) cannot be shown to this model.]" },
        ] }]),
    );
}

#[test]
fn thoughts_go_back_under_the_name_they_came_under() {
    let deepseek = opaque(OpenaiChat, json!({ "field": "reasoning_content" }));
    check(
        vec![Message::new(Role::Assistant, vec![thought("hm", deepseek), Part::text("ok")])],
        &json!([{ "role": "assistant", "content": "ok", "reasoning_content": "hm" }]),
    );
    let detail = json!({ "type": "reasoning.encrypted", "data": "x" });
    let router = opaque(OpenaiChat, json!({ "field": "reasoning_details", "details": [detail] }));
    check(
        vec![Message::new(Role::Assistant, vec![thought("hm", router), Part::text("ok")])],
        &json!([{ "role": "assistant", "content": "ok", "reasoning_details": [detail] }]),
    );
    let other = opaque(Dialect::Anthropic, json!({ "field": "reasoning_content" }));
    check(
        vec![Message::new(
            Role::Assistant,
            vec![thought("hm", other), thought("hm", None), Part::text("ok")],
        )],
        &json!([{ "role": "assistant", "content": "ok" }]),
    );
}

#[test]
fn a_call_alone_has_no_content_and_gets_a_result() {
    let signed = opaque(OpenaiChat, json!({ "google": { "thought_signature": "s" } }));
    let body = body(&request(vec![Message::new(Role::Assistant, vec![call("a", signed)])]));
    let messages = &body["messages"];
    assert_eq!(messages[0]["content"], Value::Null);
    assert_eq!(messages[0]["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "s");
    assert_eq!((&messages[1]["role"], &messages[1]["tool_call_id"]), (&json!("tool"), &json!("a")));
}
