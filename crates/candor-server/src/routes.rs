//! Which paths there are, and who may take them.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderName, RETRY_AFTER, SEC_WEBSOCKET_PROTOCOL,
    WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::guard;
use crate::lockout::{Answer, SHUT};
use crate::server::{Offer, Shared};
use crate::socket;

/// The subprotocol that is chosen where it is offered.
const PROTOCOL: &str = "candor";
/// What the subprotocol with the token begins with.
const TOKEN_PROTOCOL: &str = "candor.token.";

/// Frames longer than this are not messages of a person; the text of a long log fits.
const FRAME_BYTES_MAX: usize = 1024 * 1024;
/// A frame between the two limits is read to its end, so that its sender gets to read why it is refused. A longer one is
/// refused by its head, and the connection breaks.
const FRAME_BYTES_READ_MAX: usize = 4 * FRAME_BYTES_MAX;
/// How much is read from a socket at a time: most of them are idle, and their buffers are not.
const READ_BUFFER_BYTES: usize = 2 * 1024;
/// How much is gathered before it is written while more is ready to be sent.
const WRITE_BUFFER_BYTES: usize = 8 * 1024;

pub(crate) fn router(shared: &Arc<Shared>, offer: Offer) -> Router {
    let routes = Router::new().route("/healthz", get(healthy));
    let routes = match offer {
        Offer::Socket => routes.route("/ws", get(upgrade)),
        Offer::Health => routes,
    };
    routes
        .fallback(async || StatusCode::NOT_FOUND)
        .layer(from_fn_with_state(Arc::clone(shared), guarded))
        .with_state(Arc::clone(shared))
}

/// Before anything else is looked at.
async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let checked = guard::check(request.method(), request.uri(), request.headers(), &shared.names);
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(status) => status.into_response(),
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // One request for each connection. The library's own switch would say so in a handshake, too, and clients mind.
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// That it is there, and nothing else: strangers may ask.
async fn healthy() -> Response {
    ([(CONTENT_TYPE, "application/json")], r#"{"status":"ok"}"#).into_response()
}

/// Lets a client in: first the token, then room, then the handshake.
async fn upgrade(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (mut parts, _body) = request.into_parts();
    let Some(valid) = shared.access.admits(credential(&parts.headers)) else {
        return refused(&shared);
    };
    let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let chosen = chosen(&parts.headers);
    let mut upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    if let Some(protocol) = chosen {
        upgrade.set_selected_protocol(protocol);
    }
    upgrade
        .max_message_size(FRAME_BYTES_MAX)
        .max_frame_size(FRAME_BYTES_READ_MAX)
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .on_upgrade(move |socket| socket::live(socket, shared, valid, place))
}

fn refused(shared: &Shared) -> Response {
    let answer = shared.lockout.lock().unwrap_or_else(PoisonError::into_inner).wrong(Instant::now());
    match answer {
        Answer::Wrong => (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))])
            .into_response(),
        Answer::Shut => {
            (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, SHUT.as_secs().to_string())]).into_response()
        }
    }
}

/// What the client shows as its token. Said twice, it counts as not said.
fn credential(headers: &HeaderMap) -> Option<&[u8]> {
    let header = one(headers.get_all(AUTHORIZATION).iter().map(HeaderValue::as_bytes));
    if headers.contains_key(AUTHORIZATION) {
        let (scheme, token) = header?.split_at_checked("Bearer ".len())?;
        return scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token);
    }
    one(offered(headers).filter_map(|protocol| protocol.strip_prefix(TOKEN_PROTOCOL))).map(str::as_bytes)
}

/// The subprotocol to answer with: browsers want one of those they offered.
fn chosen(headers: &HeaderMap) -> Option<HeaderValue> {
    let plain = offered(headers).find(|protocol| *protocol == PROTOCOL);
    let with_token = || offered(headers).find(|protocol| protocol.starts_with(TOKEN_PROTOCOL));
    HeaderValue::from_str(plain.or_else(with_token)?).ok()
}

fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    const NAME: HeaderName = SEC_WEBSOCKET_PROTOCOL;
    let values = headers.get_all(NAME).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',').map(str::trim))
}

fn one<T>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.next().is_none().then_some(first)
}
