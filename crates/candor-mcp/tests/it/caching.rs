//! What is known without starting anybody.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use candor_mcp::Standing;
use serde_json::json;

use crate::rig::{Rig, call};

#[tokio::test]
async fn tools_are_known_from_the_last_time_and_their_server_starts_when_one_is_called() {
    let rig = Rig::remembering();
    rig.known("old").await.stop().await;
    let servers = rig.servers(&json!({ "fake": rig.fake("old") }));
    assert_eq!(servers.tools().len(), 20);
    assert_eq!(servers.statuses()[0].standing, Standing::Away);
    servers.learn();
    assert_eq!(rig.starts(), 1);
    assert!(!call(&servers, "mcp__fake__sum", json!({})).await.is_error);
    assert_eq!(rig.starts(), 2);
    // It is known not to know the question that newer servers are asked first.
    assert_eq!(rig.log().matches("got server/discover").count(), 1);
}

#[tokio::test]
async fn an_entry_that_has_changed_is_not_known() {
    let rig = Rig::remembering();
    rig.known("old").await.stop().await;
    assert!(rig.servers(&json!({ "fake": rig.fake("new") })).tools().is_empty());
}

#[tokio::test]
async fn a_file_that_is_damaged_is_as_good_as_none() {
    let rig = Rig::remembering();
    rig.known("old").await.stop().await;
    let file = rig.path("cache.jsonl");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let whole = fs::read_to_string(&file).unwrap();
    let head = whole.lines().next().unwrap();
    let other = whole.replacen("\"version\":2", "\"version\":1", 1);
    let long = whole.replacen("\"bytes\":", "\"bytes\":9", 1);
    let too_long = whole.replacen("\"bytes\":", "\"bytes\":1844674407370955", 1);
    let cut = &whole[..whole.len() - 1];
    for content in ["", "{\"version\":2,", "[]", head, &other, &long, &too_long, cut] {
        fs::write(&file, content).unwrap();
        assert!(rig.servers(&json!({ "fake": rig.fake("old") })).tools().is_empty(), "{content}");
    }
    let servers = rig.known("old").await;
    assert!(!servers.tools().is_empty());
}

#[tokio::test]
async fn what_is_read_back_is_what_was_offered() {
    let rig = Rig::remembering();
    let servers = rig.known("old").await;
    let offered = servers.statuses()[0].offer.clone().unwrap();
    let tools: Vec<_> = servers.tools().iter().map(|tool| (tool.weight(), tool.spec().clone())).collect();
    servers.stop().await;
    let again = rig.servers(&json!({ "fake": rig.fake("old") }));
    let read: Vec<_> = again.tools().iter().map(|tool| (tool.weight(), tool.spec().clone())).collect();
    assert_eq!(read, tools);
    assert_eq!(again.statuses()[0].offer.as_ref(), Some(&offered));
    let names = |servers: &candor_mcp::Servers| {
        servers.prompts().into_iter().map(|prompt| prompt.word).collect::<Vec<_>>()
    };
    assert!(!names(&again).is_empty());
    assert_eq!(names(&again), names(&servers));
}

#[tokio::test]
async fn tools_whose_line_is_damaged_are_there_by_their_names_until_the_server_is_asked() {
    let rig = Rig::remembering();
    let servers = rig.known("old").await;
    let sum = |servers: &std::sync::Arc<candor_mcp::Servers>| {
        let tools = servers.tools();
        tools.iter().find(|tool| tool.name() == "mcp__fake__sum").unwrap().spec().parameters.clone()
    };
    let whole = sum(&servers);
    servers.stop().await;
    let file = rig.path("cache.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let (head, offer) = text.split_once('\n').unwrap();
    for line in ["", "nonsense", "{}", &offer[..offer.len() / 2], r#"{"tools":[]}"#] {
        fs::write(&file, format!("{head}\n{line:width$}\n", width = offer.len() - 1)).unwrap();
        let servers = rig.servers(&json!({ "fake": rig.fake("old") }));
        assert_eq!(servers.tools().len(), 20, "{line}");
        assert_ne!(sum(&servers), whole, "{line}");
        assert!(!call(&servers, "mcp__fake__sum", json!({})).await.is_error, "{line}");
        assert_eq!(sum(&servers), whole, "{line}");
        servers.stop().await;
    }
}
