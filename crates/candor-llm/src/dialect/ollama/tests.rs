//! What is written for Ollama, and what is read of its streams.

use candor_protocol::{Message, Part, Role, StopReason, Usage};
use serde_json::{Value, json};

use super::super::rig::{answer, assistant, bare_thought, call, play, request, result, thought, tool, user};
use super::Ollama;
use crate::wire::{Flow, Framing, Wire};

const DONE: &str = r#"{"done":true,"done_reason":"stop"}"#;

#[track_caller]
fn check_messages(said: Vec<Message>, expect: &Value) {
    assert_eq!(&Ollama.body(&request("m", said))["messages"], expect);
}

#[test]
fn a_whole_request() {
    let picture = Part::Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() };
    let mut asked = request(
        "qwen3:8b",
        vec![
            Message::text(Role::System, "Be brief."),
            Message::new(Role::User, vec![Part::text("List."), picture]),
            assistant(vec![
                bare_thought("Let me look."),
                thought("sealed", "anthropic", json!({"signature": "s"})),
                Part::text("Looking."),
                call("c1", "ls", json!({"path": "."})),
            ]),
            Message::new(Role::Tool, vec![result("c1", "ls", "a.txt")]),
        ],
    );
    asked.tools = vec![tool("ls")];
    asked.max_tokens = Some(100);
    asked.context_tokens = Some(8192);
    assert_eq!(
        Ollama.body(&asked),
        json!({
            "model": "qwen3:8b",
            "stream": true,
            "options": {"num_ctx": 8192, "num_predict": 100},
            "tools": [{"type": "function", "function": {
                "name": "ls", "description": "Does ls.", "parameters": asked.tools[0].parameters,
            }}],
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "List.", "images": ["aGk="]},
                {"role": "assistant", "content": "Looking.", "thinking": "Let me look.", "tool_calls": [
                    {"function": {"name": "ls", "arguments": {"path": "."}}},
                ]},
                {"role": "tool", "tool_name": "ls", "content": "a.txt"},
            ],
        })
    );
}

#[test]
fn room_for_context_is_always_asked_for() {
    let body = Ollama.body(&request("m", vec![user("Hi.")]));
    assert_eq!(
        body,
        json!({
            "model": "m", "stream": true, "options": {"num_ctx": 32768},
            "messages": [{"role": "user", "content": "Hi."}],
        })
    );
}

#[test]
fn messages_that_say_nothing_are_left_out_and_the_user_has_the_last_word() {
    let go_on = json!({"role": "user", "content": "Go on."});
    check_messages(vec![user(" ")], &json!([go_on]));
    check_messages(
        vec![user("Hi."), assistant(vec![bare_thought("Hm.")]), assistant(vec![Part::text("Yes.")])],
        &json!([{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yes."}, go_on]),
    );
}

#[test]
fn results_are_a_message_each_and_what_came_with_them_follows() {
    let picture = Part::Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() };
    let file = Part::File {
        name: "a.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        data: "aGVsbG8=".to_owned(),
    };
    let said = vec![
        user("Go."),
        assistant(vec![call("a", "ls", json!({})), call("b", "see", json!({}))]),
        Message::new(Role::Tool, vec![picture, result("a", "ls", ""), result("b", "see", "seen"), file]),
    ];
    check_messages(
        said,
        &json!([
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": "", "tool_calls": [
                {"function": {"name": "ls", "arguments": {}}}, {"function": {"name": "see", "arguments": {}}},
            ]},
            {"role": "tool", "tool_name": "ls", "content": "(no output)"},
            {"role": "tool", "tool_name": "see", "content": "seen"},
            {"role": "user", "content": "The file a.txt:\n\nhello", "images": ["aGk="]},
        ]),
    );
}

#[test]
fn addresses_headers_and_models() {
    for base in ["http://x:1", "http://x:1/", "http://x:1/v1", "http://x:1/v1/"] {
        assert_eq!(Ollama.base(base), "http://x:1", "{base}");
    }
    assert_eq!(Ollama.path(&request("m", vec![])), "/api/chat");
    assert_eq!(Ollama.framing(), Framing::Lines);
    assert!(Ollama.headers(None).is_empty());
    assert_eq!(Ollama.headers(Some("k")), [("authorization", "Bearer k".to_owned())]);
    assert_eq!(Ollama.models(&json!({"models": [{"name": "a:8b"}, {"name": null}]})), ["a:8b"]);
}

#[test]
fn thoughts_words_and_calls_in_their_order() {
    let played = play(
        &Ollama,
        &[
            r#"{"model":"qwen3:8b","message":{"role":"assistant","content":"","thinking":"Let me "},"done":false}"#,
            r#"{"model":"qwen3:8b","message":{"role":"assistant","content":"","thinking":"look."},"done":false}"#,
            r#"{"model":"qwen3:8b","message":{"role":"assistant","content":"Look"},"done":false}"#,
            r#"{"model":"qwen3:8b","message":{"role":"assistant","content":"ing."},"done":false}"#,
            r#"{"message":{"content":"","tool_calls":[{"id":"c1","function":{"index":0,"name":"ls","arguments":{"path":"."}}}]},"done":false}"#,
            r#"{"message":{"content":"","tool_calls":[{"id":"c2","function":{"index":0,"name":"ls","arguments":"{\"path\":\"a\"}"}}]},"done":false}"#,
            r#"{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":9}"#,
        ],
    )
    .unwrap();
    assert_eq!(played.flow, Flow::End);
    assert_eq!(
        played.answer.parts,
        [
            bare_thought("Let me look."),
            Part::text("Looking."),
            call("c1", "ls", json!({"path": "."})),
            call("c2", "ls", json!({"path": "a"})),
        ]
    );
    assert_eq!(played.answer.stop, StopReason::ToolUse);
    assert_eq!(played.answer.usage, Usage::new(20, 9));
    assert_eq!(played.answer.model.as_deref(), Some("qwen3:8b"));
}

#[test]
fn calls_without_ids_stay_apart() {
    let line = r#"{"message":{"tool_calls":[{"function":{"name":"a","arguments":{}}},{"function":{"name":"b","arguments":null}}]}}"#;
    let answer = answer(&Ollama, &[line, DONE]);
    let names: Vec<&str> = answer
        .parts
        .iter()
        .map(|part| match part {
            Part::ToolCall(call) => call.tool_name.as_str(),
            other => panic!("no call: {other:?}"),
        })
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn why_it_ends() {
    for (reason, expect) in
        [("stop", StopReason::EndTurn), ("length", StopReason::MaxTokens), ("load", StopReason::EndTurn)]
    {
        let line = format!(r#"{{"done":true,"done_reason":"{reason}"}}"#);
        assert_eq!(answer(&Ollama, &[&line]).stop, expect, "{reason}");
    }
}

#[test]
fn a_stream_without_its_end_is_not_whole() {
    let played = play(&Ollama, &[r#"{"message":{"content":"Half"},"done":false}"#]).unwrap();
    assert_eq!((played.flow, played.ended), (Flow::More, false));
}

#[test]
fn an_error_in_the_stream_is_one() {
    let error = play(&Ollama, &[r#"{"error":"model 'x' not found"}"#]).err().unwrap();
    assert_eq!(error, crate::classify::stream_error("", "model 'x' not found"));
    assert!(play(&Ollama, &[r#"{"error":{"message":"broken"}}"#]).is_err());
}

#[test]
fn odd_lines_are_skipped_and_odd_fields_cost_nothing_else() {
    let answer = answer(
        &Ollama,
        &[
            "not json",
            "[]",
            r#"{"message":"x","done":"yes","error":""}"#,
            r#"{"message":{"content":null,"thinking":{},"tool_calls":"none"},"done":null}"#,
            r#"{"message":{"content":"a","tool_calls":[null,7,{"function":"ls"}]},"error":null}"#,
            r#"{"message":{"content":"b"},"prompt_eval_count":null,"eval_count":-3}"#,
            DONE,
        ],
    );
    assert_eq!(answer.parts, [Part::text("ab")]);
    assert_eq!(answer.usage, Usage::new(0, 0));
}

#[test]
fn half_an_emoji_does_not_cost_its_frame() {
    let answer = answer(&Ollama, &[r#"{"message":{"content":"a\ud83d"}}"#, DONE]);
    assert_eq!(answer.parts, [Part::text("a\u{fffd}")]);
}
