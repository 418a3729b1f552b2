//! What is said over a WebSocket.

use candor_protocol::CheckResult::{Failed, Passed};
use candor_verify::plan::ProbeHow;
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

use super::rig::{Rig, Then, answer, hasty, probe, server, serving};

fn websocket(url: String, send: Option<&str>, expect: Option<&str>) -> ProbeHow {
    ProbeHow::Websocket { url, send: send.map(str::to_owned), expect: expect.map(str::to_owned) }
}

/// Greets, and answers every message after a ping; `bye` ends it.
async fn echo() -> (std::net::SocketAddr, tokio::task::JoinSet<()>) {
    serving(|stream| async move {
        let Ok(mut socket) = accept_async(stream).await else { return };
        socket.send(Message::text("hello")).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            if text.as_str() == "bye" {
                let _ = socket.close(None).await;
                continue;
            }
            let _ = socket.send(Message::Ping("x".into())).await;
            let _ = socket.send(Message::binary(format!("echo {text}"))).await;
        }
    })
    .await
}

#[tokio::test]
async fn the_right_message_comes() {
    let (address, _server) = echo().await;
    let mut rig = Rig::new();
    rig.base = Some(address);
    for url in [format!("ws://{address}/ws"), format!("http://{address}/ws"), "/ws".to_owned()] {
        let how = websocket(url.clone(), Some("ping"), Some("echo ping"));
        let answer = rig.check(&probe(how), Passed, &format!("websocket {url}: the answer came")).await;
        assert_eq!(answer.sample.as_deref(), Some("echo ping"));
    }
    let url = format!("ws://{address}/");
    rig.check(&probe(websocket(url.clone(), None, None)), Passed, &format!("websocket {url}: it opened"))
        .await;
    rig.check(
        &probe(websocket(url.clone(), None, Some("hello"))),
        Passed,
        &format!("websocket {url}: the answer came"),
    )
    .await;
    rig.check(
        &probe(websocket(url.clone(), Some("x"), None)),
        Passed,
        &format!("websocket {url}: the answer came"),
    )
    .await;
}

#[tokio::test]
async fn another_message_is_shown() {
    let (address, _server) = echo().await;
    let url = format!("ws://{address}/");
    let said = format!("websocket {url}: it opened, but no message with \"pong\" came within 500 ms");
    let rig = Rig::new();
    let answer = rig.check(&hasty(websocket(url.clone(), Some("ping"), Some("pong"))), Failed, &said).await;
    assert_eq!(answer.sample.as_deref(), Some("hello\necho ping\n"));
    let said = format!("websocket {url}: it opened, but was closed, and no message with \"pong\" came");
    rig.check(&probe(websocket(url.clone(), Some("bye"), Some("pong"))), Failed, &said).await;
}

#[tokio::test]
async fn what_is_no_websocket_is_told() {
    let cases = [
        (answer("404 Not Found", "text/plain", "no"), "HTTP 404, and no WebSocket"),
        (answer("200 OK", "text/plain", "hi"), "HTTP 200, and no WebSocket"),
        (String::new(), "the connection was closed before an answer came"),
    ];
    let rig = Rig::new();
    for (raw, said) in cases {
        let (address, _server) = server(raw, Then::Close).await;
        let url = format!("ws://{address}/");
        rig.check(&probe(websocket(url.clone(), None, None)), Failed, &format!("websocket {url}: {said}"))
            .await;
    }
    let (address, _server) = server("garbage\r\n\r\n", Then::Close).await;
    let answer = rig.ask(&probe(websocket(format!("ws://{address}/"), None, None))).await;
    assert_eq!((answer.result, answer.sample.as_deref()), (Failed, Some("garbage\r\n\r\n")));
    assert!(answer.summary.contains(": no WebSocket: "), "{answer:?}");
}
