//! What is written for Anthropic, and what is read of its streams.

use candor_protocol::{Message, Part, Role, StopReason, Usage};
use serde_json::{Value, json};

use super::super::rig::{
    answer, assistant, bare_thought, call, failed_result, play, request, result, thought, tool, user,
};
use super::Anthropic;
use crate::wire::{Flow, Wire};
use crate::{Error, Request};

const START: &str = r#"{"type":"message_start","message":{"model":"claude-sonnet-4-5","usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":7,"output_tokens":1}}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

fn messages(request: &Request) -> Value {
    Anthropic.body(request)["messages"].clone()
}

/// The messages without the marks for the cache, which have a test of their own.
fn unmarked(request: &Request) -> Value {
    let mut messages = messages(request);
    for message in messages.as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
    }
    messages
}

#[track_caller]
fn check_messages(said: Vec<Message>, expect: &Value) {
    assert_eq!(&unmarked(&request("claude-sonnet-4-5", said)), expect);
}

#[test]
fn a_whole_request() {
    let mut asked = request(
        "claude-sonnet-4-5",
        vec![
            Message::text(Role::System, "Be brief."),
            user("List."),
            assistant(vec![
                thought("Let me look.", "anthropic", json!({"signature": "sig"})),
                Part::text("Looking."),
                call("toolu_1", "ls", json!({"path": "."})),
            ]),
            Message::new(Role::Tool, vec![result("toolu_1", "ls", "a.txt")]),
        ],
    );
    asked.tools = vec![tool("cat"), tool("ls")];
    asked.max_tokens = Some(100);
    let marked = json!({"type": "ephemeral"});
    let schema = &asked.tools[0].parameters;
    assert_eq!(
        Anthropic.body(&asked),
        json!({
            "model": "claude-sonnet-4-5",
            "max_tokens": 100,
            "stream": true,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": marked}],
            "tools": [
                {"name": "cat", "description": "Does cat.", "input_schema": schema},
                {"name": "ls", "description": "Does ls.", "input_schema": schema, "cache_control": marked},
            ],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "List.", "cache_control": marked}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "Let me look.", "signature": "sig"},
                    {"type": "text", "text": "Looking."},
                    {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "."}},
                ]},
                {"role": "user", "content": [{
                    "type": "tool_result", "tool_use_id": "toolu_1", "is_error": false, "content": "a.txt",
                    "cache_control": marked,
                }]},
            ],
        })
    );
}

#[test]
fn what_is_not_given_is_not_sent() {
    let body =
        Anthropic.body(&request("claude-sonnet-4-5", vec![Message::text(Role::System, " "), user("Hi.")]));
    let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["model", "max_tokens", "stream", "messages"]);
}

#[test]
fn the_longest_answer_is_always_named_and_within_what_the_model_can() {
    for (model, expect) in [
        ("claude-sonnet-4-5", 16_000),
        ("anthropic/claude-3.5-haiku", 8192),
        ("claude-3-opus-20240229", 4096),
        ("some-other", 16_000),
    ] {
        assert_eq!(Anthropic.body(&request(model, vec![user("Hi.")]))["max_tokens"], expect, "{model}");
    }
}

#[test]
fn at_most_the_last_two_turns_of_the_user_are_marked() {
    let mut said = Vec::new();
    for at in 0..5 {
        said.push(user(&format!("{at}a")));
        said.push(user(&format!("{at}b")));
        said.push(assistant(vec![Part::text("Yes.")]));
    }
    said.push(user("last"));
    let messages = messages(&request("claude-sonnet-4-5", said));
    let blocks =
        messages.as_array().unwrap().iter().flat_map(|message| message["content"].as_array().unwrap());
    let marked: Vec<&str> = blocks
        .filter(|block| block.get("cache_control").is_some())
        .map(|block| block["text"].as_str().unwrap())
        .collect();
    assert_eq!(marked, ["4b", "last"]);
}

#[test]
fn same_speakers_are_joined_and_results_come_first() {
    check_messages(
        vec![
            user("Go."),
            user("Now."),
            assistant(vec![call("a", "ls", json!({})), call("b", "ls", json!({}))]),
            Message::new(Role::Tool, vec![result("a", "ls", " \n"), failed_result("b", "ls", "")]),
            user("And?"),
        ],
        &json!([
            {"role": "user", "content": [{"type": "text", "text": "Go."}, {"type": "text", "text": "Now."}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "ls", "input": {}},
                {"type": "tool_use", "id": "b", "name": "ls", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "is_error": false, "content": "(no output)"},
                {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": "(no output)"},
                {"type": "text", "text": "And?"},
            ]},
        ]),
    );
    let picture = Part::Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() };
    let said = vec![
        user("Go."),
        assistant(vec![call("a", "see", json!({}))]),
        Message::new(Role::Tool, vec![picture, result("a", "see", "seen")]),
    ];
    let last = &unmarked(&request("claude-sonnet-4-5", said))[2]["content"];
    assert_eq!(last[0]["type"], "tool_result");
    assert_eq!(last[1]["source"], json!({"type": "base64", "media_type": "image/png", "data": "aGk="}));
}

#[test]
fn the_user_has_the_first_and_the_last_word() {
    let go_on = json!({"role": "user", "content": [{"type": "text", "text": "Go on."}]});
    check_messages(vec![], &json!([go_on]));
    check_messages(vec![user("  ")], &json!([go_on]));
    check_messages(
        vec![assistant(vec![Part::text("Hello. ")])],
        &json!([go_on, {"role": "assistant", "content": [{"type": "text", "text": "Hello. "}]}, go_on]),
    );
}

#[test]
fn thoughts_go_back_only_with_their_own_seal() {
    let said = assistant(vec![
        thought("mine", "anthropic", json!({"signature": "s1"})),
        thought("", "anthropic", json!({"redacted": "r1"})),
        thought("", "anthropic", json!({"signature": "s2"})),
        thought("unsigned", "anthropic", json!({"signature": ""})),
        thought("foreign", "gemini", json!("s3")),
        bare_thought("bare"),
        Part::text(" "),
        Part::text("Yes."),
    ]);
    let messages = unmarked(&request("claude-sonnet-4-5", vec![user("Hi."), said, user("And?")]));
    assert_eq!(
        messages[1]["content"],
        json!([
            {"type": "thinking", "thinking": "mine", "signature": "s1"},
            {"type": "redacted_thinking", "data": "r1"},
            {"type": "thinking", "thinking": "", "signature": "s2"},
            {"type": "text", "text": "Yes."},
        ])
    );
    // A message of which nothing is left is not sent, and its neighbours become one.
    check_messages(
        vec![user("Hi."), assistant(vec![bare_thought("bare")]), user("And?")],
        &json!([{"role": "user", "content": [{"type": "text", "text": "Hi."}, {"type": "text", "text": "And?"}]}]),
    );
}

#[test]
fn foreign_ids_and_made_up_names_are_spelt_as_the_api_allows() {
    let said = vec![
        user("Go."),
        assistant(vec![call("functions.ls:0", "file system/ls", json!(null))]),
        Message::new(Role::Tool, vec![result("functions.ls:0", "ls", "x")]),
    ];
    let messages = unmarked(&request("claude-sonnet-4-5", said));
    assert_eq!(
        messages[1]["content"][0],
        json!({"type": "tool_use", "id": "functions_ls_0", "name": "file_system_ls", "input": {}})
    );
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "functions_ls_0");
}

#[test]
fn files_become_documents_texts_or_notes() {
    let file = |name: &str, media_type: &str, data: &str| Part::File {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        data: data.to_owned(),
    };
    let said = Message::new(
        Role::User,
        vec![
            file("a.pdf", "application/pdf", "JVBERg=="),
            file("a.txt", "text/plain; charset=utf-8", "aGVsbG8="),
            file("a.json", "application/json", "e30="),
            file("a.bin", "application/octet-stream", "AAEC"),
            file("bad.txt", "text/plain", "/w=="),
            Part::Image { media_type: "image/tiff".to_owned(), data: "AAEC".to_owned() },
        ],
    );
    check_messages(
        vec![said],
        &json!([{"role": "user", "content": [
            {"type": "document", "title": "a.pdf",
             "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}},
            {"type": "text", "text": "The file a.txt:\n\nhello"},
            {"type": "text", "text": "The file a.json:\n\n{}"},
            {"type": "text", "text": "[The file a.bin (application/octet-stream) cannot be shown to this model.]"},
            {"type": "text", "text": "[The file bad.txt (text/plain) cannot be shown to this model.]"},
            {"type": "text", "text": "[A picture (image/tiff) cannot be shown to this model.]"},
        ]}]),
    );
}

#[test]
fn addresses_headers_and_models() {
    for base in ["https://x", "https://x/", "https://x/v1", "https://x/v1/"] {
        assert_eq!(Anthropic.base(base), "https://x", "{base}");
    }
    assert_eq!(Anthropic.base("https://x/gatewayv1"), "https://x/gatewayv1");
    assert_eq!(Anthropic.path(&request("m", vec![])), "/v1/messages");
    let version = ("anthropic-version", "2023-06-01".to_owned());
    assert_eq!(Anthropic.headers(None), std::slice::from_ref(&version));
    assert_eq!(Anthropic.headers(Some("k")), [version.clone(), ("x-api-key", "k".to_owned())]);
    assert_eq!(
        Anthropic.headers(Some("sk-ant-oat01-x")),
        [
            version,
            ("authorization", "Bearer sk-ant-oat01-x".to_owned()),
            ("anthropic-beta", "oauth-2025-04-20".to_owned()),
        ]
    );
    assert_eq!(Anthropic.models(&json!({"data": [{"id": "a"}, {"id": 7}, {"id": "b"}]})), ["a", "b"]);
    assert!(Anthropic.models(&json!("nonsense")).is_empty());
}

#[test]
fn thoughts_words_and_calls_in_their_order() {
    let played = play(
        &Anthropic,
        &[
            START,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"look."}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"si"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"g"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"red"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Looking"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":" \u00fcber."}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\".\"}"}}"#,
            r#"{"type":"content_block_stop","index":3}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}}"#,
            STOP,
        ],
    )
    .unwrap();
    assert_eq!(played.flow, Flow::End);
    assert_eq!(
        played.answer.parts,
        [
            thought("Let me look.", "anthropic", json!({"signature": "sig"})),
            thought("", "anthropic", json!({"redacted": "red"})),
            Part::text("Looking über."),
            call("toolu_1", "ls", json!({"path": "."})),
        ]
    );
    assert_eq!(played.answer.stop, StopReason::ToolUse);
    assert_eq!(played.answer.model.as_deref(), Some("claude-sonnet-4-5"));
    let usage = Usage { cache_read_tokens: 7, cache_write_tokens: 5, ..Usage::new(22, 30) };
    assert_eq!(played.answer.usage, usage);
}

#[test]
fn two_thoughts_stay_two() {
    let thinking = |text: &str| {
        format!(
            r#"{{"type":"content_block_start","content_block":{{"type":"thinking","thinking":"{text}","signature":"s{text}"}}}}"#
        )
    };
    let (one, two) = (thinking("1"), thinking("2"));
    // Without ends of blocks: the next beginning is an end, too.
    let answer = answer(&Anthropic, &[START, &one, &two, STOP]);
    let signed = |text: &str| thought(text, "anthropic", json!({"signature": format!("s{text}")}));
    assert_eq!(answer.parts, [signed("1"), signed("2")]);
}

#[test]
fn why_it_ends() {
    for (reason, expect) in [
        ("end_turn", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("model_context_window_exceeded", StopReason::MaxTokens),
        ("refusal", StopReason::Refusal),
        ("pause_turn", StopReason::Pause),
        ("a_new_one", StopReason::EndTurn),
    ] {
        let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        assert_eq!(answer(&Anthropic, &[START, &delta, STOP]).stop, expect, "{reason}");
    }
}

#[test]
fn a_stream_without_its_end_is_not_whole() {
    let delta = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
    let played = play(&Anthropic, &[START, delta]).unwrap();
    assert_eq!(played.flow, Flow::More);
    assert!(!played.ended);
}

#[test]
fn an_error_in_the_stream_is_one() {
    for frame in [
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
    ] {
        let error = play(&Anthropic, &[START, frame]).err().unwrap();
        assert_eq!(error, crate::classify::stream_error("overloaded_error", "Overloaded"));
    }
    // A frame without a kind is of the kind that its event names.
    let mut decoder = Anthropic.decoder();
    let mut draft = crate::draft::Draft::default();
    assert!(decoder.frame("error", "{}", &mut draft).is_err());
    assert!(decoder.frame("error", "out of order", &mut draft).is_err());
    assert_eq!(decoder.frame("message_stop", "{}", &mut draft), Ok(Flow::End));
}

#[test]
fn odd_frames_are_skipped_and_odd_fields_cost_nothing_else() {
    let answer = answer(
        &Anthropic,
        &[
            r#"{"type":"message_start","message":null}"#,
            "not json",
            "[]",
            "7",
            r#"{"type":"brand_new","index":"x","error":""}"#,
            r#"{"type":"content_block_start","index":18446744073709551615,"content_block":null}"#,
            r#"{"type":"content_block_start","index":null,"content_block":"text"}"#,
            r#"{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"a","thinking":7,"signature":null}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":null}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":[]}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"},"error":null}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":"many","input_tokens":3.0}}"#,
            STOP,
        ],
    );
    assert_eq!(answer.parts, [Part::text("ab")]);
    assert_eq!(answer.usage, Usage::new(3, 0));
}

#[test]
fn tools_of_the_server_are_not_ours_to_run() {
    let answer = answer(
        &Anthropic,
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
            STOP,
        ],
    );
    assert!(answer.parts.is_empty());
}

#[test]
fn arguments_may_come_whole_with_the_beginning() {
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"ls","input":{"path":"."}}}"#;
    let expect = [call("a", "ls", json!({"path": "."}))];
    assert_eq!(answer(&Anthropic, &[START, start, STOP]).parts, expect);
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\".\"}"}}"#;
    assert_eq!(answer(&Anthropic, &[START, start, delta, STOP]).parts, expect);
}

#[test]
fn seals_have_a_limit() {
    let piece = "s".repeat(1 << 20);
    let frame = format!(
        r#"{{"type":"content_block_delta","delta":{{"type":"signature_delta","signature":"{piece}"}}}}"#
    );
    let frames = vec![frame.as_str(); 17];
    assert!(play(&Anthropic, &frames[..16]).is_ok());
    assert!(matches!(play(&Anthropic, &frames).err(), Some(Error::TooLarge { .. })));
}

#[test]
fn half_an_emoji_does_not_cost_its_frame() {
    let answer = answer(
        &Anthropic,
        &[START, r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a\ud83d"}}"#, STOP],
    );
    assert_eq!(answer.parts, [Part::text("a\u{fffd}")]);
}
