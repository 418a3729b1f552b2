//! The provider that plays a script.

use std::fs;
use std::path::Path;
use std::time::Duration;

use candor_llm::{Answer, Delta, Error, Provider, Request, ScriptedProvider};
use candor_protocol::{Message, Part, Reasoning, Role, StopReason, ToolCall, ToolResult, Usage};
use serde_json::json;
use tokio::time::Instant;

fn provider(script: &serde_json::Value) -> ScriptedProvider {
    ScriptedProvider::from_json("script".to_owned(), &script.to_string(), "a.json").expect("a script")
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "actor".to_owned(),
        messages,
        tools: Vec::new(),
        max_tokens: None,
        context_tokens: None,
        cache_key: None,
    }
}

/// A conversation in which the assistant has spoken so many times, and the user speaks last.
fn after(answers: usize) -> Request {
    let mut messages = vec![Message::text(Role::System, "Be brief."), Message::text(Role::User, "Go.")];
    for _ in 0..answers {
        messages.push(Message::text(Role::Assistant, "Yes."));
        messages.push(Message::text(Role::User, "And?"));
    }
    request(messages)
}

async fn ask(provider: &ScriptedProvider, request: &Request) -> Result<Answer, Error> {
    provider.ask(request, &mut |_| {}).await
}

async fn text(provider: &ScriptedProvider, answers: usize) -> String {
    let answer = ask(provider, &after(answers)).await.expect("an answer");
    candor_protocol::plain_text(&answer.parts)
}

#[track_caller]
fn reason(result: Result<Answer, Error>) -> String {
    match result {
        Err(Error::Script { path, reason }) => {
            assert_eq!(path, "a.json");
            reason
        }
        other => panic!("no trouble with the script: {other:?}"),
    }
}

#[tokio::test]
async fn a_whole_reply() {
    let provider = provider(&json!({"replies": [{
        "reasoning": "Hm.",
        "text": "Looking.",
        "calls": [
            {"name": "shell_exec", "args": {"command": "ls"}, "id": "c1"},
            {"name": "now"},
            {"name": "shell_exec", "args": "{\"command\": "},
        ],
        "usage": {"inputTokens": 9, "outputTokens": 3, "cacheReadTokens": 4, "cacheWriteTokens": 2},
    }]}));
    assert_eq!(provider.name(), "script");
    let answer = ask(&provider, &after(0)).await.unwrap();
    assert_eq!(
        answer.parts[..3],
        [
            Part::Reasoning(Reasoning { text: "Hm.".to_owned(), opaque: None }),
            Part::text("Looking."),
            Part::ToolCall(ToolCall {
                call_id: "c1".to_owned(),
                tool_name: "shell_exec".to_owned(),
                args: json!({"command": "ls"}),
                malformed: None,
                opaque: None,
            }),
        ]
    );
    let [Part::ToolCall(now), Part::ToolCall(broken)] = &answer.parts[3..] else {
        panic!("no calls: {:?}", answer.parts)
    };
    assert_eq!((now.tool_name.as_str(), &now.args), ("now", &json!({})));
    assert_eq!(broken.malformed.as_deref(), Some("{\"command\": "));
    assert!(!now.call_id.is_empty() && now.call_id != broken.call_id);
    assert_eq!(answer.stop, StopReason::ToolUse);
    assert_eq!(answer.model.as_deref(), Some("actor"));
    assert_eq!(answer.usage, Usage { cache_read_tokens: 4, cache_write_tokens: 2, ..Usage::new(9, 3) });
}

#[tokio::test]
async fn the_conversation_says_which_reply_is_next() {
    let script = json!({"replies": [{"text": "one"}, {"text": "two", "stop": "max_tokens"}]});
    let provider = provider(&script);
    assert_eq!(text(&provider, 1).await, "two");
    assert_eq!(text(&provider, 0).await, "one");
    assert_eq!(text(&provider, 0).await, "one");
    assert_eq!(ask(&provider, &after(1)).await.unwrap().stop, StopReason::MaxTokens);
    let reason = reason(ask(&provider, &after(2)).await);
    assert_eq!(reason, "the script has ended: answer 3 was asked for, and there are 2 replies");
}

#[tokio::test]
async fn a_script_that_loops_starts_again() {
    let provider = provider(&json!({"loop": true, "replies": [{"text": "one"}, {"text": "two"}]}));
    for (answers, expect) in [(0, "one"), (1, "two"), (2, "one"), (5, "two")] {
        assert_eq!(text(&provider, answers).await, expect);
    }
}

#[tokio::test]
async fn failures_are_played_once_and_take_no_answer_s_place() {
    let script = json!({"replies": [
        {"error": {"kind": "overloaded"}},
        {"text": "one"},
        {"error": {"kind": "rate_limited", "message": "slow down", "retryAfterMs": 1500}},
        {"error": {"kind": "cut"}},
        {"text": "two"},
    ]});
    let first = provider(&script);
    let overloaded = ask(&first, &after(0)).await.unwrap_err();
    assert_eq!(overloaded.status(), Some(529));
    assert_eq!(text(&first, 0).await, "one");
    assert_eq!(
        ask(&first, &after(1)).await.unwrap_err(),
        Error::RateLimited {
            status: Some(429),
            retry_after: Some(Duration::from_millis(1500)),
            message: "slow down".to_owned(),
        }
    );
    assert!(matches!(ask(&first, &after(1)).await, Err(Error::Cut { .. })));
    assert_eq!(text(&first, 1).await, "two");
    // Another process that resumes the session: the failures before its place are not in its way.
    let second = provider(&script);
    assert!(matches!(ask(&second, &after(1)).await, Err(Error::RateLimited { .. })));
    assert!(matches!(ask(&second, &after(1)).await, Err(Error::Cut { .. })));
    assert_eq!(text(&second, 1).await, "two");
}

#[tokio::test]
async fn failures_at_the_end_come_before_a_new_beginning() {
    let mut script = json!({"loop": true, "replies": [{"text": "one"}, {"error": {"kind": "cut"}}]});
    let looping = provider(&script);
    assert_eq!(text(&looping, 0).await, "one");
    assert!(matches!(ask(&looping, &after(1)).await, Err(Error::Cut { .. })));
    assert_eq!(text(&looping, 1).await, "one");
    script["loop"] = json!(false);
    let once = provider(&script);
    assert!(matches!(ask(&once, &after(1)).await, Err(Error::Cut { .. })));
    reason(ask(&once, &after(1)).await);
}

#[tokio::test]
async fn every_kind_of_failure() {
    for (kind, retryable) in [
        ("overloaded", true),
        ("rate_limited", true),
        ("cut", true),
        ("unauthorized", false),
        ("overflow", false),
        ("bad_request", false),
    ] {
        let script = json!({"replies": [{"error": {"kind": kind, "message": "M"}}]});
        let error = ask(&provider(&script), &after(0)).await.unwrap_err();
        assert_eq!(error.is_retryable(&[429, 529]), retryable, "{kind}");
        assert!(error.to_string().ends_with(": M"), "{kind}: {error}");
    }
    let overflow = provider(&json!({"replies": [{"error": {"kind": "overflow"}}]}));
    assert!(matches!(ask(&overflow, &after(0)).await, Err(Error::ContextTooLong { .. })));
    let refused = provider(&json!({"replies": [{"error": {"kind": "unauthorized"}}]}));
    assert!(matches!(ask(&refused, &after(0)).await, Err(Error::Unauthorized { status: 401, .. })));
}

#[tokio::test]
async fn words_before_a_cut_are_told() {
    let provider = provider(&json!({"replies": [{"text": "Half a sen", "error": {"kind": "cut"}}]}));
    let request = after(0);
    let mut told = String::new();
    let result = provider
        .ask(&request, &mut |delta| {
            if let Delta::Text(text) = delta {
                told.push_str(text);
            }
        })
        .await;
    assert!(matches!(result, Err(Error::Cut { .. })));
    assert_eq!(told, "Half a sen");
}

#[tokio::test(start_paused = true)]
async fn pieces_have_their_size_and_their_time() {
    let provider = provider(&json!({"replies": [
        {"reasoning": "äöü", "text": "12345", "deltaChars": 2, "deltaDelayMs": 100},
    ]}));
    let request = after(0);
    let begun = Instant::now();
    let mut told = Vec::new();
    let answer = provider
        .ask(&request, &mut |delta| told.push((begun.elapsed().as_millis(), format!("{delta:?}"))))
        .await
        .unwrap();
    let pieces =
        [r#"Reasoning("äö")"#, r#"Reasoning("ü")"#, r#"Text("12")"#, r#"Text("34")"#, r#"Text("5")"#];
    assert_eq!(told.iter().map(|(_, piece)| piece.as_str()).collect::<Vec<_>>(), pieces);
    assert!(
        told.iter().zip([0, 100, 200, 300, 400]).all(|((at, _), due)| (due..due + 50).contains(at)),
        "{told:?}"
    );
    assert_eq!(candor_protocol::plain_text(&answer.parts), "12345");
}

/// A user, a call, and its result.
fn with_result(said: &str, content: &str) -> Request {
    let call = ToolCall {
        call_id: "c".to_owned(),
        tool_name: "ls".to_owned(),
        args: json!({}),
        malformed: None,
        opaque: None,
    };
    let result = ToolResult {
        call_id: "c".to_owned(),
        tool_name: "ls".to_owned(),
        content: content.to_owned(),
        is_error: false,
        card: None,
        images: Vec::new(),
    };
    request(vec![
        Message::text(Role::User, said),
        Message::new(Role::Assistant, vec![Part::ToolCall(call)]),
        Message::new(Role::Tool, vec![Part::ToolResult(result)]),
    ])
}

#[tokio::test]
async fn templates_are_filled_once() {
    let provider = provider(&json!({"replies": [
        {"text": "[{{last_user}}|{{last_tool}}|{{other}}|{{last_user"},
        {
            "reasoning": "{{last_tool}}",
            "text": "{{last_user}}, {{last_tool}}",
            "calls": [{"name": "write", "args": {"list": ["{{last_tool}}"], "{{last_user}}": 1}}],
        },
    ]}));
    assert_eq!(text(&provider, 0).await, "[Go.||{{other}}|{{last_user");
    let answer = ask(&provider, &with_result("{{last_tool}}", "a.txt")).await.unwrap();
    assert_eq!(
        answer.parts[..2],
        [
            Part::Reasoning(Reasoning { text: "a.txt".to_owned(), opaque: None }),
            Part::text("{{last_tool}}, a.txt"),
        ]
    );
    let Part::ToolCall(call) = &answer.parts[2] else { panic!("no call") };
    assert_eq!(call.args, json!({"list": ["a.txt"], "{{last_user}}": 1}));
}

#[tokio::test]
async fn what_is_expected_must_be_there() {
    let script = |expect: serde_json::Value| {
        provider(&json!({"replies": [{"text": "x"}, {"text": "fine", "expect": expect}]}))
    };
    let request = with_result("List it.", "a.txt");
    let met = script(json!({"lastUserContains": "List", "lastToolContains": "a.t"}));
    assert!(ask(&met, &request).await.is_ok());
    let user = script(json!({"lastUserContains": "Delete"}));
    assert_eq!(
        reason(ask(&user, &request).await),
        r#"reply 2: the user's last message should contain "Delete", but is "List it.""#
    );
    let tool = script(json!({"lastToolContains": "b.txt"}));
    assert_eq!(
        reason(ask(&tool, &request).await),
        r#"reply 2: the last tool result should contain "b.txt", but is "a.txt""#
    );
    let long = reason(ask(&tool, &with_result("Go.", &"x".repeat(100_000))).await);
    assert!(long.len() < 400, "{long}");
}

#[track_caller]
fn check_refused(script: &str, expect: &str) {
    match ScriptedProvider::from_json("script".to_owned(), script, "a.json") {
        Err(Error::Script { path, reason }) => {
            assert_eq!(path, "a.json");
            assert!(reason.contains(expect), "{reason}");
        }
        other => panic!("no trouble with {script}: {other:?}"),
    }
}

#[test]
fn a_script_with_a_mistake_is_refused() {
    check_refused("", "EOF");
    check_refused("{}", "missing field `replies`");
    check_refused(r#"{"replies": []}"#, "no replies");
    check_refused(
        r#"{"replies": [{"txt": "a"}]}"#,
        "unknown field `txt`, expected one of `reasoning`, `text`",
    );
    check_refused(r#"{"replies": [{"txt": "a"}]}"#, "line 1 column 19");
    check_refused(
        r#"{"replies": [{}], "repeat": true}"#,
        "unknown field `repeat`, expected `replies` or `loop`",
    );
    check_refused(r#"{"replies": [{"calls": [{"tool": "a"}]}]}"#, "unknown field `tool`");
    check_refused(r#"{"replies": [{"usage": {"input": 1}}]}"#, "unknown field `input`");
    check_refused(r#"{"replies": [{"expect": {"user": "a"}}]}"#, "unknown field `user`");
    check_refused(r#"{"replies": [{"error": {"kind": "boom"}}]}"#, "unknown variant `boom`, expected one of");
    check_refused(r#"{"replies": [{"stop": "later"}]}"#, "unknown variant `later`");
    check_refused(r#"{"replies": [{}, {"stop": "stopped"}]}"#, "reply 2: stop cannot be");
    check_refused(r#"{"replies": [{"deltaChars": 0}]}"#, "reply 1: deltaChars");
    check_refused(r#"{"replies": [{"deltaDelayMs": 60001}]}"#, "reply 1: deltaDelayMs");
    check_refused(r#"{"replies": [{"calls": [{"name": "a", "args": 7}]}]}"#, "reply 1: args");
    check_refused(
        r#"{"replies": [{"error": {"kind": "cut"}, "stop": "end_turn"}]}"#,
        "reply 1: a reply with an error",
    );
    check_refused(
        r#"{"replies": [{"error": {"kind": "cut", "retryAfterMs": 1}}]}"#,
        "reply 1: retryAfterMs goes",
    );
    check_refused(
        r#"{"replies": [{"error": {"kind": "overloaded", "retryAfterMs": 86400001}}]}"#,
        "reply 1: retryAfterMs must",
    );
    check_refused(r#"{"loop": true, "replies": [{"error": {"kind": "cut"}}]}"#, "a script that loops");
    check_refused(&format!(r#"{{"replies": [{{"text": "{}"}}]}}"#, "x".repeat(4 << 20)), "larger than 4 MiB");
}

#[tokio::test]
async fn a_script_is_read_from_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let open = |name: &str| ScriptedProvider::open("script".to_owned(), &directory.path().join(name));
    let reason = |name: &str| match open(name) {
        Err(Error::Script { path, reason }) => {
            assert!(path.ends_with(name), "{path}");
            reason
        }
        other => panic!("no trouble with {name}: {other:?}"),
    };
    fs::write(directory.path().join("good.json"), "\u{feff}{\"replies\": [{\"text\": \"one\"}]}").unwrap();
    assert_eq!(text(&open("good.json").unwrap(), 0).await, "one");
    fs::write(directory.path().join("bytes.json"), b"\xff\xfe").unwrap();
    assert_eq!(reason("bytes.json"), "it is not UTF-8 text");
    fs::write(directory.path().join("large.json"), " ".repeat((4 << 20) + 100)).unwrap();
    assert_eq!(reason("large.json"), "it is larger than 4 MiB");
    fs::create_dir(directory.path().join("folder")).unwrap();
    assert_eq!(reason("folder"), "it is not a file");
    assert!(reason("missing.json").contains("No such file"));
}

#[tokio::test]
async fn the_example_of_the_documentation_plays() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scripted.md");
    let page = fs::read_to_string(page).unwrap();
    let example =
        page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let provider = ScriptedProvider::from_json("script".to_owned(), example, "a.json").unwrap();
    let asked = request(vec![Message::text(Role::User, "What is in this folder?")]);
    let answer = ask(&provider, &asked).await.unwrap();
    assert_eq!(answer.stop, StopReason::ToolUse);
    let mut asked = with_result("What is in this folder?", "README.md");
    assert!(matches!(ask(&provider, &asked).await, Err(Error::Unavailable { .. })));
    let answer = ask(&provider, &asked).await.unwrap();
    assert_eq!(candor_protocol::plain_text(&answer.parts), "The folder holds README.md.");
    asked.messages.push(Message::new(Role::Assistant, answer.parts));
    asked.messages.push(Message::text(Role::User, "Thanks."));
    assert!(matches!(ask(&provider, &asked).await, Err(Error::Cut { .. })));
    assert_eq!(ask(&provider, &asked).await.unwrap().stop, StopReason::MaxTokens);
}
