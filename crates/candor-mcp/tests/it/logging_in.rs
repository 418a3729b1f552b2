//! Logins, with a browser that grants everything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use candor_mcp::Servers;
use serde_json::json;

use crate::over_http::Fake;
use crate::rig::{Rig, call, told};

fn servers(rig: &mut Rig, fake: &Fake) -> Arc<Servers> {
    rig.options.tokens = Some(rig.path("tokens.json"));
    rig.servers(&json!({ "far": { "url": format!("{}/mcp", fake.origin) } }))
}

/// Opens an address and goes wherever it is sent.
fn browse(address: &str) {
    let address = address.to_owned();
    tokio::spawn(async move {
        let tls =
            rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let tls = tls.with_safe_default_protocol_versions().unwrap();
        let tls = tls.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
        let client = reqwest::Client::builder().tls_backend_preconfigured(tls).build().unwrap();
        client.get(address).send().await.unwrap();
    });
}

#[tokio::test]
async fn a_login_is_kept_in_a_file_for_this_user_alone_and_used() {
    let mut rig = Rig::new();
    let fake = Fake::start(&rig, "old_login", "").await;
    let servers = servers(&mut rig, &fake);
    servers.login("far", browse).await.unwrap();
    let log = rig.log();
    assert!(log.contains("register\nauthorize cl1ent S256\ntoken authorization_code"), "{log}");
    let file = rig.path("tokens.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(servers.statuses()[0].has_login);
    servers.probe("far").await.unwrap();
    let output = call(&servers, "mcp__far__echo", json!({ "text": "let in" })).await;
    assert_eq!(told(&output)["content"], "let in");
    assert!(servers.logout("far").unwrap());
    assert!(!servers.statuses()[0].has_login);
    assert!(!fs::read_to_string(&file).unwrap().contains("tok3n"));
}

#[tokio::test]
async fn a_login_that_is_not_taken_any_more_is_renewed() {
    let mut rig = Rig::new();
    let fake = Fake::start(&rig, "old_login_renewed", "").await;
    let servers = servers(&mut rig, &fake);
    servers.login("far", browse).await.unwrap();
    servers.probe("far").await.unwrap();
    assert!(rig.log().contains("token refresh_token"), "{}", rig.log());
    assert!(fs::read_to_string(rig.path("tokens.json")).unwrap().contains("tok3n2"));
}

#[tokio::test]
async fn a_login_that_is_refused_or_never_comes_is_said_as_such() {
    let mut rig = Rig::new();
    let fake = Fake::start(&rig, "old_login_refused", "").await;
    let refused = servers(&mut rig, &fake).login("far", browse).await.unwrap_err();
    assert!(refused.to_string().contains("access_denied"), "{refused}");
    rig.options.login_time_max = Duration::from_millis(200);
    let late = servers(&mut rig, &fake).login("far", |_| {}).await.unwrap_err();
    assert!(late.to_string().contains("nobody had logged in"), "{late}");
    assert!(!rig.path("tokens.json").exists());
}
