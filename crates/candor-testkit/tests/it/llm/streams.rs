//! A reply as each dialect streams it.

use candor_testkit::{Dialect, FakeLlm, Reply, Stop};
use serde_json::{Value, json};

use super::client::{Ended, Got, ask};

#[track_caller]
fn play(dialect: Dialect, reply: Reply) -> Got {
    let fake = FakeLlm::start(dialect);
    fake.push(reply);
    let got = ask(&fake);
    assert_eq!((got.status, got.ended), (200, Ended::Properly), "{dialect:?}: {}", got.text());
    got
}

/// The values at a pointer, in all frames that have it.
fn all_at(got: &Got, pointer: &str) -> Vec<Value> {
    got.frames().iter().filter_map(|(_, value)| value.pointer(pointer).cloned()).collect()
}

fn joined(values: &[Value]) -> String {
    values.iter().filter_map(Value::as_str).collect()
}

/// What each frame is, in the words of its dialect.
fn outline(dialect: Dialect, got: &Got) -> Vec<String> {
    let named = got.frames().into_iter().map(|(event, value)| match dialect {
        Dialect::OpenaiChat if value == "[DONE]" => "done".to_string(),
        Dialect::OpenaiChat if value["choices"] == json!([]) => "usage".to_string(),
        Dialect::OpenaiChat if value["choices"][0]["finish_reason"].is_string() => "finish".to_string(),
        Dialect::OpenaiChat => value["choices"][0]["delta"]
            .as_object()
            .expect("a delta")
            .keys()
            .next()
            .cloned()
            .unwrap_or_default(),
        Dialect::Gemini if value["candidates"][0]["finishReason"].is_string() => "finish".to_string(),
        Dialect::Gemini => "part".to_string(),
        Dialect::Ollama => format!("done {}", value["done"]),
        Dialect::OpenaiResponses | Dialect::Anthropic => {
            assert_eq!(value["type"], event, "the name of an event is repeated in its data");
            event
        }
    });
    named.collect()
}

#[test]
fn every_dialect_streams_a_text_in_deltas() {
    for &dialect in Dialect::ALL {
        let text = "Grüße, \"world\"\nand more than one delta of text";
        let got = play(dialect, Reply::text(text));
        assert_eq!(got.said(dialect), text, "{dialect:?}");
        assert!(got.chunks.len() >= 4, "{dialect:?}: a chunk for every frame");
        let size = |bytes| play(dialect, Reply::text("0123456789").deltas(bytes)).frames().len();
        assert_eq!(size(1) - size(10), 9, "{dialect:?}: the size of the deltas is the test's");
    }
}

#[test]
fn the_frames_of_a_text_come_in_the_order_of_the_real_ones() {
    let cases: [(Dialect, &[&str]); 5] = [
        (Dialect::OpenaiChat, &["role", "content", "finish", "usage", "done"]),
        (
            Dialect::OpenaiResponses,
            &[
                "response.created",
                "response.in_progress",
                "response.output_item.added",
                "response.content_part.added",
                "response.output_text.delta",
                "response.output_text.done",
                "response.content_part.done",
                "response.output_item.done",
                "response.completed",
            ],
        ),
        (
            Dialect::Anthropic,
            &[
                "message_start",
                "content_block_start",
                "ping",
                "content_block_delta",
                "content_block_stop",
                "message_delta",
                "message_stop",
            ],
        ),
        (Dialect::Gemini, &["part", "finish"]),
        (Dialect::Ollama, &["done false", "done true"]),
    ];
    for (dialect, expect) in cases {
        assert_eq!(outline(dialect, &play(dialect, Reply::text("hi"))), expect, "{dialect:?}");
    }
}

#[test]
fn chat_completions_stream_calls_with_the_id_in_the_first_delta_only() {
    let got = play(
        Dialect::OpenaiChat,
        Reply::calls([("read", json!({ "path": "a long enough path" })), ("list", json!({}))]),
    );
    let calls = all_at(&got, "/choices/0/delta/tool_calls/0");
    let of = |index: usize| calls.iter().filter(move |call| call["index"] == index);
    assert_eq!(of(0).filter(|call| call["id"].is_string()).count(), 1);
    let args: Vec<Value> = of(0).map(|call| call["function"]["arguments"].clone()).collect();
    assert!(args.len() > 2);
    assert_eq!(joined(&args), "{\"path\":\"a long enough path\"}");
    let firsts: Vec<&Value> = calls.iter().filter(|call| call["id"].is_string()).collect();
    assert_eq!(
        (&firsts[0]["function"]["name"], &firsts[1]["function"]["name"]),
        (&json!("read"), &json!("list"))
    );
    assert_ne!(firsts[0]["id"], firsts[1]["id"]);
    assert!(all_at(&got, "/choices/0/finish_reason").contains(&json!("tool_calls")));
}

#[test]
fn responses_stream_a_call_and_repeat_it_at_the_end() {
    let args = "{\"path\":\"a long enough path\"}";
    let got = play(Dialect::OpenaiResponses, Reply::text("see").and_call_with("call_9", "read", args));
    let deltas =
        got.frames().into_iter().filter(|(event, _)| event == "response.function_call_arguments.delta");
    let deltas: Vec<Value> = deltas.map(|(_, value)| value["delta"].clone()).collect();
    assert_eq!(joined(&deltas), args);
    let (_, last) = got.frames().pop().expect("a last frame");
    let last = &last["response"];
    assert_eq!(last["output"][0]["content"][0]["text"], "see");
    let call = &last["output"][1];
    assert_eq!(
        (&call["call_id"], &call["name"], &call["arguments"]),
        (&json!("call_9"), &json!("read"), &json!(args))
    );
    let numbers: Vec<Value> = all_at(&got, "/sequence_number");
    assert_eq!(numbers, (0..numbers.len()).map(|number| json!(number)).collect::<Vec<_>>());
}

#[test]
fn messages_stream_a_call_as_a_block() {
    let got = play(
        Dialect::Anthropic,
        Reply::text("see").and_call("read", json!({ "path": "a long enough path" })),
    );
    let blocks = all_at(&got, "/content_block");
    assert_eq!((&blocks[0]["type"], &blocks[1]["type"]), (&json!("text"), &json!("tool_use")));
    assert!(blocks[1]["id"].as_str().is_some_and(|id| id.starts_with("toolu_")), "{}", blocks[1]);
    assert_eq!(joined(&all_at(&got, "/delta/partial_json")), "{\"path\":\"a long enough path\"}");
    assert_eq!(all_at(&got, "/delta/stop_reason"), ["tool_use"]);
}

#[test]
fn gemini_and_ollama_send_a_call_whole_and_without_an_id() {
    let args = json!({ "path": "a" });
    let got = play(Dialect::Gemini, Reply::calls([("read", args.clone())]));
    let calls = all_at(&got, "/candidates/0/content/parts/0/functionCall");
    assert_eq!(calls, [json!({ "name": "read", "args": args })]);
    let got = play(Dialect::Ollama, Reply::calls([("read", args.clone())]));
    let calls = all_at(&got, "/message/tool_calls/0");
    assert_eq!(calls, [json!({ "function": { "name": "read", "arguments": args } })]);
}

#[test]
fn malformed_arguments_come_as_they_are() {
    let bad = "{\"selected: [\"A\"]}";
    let reply = || Reply::empty().and_call_with("c1", "pick", bad);
    let chat = play(Dialect::OpenaiChat, reply());
    assert_eq!(joined(&all_at(&chat, "/choices/0/delta/tool_calls/0/function/arguments")), bad);
    assert_eq!(joined(&all_at(&play(Dialect::Anthropic, reply()), "/delta/partial_json")), bad);
    assert_eq!(all_at(&play(Dialect::OpenaiResponses, reply()), "/arguments"), [bad]);
    let gemini = play(Dialect::Gemini, reply());
    assert_eq!(all_at(&gemini, "/candidates/0/finishReason"), ["MALFORMED_FUNCTION_CALL"]);
    assert_eq!(all_at(&play(Dialect::Ollama, reply()), "/message/tool_calls/0/function/arguments"), [bad]);
}

#[test]
fn reasoning_comes_first_and_with_its_signature() {
    let reply = || Reply::text("so").and_call("go", json!({})).and_reasoning("because", "sig");
    let chat = play(Dialect::OpenaiChat, reply());
    assert_eq!(outline(Dialect::OpenaiChat, &chat)[..3], ["role", "reasoning_content", "content"]);
    let anthropic = play(Dialect::Anthropic, reply());
    let kinds: Vec<Value> = all_at(&anthropic, "/content_block/type");
    assert_eq!(kinds, ["thinking", "text", "tool_use"]);
    assert_eq!(joined(&all_at(&anthropic, "/delta/thinking")), "because");
    assert_eq!(all_at(&anthropic, "/delta/signature"), ["sig"]);
    let responses = play(Dialect::OpenaiResponses, reply());
    let (_, last) = responses.frames().pop().expect("a last frame");
    let item = &last["response"]["output"][0];
    assert_eq!((&item["type"], &item["encrypted_content"]), (&json!("reasoning"), &json!("sig")));
    assert_eq!(item["summary"][0]["text"], "because");
    let gemini = all_at(&play(Dialect::Gemini, reply()), "/candidates/0/content/parts/0");
    assert_eq!((&gemini[0]["thought"], &gemini[0]["text"]), (&json!(true), &json!("because")));
    assert_eq!((&gemini[1]["text"], &gemini[1]["thoughtSignature"]), (&json!("so"), &json!("sig")));
    let ollama = play(Dialect::Ollama, reply());
    assert_eq!(joined(&all_at(&ollama, "/message/thinking")), "because");
    assert_eq!(ollama.said(Dialect::Ollama), "so");
}

#[test]
fn token_counts_are_where_each_dialect_has_them() {
    let reply = || Reply::text("x").usage(100, 7).cached(60, 10);
    let at = |dialect, pointer: &str| all_at(&play(dialect, reply()), pointer).pop();
    assert_eq!(at(Dialect::OpenaiChat, "/usage/prompt_tokens"), Some(json!(100)));
    assert_eq!(at(Dialect::OpenaiChat, "/usage/prompt_tokens_details/cached_tokens"), Some(json!(60)));
    assert_eq!(at(Dialect::OpenaiChat, "/usage/completion_tokens"), Some(json!(7)));
    assert_eq!(at(Dialect::OpenaiResponses, "/response/usage/input_tokens"), Some(json!(100)));
    assert_eq!(at(Dialect::OpenaiResponses, "/response/usage/output_tokens"), Some(json!(7)));
    // Anthropic does not count as input what the cache had or got.
    assert_eq!(at(Dialect::Anthropic, "/message/usage/input_tokens"), Some(json!(30)));
    assert_eq!(at(Dialect::Anthropic, "/message/usage/cache_read_input_tokens"), Some(json!(60)));
    assert_eq!(at(Dialect::Anthropic, "/message/usage/cache_creation_input_tokens"), Some(json!(10)));
    assert_eq!(at(Dialect::Anthropic, "/usage/output_tokens"), Some(json!(7)));
    assert_eq!(at(Dialect::Gemini, "/usageMetadata/promptTokenCount"), Some(json!(100)));
    assert_eq!(at(Dialect::Gemini, "/usageMetadata/cachedContentTokenCount"), Some(json!(60)));
    assert_eq!(at(Dialect::Ollama, "/prompt_eval_count"), Some(json!(100)));
    assert_eq!(at(Dialect::Ollama, "/eval_count"), Some(json!(7)));
}

#[test]
fn token_counts_can_be_left_out() {
    for &dialect in Dialect::ALL {
        let got = play(dialect, Reply::text("x").no_usage());
        assert!(!got.text().contains("okens\":") && !got.text().contains("TokenCount"), "{}", got.text());
        assert!(!got.text().contains("eval_count"), "{}", got.text());
    }
}

#[test]
fn the_reason_of_the_end_is_in_the_words_of_the_dialect() {
    let cases = [
        (Dialect::OpenaiChat, "/choices/0/finish_reason", ["stop", "length", "content_filter"]),
        (Dialect::OpenaiResponses, "/response/status", ["completed", "incomplete", "incomplete"]),
        (Dialect::Anthropic, "/delta/stop_reason", ["end_turn", "max_tokens", "refusal"]),
        (Dialect::Gemini, "/candidates/0/finishReason", ["STOP", "MAX_TOKENS", "SAFETY"]),
        (Dialect::Ollama, "/done_reason", ["stop", "length", "stop"]),
    ];
    for (dialect, pointer, expect) in cases {
        for (stop, expect) in [Stop::End, Stop::MaxTokens, Stop::Refusal].into_iter().zip(expect) {
            let reasons = all_at(&play(dialect, Reply::text("x").stop(stop)), pointer);
            assert_eq!(reasons.last(), Some(&json!(expect)), "{dialect:?} {stop:?}");
        }
    }
}

#[test]
fn an_empty_reply_is_a_success_without_deltas() {
    for &dialect in Dialect::ALL {
        let got = play(dialect, Reply::empty());
        assert_eq!(got.said(dialect), "", "{dialect:?}");
        assert!(!got.frames().is_empty());
    }
}

#[test]
fn the_model_is_the_one_asked_for_unless_the_reply_names_another() {
    let cases = [
        (Dialect::OpenaiChat, "/model"),
        (Dialect::OpenaiResponses, "/response/model"),
        (Dialect::Anthropic, "/message/model"),
        (Dialect::Gemini, "/modelVersion"),
        (Dialect::Ollama, "/model"),
    ];
    for (dialect, pointer) in cases {
        assert_eq!(all_at(&play(dialect, Reply::text("x")), pointer)[0], "some-model", "{dialect:?}");
        assert_eq!(
            all_at(&play(dialect, Reply::text("x").model("other")), pointer)[0],
            "other",
            "{dialect:?}"
        );
    }
}

#[test]
fn errors_have_the_status_and_the_shape_of_their_provider() {
    let cases = [
        (Dialect::Anthropic, "overloaded", 529, "/error/type", "overloaded_error"),
        (Dialect::Anthropic, "spend_limit", 429, "/error/details/error_code", "enforced_spend_limit_reached"),
        (Dialect::Anthropic, "unauthorized", 401, "/error/type", "authentication_error"),
        (
            Dialect::Anthropic,
            "overflow",
            400,
            "/error/message",
            "prompt is too long: 210266 tokens > 200000 maximum",
        ),
        (Dialect::OpenaiChat, "rate_limited", 429, "/error/code", "rate_limit_exceeded"),
        (Dialect::OpenaiChat, "spend_limit", 429, "/error/code", "insufficient_quota"),
        (Dialect::OpenaiChat, "overflow", 400, "/error/code", "context_length_exceeded"),
        (Dialect::OpenaiResponses, "not_found", 404, "/error/code", "model_not_found"),
        (Dialect::OpenaiResponses, "server_error", 500, "/error/type", "server_error"),
        (Dialect::Gemini, "unauthorized", 400, "/error/details/0/reason", "API_KEY_INVALID"),
        (Dialect::Gemini, "overloaded", 503, "/error/status", "UNAVAILABLE"),
        (Dialect::Gemini, "forbidden", 403, "/error/status", "PERMISSION_DENIED"),
        (Dialect::Ollama, "not_found", 404, "/error", "model 'fake-model' not found"),
    ];
    for (dialect, kind, status, pointer, expect) in cases {
        let fake = FakeLlm::start(dialect);
        fake.push(Reply::error(kind, "")).push(Reply::error(kind, "in other words"));
        let got = ask(&fake);
        assert_eq!(got.status, status, "{dialect:?} {kind}");
        assert_eq!(got.json().pointer(pointer), Some(&json!(expect)), "{dialect:?} {kind}");
        assert!(ask(&fake).text().contains("in other words"));
        assert_eq!(fake.requests()[0].refused, None, "an error of the script is no refusal");
    }
}

#[test]
fn a_status_takes_headers_and_a_body_of_the_tests_choice() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(Reply::status(429).header("retry-after", "7"));
    fake.push(Reply::status(418).body("text/plain", "short and stout"));
    fake.push(Reply::text("hi").header("x-extra", "1"));
    let got = ask(&fake);
    assert_eq!((got.status, got.header("retry-after")), (429, Some("7")));
    assert_eq!(got.json()["error"]["type"], "rate_limit_error");
    let got = ask(&fake);
    assert_eq!(
        (got.status, got.header("content-type"), got.text().as_str()),
        (418, Some("text/plain"), "short and stout")
    );
    assert_eq!(ask(&fake).header("x-extra"), Some("1"));
}

#[test]
fn a_bare_status_has_the_type_that_belongs_to_it() {
    let cases =
        [(402, "billing_error"), (413, "request_too_large"), (504, "timeout_error"), (500, "api_error")];
    for (status, expect) in cases {
        let fake = FakeLlm::start(Dialect::Anthropic);
        fake.push(Reply::status(status));
        let got = ask(&fake);
        assert_eq!((got.status, &got.json()["error"]["type"]), (status, &json!(expect)));
    }
}
