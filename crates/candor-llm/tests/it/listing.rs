//! Lists of models.

use std::io::Write;

use candor_llm::{Error, models};

use crate::server::{Server, Then, response};

#[tokio::test]
async fn models_are_sorted_and_named_once() {
    let list = r#"{"data":[{"id":"b"},{"id":"a"},{"id":"b"}]}"#;
    let server = Server::saying(response("200 OK", "content-type: application/json\r\n", list));
    assert_eq!(models(&server.provider()).await.unwrap(), ["a", "b"]);
    assert!(server.received()[0].head.starts_with("GET /v1/models HTTP/1.1\r\n"));
}

#[tokio::test]
async fn what_is_no_list_is_an_error() {
    let server = Server::saying(response("200 OK", "", "hello"));
    assert!(matches!(models(&server.provider()).await, Err(Error::NotAProvider { .. })));
    let server = Server::saying(response("401 No", "", ""));
    assert!(matches!(models(&server.provider()).await, Err(Error::Unauthorized { .. })));
}

#[tokio::test]
async fn an_endless_list_is_refused() {
    let server = Server::new(|_, socket| {
        _ = socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n[");
        while socket.write_all(&[b' '; 8192]).is_ok() {}
        Then::Close
    });
    assert!(matches!(models(&server.provider()).await, Err(Error::TooLarge { .. })));
}
