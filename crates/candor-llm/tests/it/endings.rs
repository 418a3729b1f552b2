//! How streams end, and how they break.

use std::io::Write;

use candor_llm::Error;
use candor_protocol::{Part, StopReason};

use crate::server::{CHUNKED, HELLO, Server, Then, ask, chunk, refused, stream};

fn words() -> &'static str {
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"
}

fn stop() -> &'static str {
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
}

/// Writes this and closes the connection.
fn closing(response: String) -> Server {
    Server::new(move |_, socket| {
        _ = socket.write_all(response.as_bytes());
        Then::Close
    })
}

#[tokio::test]
async fn a_stream_without_its_end_is_cut() {
    let server = Server::saying(stream(words()));
    let (answer, told) = ask(&server.provider()).await;
    assert!(matches!(answer, Err(Error::Cut { .. })), "{answer:?}");
    assert_eq!(told, ["Hel"]);
}

#[tokio::test]
async fn an_empty_body_is_cut() {
    let server = Server::saying(stream(""));
    assert_eq!(refused(&server.provider()).await, Error::Cut { reason: "the body is empty".to_owned() });
}

#[tokio::test]
async fn a_terminator_may_be_missing_from_a_finished_answer() {
    let server = Server::saying(stream(&format!("{}{}", words(), stop())));
    let answer = ask(&server.provider()).await.0.unwrap();
    assert_eq!((answer.parts, answer.stop), (vec![Part::text("Hel")], StopReason::EndTurn));
}

#[tokio::test]
async fn a_finished_answer_in_a_broken_body_is_cut() {
    let server = closing(format!("{CHUNKED}{}", chunk(&format!("{}{}", words(), stop()))));
    assert!(matches!(refused(&server.provider()).await, Error::Cut { .. }));
}

#[tokio::test]
async fn bodies_that_break_off_are_cut() {
    let short = format!("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{}", words());
    let half_size = format!("{CHUNKED}{}2", chunk(words()));
    let bad_size = format!("{CHUNKED}{}zz\r\nx\r\n", chunk(words()));
    for body in [short, half_size, bad_size] {
        let server = closing(body);
        let error = refused(&server.provider()).await;
        assert!(matches!(error, Error::Cut { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_complete_answer_survives_a_broken_end_of_the_body() {
    let server = closing(format!("{CHUNKED}{}", chunk(HELLO)));
    assert_eq!(ask(&server.provider()).await.0.unwrap().parts, [Part::text("Hello")]);
}

#[tokio::test]
async fn a_body_may_end_with_the_connection() {
    let server = closing(format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{HELLO}"));
    assert_eq!(ask(&server.provider()).await.0.unwrap().parts, [Part::text("Hello")]);
}

#[tokio::test]
async fn an_error_in_the_stream_ends_it() {
    let server =
        Server::saying(stream(&format!("{}data: {{\"error\":{{\"message\":\"boom\"}}}}\n\n", words())));
    let error = refused(&server.provider()).await;
    assert_eq!(error, Error::Unavailable { status: None, retry_after: None, message: "boom".to_owned() });
}

#[tokio::test]
async fn a_missing_model_in_the_stream_is_named() {
    let server = Server::saying(stream(
        "event: error\ndata: {\"error\":{\"message\":\"no such model\",\"code\":\"model_not_found\"}}\n\n",
    ));
    let error = refused(&server.provider()).await;
    assert!(matches!(&error, Error::ModelUnknown { model, .. } if model == "m"), "{error:?}");
}

#[tokio::test]
async fn a_line_without_end_is_refused() {
    let server = Server::new(|_, socket| {
        _ = socket.write_all(CHUNKED.as_bytes());
        let part = chunk(&"data: x".repeat(1 << 17));
        while socket.write_all(part.as_bytes()).is_ok() {}
        Then::Close
    });
    assert!(matches!(refused(&server.provider()).await, Error::TooLarge { .. }));
}
