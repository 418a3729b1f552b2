//! A request and its answer.

use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

use candor_llm::{Dialect, Endpoint, HttpProvider, Provider, Proxy};
use candor_protocol::Part;

use crate::server::{
    CHUNKED, HELLO, KEY, Server, Then, ask, chunk, endpoint, request, stream, wait_until_gone,
};

#[tokio::test]
async fn an_answer_arrives_whole_and_in_pieces() {
    let server = Server::saying(stream(HELLO));
    let (answer, told) = ask(&server.provider()).await;
    assert_eq!(answer.unwrap().parts, [Part::text("Hello")]);
    assert_eq!(told.concat(), "Hello");
}

#[tokio::test]
async fn the_request_has_what_servers_want() {
    let server = Server::saying(stream(HELLO));
    ask(&server.provider()).await.0.unwrap();
    let received = &server.received()[0];
    let head = received.head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    for line in [
        "content-type: application/json",
        "accept: text/event-stream",
        concat!("user-agent: candor/", env!("CARGO_PKG_VERSION")),
        &format!("authorization: bearer {KEY}"),
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line} in {head}");
    }
    assert!(!head.contains("accept-encoding"), "{head}");
    let body: serde_json::Value = serde_json::from_str(&received.body).unwrap();
    assert_eq!((&body["model"], &body["stream"]), (&"m".into(), &true.into()));
}

#[tokio::test]
async fn twenty_one_requests_use_one_connection() {
    let server = Server::new(|_, socket| {
        socket.write_all(CHUNKED.as_bytes()).unwrap();
        socket.write_all(chunk(HELLO).as_bytes()).unwrap();
        // The end of the body comes in a packet of its own, after the end of the answer.
        socket.flush().unwrap();
        socket.write_all(b"0\r\n\r\n").unwrap();
        Then::Keep
    });
    let provider = server.provider();
    for _ in 0..21 {
        ask(&provider).await.0.unwrap();
    }
    let connections: Vec<_> = server.received().iter().map(|request| request.connection).collect();
    assert_eq!(connections, [0; 21]);
}

#[tokio::test]
async fn frames_that_arrive_together_are_told_together() {
    let server = Server::saying(format!("{CHUNKED}{}0\r\n\r\n", chunk(HELLO)));
    let (_, told) = ask(&server.provider()).await;
    assert_eq!(told, ["Hello"]);
}

#[tokio::test]
async fn words_are_told_before_the_answer_is_complete() {
    let (told, heard) = mpsc::channel::<()>();
    let heard = std::sync::Mutex::new(heard);
    let server = Server::new(move |_, socket| {
        let first = chunk("data: {\"choices\":[{\"delta\":{\"content\":\"now\"}}]}\n\n");
        socket.write_all(format!("{CHUNKED}{first}").as_bytes()).unwrap();
        heard.lock().unwrap().recv_timeout(Duration::from_secs(10)).unwrap();
        socket.write_all(format!("{}0\r\n\r\n", chunk("data: [DONE]\n\n")).as_bytes()).unwrap();
        Then::Keep
    });
    let provider = server.provider();
    provider.ask(&request(), &mut |_| told.send(()).unwrap()).await.unwrap();
}

#[tokio::test]
async fn dropping_the_future_ends_the_request() {
    let (gone, wait) = tokio::sync::mpsc::unbounded_channel();
    let (begun, mut started) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::new(move |_, socket| {
        socket.write_all(CHUNKED.as_bytes()).unwrap();
        begun.send(()).unwrap();
        wait_until_gone(socket);
        gone.send(()).unwrap();
        Then::Close
    });
    let provider = server.provider();
    let mut wait = wait;
    tokio::select! {
        _ = ask(&provider) => panic!("there is no answer"),
        _ = started.recv() => {}
    }
    tokio::time::timeout(Duration::from_secs(10), wait.recv()).await.unwrap().unwrap();
}

#[tokio::test]
async fn slashes_and_queries_of_the_address_keep_their_place() {
    let server = Server::saying(stream(HELLO));
    for base in ["/v1/", "/v1//?api-version=2", ""] {
        let endpoint = endpoint(&format!("http://{}{base}", server.address));
        ask(&HttpProvider::new(endpoint).unwrap()).await.0.unwrap();
    }
    let lines: Vec<_> =
        server.received().iter().map(|request| request.head.lines().next().unwrap().to_owned()).collect();
    assert_eq!(
        lines,
        [
            "POST /v1/chat/completions HTTP/1.1",
            "POST /v1/chat/completions?api-version=2 HTTP/1.1",
            "POST /chat/completions HTTP/1.1",
        ]
    );
}

#[tokio::test]
async fn a_proxy_is_used_where_one_is_given() {
    let server = Server::saying(stream(HELLO));
    let proxy = Proxy { http: Some(format!("http://{}", server.address)), ..Proxy::default() };
    let far = Endpoint { proxy: Some(proxy.clone()), ..endpoint("http://model.invalid/v1") };
    ask(&HttpProvider::new(far).unwrap()).await.0.unwrap();
    assert!(server.received()[0].head.starts_with("POST http://model.invalid/v1/chat/completions "));
    let near = Endpoint { proxy: Some(proxy), ..server.endpoint() };
    ask(&HttpProvider::new(near).unwrap()).await.0.unwrap();
    assert!(server.received()[1].head.starts_with("POST /v1/"), "the same machine is reached directly");
}

#[tokio::test]
async fn an_excepted_host_is_reached_without_the_proxy() {
    let server = Server::saying(stream(HELLO));
    let proxy = Proxy {
        http: Some(format!("http://{}", server.address)),
        no_proxy: Some("model.invalid".to_owned()),
        ..Proxy::default()
    };
    let far = Endpoint { proxy: Some(proxy), ..endpoint("http://model.invalid/v1") };
    ask(&HttpProvider::new(far).unwrap()).await.0.unwrap_err();
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn the_other_dialect_asks_elsewhere() {
    let server = Server::saying(stream(
        "event: response.output_text.delta\ndata: {\"delta\":\"Hello\"}\n\n\
         event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{}}\n\n",
    ));
    let endpoint = Endpoint { dialect: Dialect::OpenaiResponses, ..server.endpoint() };
    let (answer, _) = ask(&HttpProvider::new(endpoint).unwrap()).await;
    assert_eq!(answer.unwrap().parts, [Part::text("Hello")]);
    assert!(server.received()[0].head.starts_with("POST /v1/responses "));
}

#[test]
fn the_key_is_in_no_debug_output() {
    let endpoint = Endpoint {
        proxy: Some(Proxy { https: Some("http://user:hidden@proxy:1".to_owned()), ..Proxy::default() }),
        ..endpoint("https://me:hidden@host/v1?token=hidden")
    };
    let shown = format!("{endpoint:?} {:?}", HttpProvider::new(endpoint.clone()).unwrap());
    assert!(!shown.contains(KEY) && !shown.contains("hidden"), "{shown}");
    assert!(shown.contains("https://host/v1"), "{shown}");
}
