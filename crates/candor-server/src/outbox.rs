//! What waits to be written to a socket: bounded in bytes, because one event can be as long as a whole answer.

use std::sync::Arc;

use axum::extract::ws::Message;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// How many frames may wait. Those of a stream are short, and a handful keeps the writer busy.
const FRAMES_MAX: usize = 32;
/// How many bytes may wait. A longer frame waits until it is alone.
const BYTES_MAX: u32 = 64 * 1024;

/// The way to a socket. Whoever sends waits until there is room.
#[derive(Clone)]
pub(crate) struct Outbox {
    frames: mpsc::Sender<Waiting>,
    room: Arc<Semaphore>,
}

/// The socket's end of it.
pub(crate) type Frames = mpsc::Receiver<Waiting>;

/// A frame that waits, and the room that it takes until it is dropped.
pub(crate) struct Waiting {
    /// None where only what the library has written by itself is to go out.
    pub(crate) message: Option<Message>,
    pub(crate) room: OwnedSemaphorePermit,
}

/// The socket has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended;

impl Outbox {
    pub(crate) fn new() -> (Self, Frames) {
        let (frames, waiting) = mpsc::channel(FRAMES_MAX);
        (Self { frames, room: Arc::new(Semaphore::new(BYTES_MAX as usize)) }, waiting)
    }

    /// Puts a frame behind those that wait.
    pub(crate) async fn send(&self, message: Message) -> Result<(), Ended> {
        let bytes = u32::try_from(bytes(&message)).unwrap_or(BYTES_MAX).min(BYTES_MAX);
        self.put(Some(message), bytes).await
    }

    /// Has the socket write out what the library has answered by itself. Whoever pings waits here like everybody else:
    /// the library keeps its answers without a bound, for a client that never reads them.
    pub(crate) async fn flush(&self) -> Result<(), Ended> {
        self.put(None, 0).await
    }

    async fn put(&self, message: Option<Message>, bytes: u32) -> Result<(), Ended> {
        // In the order of asking, so that the order of a session's events holds.
        let room = Arc::clone(&self.room).acquire_many_owned(bytes).await.map_err(|_| Ended)?;
        self.frames.send(Waiting { message, room }).await.map_err(|_| Ended)
    }
}

/// How long a frame is. Ours are texts.
pub(crate) fn bytes(message: &Message) -> usize {
    match message {
        Message::Text(text) => text.as_str().len(),
        _ => 0,
    }
}
