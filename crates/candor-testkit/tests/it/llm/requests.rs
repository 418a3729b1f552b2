//! What a recorded request says, whatever the dialect.

use candor_testkit::{Dialect, FakeLlm, Reply};

use super::client::{Client, fields, headers, hello, path, round};

#[test]
fn a_request_reads_the_same_in_every_dialect() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        fake.push(Reply::text("ok"));
        let got = Client::new(&fake).ask(dialect, &round(dialect));
        assert_eq!(got.status, 200, "{dialect:?}: {}", got.text());
        let seen = &fake.requests()[0];
        assert_eq!(seen.system().as_deref(), Some("be brief"), "{dialect:?}");
        assert_eq!(seen.user_texts(), ["one", "two"], "{dialect:?}");
        assert_eq!(seen.tool_results(), ["found"], "{dialect:?}");
        assert_eq!(seen.tool_names(), ["read"], "{dialect:?}");
        assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", path(dialect)));
        assert_eq!(seen.body, round(dialect));
        assert_eq!(seen.body_bytes, round(dialect).to_string().len());
        assert_eq!((seen.connection, &seen.refused), (1, &None));
    }
}

#[test]
fn a_request_without_system_text_and_tools_has_none() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        fake.push(Reply::text("ok"));
        Client::new(&fake).ask(dialect, &hello(dialect));
        let seen = &fake.requests()[0];
        assert_eq!(seen.system(), None);
        assert_eq!(seen.user_texts(), ["hello"]);
        assert!(seen.tool_results().is_empty() && seen.tool_names().is_empty());
    }
}

#[test]
fn headers_are_found_whatever_their_case() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(Reply::text("ok"));
    Client::new(&fake).ask(Dialect::Anthropic, &hello(Dialect::Anthropic));
    let seen = &fake.requests()[0];
    assert_eq!((seen.header("x-api-key"), seen.header("X-API-KEY")), (Some("key"), Some("key")));
    assert_eq!(seen.header("x-none"), None);
}

#[test]
fn a_chunked_body_is_read_as_one() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::text("ok"));
    let body = hello(Dialect::OpenaiChat).to_string();
    let (first, second) = body.split_at(7);
    let fields = fields(&headers(Dialect::OpenaiChat));
    let mut client = Client::new(&fake);
    client.write(
        format!(
            "POST /v1/chat/completions HTTP/1.1\r\n{fields}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x};x=y\r\n\
             {second}\r\n0\r\n\r\n",
            first.len(),
            second.len()
        )
        .as_bytes(),
    );
    assert_eq!(client.read().said(Dialect::OpenaiChat), "ok");
    assert_eq!(fake.requests()[0].body, hello(Dialect::OpenaiChat));
}

#[test]
fn the_list_of_models_is_in_the_shape_of_the_dialect() {
    let cases = [
        (Dialect::OpenaiChat, "/v1/models", "/data/1/id", "b"),
        (Dialect::OpenaiResponses, "/v1/models", "/data/1/id", "b"),
        (Dialect::Anthropic, "/v1/models", "/data/1/id", "b"),
        (Dialect::Gemini, "/v1beta/models", "/models/1/name", "models/b"),
        (Dialect::Ollama, "/api/tags", "/models/1/name", "b"),
    ];
    for (dialect, path, pointer, expect) in cases {
        let fake = FakeLlm::start(dialect);
        fake.models(&["a", "b"]);
        let got = Client::new(&fake).get(path, dialect);
        assert_eq!(got.status, 200);
        assert_eq!(got.json().pointer(pointer).and_then(|name| name.as_str()), Some(expect), "{dialect:?}");
        assert!(fake.requests().is_empty(), "a list is no model request");
    }
}

#[test]
fn a_path_that_the_api_does_not_have_is_a_404_in_its_shape() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let got = Client::new(&fake).get("/v1/v1/chat/completions", Dialect::OpenaiChat);
    assert_eq!(got.status, 404);
    assert_eq!(got.json()["error"]["message"], "Invalid URL (GET /v1/v1/chat/completions)");
    assert!(fake.requests().is_empty());
}
