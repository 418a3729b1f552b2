//! Messages to a server over HTTP, and its answers within bounds: the library reads a plain answer to its end, however long that is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::{Client, Response};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use crate::stdio::LINE_BYTES_MAX;

/// How much of an answer is read that only says why there is none.
const REFUSAL_BYTES_MAX: usize = 64 << 10;

type Failed = StreamableHttpError<reqwest::Error>;

/// A client that reads no more than it may.
#[derive(Clone)]
pub(crate) struct Bounded(pub(crate) Client);

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, LINE_BYTES_MAX).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        bytes_max: usize,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let mut request = self.0.post(uri.as_ref()).headers(headers.into_iter().collect());
        request = request.header(ACCEPT, [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", "));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let has_session = session.is_some();
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        let response = request.json(&message).send().await?;
        if let Some(refusal) = refusal(&response, has_session) {
            return Err(refusal);
        }
        let status = response.status();
        if status == StatusCode::ACCEPTED || status == StatusCode::NO_CONTENT {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !status.is_success() {
            return refused(response, &message, has_session).await;
        }
        answered(response, &message, bytes_max).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        self.0.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        self.0.get_stream(uri, session, last_event, token, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        bytes_max: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let inner = &self.0;
        inner.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, bytes_max).await
    }
}

/// What an answer refuses by its head alone: a login that is missing or not enough, a session that is over, too much of a hurry.
fn refusal(response: &Response, has_session: bool) -> Option<Failed> {
    let header = |name| response.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let status = response.status();
    match (status, header(WWW_AUTHENTICATE)) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => {
            Some(Failed::AuthRequired(AuthRequiredError::new(challenge.to_owned())))
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            let scope = scope(challenge);
            Some(Failed::InsufficientScope(InsufficientScopeError::new(challenge.to_owned(), scope)))
        }
        (StatusCode::NOT_FOUND, _) if has_session => Some(Failed::SessionExpired),
        (StatusCode::TOO_MANY_REQUESTS, _) => Some(unavailable(response)),
        _ if status.is_server_error() && !is_of(response, JSON_MIME_TYPE) => Some(unavailable(response)),
        _ => None,
    }
}

fn unavailable(response: &Response) -> Failed {
    let after = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok()).map(str::to_owned);
    HttpStatusError::new(response.status().as_u16(), after).into()
}

/// What a challenge says may be missing.
fn scope(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")? + "scope=".len();
    let rest = &challenge[at..];
    let scope = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).next(),
    };
    scope.filter(|scope| !scope.is_empty()).map(str::to_owned)
}

/// What is behind a status that is no success.
async fn refused(
    response: Response,
    message: &ClientJsonRpcMessage,
    has_session: bool,
) -> Result<StreamableHttpPostResponse, Failed> {
    let status = response.status();
    let (session, is_json) = (session_of(&response), is_of(&response, JSON_MIME_TYPE));
    let unavailable = status.is_server_error().then(|| unavailable(&response));
    let (body, _) = body(response, REFUSAL_BYTES_MAX).await?;
    let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let error = match serde_json::from_slice(&body) {
        Ok(ServerJsonRpcMessage::Error(error)) if is_json && !is_login => Some(error),
        _ => None,
    };
    // A server of the old generation does not know the first question, and may say so in any way. The answer has to be one to this question.
    if let ClientJsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && status.is_client_error()
        && !is_login
        && !has_session
    {
        let unknown = || ErrorData::invalid_request(format!("server/discover met HTTP {status}"), None);
        let error = error.map_or_else(unknown, |error| error.error);
        let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(answer, None));
    }
    match (error, unavailable) {
        (Some(error), _) => Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), session)),
        (None, Some(unavailable)) => Err(unavailable),
        (None, None) => Err(odd(format!("HTTP {status}: {}", String::from_utf8_lossy(&body)))),
    }
}

/// What came back.
async fn answered(
    response: Response,
    message: &ClientJsonRpcMessage,
    bytes_max: usize,
) -> Result<StreamableHttpPostResponse, Failed> {
    let session = session_of(&response);
    // To what is no question, anything is an answer.
    let is_question = matches!(message, ClientJsonRpcMessage::Request(_));
    if !is_question && response.content_length() == Some(0) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if is_of(&response, EVENT_STREAM_MIME_TYPE) {
        return Ok(StreamableHttpPostResponse::Sse(events(response, bytes_max), session));
    }
    if !is_of(&response, JSON_MIME_TYPE) {
        return Err(Failed::UnexpectedContentType(kind_of(&response).map(str::to_owned)));
    }
    let (body, is_whole) = body(response, bytes_max).await?;
    if !is_whole {
        return Err(odd(format!("its answer is longer than {bytes_max} bytes")));
    }
    match serde_json::from_slice(&body) {
        Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
        Err(_) if !is_question => Ok(StreamableHttpPostResponse::Accepted),
        Err(error) => Err(odd(format!("what it answered is no message: {error}"))),
    }
}

fn odd(why: String) -> Failed {
    Failed::UnexpectedServerResponse(Cow::Owned(why))
}

fn session_of(response: &Response) -> Option<String> {
    response.headers().get(HEADER_SESSION_ID).and_then(|session| session.to_str().ok()).map(str::to_owned)
}

fn kind_of(response: &Response) -> Option<&str> {
    response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok())
}

fn is_of(response: &Response, kind: &str) -> bool {
    kind_of(response).is_some_and(|said| said.starts_with(kind))
}

/// As much of a body as may be read, and whether that is all of it.
async fn body(mut response: Response, bytes_max: usize) -> Result<(Vec<u8>, bool), reqwest::Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        let room = bytes_max - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return Ok((body, false));
        }
    }
    Ok((body, true))
}

/// The events of a stream, none of which is longer than it may be.
fn events(response: Response, bytes_max: usize) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut measure = Measure { bytes_max, ..Measure::default() };
    let pieces = response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(io::Error::other)?;
        if measure.is_too_long_with(&piece) {
            return Err(io::Error::other(format!("one of its events is longer than {bytes_max} bytes")));
        }
        Ok(piece)
    });
    SseStream::from_bytes_stream(pieces).boxed()
}

/// Measures events as they come. An empty line ends one.
#[derive(Default)]
struct Measure {
    bytes_max: usize,
    /// How long the event is so far, and its last line.
    event: usize,
    line: usize,
    /// A line may end with two bytes.
    is_after_return: bool,
}

impl Measure {
    fn is_too_long_with(&mut self, piece: &[u8]) -> bool {
        for byte in piece {
            let is_rest_of_end = self.is_after_return && *byte == b'\n';
            self.is_after_return = *byte == b'\r';
            if is_rest_of_end {
                continue;
            }
            self.event += 1;
            match byte {
                b'\r' | b'\n' if self.line == 0 => self.event = 0,
                b'\r' | b'\n' => self.line = 0,
                _ => self.line += 1,
            }
            if self.event > self.bytes_max {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
#[path = "posting_tests.rs"]
mod tests;
