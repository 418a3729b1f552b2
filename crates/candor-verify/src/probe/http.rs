//! Asks by HTTP/1.1. Redirects are not followed: they are answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use candor_sandbox::Sandbox;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT,
};
use hyper::{HeaderMap, Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

use super::outcome::{Found, Waiting, one_line};
use super::reach::{Patience, Place, Reach, Wire, wire};
use super::{Try, derived, expect, mistake};
use crate::plan::HttpProbe;

/// How much of a body is kept. The rest is counted.
pub(super) const BODY_BYTES_MAX: usize = 1 << 20;

/// How long the head of an answer may be. Servers commonly stop at 8 KiB.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// How long a server that may speak TLS has to show it.
const TLS_TIME_MAX: Duration = Duration::from_secs(1);

/// A question.
#[derive(Debug)]
struct Asked {
    url: Url,
    place: Place,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// As much of the body as is kept.
    pub(super) body: Vec<u8>,
    /// How long it was.
    pub(super) body_bytes: u64,
}

impl Got {
    /// What is kept of the body, as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Whether that is not all of it.
    pub(super) fn is_cut(&self) -> bool {
        self.body_bytes > self.body.len() as u64
    }

    /// A header as text; nothing, if there is none.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let mut values =
            self.headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let first = values.next()?.into_owned();
        Some(values.fold(first, |all, next| format!("{all}, {next}")))
    }

    /// Whether it goes on for ever by its nature.
    fn is_endless(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"))
    }
}

impl Asked {
    /// A question without a body.
    fn get(url: &str, base: Option<SocketAddr>) -> Result<Self, String> {
        let (url, place) = locate(url, base, "http")?;
        Ok(Self { url, place, method: Method::GET, headers: HeaderMap::new(), body: Bytes::new() })
    }

    fn of(probe: &HttpProbe, base: Option<SocketAddr>) -> Result<Self, String> {
        let mut asked = Self::get(&probe.url, base)?;
        asked.method = method(probe)?;
        asked.body = probe.body.clone().unwrap_or_default().into();
        for (name, value) in &probe.headers {
            let wrong = || format!("{}: {} is no header", one_line(name), one_line(value));
            let name = HeaderName::try_from(name.trim()).map_err(|_| wrong())?;
            asked.headers.append(name, HeaderValue::try_from(value.as_str()).map_err(|_| wrong())?);
        }
        // Nobody writes it beside a body that plainly is JSON, and a server may insist on it.
        if !asked.headers.contains_key(CONTENT_TYPE) && probe.body.as_deref().is_some_and(is_json) {
            asked.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        Ok(asked)
    }

    fn request(&self) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
        let path = &self.url[url::Position::BeforePath..url::Position::AfterQuery];
        let mut request =
            Request::builder().method(self.method.clone()).uri(path).body(Full::new(self.body.clone()))?;
        let headers = request.headers_mut();
        *headers = self.headers.clone();
        let host = &self.url[url::Position::BeforeHost..url::Position::AfterPort];
        headers.entry(HOST).or_insert(HeaderValue::try_from(host)?);
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static("candor-verify"));
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        headers.entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static("identity"));
        headers.entry(CONNECTION).or_insert(HeaderValue::from_static("close"));
        Ok(request)
    }
}

/// Asks a probe.
pub(super) async fn ask(probe: &HttpProbe, asked: &Try<'_>) -> Found {
    let question = match Asked::of(probe, asked.target.base) {
        Ok(question) => question,
        Err(why) => return mistake(why),
    };
    let expected = match expect::Expected::of(probe) {
        Ok(expected) => expected,
        Err(found) => return found,
    };
    if asked.probe.derived {
        return ask_derived(question, asked).await;
    }
    let is_enough = |got: &Got| expected.problems(got).is_empty();
    match exchange(&question, &Reach::of(asked.target), asked.waiting, &is_enough).await {
        Ok(got) => expected.judge(&got),
        Err(found) => found,
    }
}

/// Asks what nobody declared. Whoever hangs up on plain HTTP, or answers in TLS, is asked once more in TLS: that it listens is
/// all that is known of it.
async fn ask_derived(mut question: Asked, asked: &Try<'_>) -> Found {
    let reach = Reach::of(asked.target);
    let found = match exchange(&question, &reach, asked.waiting, &|_| true).await {
        Ok(got) => return derived::judge(asked.probe, &got),
        Err(found) => found,
    };
    if derived::may_be_tls(&found, asked.waiting) && question.url.set_scheme("https").is_ok() {
        let waiting = Arc::new(Waiting::new());
        let again = exchange(&question, &reach, &waiting, &|_| true);
        // Whoever waits for the end of a line meanwhile must not use up the time, and hide what it did first.
        if let Ok(Ok(got)) = timeout(TLS_TIME_MAX.min(asked.probe.timeout / 2), again).await {
            return derived::judge(asked.probe, &got);
        }
    }
    derived::forgive(found, asked.waiting)
}

/// Asks once whether a URL answers with 2xx or 3xx, and gives the status; if not, says why. Only what is on this machine
/// is asked.
pub async fn http_ready(url: &str, sandbox: &Sandbox, limit: Duration) -> Result<u16, String> {
    let question = Asked::get(url, None)?;
    let reach = Reach { sandbox, may_leave: false, patience: Patience::Once };
    let waiting = Arc::new(Waiting::new());
    let answered = timeout(limit, head(&question, &reach, &waiting)).await;
    match answered.unwrap_or_else(|_| Err(waiting.too_late(limit))) {
        Ok((answer, _)) if is_good(answer.status().as_u16()) => Ok(answer.status().as_u16()),
        Ok((answer, _)) => Err(format!("it answers with {}", answer.status().as_u16())),
        Err(found) => Err(found.said),
    }
}

/// Posts JSON to an address on this machine, and gives the status and the body of the answer; if there is none, says why.
pub(crate) async fn post_json(
    url: &str,
    headers: HeaderMap,
    body: String,
    sandbox: &Sandbox,
    limit: Duration,
) -> Result<(u16, String), String> {
    let mut question = Asked { method: Method::POST, headers, body: body.into(), ..Asked::get(url, None)? };
    question.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let reach = Reach { sandbox, may_leave: false, patience: Patience::Once };
    let waiting = Arc::new(Waiting::new());
    let answered = timeout(limit, exchange(&question, &reach, &waiting, &|_| true)).await;
    match answered.unwrap_or_else(|_| Err(waiting.too_late(limit))) {
        Ok(got) => Ok((got.status, got.text())),
        Err(found) => Err(found.said),
    }
}

/// What the sentence about a probe begins with.
pub(super) fn name(probe: &HttpProbe) -> String {
    let method = probe.method.as_deref().unwrap_or("GET").trim().to_ascii_uppercase();
    // On this machine the path says all; elsewhere the host matters, and what may stand before it must not be shown.
    let shown = Url::parse(probe.url.trim()).ok().map(|mut url| {
        let is_inside = matches!(Place::of_url(&url), Ok(Place::Inside(_)));
        let _ = (url.set_username(""), url.set_password(None));
        if is_inside { url[url::Position::BeforePath..].to_owned() } else { url.into() }
    });
    format!("{} {}", one_line(&method), one_line(shown.as_deref().unwrap_or(&probe.url)))
}

/// Whether a status says that all is well.
pub(super) fn is_good(status: u16) -> bool {
    (200..400).contains(&status)
}

/// Where a URL leads; one that is only a path leads to where the service listens.
pub(super) fn locate(text: &str, base: Option<SocketAddr>, scheme: &str) -> Result<(Url, Place), String> {
    let text = text.trim();
    let (url, place) = if text.starts_with('/') && !text.starts_with("//") {
        let base = base.ok_or("it names no port, and the service was not seen to open one")?;
        let place = Place::listening(base);
        let shown =
            if base.ip().is_unspecified() { format!("localhost:{}", base.port()) } else { base.to_string() };
        (Url::parse(&format!("{scheme}://{shown}{text}")), Some(place))
    } else {
        (Url::parse(text), None)
    };
    let url = url.map_err(|error| format!("{} is no URL: {error}", one_line(text)))?;
    let is_known =
        matches!(url.scheme(), "http" | "https") || (scheme == "ws" && matches!(url.scheme(), "ws" | "wss"));
    if !is_known {
        return Err(format!("{} is no scheme for it", one_line(url.scheme())));
    }
    let place = place.map_or_else(|| Place::of_url(&url), Ok)?;
    Ok((url, place))
}

/// Sends a question and reads the answer. An answer that never ends by its nature is read until there is enough of it.
async fn exchange(
    asked: &Asked,
    reach: &Reach<'_>,
    waiting: &Arc<Waiting>,
    is_enough: &(dyn Fn(&Got) -> bool + Send + Sync),
) -> Result<Got, Found> {
    let (response, _connection) = head(asked, reach, waiting).await?;
    let (head, mut body) = response.into_parts();
    let mut got =
        Got { status: head.status.as_u16(), headers: head.headers, body: Vec::new(), body_bytes: 0 };
    loop {
        if got.is_endless() && is_enough(&got) {
            return Ok(got);
        }
        waiting.for_want_of(unended(&got));
        let data = match body.frame().await {
            None => return Ok(got),
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            Some(Err(error)) => return Err(broken(&error, waiting, Some(&got))),
        };
        let room = BODY_BYTES_MAX.saturating_sub(got.body.len());
        got.body.extend(data.iter().take(room));
        got.body_bytes += data.len() as u64;
    }
}

/// Sends a question and reads the head of the answer. The connection lives as long as what comes with it.
async fn head(
    asked: &Asked,
    reach: &Reach<'_>,
    waiting: &Arc<Waiting>,
) -> Result<(Response<Incoming>, JoinSet<()>), Found> {
    let request = asked.request().map_err(mistake)?;
    let wire: Box<dyn Wire> = wire(&asked.url, &asked.place, reach, waiting).await?;
    let mut builder = http1::Builder::new();
    builder.max_buf_size(HEAD_BYTES_MAX);
    let (mut sender, connection) =
        builder.handshake(TokioIo::new(wire)).await.map_err(|error| broken(&error, waiting, None))?;
    let mut tasks = JoinSet::new();
    // What goes wrong in it is told to whoever waits for the answer.
    tasks.spawn(async move { drop(connection.await) });
    match sender.send_request(request).await {
        Ok(response) => Ok((response, tasks)),
        Err(error) => Err(broken(&error, waiting, None)),
    }
}

fn method(probe: &HttpProbe) -> Result<Method, String> {
    let name = probe.method.as_deref().unwrap_or("GET").trim().to_ascii_uppercase();
    match Method::try_from(name.as_str()) {
        // It turns the connection into something else.
        Ok(method) if method != Method::CONNECT => Ok(method),
        _ => Err(format!("{} is no method for it", one_line(&name))),
    }
}

fn is_json(body: &str) -> bool {
    body.trim_start().starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok()
}

fn unended(got: &Got) -> String {
    let what = if got.is_endless() { "nothing of what is expected" } else { "no end of the body" };
    format!("{}, but after {} bytes {what}", got.status, got.body_bytes)
}

/// What it means that a connection broke.
fn broken(error: &hyper::Error, waiting: &Waiting, got: Option<&Got>) -> Found {
    let raw = waiting.raw();
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    let is_malformed =
        error.is_parse() || cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::InvalidInput);
    let is_reset = cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::ConnectionReset);
    let how = if is_reset { "reset" } else { "closed" };
    if let Some(got) = got {
        let said = if is_malformed {
            format!("{}, but the body is no HTTP after {} bytes", got.status, got.body_bytes)
        } else {
            format!(
                "{}, but the connection was {how} in the middle of the body, after {} bytes",
                got.status, got.body_bytes
            )
        };
        return Found::no_answer(said, &raw);
    }
    let said = match () {
        () if error.is_parse_too_large() => {
            format!("the head of the answer is longer than {} KiB", HEAD_BYTES_MAX >> 10)
        }
        () if error.is_parse() => "what came back is no HTTP".to_owned(),
        () if raw.is_empty() => format!("the connection was {how} before an answer came"),
        () => format!("the connection was {how} in the middle of the head of the answer"),
    };
    Found::no_answer(said, &raw)
}
