//! Servers behind an address.

use std::path::Path;
use std::time::Duration;

use candor_sandbox::{Running, Sandbox, Spec, Stdin, start};
use serde_json::json;

use crate::rig::{Rig, call, told, until};

/// A fake server that listens.
pub(crate) struct Fake {
    _running: Running,
    /// Where.
    pub(crate) origin: String,
}

impl Fake {
    pub(crate) async fn start(rig: &Rig, mode: &str, elsewhere: &str) -> Self {
        std::fs::write(rig.path("fake_http.py"), include_str!("fake_http.py")).unwrap();
        let mut env = rig.options.env.clone();
        env.push(("FAKE_DIR".to_owned(), rig.directory().display().to_string()));
        env.push(("ELSEWHERE".to_owned(), elsewhere.to_owned()));
        let running =
            start(&python(rig.directory(), &["fake_http.py", mode], env), &Sandbox::bare()).unwrap();
        until(|| running.output().text().contains('\n')).await;
        let port = running.output().text().trim().to_owned();
        Self { _running: running, origin: format!("http://127.0.0.1:{port}") }
    }
}

fn python(cwd: &Path, args: &[&str], env: Vec<(String, String)>) -> Spec {
    Spec {
        program: "python3".into(),
        args: args.iter().map(Into::into).collect(),
        cwd: cwd.to_owned(),
        env,
        timeout: Duration::MAX,
        output_bytes_max: 1 << 16,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    }
}

#[tokio::test]
async fn a_tool_behind_an_address_is_called_in_both_generations() {
    for mode in ["old", "new", "old_moved"] {
        let rig = Rig::new();
        let fake = Fake::start(&rig, mode, "").await;
        let url = format!("{}/mcp", fake.origin);
        let servers =
            rig.servers(&json!({ "far": { "type": "http", "url": url, "headers": { "X-Key": "k3y" } } }));
        let offer = servers.probe("far").await.unwrap();
        assert_eq!(offer.protocol, if mode == "new" { "2026-07-28" } else { "2025-11-25" });
        let output = call(&servers, "mcp__far__echo", json!({ "text": "hello" })).await;
        assert_eq!(told(&output)["content"], "hello", "{mode}");
        assert!(!rig.log().contains("wrong") && rig.log().contains("header k3y"), "{}", rig.log());
    }
}

#[tokio::test]
async fn a_redirect_to_another_place_is_not_followed_and_nothing_is_told_there() {
    let (rig, there) = (Rig::new(), Rig::new());
    let trap = Fake::start(&there, "old", "").await;
    let fake = Fake::start(&rig, "old_elsewhere", &trap.origin).await;
    let url = format!("{}/mcp?key=k3y", fake.origin);
    let servers = rig.servers(&json!({ "far": { "url": url, "headers": { "X-Key": "k3y" } } }));
    let error = servers.probe("far").await.unwrap_err();
    assert_eq!(there.log(), "");
    let card = candor_cards::card(&error.failure());
    assert_eq!(card.code, "MCP_START");
    assert!(!format!("{card:?}{error:?}").contains("k3y"), "{card:?}");
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off_plain_or_in_events() {
    for mode in ["old", "old_events"] {
        let rig = Rig::new();
        let fake = Fake::start(&rig, mode, "").await;
        let servers =
            rig.servers(&json!({ "far": { "url": format!("{}/mcp", fake.origin), "timeout": 20 } }));
        servers.probe("far").await.unwrap();
        let output = call(&servers, "mcp__far__echo", json!({ "text": "flood" })).await;
        assert!(output.is_error, "{}", output.for_model);
        rig.noted("flooded").await;
        let log = rig.log();
        let taken = log.lines().find_map(|line| line.strip_prefix("flooded ")).unwrap();
        // What lies in the buffers of the machine counts, too.
        assert!(taken.parse::<u32>().unwrap() < 64, "{mode}: {taken} MB were taken");
        if mode == "old" {
            assert!(output.for_model.contains("longer than 16777216 bytes"), "{}", output.for_model);
        }
        // The server is still there for others.
        let output = call(&servers, "mcp__far__echo", json!({ "text": "hello" })).await;
        assert_eq!(told(&output)["content"], "hello");
    }
}

#[tokio::test]
async fn nobody_there_is_said_as_such_without_secrets() {
    let rig = Rig::new();
    let url = "http://127.0.0.1:9/mcp?key=k3y";
    let servers = rig.servers(&json!({ "far": { "url": url, "headers": { "X-Key": "k3y" } } }));
    let error = servers.probe("far").await.unwrap_err();
    assert!(error.to_string().contains("onnection refused"), "{error}");
    assert!(!format!("{error:?}").contains("k3y"), "{error:?}");
}

#[tokio::test]
async fn a_server_that_wants_a_login_says_how_to_log_in() {
    let rig = Rig::remembering();
    let fake = Fake::start(&rig, "old_login", "").await;
    let entry = json!({ "url": format!("{}/mcp", fake.origin) });
    let servers = rig.servers(&json!({ "far": entry }));
    for _ in 0..7 {
        // However often: it is nobody's failure.
        let card = candor_cards::card(&servers.probe("far").await.unwrap_err().failure());
        assert_eq!(card.code, "MCP_LOGIN");
        assert!(format!("{:?}", card.steps[0]).contains("candor mcp login far"), "{card:?}");
    }
}
