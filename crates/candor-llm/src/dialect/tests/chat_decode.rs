//! What `/chat/completions` answers.

use candor_protocol::{Part, StopReason};
use serde_json::json;

use super::{Ended, answer, opaque, read, thought};
use crate::Error;
use crate::dialect::Dialect::OpenaiChat;

const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
const DONE: &str = "[DONE]";

fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}],"usage":null}}"#)
}

#[track_caller]
fn parts(deltas: &[&str]) -> Vec<Part> {
    let frames: Vec<String> = deltas.iter().map(|text| delta(text)).collect();
    let mut frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    frames.extend([STOP, DONE]);
    answer(OpenaiChat, &frames).parts
}

#[test]
fn words_and_usage() {
    let usage = r#"{"model":"gpt-x","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4}}}"#;
    let whole = answer(
        OpenaiChat,
        &[
            &delta(r#"{"role":"assistant","content":"Hel"}"#),
            &delta(r#"{"content":"lo \ud83d\udc4b"}"#),
            STOP,
            usage,
            DONE,
        ],
    );
    assert_eq!(whole.parts, [Part::text("Hello 👋")]);
    assert_eq!(whole.stop, StopReason::EndTurn);
    assert_eq!(whole.model.as_deref(), Some("gpt-x"));
    let usage = whole.usage;
    assert_eq!(
        (usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.cache_read_tokens),
        (10, 5, 15, 4)
    );
}

#[test]
fn usage_of_deepseek_and_groq() {
    let deepseek =
        r#"{"choices":null,"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":7}}"#;
    let usage = answer(OpenaiChat, &[STOP, deepseek, DONE]).usage;
    assert_eq!((usage.total_tokens, usage.cache_read_tokens), (15, 7));
    let groq = r#"{"choices":[],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}"#;
    assert_eq!(answer(OpenaiChat, &[groq, DONE]).usage.total_tokens, 3);
}

#[test]
fn reasons_to_stop() {
    for (reason, expect) in [
        ("stop", StopReason::EndTurn),
        ("length", StopReason::MaxTokens),
        ("content_filter", StopReason::Refusal),
        ("something_new", StopReason::EndTurn),
    ] {
        let stop = format!(r#"{{"choices":[{{"delta":{{"content":"x"}},"finish_reason":"{reason}"}}]}}"#);
        assert_eq!(answer(OpenaiChat, &[&stop, DONE]).stop, expect, "{reason}");
    }
    let refused = answer(OpenaiChat, &[&delta(r#"{"refusal":"I will not."}"#), STOP, DONE]);
    assert_eq!((refused.stop, refused.parts), (StopReason::Refusal, vec![Part::text("I will not.")]));
}

#[test]
fn calls_in_every_shape() {
    let calls = parts(&[
        r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"weather","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"time","arguments":"{}"}},{"index":0,"function":{"arguments":"{\"city\":"}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"\"Oslo\"}"}}]}"#,
        r#"{"tool_calls":[{"index":7,"id":"c","function":{"name":"object","arguments":{"x":1}},"extra_content":{"google":{}}}]}"#,
        r#"{"function_call":{"name":"legacy","arguments":"{}"}}"#,
    ]);
    let seen: Vec<_> = calls
        .iter()
        .map(|part| match part {
            Part::ToolCall(call) => format!("{} {}", call.tool_name, call.args),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(seen, [r#"weather {"city":"Oslo"}"#, "time {}", r#"object {"x":1}"#, "legacy {}"]);
    let Part::ToolCall(third) = &calls[2] else { panic!("no call") };
    assert_eq!(third.opaque, Some(opaque(OpenaiChat, json!({ "google": {} }))));
}

#[test]
fn two_calls_without_an_index_are_two() {
    let calls = parts(&[
        r#"{"tool_calls":[{"function":{"name":"a","arguments":"{}"}},{"function":{"name":"b","arguments":"{}"}}]}"#,
    ]);
    assert_eq!(calls.len(), 2);
}

#[test]
fn a_huge_index_costs_nothing() {
    let calls = parts(&[
        r#"{"tool_calls":[{"index":18446744073709551615,"id":"a","function":{"name":"a","arguments":"{}"}}]}"#,
    ]);
    assert_eq!(calls.len(), 1);
}

#[test]
fn deepseek_thoughts_carry_their_field() {
    let seen = parts(&[
        r#"{"reasoning_content":"h","content":null}"#,
        r#"{"reasoning_content":"m","content":""}"#,
        r#"{"content":"so"}"#,
        r#"{"reasoning":"again","reasoning_content":null}"#,
    ]);
    assert_eq!(
        seen,
        [
            thought("hm", opaque(OpenaiChat, json!({ "field": "reasoning_content" }))),
            Part::text("so"),
            thought("again", opaque(OpenaiChat, json!({ "field": "reasoning" }))),
        ]
    );
}

#[test]
fn openrouter_details_are_merged_and_kept() {
    let seen = parts(&[
        r#"{"reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h","index":0,"signature":null}]}"#,
        r#"{"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m","index":0,"signature":"s"}]}"#,
        r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":1}]}"#,
        r#"{"content":"so"}"#,
    ]);
    let details = json!({ "field": "reasoning_details", "details": [
        { "type": "reasoning.text", "text": "hm", "index": 0, "signature": "s" },
        { "type": "reasoning.encrypted", "data": "xyz", "index": 1 },
    ] });
    assert_eq!(seen, [thought("hm", opaque(OpenaiChat, details)), Part::text("so")]);
}

#[test]
fn mistral_content_is_a_list() {
    let seen = parts(&[
        r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"so"}]}"#,
    ]);
    assert_eq!(seen, [thought("hm", None), Part::text("so")]);
}

#[test]
fn odd_frames_are_skipped() {
    let odd = [
        "",
        "{",
        "null",
        "[]",
        "7",
        r#"{"choices":[],"prompt_filter_results":[]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":[null,7,{"delta":null}]}"#,
        r#"{"choices":[{"delta":{"content":7,"tool_calls":"x"}}]}"#,
        r#"{"choices":{"a":1},"usage":"none","error":null}"#,
    ];
    let half = delta(r#"{"content":"\ud83d"}"#);
    let mut frames = odd.to_vec();
    frames.extend([half.as_str(), STOP, DONE]);
    assert_eq!(answer(OpenaiChat, &frames).parts, [Part::text("\u{fffd}")]);
}

#[test]
fn a_missing_terminator_is_forgiven_after_a_reason_alone() {
    let words = delta(r#"{"content":"x"}"#);
    assert!(matches!(read(OpenaiChat, &[&words, STOP]), Ok(Ended::Silently)));
    assert!(matches!(read(OpenaiChat, &[&words]), Ok(Ended::Cut)));
}

#[track_caller]
fn check_error(frame: &str, expect: fn(&Error) -> bool) {
    let error = read(OpenaiChat, &[&delta(r#"{"content":"x"}"#), frame]).unwrap_err();
    assert!(expect(&error), "{error:?}");
}

#[test]
fn errors_inside_the_stream() {
    check_error(
        r#"{"error":{"message":"boom","type":"server_error","code":null}}"#,
        |error| matches!(error, Error::Unavailable { message, .. } if message == "boom"),
    );
    check_error(r#"{"object":"error","message":"too many","code":429}"#, |e| {
        matches!(e, Error::RateLimited { .. })
    });
    check_error(r#"{"object":"error","message":"bad","type":"BadRequestError"}"#, |e| {
        matches!(e, Error::BadRequest { .. })
    });
    check_error(r#"{"error":"boom"}"#, |error| matches!(error, Error::Unavailable { .. }));
    check_error(r#"{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}"#, |error| {
        matches!(error, Error::Unavailable { .. })
    });
}
