//! Calls, as a model makes them.

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, call, call_until, code, told};

#[tokio::test]
async fn a_tool_of_a_process_is_called_like_one_of_ours() {
    for mode in ["old", "new", "old_exits", "old_odd"] {
        let rig = Rig::new();
        let servers = rig.known(mode).await;
        let output = call(&servers, "mcp__fake__echo", json!({ "text": "hello" })).await;
        assert!(!output.is_error, "{mode}: {}", output.for_model);
        assert_eq!(
            told(&output),
            json!({ "server": "fake", "untrusted": true, "content": "hello" }),
            "{mode}"
        );
        assert!(!rig.log().contains("wrong"), "{}", rig.log());
        servers.stop().await;
        rig.noted("end").await;
    }
}

#[tokio::test]
async fn every_kind_of_content_reaches_the_model() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let sum = call(&servers, "mcp__fake__sum", json!({})).await;
    assert_eq!(told(&sum)["content"], "three");
    assert_eq!(told(&sum)["structured"], json!({ "sum": 3 }));
    let image = call(&servers, "mcp__fake__image", json!({})).await;
    assert_eq!(image.images.len(), 1);
    assert_eq!(image.images[0].media_type, "image/png");
    assert_eq!(told(&image)["content"][0], json!({ "type": "image", "shown": true }));
    assert!(told(&image)["content"][1]["leftOut"].is_string(), "{}", image.for_model);
    let link = call(&servers, "mcp__fake__link", json!({})).await;
    assert_eq!(told(&link)["content"]["uri"], "fake://1");
    let embedded = call(&servers, "mcp__fake__embedded", json!({})).await;
    assert_eq!(told(&embedded)["content"]["text"], "inside");
}

#[tokio::test]
async fn a_failure_of_a_tool_comes_with_a_card() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let failed = call(&servers, "mcp__fake__fail", json!({})).await;
    assert!(failed.is_error);
    assert_eq!(code(&failed), "MCP_CALL");
    assert_eq!(told(&failed)["content"], "the disk is full");
    assert_eq!(told(&failed)["untrusted"], true);
    let refused = call(&servers, "mcp__fake__refuse", json!({})).await;
    assert_eq!(code(&refused), "MCP_CALL");
    assert!(refused.card.unwrap().cause.contains("no such thing"));
}

#[tokio::test]
async fn arguments_are_looked_at_before_the_server_sees_them() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    for args in [json!({}), json!({ "text": 1 })] {
        assert_eq!(code(&call(&servers, "mcp__fake__echo", args).await), "TOOL_ARGUMENTS");
    }
    assert!(!rig.log().contains("call echo"), "{}", rig.log());
    // What a model writes for nothing is nothing.
    let output = call(&servers, "mcp__fake__echo", json!({ "text": "x", "loud": null })).await;
    assert_eq!(told(&output)["content"], "x");
    assert!(rig.log().contains("call echo ['text']"), "{}", rig.log());
}

#[tokio::test]
async fn what_is_too_long_is_cut_in_the_middle() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let big = call(&servers, "mcp__fake__big", json!({})).await;
    let content = told(&big)["content"].as_str().unwrap().to_owned();
    assert!(content.len() < 200_000 && content.starts_with("aaa") && content.ends_with("zzz"));
    assert!(content.contains("[output truncated: ") && !content.contains("MIDDLE"));
    // What counts is what is sent, where a quote takes two bytes.
    let quotes = call(&servers, "mcp__fake__echo", json!({ "text": "\"".repeat(150_000) })).await;
    assert!(!quotes.is_error && quotes.for_model.len() <= 200_000, "{}", quotes.for_model.len());
    assert!(quotes.for_model.contains("[output truncated: "));
}

#[tokio::test]
async fn garbage_and_answers_to_nothing_are_passed_over_and_counted() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let output = call(&servers, "mcp__fake__garbage", json!({})).await;
    assert_eq!(told(&output)["content"], "after the garbage");
    let output = call(&servers, "mcp__fake__unasked", json!({})).await;
    assert_eq!(told(&output)["content"], "after the answers");
    let process = servers.statuses()[0].process.unwrap();
    assert_eq!((process.garbage_lines, process.unasked_answers), (1003, 2));
}

#[tokio::test]
async fn answers_may_come_in_any_order() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let first = call(&servers, "mcp__fake__later", json!({}));
    let second = async {
        rig.noted("call later").await;
        call(&servers, "mcp__fake__swap", json!({})).await
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((&told(&first)["content"], &told(&second)["content"]), (&json!("first"), &json!("second")));
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_at_the_server() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let cancel = CancellationToken::new();
    let hanging = call_until(&servers, "mcp__fake__hang", json!({}), &cancel);
    let stop = async {
        rig.noted("call hang").await;
        cancel.cancel();
    };
    let (output, ()) = tokio::join!(hanging, stop);
    assert_eq!(code(&output), "TOOL_INTERRUPTED");
    rig.noted("cancelled").await;
    assert_eq!(rig.starts(), 1);
}

#[tokio::test]
async fn an_answer_that_never_comes_ends_with_its_time() {
    let rig = Rig::new();
    let mut entry = rig.fake("old");
    entry["timeout"] = json!(0.2);
    let servers = rig.servers(&json!({ "fake": entry }));
    servers.probe("fake").await.unwrap();
    let output = call(&servers, "mcp__fake__hang", json!({})).await;
    assert_eq!(code(&output), "MCP_TIMEOUT");
    assert!(output.card.unwrap().cause.contains("0.2 seconds"));
    rig.noted("cancelled").await;
    // The server is still there for others.
    assert!(!call(&servers, "mcp__fake__sum", json!({})).await.is_error);
    assert_eq!(rig.starts(), 1);
}

#[tokio::test]
async fn a_process_sees_only_the_environment_that_it_is_given() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let output = call(&servers, "mcp__fake__env", json!({})).await;
    let env: serde_json::Value = serde_json::from_str(told(&output)["content"].as_str().unwrap()).unwrap();
    let mut names: Vec<&String> = env.as_object().unwrap().keys().collect();
    names.retain(|name| !matches!(name.as_str(), "LC_CTYPE" | "PWD"));
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(env["PATH"].is_string() && env["FAKE_DIR"].is_string());
}

#[tokio::test]
async fn resources_and_prompts_are_to_be_had() {
    for mode in ["old", "new"] {
        let rig = Rig::new();
        let servers = rig.known(mode).await;
        let listed = call(&servers, "mcp_resources", json!({})).await;
        assert_eq!(told(&listed)["untrusted"], true);
        assert_eq!(told(&listed)["servers"][0]["resources"][0]["uri"], "fake://1");
        assert_eq!(told(&listed)["servers"][0]["resources"][1]["uriTemplate"], "fake://{n}");
        let read = call(&servers, "mcp_resources", json!({ "server": "fake", "uri": "fake://1" })).await;
        assert_eq!(told(&read)["content"]["text"], "what is in it");
        let unknown = call(&servers, "mcp_resources", json!({ "server": "nobody" })).await;
        assert_eq!(code(&unknown), "MCP_UNKNOWN");
        assert_eq!(code(&call(&servers, "mcp_resources", json!({ "uri": "x" })).await), "TOOL_ARGUMENTS");
        let prompts = servers.prompts();
        assert_eq!((prompts[0].server.as_str(), prompts[0].prompt.name.as_str()), ("fake", "greet"));
        assert!(prompts[0].prompt.arguments[0].required);
        let args = json!({ "who": "Ada" }).as_object().unwrap().clone();
        let text = servers.prompt("fake", "greet", args, &CancellationToken::new()).await.unwrap();
        assert_eq!(text, "Greet Ada.");
    }
}
