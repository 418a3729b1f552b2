//! The life of a socket: frames in, frames out, until either side has enough.
//!
//! Reading and writing go on side by side: a client that reads slowly can still say stop. What is to be written waits in a
//! short queue; when it is full, those who fill it wait, and a session's events stay where they are, in the store. So a
//! client that never reads costs what a quiet one costs, and after a while it is cut off.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use candor_log::event::{WsConnect, WsDisconnect};
use futures_util::stream::SplitStream;
use futures_util::{Sink, SinkExt, StreamExt};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::Access;
use crate::client::Client;
use crate::outbox::{Frames, Outbox, Waiting, bytes};
use crate::server::Shared;

/// How long a client may leave what was sent to it unread.
const UNREAD_TIME_MAX: Duration = Duration::from_secs(60);
/// How many bytes a second a client reads that counts as reading: what comes through a tunnel over a bad line. A long
/// event has so much more time.
const READ_RATE_MIN: usize = 16 * 1024;
/// How long a goodbye may take.
const GOODBYE_TIME_MAX: Duration = Duration::from_secs(1);

/// Why a socket ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The client has gone.
    Left,
    /// The connection broke.
    Broken,
    /// The client does not read.
    Unread,
    /// The server stops.
    Stop,
    /// The token is another one now.
    Revoked,
    /// A frame is too long.
    TooLong,
    /// What came is not the WebSocket protocol.
    Garbled,
    /// A text is not UTF-8.
    NotText,
}

impl End {
    const fn reason(self) -> &'static str {
        match self {
            Self::Left => "the client left",
            Self::Broken => "the connection broke",
            Self::Unread => "the client does not read",
            Self::Stop => "the server stops",
            Self::Revoked => "the token has changed",
            Self::TooLong => "a frame is too long",
            Self::Garbled => "not the WebSocket protocol",
            Self::NotText => "a text is not UTF-8",
        }
    }

    /// What the client is told; nothing, when it would not hear it.
    const fn code(self) -> Option<u16> {
        match self {
            Self::Left | Self::Broken | Self::Unread => None,
            Self::Stop => Some(close_code::AWAY),
            Self::Revoked => Some(close_code::POLICY),
            Self::TooLong => Some(close_code::SIZE),
            Self::Garbled => Some(close_code::PROTOCOL),
            Self::NotText => Some(close_code::INVALID),
        }
    }

    fn of(error: axum::Error) -> Self {
        use tungstenite::Error;
        match error.into_inner().downcast_ref::<Error>() {
            Some(Error::Capacity(_)) => Self::TooLong,
            Some(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => {
                Self::Broken
            }
            Some(Error::Protocol(_)) => Self::Garbled,
            Some(Error::Utf8(_)) => Self::NotText,
            _ => Self::Broken,
        }
    }
}

/// Lives until one side ends it. What it has begun goes on without it.
pub(crate) async fn live(
    socket: WebSocket,
    shared: Arc<Shared>,
    valid: CancellationToken,
    place: OwnedSemaphorePermit,
) {
    let name = format!("ws-{}", shared.clients.fetch_add(1, Ordering::Relaxed) + 1);
    WsConnect { client_id: &name, session_id: None }.log();
    let (mut sink, mut stream) = socket.split();
    let (outbox, mut waiting) = Outbox::new();
    let mut client = Client::new(Arc::clone(&shared), outbox);
    let end = tokio::select! {
        () = shared.stop.cancelled() => End::Stop,
        () = valid.cancelled() => End::Revoked,
        end = read(&mut stream, &mut client, &shared, &valid) => end,
        end = write(&mut sink, &mut waiting, &shared.access, &valid, UNREAD_TIME_MAX) => end,
    };
    drop(client);
    WsDisconnect { client_id: &name, reason: end.reason() }.log();
    if let Ok(socket) = stream.reunite(sink) {
        let _ = timeout(GOODBYE_TIME_MAX, say_goodbye(socket, end)).await;
    }
    drop(place);
}

async fn read(
    stream: &mut SplitStream<WebSocket>,
    client: &mut Client,
    shared: &Shared,
    valid: &CancellationToken,
) -> End {
    loop {
        let frame = match stream.next().await {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return End::of(error),
            None => return End::Left,
        };
        shared.access.look();
        if valid.is_cancelled() {
            return End::Revoked;
        }
        match frame {
            Message::Text(text) => client.take(&text).await,
            Message::Binary(_) => client.refuse("it is binary, and a frame is JSON text").await,
            Message::Ping(_) => client.ping().await,
            Message::Pong(_) => {}
            Message::Close(_) => return End::Left,
        }
    }
}

/// Writes what waits; what waits together goes out together.
async fn write(
    sink: &mut (impl Sink<Message> + Unpin),
    waiting: &mut Frames,
    access: &Access,
    valid: &CancellationToken,
    unread_time_max: Duration,
) -> End {
    while let Some(first) = waiting.recv().await {
        access.look();
        let (mut next, mut unread_bytes) = (Some(first), 0);
        while let Some(Waiting { message, room }) = next {
            if valid.is_cancelled() {
                return End::Revoked;
            }
            if let Some(message) = message {
                unread_bytes += bytes(&message);
                let time_max = unread_time_max + reading_time(unread_bytes);
                if let Err(end) = taken(sink.feed(message), time_max).await {
                    return end;
                }
            }
            drop(room);
            next = waiting.try_recv().ok();
        }
        if let Err(end) = taken(sink.flush(), unread_time_max + reading_time(unread_bytes)).await {
            return end;
        }
    }
    End::Left
}

fn reading_time(bytes: usize) -> Duration {
    Duration::from_secs((bytes / READ_RATE_MIN) as u64)
}

/// Waits until a client has taken what is sent to it, but not for ever.
async fn taken<E>(sending: impl Future<Output = Result<(), E>>, time_max: Duration) -> Result<(), End> {
    match timeout(time_max, sending).await {
        Ok(sent) => sent.map_err(|_| End::Broken),
        Err(_) => Err(End::Unread),
    }
}

/// Says why, and reads until the client has answered: closed with bytes unread, a connection is reset, and the client would
/// lose what it was told.
async fn say_goodbye(mut socket: WebSocket, end: End) {
    if let Some(code) = end.code() {
        let frame = CloseFrame { code, reason: end.reason().into() };
        if socket.send(Message::Close(Some(frame))).await.is_err() {
            return;
        }
    }
    if !matches!(end, End::Broken | End::Unread) {
        while let Some(Ok(_)) = socket.recv().await {}
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
