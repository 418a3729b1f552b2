//! Searches, against fakes that answer as the engines' documentation shows it.

use std::time::Duration;

use candor_protocol::Code;
use candor_web::{Engine, Search, Web, tools};
use serde_json::{Value, json};

use crate::rig::{Answer, Rig, Server, Then, answer, check_failure, header, path, told, typed};

const KEY: &str = "the-secret-key-of-the-engine";

fn rig(engine: Engine, server: &Server) -> Rig {
    let key = (engine != Engine::Searxng).then(|| KEY.to_owned());
    let search = Search { engine, base_url: Some(server.url("/base/")), key };
    Rig::new(Web { search: Some(search), total_timeout: Duration::from_secs(20), ..Web::default() })
}

fn results(engine: Engine) -> Value {
    let hit = |snippet: &str| json!({ "title": "A <b>title</b>", "url": "https://e.org/a", snippet: "Some &amp; <strong>words</strong>\n here", "score": 1 });
    let other = json!({ "title": "no address" });
    match engine {
        Engine::Searxng => {
            json!({ "query": "q", "number_of_results": 0, "results": [hit("content"), other] })
        }
        Engine::Brave => {
            json!({ "type": "search", "query": {}, "web": { "type": "search", "results": [hit("description"), other] } })
        }
        Engine::Tavily => json!({ "query": "q", "answer": null, "results": [hit("content"), other] }),
        Engine::Kagi => {
            json!({ "meta": { "id": "x" }, "data": [{ "t": 1, "list": ["related"] }, hit("snippet")] })
        }
    }
}

#[test]
fn there_is_no_search_without_an_engine() {
    let names = |web: Web| tools(web).iter().map(|tool| tool.spec().name.clone()).collect::<Vec<_>>();
    assert_eq!(names(Web::default()), ["web_fetch"]);
    let search = Search { engine: Engine::Kagi, base_url: None, key: None };
    assert_eq!(names(Web { search: Some(search), ..Web::default() }), ["web_fetch", "web_search"]);
}

#[tokio::test]
async fn every_engine_is_asked_in_its_own_way() {
    let cases = [
        (Engine::Searxng, "GET /base/search?q=caf%C3%A9+%26+more&format=json", None),
        (
            Engine::Brave,
            "GET /base/web/search?q=caf%C3%A9+%26+more&count=5",
            Some(("x-subscription-token", KEY.to_owned())),
        ),
        (Engine::Tavily, "POST /base/search", Some(("authorization", format!("Bearer {KEY}")))),
        (
            Engine::Kagi,
            "GET /base/search?q=caf%C3%A9+%26+more&limit=5",
            Some(("authorization", format!("Bot {KEY}"))),
        ),
    ];
    for (engine, line, key) in cases {
        let server = Server::saying(typed("application/json", results(engine).to_string()));
        let output = rig(engine, &server).search("café & more").await;
        let told = told(&output);
        assert_eq!(
            told["results"],
            json!([{ "title": "A title", "url": "https://e.org/a", "snippet": "Some & words here" }]),
            "{engine:?}"
        );
        assert_eq!(told["untrusted"], true);
        assert!(told["note"].as_str().unwrap().starts_with("Written by strangers"));
        assert!(!output.for_model.contains(KEY));
        let head = &server.heads()[0];
        assert!(head.starts_with(&format!("{line} HTTP/1.1\r\n")), "{head}");
        if let Some((name, value)) = key {
            assert_eq!(header(head, name), Some(value), "{engine:?}");
        }
        if engine == Engine::Tavily {
            assert!(head.ends_with(r#"{"query":"café & more","max_results":5}"#), "{head}");
        }
    }
}

#[tokio::test]
async fn results_are_bounded() {
    let hit = json!({ "title": "t".repeat(5_000), "url": "https://e.org/", "content": "é".repeat(10_000) });
    let body = json!({ "results": vec![hit; 40] });
    let server = Server::saying(typed("application/json", body.to_string()));
    let output =
        rig(Engine::Searxng, &server).call("web_search", json!({ "query": "q", "count": 1000 })).await;
    let told = told(&output);
    assert_eq!(told["results"].as_array().unwrap().len(), 20);
    assert!(output.for_model.len() < 20 * 1_500, "{}", output.for_model.len());
    let huge = Server::saying(typed("application/json", " ".repeat(3 << 20)));
    check_failure(&rig(Engine::Searxng, &huge).search("q").await, Code::WebSearchFailed, "longer than");
}

#[tokio::test]
async fn what_an_engine_says_instead_of_results_is_told_without_the_key() {
    let echo = format!("{{\"error\":\"the key {KEY} is wrong\"}}");
    let cases: [(&str, &str, Code, &str); 7] = [
        ("401 Unauthorized", &echo, Code::WebSearchKey, "the key [REDACTED] is wrong"),
        ("403 Forbidden", "<h1>Forbidden</h1>", Code::WebSearchKey, "403 Forbidden: Forbidden"),
        (
            "429 Too Many Requests",
            "{\"detail\":\"slow down\"}",
            Code::WebSearchFailed,
            "429 Too Many Requests",
        ),
        ("500 Internal Server Error", "", Code::WebSearchFailed, "500 Internal Server Error"),
        ("302 Found", "", Code::WebSearchFailed, "302 Found"),
        ("200 OK", "<html>login</html>", Code::WebSearchFailed, "its answer is no JSON"),
        ("200 OK", "{\"results\": 5}", Code::WebSearchFailed, "holds no results"),
    ];
    for (status, body, code, words) in cases {
        for engine in [Engine::Searxng, Engine::Brave, Engine::Tavily, Engine::Kagi] {
            if engine == Engine::Searxng && body == echo {
                continue;
            }
            let headers = "location: http://127.0.0.1:1/\r\n";
            let server = Server::saying(answer(status, headers, body));
            let output = rig(engine, &server).search("q").await;
            check_failure(&output, code, words);
            assert!(!format!("{output:?}").contains(KEY), "{output:?}");
            assert_eq!(server.connections(), 1, "a key is not sent on");
        }
    }
}

#[tokio::test]
async fn an_engine_that_does_not_answer_is_left() {
    let server = Server::saying(Answer { bytes: Vec::new(), then: Then::Waits });
    let search = Search { engine: Engine::Searxng, base_url: Some(server.url("")), key: None };
    let limit = Duration::from_millis(300);
    let rig = Rig::new(Web { search: Some(search), total_timeout: limit, ..Web::default() });
    check_failure(&rig.search("q").await, Code::WebSearchFailed, "did not answer within 0.3 seconds");
}

#[tokio::test]
async fn settings_that_cannot_work_are_told() {
    let search = |engine, base_url: Option<&str>, key: Option<&str>| {
        let search = Search { engine, base_url: base_url.map(str::to_owned), key: key.map(str::to_owned) };
        Rig::new(Web { search: Some(search), ..Web::default() })
    };
    let cases = [
        (search(Engine::Searxng, None, None), "its address is not configured"),
        (search(Engine::Searxng, Some("ftp://x"), None), "its address is not of the web"),
        (search(Engine::Brave, Some("http://127.0.0.1:1"), None), "its key is not configured"),
        (search(Engine::Kagi, Some("http://127.0.0.1:1"), Some("a\nb")), "its key holds characters"),
    ];
    for (rig, words) in cases {
        check_failure(&rig.search("q").await, Code::WebSearchFailed, words);
    }
}

#[tokio::test]
async fn brave_leaves_the_list_out_where_nothing_was_found() {
    let server = Server::new(|head| {
        assert!(path(head).starts_with("/base/web/search"));
        typed("application/json", r#"{"type":"search","query":{"original":"q"}}"#)
    });
    assert_eq!(told(&rig(Engine::Brave, &server).search("q").await)["results"], json!([]));
}
