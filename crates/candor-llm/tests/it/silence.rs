//! Servers that say nothing.

use std::io::Write;
use std::time::Duration;

use candor_llm::{Endpoint, Error, HttpProvider, Timeouts};

use crate::server::{CHUNKED, HELLO, Server, Then, ask, chunk, refused, stream, wait_until_gone};

const SHORT: Duration = Duration::from_millis(50);

fn provider(server: &Server, timeouts: Timeouts) -> HttpProvider {
    HttpProvider::new(Endpoint { timeouts, ..server.endpoint() }).unwrap()
}

/// Says this, and nothing more.
fn silent_after(said: String) -> Server {
    Server::new(move |_, socket| {
        _ = socket.write_all(said.as_bytes());
        wait_until_gone(socket);
        Then::Close
    })
}

#[tokio::test]
async fn s15_9_no_response_is_silence_and_worth_a_retry() {
    let server = silent_after(String::new());
    let error = refused(&provider(&server, Timeouts { first: SHORT, ..Timeouts::default() })).await;
    assert_eq!(error, Error::Silent { limit: SHORT });
    assert!(error.is_retryable(&[]));
}

#[tokio::test]
async fn a_stream_that_stops_is_silence() {
    let server = silent_after(format!("{CHUNKED}{}", chunk("data: {}\n\n")));
    let error = refused(&provider(&server, Timeouts { idle: SHORT, ..Timeouts::default() })).await;
    assert_eq!(error, Error::Silent { limit: SHORT });
}

#[tokio::test]
async fn a_limit_may_be_endless() {
    let server = Server::saying(stream(HELLO));
    let (connect, first, idle, data) = (Duration::MAX, Duration::MAX, Duration::MAX, Duration::MAX);
    ask(&provider(&server, Timeouts { connect, first, idle, data })).await.0.unwrap();
}

#[tokio::test]
async fn signs_of_life_alone_are_silence() {
    for sign in [": keep-alive\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n"] {
        let sign = chunk(sign);
        let server = Server::new(move |_, socket| {
            _ = socket.write_all(CHUNKED.as_bytes());
            while socket.write_all(sign.as_bytes()).is_ok() {}
            Then::Close
        });
        let error = refused(&provider(&server, Timeouts { data: SHORT, ..Timeouts::default() })).await;
        assert_eq!(error, Error::Silent { limit: SHORT });
    }
}
