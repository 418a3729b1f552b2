//! What is written for Gemini, and what is read of its streams.

use candor_protocol::{Message, Opaque, Part, Role, StopReason, ToolCall, Usage};
use serde_json::{Value, json};

use super::super::rig::{
    answer, assistant, bare_thought, call, failed_result, play, request, result, thought, tool, user,
};
use super::Gemini;
use crate::wire::{Flow, Framing, Wire};

fn signed_call(id: &str, name: &str, args: Value, signature: &str) -> Part {
    let opaque = Some(Opaque { dialect: "gemini".to_owned(), data: json!(signature) });
    Part::ToolCall(ToolCall {
        call_id: id.to_owned(),
        tool_name: name.to_owned(),
        args,
        malformed: None,
        opaque,
    })
}

#[track_caller]
fn check_contents(model: &str, said: Vec<Message>, expect: &Value) {
    assert_eq!(&Gemini.body(&request(model, said))["contents"], expect);
}

#[test]
fn a_whole_request() {
    let mut asked = request(
        "gemini-2.5-pro",
        vec![
            Message::text(Role::System, "Be brief."),
            user("List."),
            assistant(vec![
                Part::text("Looking."),
                signed_call("c1", "ls", json!({"path": "."}), "sig"),
                call("c2", "cat", json!({"path": "a"})),
            ]),
            Message::new(
                Role::Tool,
                vec![result("c1", "ls", "a.txt"), failed_result("c2", "cat", "no such file")],
            ),
            user("And?"),
        ],
    );
    let mut bare = tool("now");
    bare.parameters = json!({"type": "object", "properties": {}}).into();
    asked.tools = vec![tool("ls"), bare];
    asked.max_tokens = Some(100);
    assert_eq!(
        Gemini.body(&asked),
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [{"functionDeclarations": [
                {"name": "ls", "description": "Does ls.", "parametersJsonSchema": {
                    "type": "object",
                    "properties": {"path": {"type": "string"}},
                    "additionalProperties": false,
                }},
                {"name": "now", "description": "Does now."},
            ]}],
            "contents": [
                {"role": "user", "parts": [{"text": "List."}]},
                {"role": "model", "parts": [
                    {"text": "Looking."},
                    {"functionCall": {"name": "ls", "args": {"path": "."}}, "thoughtSignature": "sig"},
                    {"functionCall": {"name": "cat", "args": {"path": "a"}}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "ls", "response": {"result": "a.txt"}}},
                    {"functionResponse": {"name": "cat", "response": {"error": "no such file"}}},
                    {"text": "And?"},
                ]},
            ],
            "generationConfig": {"maxOutputTokens": 100},
        })
    );
}

#[test]
fn what_is_not_given_is_not_sent() {
    let body = Gemini.body(&request("gemini-2.5-pro", vec![user("Hi.")]));
    assert_eq!(body, json!({"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}));
}

#[test]
fn the_user_has_the_first_and_the_last_word() {
    let go_on = json!({"role": "user", "parts": [{"text": "Go on."}]});
    check_contents("m", vec![user(" ")], &json!([go_on]));
    check_contents(
        "m",
        vec![assistant(vec![Part::text("Hello.")])],
        &json!([go_on, {"role": "model", "parts": [{"text": "Hello."}]}, go_on]),
    );
}

#[test]
fn calls_of_other_models_get_the_word_that_lets_them_pass() {
    let said = || {
        vec![
            user("Go."),
            assistant(vec![call("a", "ls", json!({})), call("b", "ls", json!({}))]),
            Message::new(Role::Tool, vec![result("a", "ls", ""), result("b", "ls", "x")]),
        ]
    };
    let parts = |model| Gemini.body(&request(model, said()))["contents"][1]["parts"].clone();
    let plain = json!({"functionCall": {"name": "ls", "args": {}}});
    assert_eq!(parts("gemini-2.5-pro"), json!([plain, plain]));
    let signed = json!({
        "functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "skip_thought_signature_validator",
    });
    assert_eq!(parts("models/gemini-3-pro-preview"), json!([signed, plain]));
}

#[test]
fn real_signatures_go_back_where_they_were() {
    let said = vec![
        user("Go."),
        assistant(vec![
            bare_thought("not sent"),
            thought("foreign", "anthropic", json!({"signature": "s"})),
            thought("signed", "gemini", json!("s0")),
            Part::text("Words."),
            thought("", "gemini", json!("s1")),
            signed_call("a", "ls", json!({}), "s2"),
        ]),
        Message::new(Role::Tool, vec![result("a", "ls", " ")]),
    ];
    check_contents(
        "gemini-3-pro",
        said,
        &json!([
            {"role": "user", "parts": [{"text": "Go."}]},
            {"role": "model", "parts": [
                {"text": "signed", "thought": true, "thoughtSignature": "s0"},
                {"text": "Words.", "thoughtSignature": "s1"},
                {"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "s2"},
            ]},
            {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"result": "(no output)"}}}]},
        ]),
    );
}

#[test]
fn pictures_and_files() {
    let file = |name: &str, media_type: &str, data: &str| Part::File {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        data: data.to_owned(),
    };
    let said = Message::new(
        Role::User,
        vec![
            Part::Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() },
            file("a.pdf", "application/pdf", "JVBERg=="),
            file("a.txt", "text/plain", "aGVsbG8="),
            file("a.zip", "application/zip", "AAEC"),
        ],
    );
    check_contents(
        "m",
        vec![said],
        &json!([{"role": "user", "parts": [
            {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            {"inlineData": {"mimeType": "application/pdf", "data": "JVBERg=="}},
            {"text": "The file a.txt:\n\nhello"},
            {"text": "[The file a.zip (application/zip) cannot be shown to this model.]"},
        ]}]),
    );
}

#[test]
fn results_come_before_what_came_with_them() {
    let picture = Part::Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() };
    let said = vec![
        user("Go."),
        assistant(vec![call("a", "see", json!({}))]),
        Message::new(Role::Tool, vec![picture, result("a", "see", "seen")]),
    ];
    let parts = &Gemini.body(&request("m", said))["contents"][2]["parts"];
    assert_eq!(parts[0]["functionResponse"]["name"], "see");
    assert_eq!(parts[1]["inlineData"]["data"], "aGk=");
}

#[test]
fn addresses_headers_and_models() {
    let path = |model| Gemini.path(&request(model, vec![]));
    assert_eq!(path("gemini-2.5-pro"), "/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
    assert_eq!(path("models/gemini-2.5-pro"), "/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
    assert_eq!(path("../a b?ü"), "/models/..%2Fa%20b%3F%C3%BC:streamGenerateContent?alt=sse");
    assert_eq!(Gemini.base("https://x/v1beta/"), "https://x/v1beta");
    assert_eq!(Gemini.framing(), Framing::Events);
    assert_eq!(Gemini.headers(Some("k")), [("x-goog-api-key", "k".to_owned())]);
    assert!(Gemini.headers(None).is_empty());
    assert_eq!(Gemini.models(&json!({"models": [{"name": "models/a"}, {}, {"name": "b"}]})), ["a", "b"]);
}

#[test]
fn thoughts_words_and_calls_in_their_order() {
    let played = play(
        &Gemini,
        &[
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Let me ","thought":true}]}}],"modelVersion":"gemini-2.5-pro","usageMetadata":{"promptTokenCount":20,"totalTokenCount":20}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"look.","thought":true},{"text":"Look"}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"ing."},{"text":"","thoughtSignature":"s1"}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"ls","args":{"path":"."}},"thoughtSignature":"s2"},{"functionCall":{"name":"now"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":20,"cachedContentTokenCount":8,"candidatesTokenCount":10,"thoughtsTokenCount":5}}"#,
        ],
    )
    .unwrap();
    assert_eq!((played.flow, played.ended), (Flow::More, true));
    let parts = &played.answer.parts;
    assert_eq!(
        parts[..3],
        [bare_thought("Let me look."), Part::text("Looking."), thought("", "gemini", json!("s1"))]
    );
    let calls: Vec<&ToolCall> = parts[3..]
        .iter()
        .map(|part| match part {
            Part::ToolCall(call) => call,
            other => panic!("no call: {other:?}"),
        })
        .collect();
    assert_eq!(calls.len(), 2);
    assert_eq!((calls[0].tool_name.as_str(), &calls[0].args), ("ls", &json!({"path": "."})));
    assert_eq!(calls[0].opaque.as_ref().unwrap().data, json!("s2"));
    assert_eq!((calls[1].tool_name.as_str(), &calls[1].args, &calls[1].opaque), ("now", &json!({}), &None));
    assert_ne!(calls[0].call_id, calls[1].call_id);
    assert_eq!(played.answer.stop, StopReason::ToolUse);
    assert_eq!(played.answer.usage, Usage { cache_read_tokens: 8, ..Usage::new(20, 15) });
    assert_eq!(played.answer.model.as_deref(), Some("gemini-2.5-pro"));
}

#[test]
fn a_signed_thought_does_not_grow() {
    let frame = r#"{"candidates":[{"content":{"parts":[{"text":"a","thought":true,"thoughtSignature":"s"},{"text":"b","thought":true}]},"finishReason":"STOP"}]}"#;
    assert_eq!(answer(&Gemini, &[frame]).parts, [thought("a", "gemini", json!("s")), bare_thought("b")]);
}

#[test]
fn why_it_ends() {
    for (reason, expect) in [
        ("STOP", StopReason::EndTurn),
        ("MAX_TOKENS", StopReason::MaxTokens),
        ("SAFETY", StopReason::Refusal),
        ("RECITATION", StopReason::Refusal),
        ("PROHIBITED_CONTENT", StopReason::Refusal),
        ("A_NEW_FILTER", StopReason::Refusal),
        ("MALFORMED_FUNCTION_CALL", StopReason::EndTurn),
        ("OTHER", StopReason::EndTurn),
    ] {
        let frame = format!(r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#);
        let played = play(&Gemini, &[&frame]).unwrap();
        assert_eq!((played.answer.stop, played.ended), (expect, true), "{reason}");
    }
    let blocked = play(&Gemini, &[r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#]).unwrap();
    assert_eq!((blocked.answer.stop, blocked.ended), (StopReason::Refusal, true));
}

#[test]
fn a_stream_without_a_reason_to_finish_is_not_whole() {
    for frame in [
        r#"{"candidates":[{"content":{"parts":[{"text":"Half"}]}}]}"#,
        r#"{"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}"#,
        r#"{"candidates":[{"finishReason":null}],"promptFeedback":{}}"#,
    ] {
        assert!(!play(&Gemini, &[frame]).unwrap().ended, "{frame}");
    }
}

#[test]
fn an_error_in_the_stream_is_one() {
    let frame = r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#;
    let error = play(&Gemini, &[frame]).err().unwrap();
    assert_eq!(error, crate::classify::stream_error("503  UNAVAILABLE ", "The model is overloaded."));
}

#[test]
fn odd_frames_are_skipped_and_odd_fields_cost_nothing_else() {
    let answer = answer(
        &Gemini,
        &[
            "not json",
            "[]",
            r#"{"candidates":null,"usageMetadata":[]}"#,
            r#"{"candidates":["x"],"error":{}}"#,
            r#"{"candidates":[{"content":{"parts":null}}]}"#,
            r#"{"candidates":[{"content":{"parts":[7,null,{"text":"a","thought":"no","functionCall":null,"thoughtSignature":null},{"executableCode":{}}]}}],"error":null}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":"x","candidatesTokenCount":2}}"#,
        ],
    );
    assert_eq!(answer.parts, [Part::text("ab")]);
    assert_eq!(answer.usage, Usage::new(0, 2));
}

#[test]
fn half_an_emoji_does_not_cost_its_frame() {
    let answer = answer(
        &Gemini,
        &[r#"{"candidates":[{"content":{"parts":[{"text":"a\ud83d"}]},"finishReason":"STOP"}]}"#],
    );
    assert_eq!(answer.parts, [Part::text("a\u{fffd}")]);
}
