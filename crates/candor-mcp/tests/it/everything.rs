//! The official reference server, as it comes from npm.

use std::time::Duration;

use candor_sandbox::{Sandbox, Spec, Stdin, start};
use serde_json::{Value, json};

use crate::rig::{Rig, call, told, until};

const PACKAGE: &str = "@modelcontextprotocol/server-everything";

fn program() -> String {
    candor_testkit::suites::dir(PACKAGE).join("dist/index.js").display().to_string()
}

async fn is_whole(rig: &Rig, entry: &Value) {
    let servers = rig.servers(&json!({ "everything": entry }));
    let offer = servers.probe("everything").await.unwrap();
    assert!(offer.left_out.is_empty(), "{:?}", offer.left_out);
    assert!(offer.tools.len() >= 8 && offer.has_resources && !offer.prompts.is_empty(), "{offer:?}");
    let echo = call(&servers, "mcp__everything__echo", json!({ "message": "hello" })).await;
    assert_eq!(told(&echo)["content"], "Echo: hello");
    let sum = call(&servers, "mcp__everything__get-sum", json!({ "a": 2, "b": 3 })).await;
    assert!(told(&sum)["content"].as_str().unwrap().contains('5'), "{}", sum.for_model);
    let picture = call(&servers, "mcp__everything__get-tiny-image", json!({})).await;
    assert_eq!(picture.images.len(), 1, "{}", picture.for_model);
    let listed = call(&servers, "mcp_resources", json!({ "server": "everything" })).await;
    let uri = told(&listed)["servers"][0]["resources"][0]["uri"].as_str().unwrap().to_owned();
    let read = call(&servers, "mcp_resources", json!({ "server": "everything", "uri": uri })).await;
    assert!(!read.is_error, "{}", read.for_model);
    servers.stop().await;
}

#[tokio::test]
async fn npm_server_everything_over_stdio() {
    let rig = Rig::new();
    is_whole(&rig, &json!({ "command": "node", "args": [program(), "stdio"] })).await;
}

#[tokio::test]
async fn npm_server_everything_over_http() {
    let rig = Rig::new();
    let port = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let mut env = rig.options.env.clone();
    env.push(("PORT".to_owned(), port.to_string()));
    let spec = Spec {
        program: "node".into(),
        args: vec![program().into(), "streamableHttp".into()],
        cwd: rig.directory().to_owned(),
        env,
        timeout: Duration::MAX,
        output_bytes_max: 1 << 16,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    };
    let running = start(&spec, &Sandbox::bare()).unwrap();
    until(|| running.output().text().contains("listening on port")).await;
    is_whole(&rig, &json!({ "type": "http", "url": format!("http://127.0.0.1:{port}/mcp") })).await;
}
