//! What servers offer, and what becomes of it.

use serde_json::json;

use crate::rig::{Rig, call, offered, told, until};

#[tokio::test]
async fn all_pages_of_a_list_are_read() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let offer = servers.statuses()[0].offer.clone().unwrap();
    assert_eq!(offer.tools.len(), 19);
    assert_eq!((offer.server.as_str(), offer.protocol.as_str()), ("fake 1", "2025-11-25"));
    assert_eq!(offer.instructions.as_deref(), Some("Be kind."));
    assert!(offer.tools[0].claims_read_only);
    let rig = Rig::new();
    assert_eq!(rig.known("new").await.statuses()[0].offer.clone().unwrap().protocol, "2026-07-28");
}

#[tokio::test]
async fn a_tool_with_a_schema_that_lies_is_left_out_and_the_others_are_not() {
    let rig = Rig::new();
    let servers = rig.known("old_lying").await;
    let offer = servers.statuses()[0].offer.clone().unwrap();
    let left_out: Vec<(&str, &str)> =
        offer.left_out.iter().map(|left| (left.name.as_str(), left.reason.as_str())).collect();
    assert_eq!(
        left_out,
        [
            ("text_schema", "its schema is no object"),
            ("list_schema", "its schema describes no object"),
            ("odd_properties", "the `properties` of its schema are no object"),
            ("no_kind", "its schema is no JSON Schema"),
            ("", "it has no name"),
            ("", "it has no name"),
            ("no_schema", "another tool has the same name"),
        ]
    );
    assert_eq!(offer.tools.len(), 21);
    // What its schema refers to is not fetched; the server looks at the arguments itself.
    let output = call(&servers, "mcp__fake__far_away", json!({ "a": 1 })).await;
    assert_eq!(told(&output)["content"], "far_away");
}

#[tokio::test]
async fn a_change_of_tools_is_heard() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let mut changes = servers.changes();
    changes.mark_unchanged();
    call(&servers, "mcp__fake__change", json!({})).await;
    changes.changed().await.unwrap();
    assert_eq!(offered(&servers), ["mcp__fake__echo", "mcp__fake__brand_new"]);
}

#[tokio::test]
async fn only_allowed_tools_are_offered() {
    let rig = Rig::new();
    let mut entry = rig.fake("old");
    entry["allow"] = json!(["echo", "su*"]);
    let servers = rig.servers(&json!({ "fake": entry }));
    servers.probe("fake").await.unwrap();
    assert_eq!(offered(&servers), ["mcp__fake__echo", "mcp__fake__sum"]);
}

#[tokio::test]
async fn servers_of_which_nothing_is_known_are_asked_beside_everything_else() {
    let rig = Rig::new();
    let servers = rig.servers(&json!({ "fake": rig.fake("old"), "dead": rig.fake("dead") }));
    assert!(servers.tools().is_empty());
    servers.learn();
    until(|| !servers.tools().is_empty()).await;
}
