//! The connections: requests in, answers out, and updates to a webhook.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Shared;
use super::method::{Call, Refusal};
use super::params::Params;
use super::state::Webhook;
use crate::probe::post_json;

/// How large a request may be. The real API takes files of 50 MB.
const REQUEST_BYTES_MAX: usize = 52 << 20;
/// How many connections there may be at once. A bot needs two.
const CONNECTIONS_MAX: usize = 64;
/// How long the head of a request may take.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a webhook may take to answer.
const POST_TIME_MAX: Duration = Duration::from_secs(30);
/// How long accepting pauses when the system has no file descriptor left: there is nothing to wait on.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Takes connections until it is dropped, and ends them then.
pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.len() >= CONNECTIONS_MAX {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(connection(stream, Arc::clone(&shared)));
            }
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(answer(request, &shared).await) }
    });
    // A bot that hangs up is not our concern.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(request: Request<Incoming>, shared: &Shared) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let Some((token, method)) = called(head.uri.path()) else {
        shared.with(|state| state.called(format!("{}: 404", path_shown(head.uri.path()))));
        return refused(&Refusal { code: 404, description: "Not Found".to_owned() });
    };
    let content_type =
        head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let done = match Limited::new(body, REQUEST_BYTES_MAX).collect().await {
        Err(_) => Err(Refusal { code: 413, description: "Request Entity Too Large".to_owned() }),
        Ok(body) => {
            let query = head.uri.query().unwrap_or_default();
            match Params::read(query, content_type, body.to_bytes()).await {
                Err(description) => Err(Refusal { code: 400, description }),
                Ok(params) => {
                    let method = method.to_ascii_lowercase();
                    Call { method: &method, token, params: &params }.answer(shared).await
                }
            }
        }
    };
    shared.with(|state| state.called(line(method, &done)));
    match done {
        Ok(result) => json_response(StatusCode::OK, &json!({ "ok": true, "result": result })),
        Err(refusal) => refused(&refusal),
    }
}

/// The token and the method of `/bot<token>/<method>`.
fn called(path: &str) -> Option<(&str, &str)> {
    let (token, method) = path.strip_prefix("/bot")?.split_once('/')?;
    let method = method.strip_suffix('/').unwrap_or(method);
    let is_method = !method.is_empty() && method.chars().all(|character| character.is_ascii_alphanumeric());
    (!token.is_empty() && is_method).then_some((token, method))
}

/// The end of a path, unless it may be a token.
fn path_shown(path: &str) -> String {
    let last = path.rsplit('/').next().filter(|last| !last.starts_with("bot")).unwrap_or("bot…");
    format!("…/{}", last.chars().take(64).collect::<String>())
}

fn line(method: &str, done: &Result<Value, Refusal>) -> String {
    match done {
        Ok(_) => format!("{method}: 200"),
        Err(refusal) => format!("{method}: {} {}", refusal.code, refusal.description),
    }
}

fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    let code = StatusCode::from_u16(refusal.code).unwrap_or(StatusCode::BAD_REQUEST);
    json_response(
        code,
        &json!({ "ok": false, "error_code": refusal.code, "description": refusal.description }),
    )
}

fn json_response(code: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = code;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Posts an update to a webhook. What it answers may be a call.
pub(super) async fn post(shared: Arc<Shared>, webhook: Webhook, update: i64, body: Value) {
    let mut headers = HeaderMap::new();
    if let Some(secret) = webhook.secret.as_deref().and_then(|secret| HeaderValue::try_from(secret).ok()) {
        headers.insert(HeaderName::from_static("x-telegram-bot-api-secret-token"), secret);
    }
    // It may call us before it answers.
    shared.with(|state| state.give(update));
    let posted = post_json(&webhook.url, headers, body.to_string(), &shared.sandbox, POST_TIME_MAX).await;
    let (status, answer) = match posted {
        Ok(answered) => answered,
        Err(why) => return shared.change(|state| state.called(format!("webhook: {why}"))),
    };
    shared.change(|state| {
        state.called(format!("webhook: {status}"));
        if (200..300).contains(&status) {
            state.took(update);
        }
    });
    if let Ok(Value::Object(members)) = serde_json::from_str(&answer)
        && let Some(method) = members.get("method").and_then(Value::as_str).map(str::to_owned)
    {
        let params = Params::of(members);
        let done =
            Call { method: &method.to_ascii_lowercase(), token: "", params: &params }.answer(&shared).await;
        shared.change(|state| state.called(line(&method, &done)));
    }
}
