//! Responses that are no answer.

use std::io::Write;
use std::time::Duration;

use candor_llm::{Endpoint, Error, HttpProvider};

use crate::server::{HELLO, KEY, Server, Then, endpoint, nobody, refused, response, stream};

#[track_caller]
fn check_no_provider(error: &Error, expect: &str) {
    let Error::NotAProvider { reason, url } = error else { panic!("{error:?}") };
    assert!(reason.contains(expect), "{reason}");
    assert!(url.ends_with("/v1/chat/completions"), "{url}");
}

#[tokio::test]
async fn a_page_is_no_provider() {
    let page = "<!doctype html><title>Log in</title>";
    for headers in ["content-type: text/html; charset=utf-8\r\n", "content-type: text/event-stream\r\n", ""] {
        let server = Server::saying(response("200 OK", headers, page));
        check_no_provider(&refused(&server.provider()).await, "a web page");
    }
}

#[tokio::test]
async fn a_json_value_is_an_error_or_no_provider() {
    let server = Server::saying(response("200 OK", "content-type: application/json\r\n", "{\"choices\":[]}"));
    check_no_provider(&refused(&server.provider()).await, "a JSON value instead of a stream");
    let body = "\n {\"error\":{\"message\":\"slow down\",\"code\":429}}";
    let server = Server::saying(response("200 OK", "content-type: application/json\r\n", body));
    let error = refused(&server.provider()).await;
    assert!(matches!(error, Error::RateLimited { status: None, .. }), "{error:?}");
}

#[tokio::test]
async fn a_packed_body_is_no_provider() {
    let server = Server::saying(response("200 OK", "content-encoding: gzip\r\n", "\u{1f}..."));
    check_no_provider(&refused(&server.provider()).await, "packed with gzip");
}

#[tokio::test]
async fn the_key_does_not_follow_a_redirect() {
    let other = Server::saying(stream(HELLO));
    let location = format!("location: http://{}/v1?secret=1\r\n", other.address);
    let server = Server::saying(response("307 Temporary Redirect", &location, ""));
    check_no_provider(&refused(&server.provider()).await, &format!("a redirect to http://{}", other.address));
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn statuses_are_told_apart() {
    let body = "{\"error\":{\"message\":\"slow down\"}}";
    let server = Server::saying(response("429 Too Many Requests", "retry-after: 7\r\n", body));
    let retry_after = Some(Duration::from_secs(7));
    let expect = Error::RateLimited { status: Some(429), retry_after, message: "slow down".to_owned() };
    assert_eq!(refused(&server.provider()).await, expect);
    let server = Server::saying(response("502 Bad Gateway", "", "<html><title>Bad</title></html>"));
    let error = refused(&server.provider()).await;
    assert!(matches!(error, Error::Unavailable { status: Some(502), .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_masked() {
    let body = format!("{{\"error\":{{\"message\":\"no key {KEY} here\"}}}}");
    let server = Server::saying(response("401 Unauthorized", "", &body));
    let expect = Error::Unauthorized { status: 401, message: "no key [REDACTED] here".to_owned() };
    assert_eq!(refused(&server.provider()).await, expect);
    let server = Server::saying(stream(&format!("data: {body}\n\n")));
    assert!(refused(&server.provider()).await.to_string().contains("[REDACTED]"));
}

#[tokio::test]
async fn a_key_that_no_header_carries_is_refused_unsent() {
    let server = Server::saying(stream(HELLO));
    for key in ["sk-broken\nkey", "sk-\u{0}broken"] {
        let endpoint = Endpoint { key: Some(key.to_owned()), ..server.endpoint() };
        let error = refused(&HttpProvider::new(endpoint).unwrap()).await;
        assert!(matches!(error, Error::BadRequest { status: None, .. }), "{error:?}");
        assert!(!error.to_string().contains("sk-"), "{error}");
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn nobody_at_the_address() {
    let (_held, free) = nobody();
    let error = refused(&HttpProvider::new(endpoint(&format!("http://u:p@{free}/v1?k=s"))).unwrap()).await;
    let Error::Unreachable { url, reason } = &error else { panic!("{error:?}") };
    assert_eq!(url, &format!("http://{free}/v1/chat/completions"));
    assert!(reason.contains("refused"), "{reason}");
    let error = refused(&HttpProvider::new(endpoint("http://model.invalid/v1")).unwrap()).await;
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_connection_lost_before_the_response_is_unreachable() {
    let server = Server::new(|_, socket| {
        _ = socket.write_all(b"HTTP/1.1 200");
        Then::Close
    });
    let error = refused(&server.provider()).await;
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn something_else_than_tls_is_unreachable() {
    let server = Server::new(|_, _| Then::Close);
    let error =
        refused(&HttpProvider::new(endpoint(&format!("https://{}/v1", server.address))).unwrap()).await;
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn an_endless_error_is_read_in_part() {
    let server = Server::new(|_, socket| {
        _ = socket.write_all(b"HTTP/1.1 500 Oops\r\n\r\n");
        while socket.write_all(&[b'x'; 4096]).is_ok() {}
        Then::Close
    });
    let Error::Unavailable { message, .. } = refused(&server.provider()).await else {
        panic!("not unavailable")
    };
    assert_eq!(message.len(), 500);
}

#[test]
fn what_is_no_address_is_refused_at_once() {
    for base in ["", "host/v1", "ftp://host/v1", "http://", "sk-123?x", "file:///etc"] {
        let refused = HttpProvider::new(endpoint(base));
        assert!(matches!(refused, Err(Error::NotAProvider { .. })), "{base}");
    }
}
