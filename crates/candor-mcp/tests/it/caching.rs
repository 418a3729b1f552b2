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
    let file = rig.path("cache.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    for content in ["", "{\"version\":1,", "{\"version\":2,\"servers\":{}}", "[]"] {
        fs::write(&file, content).unwrap();
        assert!(rig.servers(&json!({ "fake": rig.fake("old") })).tools().is_empty(), "{content}");
    }
    let servers = rig.known("old").await;
    assert!(!servers.tools().is_empty());
}
