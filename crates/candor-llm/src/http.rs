//! The way of the bytes: one request, one stream, one answer.

use std::ops::Deref;
use std::time::Duration;

use futures_util::FutureExt;
use jiff::Timestamp;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use reqwest::{Method, Response};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout, timeout_at};

use crate::classify::{self, Said, stream_error};
use crate::client::HttpProvider;
use crate::draft::Draft;
use crate::sse::Frames;
use crate::wire::{Decode, Flow, Framing};
use crate::{Answer, Delta, Error, Request};

/// How much of the body of an error is read: enough for any message, and an error page must not fill the memory.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// How long the body of an error may take. What has come by then is enough to go by.
const ERROR_WAIT_MAX: Duration = Duration::from_secs(10);
/// How much is read after the end of an answer, so that the connection can be used again.
const DRAIN_BYTES_MAX: usize = 64 * 1024;
/// How long that may take. The end of the body nearly always lies in the same packet; a new connection costs less than a
/// longer wait.
const DRAIN_WAIT_MAX: Duration = Duration::from_millis(500);

/// How much is read at once before it is told: a person who watches a quick answer must see it grow.
const BURST_BYTES_MAX: usize = 64 * 1024;
/// What stands for a limit that no clock can hold.
const LIMIT_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Asks once.
pub(crate) async fn ask(
    provider: &HttpProvider,
    request: &Request,
    deltas: &mut (dyn FnMut(Delta<'_>) + Send),
) -> Result<Answer, Error> {
    let answered = exchange(provider, request, deltas).await;
    answered.map_err(|error| {
        let error = match error {
            Error::ModelUnknown { model, message } if model.is_empty() => {
                Error::ModelUnknown { model: request.model.clone(), message }
            }
            error => error,
        };
        match provider.secret() {
            Some(secret) => error.without(secret),
            None => error,
        }
    })
}

async fn exchange(
    provider: &HttpProvider,
    request: &Request,
    deltas: &mut (dyn FnMut(Delta<'_>) + Send),
) -> Result<Answer, Error> {
    let wire = provider.wire();
    let path = wire.path(request);
    let asked = provider.request(Method::POST, &path)?.json(&wire.body(request));
    let url = provider.shown_url(&path);
    let response = open(provider, asked, &url, &request.model).await?;
    Stream::new(provider, response, url).answer(deltas).await
}

/// Sends a request and waits for the beginning of a response that is a success.
pub(crate) async fn open(
    provider: &HttpProvider,
    request: reqwest::RequestBuilder,
    url: &str,
    model: &str,
) -> Result<Response, Error> {
    let limits = provider.timeouts();
    let Ok(sent) = timeout(limits.first, request.send()).await else {
        return Err(Error::Silent { limit: limits.first });
    };
    let mut response = sent.map_err(|error| {
        let reason = if error.is_connect() && error.is_timeout() {
            format!("no connection within {} s", limits.connect.as_secs_f32())
        } else {
            innermost(&error)
        };
        Error::Unreachable { url: url.to_owned(), reason }
    })?;
    if response.status().is_success() {
        return match unwanted(response.headers()) {
            Some(reason) => Err(Error::NotAProvider { url: url.to_owned(), reason }),
            None => Ok(response),
        };
    }
    let body = error_body(&mut response, Vec::new()).await;
    // Before the message is cut to its length, so that no half of the key stays in it.
    let body = match provider.secret() {
        Some(secret) => body.replace(secret, "[REDACTED]"),
        None => body,
    };
    let refused = classify::Response {
        status: response.status().as_u16(),
        headers: response.headers(),
        body: &body,
        url,
        model,
    };
    Err(classify::response(refused, Timestamp::now()))
}

/// The end of a time limit. A configured limit beyond what a clock can hold means no limit.
fn after(start: Instant, limit: Duration) -> Instant {
    start.checked_add(limit).unwrap_or_else(|| start + LIMIT_MAX)
}

/// What the source at the bottom of an error says; the layers above it only say that there was one.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Why a success is none, as far as its headers tell.
fn unwanted(headers: &HeaderMap) -> Option<String> {
    let header = |name| {
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
    };
    let encoding = header(CONTENT_ENCODING);
    if !encoding.is_empty() && encoding != "identity" {
        return Some(format!("a body packed with {encoding}, which was not asked for"));
    }
    header(CONTENT_TYPE).starts_with("text/html").then(|| "a web page".to_owned())
}

/// As much of a body as is needed to understand an error. It never fails: half a message is better than none.
async fn error_body(response: &mut Response, mut body: Vec<u8>) -> String {
    let deadline = Instant::now() + ERROR_WAIT_MAX;
    while body.len() < ERROR_BYTES_MAX {
        match timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
            _ => break,
        }
    }
    body.truncate(ERROR_BYTES_MAX);
    String::from_utf8_lossy(&body).into_owned()
}

/// A whole body that is no stream.
pub(crate) async fn whole(
    provider: &HttpProvider,
    mut response: Response,
    bytes_max: usize,
) -> Result<Vec<u8>, Error> {
    let limit = provider.timeouts().idle;
    let mut body = Vec::new();
    loop {
        let Ok(read) = timeout(limit, response.chunk()).await else { return Err(Error::Silent { limit }) };
        match read.map_err(|error| Error::Cut { reason: innermost(&error) })? {
            Some(bytes) => body.extend_from_slice(&bytes),
            None => return Ok(body),
        }
        if body.len() > bytes_max {
            return Err(Error::TooLarge { what: format!("{} MiB in one list", bytes_max >> 20) });
        }
    }
}

/// One answer on its way in.
struct Stream<'p> {
    provider: &'p HttpProvider,
    response: Response,
    url: String,
    frames: Frames,
    decoder: Box<dyn Decode>,
    draft: Draft,
    /// Nothing but white space has come yet.
    blank: bool,
    /// When the last frame came that says anything.
    data_at: Instant,
    /// How the body ended, when that was seen while looking for what is at hand.
    over: Option<Result<(), Error>>,
}

impl<'p> Stream<'p> {
    fn new(provider: &'p HttpProvider, response: Response, url: String) -> Self {
        let wire = provider.wire();
        Self {
            provider,
            response,
            url,
            frames: Frames::new(wire.framing()),
            decoder: wire.decoder(),
            draft: Draft::default(),
            blank: true,
            data_at: Instant::now(),
            over: None,
        }
    }

    async fn answer(mut self, deltas: &mut (dyn FnMut(Delta<'_>) + Send)) -> Result<Answer, Error> {
        while let Some(bytes) = self.next().await? {
            if let Some(error) = self.no_stream(&bytes).await {
                return Err(error);
            }
            let flow = self.burst(&bytes).await;
            // Also what came before an error: whoever watches has seen words of an answer that is now void.
            self.draft.tell(deltas);
            let flow = flow?;
            if flow == Flow::End {
                self.drain().await;
                return Ok(self.draft.finish());
            }
        }
        let flow = self.read(None)?;
        self.draft.tell(deltas);
        if flow == Flow::End || self.decoder.ended() {
            return Ok(self.draft.finish());
        }
        let reason = if self.blank { "the body is empty" } else { "it ended before the answer was complete" };
        Err(Error::Cut { reason: reason.to_owned() })
    }

    /// Reads these bytes and what is there already behind them. Servers send a chunk for each frame, and telling costs more
    /// than reading.
    async fn burst(&mut self, bytes: &[u8]) -> Result<Flow, Error> {
        let mut flow = self.read(Some(bytes))?;
        let mut burst_bytes = bytes.len();
        while flow == Flow::More
            && burst_bytes < BURST_BYTES_MAX
            && let Some(bytes) = self.at_hand().await
        {
            burst_bytes += bytes.len();
            flow = self.read(Some(&bytes))?;
        }
        Ok(flow)
    }

    /// The next bytes, if they are there already. An end or an error is kept for [`Stream::next`].
    async fn at_hand(&mut self) -> Option<impl Deref<Target = [u8]> + use<>> {
        let mut read = self.response.chunk().now_or_never();
        if read.is_none() {
            // The connection is a task of its own that hands over one chunk at a time: it gets a turn to do so.
            yield_now().await;
            read = self.response.chunk().now_or_never();
        }
        match read? {
            Ok(Some(bytes)) => return Some(bytes),
            Ok(None) => self.over = Some(Ok(())),
            Err(error) => self.over = Some(Err(Error::Cut { reason: innermost(&error) })),
        }
        None
    }

    /// The next bytes; none at the end of the body.
    async fn next(&mut self) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Error> {
        if let Some(over) = self.over.take() {
            return over.map(|()| None);
        }
        let limits = self.provider.timeouts();
        let (idle_end, data_end) = (after(Instant::now(), limits.idle), after(self.data_at, limits.data));
        let read = timeout_at(idle_end.min(data_end), self.response.chunk()).await;
        // Looked at also after a read: signs of life that never pause would keep the timer from being asked.
        if Instant::now() >= data_end {
            return Err(Error::Silent { limit: limits.data });
        }
        let Ok(read) = read else { return Err(Error::Silent { limit: limits.idle }) };
        read.map_err(|error| Error::Cut { reason: innermost(&error) })
    }

    /// Frames go to the decoder, and from there into the draft.
    fn read(&mut self, bytes: Option<&[u8]>) -> Result<Flow, Error> {
        let Self { frames, decoder, draft, data_at, .. } = self;
        let mut on_frame = |event: &str, data: &str| {
            if event != "ping" {
                *data_at = Instant::now();
            }
            match decoder.frame(event, data, draft)? {
                // An event of this name is one, also where the decoder could not read it: proxies put bare words there.
                Flow::More if event == "error" => Err(stream_error("", data)),
                flow => Ok(flow),
            }
        };
        match bytes {
            Some(bytes) => frames.feed(bytes, &mut on_frame),
            None => frames.finish(&mut on_frame),
        }
    }

    /// The error, if the first byte shows that this is no stream: a page, or one JSON value where events should come.
    async fn no_stream(&mut self, bytes: &[u8]) -> Option<Error> {
        let first = bytes.trim_ascii_start().first().filter(|_| self.blank)?;
        self.blank = false;
        let is_json = matches!(first, b'{' | b'[') && self.provider.wire().framing() == Framing::Events;
        if *first != b'<' && !is_json {
            return None;
        }
        let body = error_body(&mut self.response, bytes.to_vec()).await;
        if let Some((kinds, message)) = Said::error_in(&body) {
            return Some(stream_error(&kinds, &message));
        }
        let reason = if is_json {
            format!("a JSON value instead of a stream of {}", self.provider.wire().name())
        } else {
            "a web page".to_owned()
        };
        Some(Error::NotAProvider { url: self.url.clone(), reason })
    }

    /// Reads to the end of the body, so that the connection can be used again.
    async fn drain(&mut self) {
        let mut bytes = 0;
        let rest = async {
            while let Ok(Some(more)) = self.response.chunk().await {
                bytes += more.len();
                if bytes > DRAIN_BYTES_MAX {
                    break;
                }
            }
        };
        _ = timeout(DRAIN_WAIT_MAX, rest).await;
    }
}
