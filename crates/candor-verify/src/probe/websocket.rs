//! Opens a WebSocket, says something, and waits for the right message.

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::http::{BODY_BYTES_MAX, locate};
use super::outcome::{Found, SAMPLE_CHARS_MAX, Waiting, end, quoted};
use super::reach::{Reach, Wire, wire};
use super::{Try, mistake};

pub(super) async fn ask(url: &str, send: Option<&str>, expect: Option<&str>, asked: &Try<'_>) -> Found {
    let (mut url, place) = match locate(url, asked.target.base, "ws") {
        Ok(located) => located,
        Err(why) => return mistake(why),
    };
    let scheme = if matches!(url.scheme(), "https" | "wss") { "wss" } else { "ws" };
    // It can only fail between schemes of a different nature.
    let _ = url.set_scheme(scheme);
    let wire = match wire(&url, &place, &Reach::of(asked.target), asked.waiting).await {
        Ok(wire) => wire,
        Err(found) => return found,
    };
    let request = match url.as_str().into_client_request() {
        Ok(request) => request,
        Err(why) => return mistake(why),
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(BODY_BYTES_MAX))
        .max_frame_size(Some(BODY_BYTES_MAX));
    match client_async_with_config(request, wire, Some(config)).await {
        Ok((socket, _)) => talk(socket, send, expect, asked.waiting).await,
        Err(error) => unopened(&error, asked.waiting),
    }
}

async fn talk(
    mut socket: WebSocketStream<Box<dyn Wire>>,
    send: Option<&str>,
    expect: Option<&str>,
    waiting: &Waiting,
) -> Found {
    waiting.for_want_of("it opened, but nothing was taken from us");
    waiting.saw("");
    if let Some(text) = send
        && let Err(error) = socket.send(Message::text(text)).await
    {
        return Found::no_answer(format!("it opened, and broke when we sent: {error}"), "");
    }
    if send.is_none() && expect.is_none() {
        return Found::passed("it opened", "");
    }
    let missing =
        expect.map_or_else(|| "no message".to_owned(), |part| format!("no message with {}", quoted(part)));
    waiting.for_want_of(format!("it opened, but {missing} came"));
    let mut all = String::new();
    while let Some(message) = socket.next().await {
        let text = match message {
            Ok(Message::Text(text)) => text.to_string(),
            Ok(Message::Binary(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(Message::Close(_)) | Err(Error::ConnectionClosed) => break,
            Ok(_) => continue,
            Err(error) => return Found::no_answer(format!("it opened, and broke: {error}"), &all),
        };
        if expect.is_none_or(|part| text.contains(part)) {
            return Found::passed("the answer came", &text);
        }
        all = end(&format!("{all}{text}\n"), SAMPLE_CHARS_MAX);
        waiting.saw(&all);
    }
    let said = format!("it opened, but was closed, and {missing} came");
    Found { is_answer: !all.is_empty(), ..Found::failed(said, &all) }
}

fn unopened(error: &Error, waiting: &Waiting) -> Found {
    let raw = waiting.raw();
    match error {
        Error::Http(answer) => {
            Found::failed(format!("HTTP {}, and no WebSocket", answer.status().as_u16()), &raw)
        }
        Error::Url(why) => mistake(why),
        _ if raw.is_empty() => Found::no_answer("the connection was closed before an answer came", ""),
        other => Found::no_answer(format!("no WebSocket: {other}"), &raw),
    }
}
