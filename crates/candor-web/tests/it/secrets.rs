//! Nothing secret leaves the machine.

use std::sync::Arc;

use candor_protocol::Code;
use candor_web::{Engine, Search, Web};

use crate::rig::{Rig, Server, check_failure, html, open, typed};

const SECRET: &str = "hunter2/hunter2+hunter2";

#[tokio::test]
async fn an_address_that_holds_a_secret_is_not_even_looked_up() {
    let server = Server::saying(html("x"));
    let rig = Rig::new(Web { secrets: Some(Arc::new(|_, text| text.contains(SECRET))), ..open() });
    let twice = "hunter2%252Fhunter2%252Bhunter2";
    for path in [
        format!("/?q={SECRET}"),
        "/?q=hunter2%2fhunter2%2Bhunter2".to_owned(),
        format!("/{twice}"),
        format!("/#{SECRET}"),
        // What stands for a secret, where nothing has put the secret in its place.
        "/?q=[REDACTED:abcdef]".to_owned(),
        "/?q=%5BREDACTED%3Aabcdef%5D".to_owned(),
        "/?q=%5bredacted:abcdef]".to_owned(),
    ] {
        check_failure(&rig.fetch(&server.url(&path)).await, Code::WebSecret, "address holds a secret");
    }
    check_failure(&rig.fetch(&format!("http://{SECRET}.example/")).await, Code::WebSecret, "address");
    assert_eq!(server.connections(), 0);
    assert_eq!(rig.page(&server.url("/?q=hunter3")).await["content"], "x");
}

#[tokio::test]
async fn a_question_that_holds_a_secret_is_not_asked() {
    let server = Server::saying(typed("application/json", r#"{"results":[]}"#));
    let search = Search { engine: Engine::Searxng, base_url: Some(server.url("")), key: None };
    let secrets: candor_web::Secrets = Arc::new(|_, text| text.contains(SECRET));
    let rig = Rig::new(Web { search: Some(search), secrets: Some(secrets), ..Web::default() });
    check_failure(
        &rig.search(&format!("what is {SECRET}")).await,
        Code::WebSecret,
        "question holds a secret",
    );
    check_failure(&rig.search("what is [REDACTED:abcdef]").await, Code::WebSecret, "question");
    assert_eq!(server.connections(), 0);
}

#[test]
fn keys_and_passwords_stay_out_of_debug_output() {
    let search = Search { engine: Engine::Brave, base_url: None, key: Some("the-key".to_owned()) };
    let proxy = Some("http://user:the-password@proxy.example:3128".to_owned());
    let shown = format!("{:?}", Web { search: Some(search), proxy, ..Web::default() });
    assert!(!shown.contains("the-key") && !shown.contains("the-password"), "{shown}");
}
