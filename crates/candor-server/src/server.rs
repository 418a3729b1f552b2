//! The life of the server and of its connections.
//!
//! A connection carries one request: the answer ends it, or it becomes a socket. Until then it has little time and little
//! memory, so that whoever connects and says nothing costs nothing and is soon gone.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use candor_runtime::Runtime;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::guard::Names;
use crate::lockout::Lockout;
use crate::ongoing::Ongoing;
use crate::{Access, Error, routes};

/// How many sockets may be open at once. Each takes some kilobytes and a file descriptor.
pub(crate) const SOCKETS_MAX: u32 = 2048;
/// How many connections may be open that are no socket yet; further ones wait in the kernel's queue.
const REQUESTS_MAX: usize = 256;
/// How long a connection may take until it is answered, or is a socket. On one machine that takes milliseconds.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(5);
/// How long the head of a request may be. The smallest that the HTTP library allows; ours take some hundred bytes.
const HEAD_BYTES_MAX: usize = 8 * 1024;
/// How long accepting pauses when the system has no file descriptor left: there is nothing to wait on.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long sockets may take to say goodbye when the server stops.
const GOODBYE_TIME_MAX: Duration = Duration::from_secs(3);

/// What a server works with.
pub struct Options {
    /// Who gets in.
    pub access: Access,
    /// What there is for them.
    pub offer: Offer,
    /// Whose sessions.
    pub runtime: Arc<Runtime>,
}

/// What the server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// `/healthz` and `/ws`.
    Socket,
    /// `/healthz` alone.
    Health,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) access: Access,
    pub(crate) names: Names,
    /// A plain lock: it is held to count and never across a wait.
    pub(crate) lockout: Mutex<Lockout>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) ongoing: Ongoing,
    pub(crate) places: Arc<Semaphore>,
    /// How many clients were let in; numbers them in the log.
    pub(crate) clients: AtomicU64,
    pub(crate) stop: CancellationToken,
}

/// Serves until it is told to stop. Then no client is let in, the runs that sockets have asked for are stopped and their
/// ends stored, and the sockets are closed. A listener that other machines can reach is refused.
pub async fn serve(listener: TcpListener, options: Options, stop: CancellationToken) -> Result<(), Error> {
    let address = listener.local_addr().map_err(Error::Listener)?;
    if !address.ip().is_loopback() {
        return Err(Error::NotLoopback(address));
    }
    let shared = Arc::new(Shared {
        access: options.access,
        names: Names::of(address),
        lockout: Mutex::default(),
        runtime: options.runtime,
        ongoing: Ongoing::default(),
        places: Arc::new(Semaphore::new(SOCKETS_MAX as usize)),
        clients: AtomicU64::default(),
        // Its own, so that sockets see the end of their runs before they are closed.
        stop: CancellationToken::new(),
    });
    let router = routes::router(&shared, options.offer);
    tokio::select! {
        () = stop.cancelled() => {}
        () = accept(&listener, &router) => {}
    }
    drop(listener);
    shared.ongoing.stop(&shared.runtime).await;
    shared.stop.cancel();
    // Every place is free again once every socket is closed; who takes longer is cut off with the process.
    let _ = timeout(GOODBYE_TIME_MAX, shared.places.acquire_many(SOCKETS_MAX)).await;
    Ok(())
}

async fn accept(listener: &TcpListener, router: &Router) {
    let requests = Arc::new(Semaphore::new(REQUESTS_MAX));
    // Nobody closes the semaphore.
    while let Ok(place) = Arc::clone(&requests).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(answer(stream, router.clone(), place))),
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Answers one request, or hands the connection over to its socket.
async fn answer(stream: TcpStream, router: Router, place: OwnedSemaphorePermit) {
    // A small frame must not wait for the next one. Without it, it is only slower.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    // A client that is too slow, or breaks off, is not told: it would not listen.
    let _ = timeout(REQUEST_TIME_MAX, connection).await;
    drop(place);
}
