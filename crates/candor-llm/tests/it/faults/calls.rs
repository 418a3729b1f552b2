//! Calls as models and servers really send them.

use std::fmt::Write as _;

use candor_llm::{Answer, Dialect};
use candor_protocol::{Part, StopReason};
use candor_testkit::Reply;
use serde_json::{Value, json};

use super::rig::{Rig, calls, check_stop, in_all, short, stream};

/// What a model writes as arguments, and what they are; none where nobody can know.
fn arguments() -> Vec<(String, Option<Value>)> {
    vec![
        (r#"{"path":"a"}"#.to_owned(), Some(json!({ "path": "a" }))),
        (" \n{\"path\":\"a\"}\n ".to_owned(), Some(json!({ "path": "a" }))),
        (String::new(), Some(json!({}))),
        ("null".to_owned(), Some(json!({}))),
        (r#""""#.to_owned(), Some(json!({}))),
        (r#""{\"path\":\"a\"}""#.to_owned(), Some(json!({ "path": "a" }))),
        (r#"{"path":"a","path":"b"}"#.to_owned(), Some(json!({ "path": "b" }))),
        (r#"{"selected: ["A"]}"#.to_owned(), None),
        (r#"{"path":"a"#.to_owned(), None),
        (r#"{"path":"a"} and that is all"#.to_owned(), None),
        (r#"{"path":"a"}{"path":"b"}"#.to_owned(), None),
        (r#"["a"]"#.to_owned(), None),
        (r#""[\"a\"]""#.to_owned(), None),
        ("7".to_owned(), None),
        (r#"{"size":NaN}"#.to_owned(), None),
        ("{'path':'a'}".to_owned(), None),
        (r#"{"path":"\ud83d"}"#.to_owned(), None),
        ("[".repeat(100_000), None),
        ("{\"a\":".repeat(100_000), None),
        ("```json\n{\"path\":\"a\"}\n```".to_owned(), None),
    ]
}

#[track_caller]
fn check_arguments(rig: &Rig, answer: &Answer, written: &str, expect: Option<&Value>) {
    let found = calls(answer);
    // Gemini drops a call that it cannot read and says so.
    if found.is_empty() && rig.dialect == Dialect::Gemini {
        assert!(serde_json::from_str::<Value>(written).is_err(), "{}: a good call is lost", rig.name);
        return check_stop(&rig.name, answer, StopReason::EndTurn);
    }
    let [call] = &*found else { panic!("{}: {}", rig.name, short(&found)) };
    check_stop(&rig.name, answer, StopReason::ToolUse);
    assert!(call.args == *expect.unwrap_or(&json!({})), "{}: {}", rig.name, short(&call.args));
    let kept = call.malformed.as_deref();
    match rig.dialect {
        // What comes as a value has no text of its own.
        Dialect::Gemini | Dialect::Ollama => assert_eq!(kept.is_some(), expect.is_none(), "{}", rig.name),
        _ => assert!(kept == expect.map_or(Some(written), |_| None), "{}: {}", rig.name, short(&kept)),
    }
}

#[tokio::test]
async fn f15_malformed_arguments_are_kept_as_they_were_written() {
    for (written, expect) in arguments() {
        in_all(&short(&&written[..written.len().min(60)]), async |rig| {
            let reply = Reply::empty().and_call_with("call_1", "read", &written).deltas(1 << 20);
            rig.fake.push(reply);
            let asked = rig.ask().await;
            let answer = asked.recovered("", 0);
            check_arguments(&rig, answer, &written, expect.as_ref());
            rig.goes_on(answer).await;
        })
        .await;
    }
}

#[tokio::test]
async fn f15_arguments_of_ten_megabytes() {
    let args = path(&"x".repeat(10_000_000));
    let written = args.to_string();
    in_all("10 MB of arguments", async |rig| {
        rig.fake.push(Reply::empty().and_call_with("call_1", "read", &written).deltas(1 << 20));
        let asked = rig.ask().await;
        check_arguments(&rig, asked.recovered("", 0), &written, Some(&args));
    })
    .await;
}

#[tokio::test]
async fn f15_calls_that_are_written_as_words_are_words() {
    let said = [
        "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>",
        "<｜DSML｜invoke name=\"read\"><｜DSML｜parameter name=\"path\">a</｜DSML｜parameter></｜DSML｜invoke>",
        "<function=read>{\"path\":\"a\"}</function>",
    ];
    for words in said {
        in_all(words, async |rig| {
            rig.fake.push(Reply::text(words).deltas(3));
            let asked = rig.ask().await;
            let answer = asked.recovered(words, 0);
            assert_eq!(answer.parts, [Part::text(words)], "{}", rig.name);
            check_stop(&rig.name, answer, StopReason::EndTurn);
            rig.goes_on(answer).await;
        })
        .await;
    }
}

/// The calls of an answer: these names and arguments, in this order, none malformed, with ids that tell them apart.
#[track_caller]
fn check_calls(name: &str, answer: &Answer, expect: &[(&str, Value)]) {
    let found = calls(answer);
    let plain: Vec<_> = found.iter().map(|call| (call.tool_name.as_str(), call.args.clone())).collect();
    assert_eq!(plain, expect, "{name}: {found:?}");
    assert!(found.iter().all(|call| call.malformed.is_none()), "{name}: {found:?}");
    let mut ids: Vec<_> = found.iter().map(|call| call.call_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert!(ids.len() == found.len() && !ids.contains(&""), "{name}: {found:?}");
    check_stop(name, answer, StopReason::ToolUse);
}

fn path(path: &str) -> Value {
    json!({ "path": path })
}

/// A stream of chat completions with these lists of calls, a delta each.
fn chat(deltas: &[Value]) -> Reply {
    let chunk = |calls: &Value| json!({ "choices": [{ "index": 0, "delta": { "tool_calls": calls } }] });
    let body = events(&deltas.iter().map(chunk).collect::<Vec<_>>());
    stream(body + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
}

/// Frames as the events of a stream.
fn events(frames: &[Value]) -> String {
    frames.iter().fold(String::new(), |mut body, frame| {
        write!(body, "data: {frame}\n\n").unwrap();
        body
    })
}

async fn check_chat(case: &str, deltas: &[Value], expect: &[(&str, Value)]) {
    let rig = Rig::new(Dialect::OpenaiChat, case);
    rig.fake.push(chat(deltas));
    let asked = rig.ask().await;
    let answer = asked.recovered("", 0);
    check_calls(&rig.name, answer, expect);
    rig.goes_on(answer).await;
}

#[tokio::test]
async fn f16_the_pieces_of_calls_find_each_other() {
    let whole = |name: &str, file: &str| json!({ "name": name, "arguments": path(file).to_string() });
    let piece = |index: u64, args: &str| json!([{ "index": index, "function": { "arguments": args } }]);
    let begin = |index: u64, id: &str| json!([{ "index": index, "id": id, "function": { "name": "read" } }]);
    check_chat(
        "the id only in the first piece",
        &[begin(0, "a"), piece(0, "{\"path\":"), piece(0, "\"x\"}")],
        &[("read", path("x"))],
    )
    .await;
    check_chat(
        "calls side by side",
        &[
            begin(0, "a"),
            begin(1, "b"),
            piece(1, "{\"path\":"),
            piece(0, "{\"path\":\"x\"}"),
            piece(1, "\"y\"}"),
        ],
        &[("read", path("x")), ("read", path("y"))],
    )
    .await;
    check_chat(
        "indices with gaps and out of order",
        &[begin(7, "a"), piece(7, "{\"path\":\"x\"}"), begin(2, "b"), piece(2, "{\"path\":\"y\"}")],
        &[("read", path("x")), ("read", path("y"))],
    )
    .await;
    check_chat(
        "one index, two ids",
        &[
            json!([{ "index": 0, "id": "a", "function": whole("read", "x") }]),
            json!([{ "index": 0, "id": "b", "function": whole("read", "y") }]),
        ],
        &[("read", path("x")), ("read", path("y"))],
    )
    .await;
    check_chat(
        "two indices, one id",
        &[
            json!([{ "index": 0, "id": "a", "function": whole("read", "x") }]),
            json!([{ "index": 1, "id": "a", "function": whole("read", "y") }]),
        ],
        &[("read", path("x")), ("read", path("y"))],
    )
    .await;
    check_chat(
        "no index",
        &[json!([{ "id": "a", "function": whole("read", "x") }, { "id": "b", "function": whole("list", "y") }])],
        &[("read", path("x")), ("list", path("y"))],
    )
    .await;
}

#[tokio::test]
async fn f16_names_and_ids_come_as_they_please() {
    let args = |text: &str| json!([{ "index": 0, "function": { "arguments": text } }]);
    let name = |name: &str| json!([{ "index": 0, "function": { "name": name } }]);
    check_chat(
        "arguments before the name",
        &[args("{\"path\":\"x\"}"), name("read"), json!([{ "index": 0, "id": "a" }])],
        &[("read", path("x"))],
    )
    .await;
    check_chat(
        "a name in pieces",
        &[name("re"), name("ad"), args("{\"path\":\"x\"}")],
        &[("read", path("x"))],
    )
    .await;
    let whole = json!([{ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"path\":" } }]);
    let rest = json!([{ "index": 0, "id": "a", "function": { "name": "read", "arguments": "\"x\"}" } }]);
    check_chat("name and id with every piece", &[whole, rest], &[("read", path("x"))]).await;
    let nulls =
        json!([{ "index": 0, "id": null, "type": null, "function": { "name": null, "arguments": "{}" } }]);
    check_chat("nulls after the beginning", &[name("read"), nulls], &[("read", json!({}))]).await;
    check_chat(
        "an empty id",
        &[json!([{ "index": 0, "id": "", "function": { "name": "read", "arguments": "{}" } }])],
        &[("read", json!({}))],
    )
    .await;
    check_chat("no name at all", &[args("{\"path\":\"x\"}")], &[("unnamed_tool", path("x"))]).await;
    check_chat(
        "arguments that are an object",
        &[json!([{ "index": 0, "id": "a", "function": { "name": "read", "arguments": { "path": "x" } } }])],
        &[("read", path("x"))],
    )
    .await;
}

#[tokio::test]
async fn f16_the_blocks_of_anthropic_may_be_interleaved() {
    let start = |index: u64, id: &str| {
        let block = json!({ "type": "tool_use", "id": id, "name": "read", "input": {} });
        json!({ "type": "content_block_start", "index": index, "content_block": block })
    };
    let args = |index: u64, text: &str| {
        let delta = json!({ "type": "input_json_delta", "partial_json": text });
        json!({ "type": "content_block_delta", "index": index, "delta": delta })
    };
    let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let frames = [
        start(0, "toolu_a"),
        args(0, ""),
        start(1, "toolu_b"),
        start(2, "toolu_c"),
        args(1, "{\"path\":"),
        args(0, "{\"path\":\"x"),
        stop(2),
        args(1, "\"y\"}"),
        stop(1),
        args(0, "\"}"),
        stop(0),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ];
    let rig = Rig::new(Dialect::Anthropic, "interleaved blocks");
    rig.fake.push(stream(events(&frames)));
    let asked = rig.ask().await;
    let answer = asked.recovered("", 0);
    check_calls(&rig.name, answer, &[("read", path("x")), ("read", path("y")), ("read", json!({}))]);
    rig.goes_on(answer).await;
}

#[tokio::test]
async fn f16_the_items_of_responses_may_be_interleaved() {
    let item = |index: u64, id: &str| {
        let item = json!({ "type": "function_call", "call_id": id, "name": "read", "arguments": "" });
        json!({ "type": "response.output_item.added", "output_index": index, "item": item })
    };
    let args = |index: u64, text: &str| json!({ "type": "response.function_call_arguments.delta", "output_index": index, "delta": text });
    let frames = [
        item(0, "call_a"),
        item(1, "call_b"),
        args(1, "{\"path\":"),
        args(0, "{\"path\":\"x\"}"),
        args(1, "\"y\"}"),
        json!({ "type": "response.completed", "response": { "status": "completed" } }),
    ];
    let rig = Rig::new(Dialect::OpenaiResponses, "interleaved items");
    rig.fake.push(stream(events(&frames)));
    let asked = rig.ask().await;
    let answer = asked.recovered("", 0);
    check_calls(&rig.name, answer, &[("read", path("x")), ("read", path("y"))]);
    rig.goes_on(answer).await;
}

#[tokio::test]
async fn f16_odd_ids_and_names_do_not_spoil_the_session() {
    let odd: [(&str, &[&str], &str); 5] = [
        ("an unknown tool", &["call_1"], "no_such_tool"),
        ("a name that nobody takes", &["call_1"], "functions.read file! ü"),
        ("the same id twice", &["call_1", "call_1"], "read"),
        ("empty ids", &["", ""], "read"),
        (
            "a very long id",
            &["an_id_that_is_far_longer_than_what_providers_take_back_and_goes_on_and_on_and_on"],
            "read",
        ),
    ];
    for (case, ids, tool) in odd {
        in_all(case, async |rig| {
            let reply = ids
                .iter()
                .fold(Reply::empty(), |reply, id| reply.and_call_with(id, tool, "{\"path\":\"x\"}"));
            rig.fake.push(reply);
            let asked = rig.ask().await;
            let answer = asked.recovered("", 0);
            let expect: Vec<_> = ids.iter().map(|_| (tool, path("x"))).collect();
            check_calls(&rig.name, answer, &expect);
            rig.goes_on(answer).await;
        })
        .await;
    }
}
