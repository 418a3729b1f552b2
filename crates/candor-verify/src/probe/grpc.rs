//! Asks `grpc.health.v1.Health/Check` whether a service is healthy.
//!
//! The question is one text, the answer one number, so the messages are written and read here without a library.

use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, TE};
use hyper::{HeaderMap, Request, StatusCode};
use tokio::task::JoinSet;

use super::outcome::{Found, Waiting, one_line};
use super::reach::{Place, Reach, Recorded};
use super::{Try, mistake};

/// How long an answer may be. The right one has seven bytes.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// Before each message: whether it is compressed, and its length.
const PREFIX_BYTES: usize = 5;

pub(super) async fn ask(address: &str, service: &str, asked: &Try<'_>) -> Found {
    let trimmed = address.trim().trim_start_matches("grpc://");
    let place = match Place::of_address(trimmed) {
        Ok(place) => place,
        Err(why) => return mistake(why),
    };
    let request = match request(trimmed) {
        Ok(request) => request,
        Err(why) => return mistake(why),
    };
    let stream = match Reach::of(asked.target).connect(&place, asked.waiting).await {
        Ok(stream) => stream,
        Err(found) => return found,
    };
    asked.waiting.for_want_of("no answer");
    let answer = exchange(Recorded::new(stream, asked.waiting), request, message(service)).await;
    answer.map_or_else(|error| broken(&error, asked.waiting), |answer| judge(&answer, service))
}

/// An answer: its head, its body, what came after it.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    trailers: HeaderMap,
}

impl Answer {
    fn text(&self, name: &str) -> Option<String> {
        let value = self.trailers.get(name).or_else(|| self.headers.get(name))?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    }
}

fn request(address: &str) -> Result<Request<()>, hyper::http::Error> {
    Request::post(format!("http://{address}/grpc.health.v1.Health/Check"))
        .header(CONTENT_TYPE, "application/grpc")
        .header(TE, "trailers")
        .body(())
}

/// `HealthCheckRequest { service = 1 }` with its prefix. A field that is empty is not written.
fn message(service: &str) -> Bytes {
    let mut fields = Vec::new();
    if !service.is_empty() {
        fields.push(0x0A);
        write_varint(&mut fields, service.len() as u64);
        fields.extend_from_slice(service.as_bytes());
    }
    let length = u32::try_from(fields.len()).unwrap_or(u32::MAX);
    [[0].as_slice(), &length.to_be_bytes(), &fields].concat().into()
}

async fn exchange<S>(stream: S, request: Request<()>, message: Bytes) -> Result<Answer, h2::Error>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = h2::client::handshake(stream).await?;
    let mut tasks = JoinSet::new();
    // What goes wrong in it is told to whoever waits for the answer.
    tasks.spawn(async move { drop(connection.await) });
    let (response, mut body) = sender.ready().await?.send_request(request, false)?;
    body.send_data(message, true)?;
    let (head, mut stream) = response.await?.into_parts();
    let mut answer =
        Answer { status: head.status, headers: head.headers, body: Vec::new(), trailers: HeaderMap::new() };
    while let Some(data) = stream.data().await {
        let data = data?;
        let room = ANSWER_BYTES_MAX.saturating_sub(answer.body.len());
        answer.body.extend(data.iter().take(room));
        stream.flow_control().release_capacity(data.len())?;
    }
    answer.trailers = stream.trailers().await?.unwrap_or_default();
    Ok(answer)
}

fn judge(answer: &Answer, service: &str) -> Found {
    let Some(code) = answer.text("grpc-status") else {
        let text = String::from_utf8_lossy(&answer.body);
        return Found::failed(format!("HTTP {}, and no gRPC", answer.status.as_u16()), &text);
    };
    let why = answer.text("grpc-message").unwrap_or_default();
    match code.as_str() {
        "0" => {}
        "12" => return Found::failed("it does not serve grpc.health.v1.Health", &why),
        "5" => return Found::failed(format!("it knows no service {}", one_line(service)), &why),
        other => return Found::failed(format!("gRPC status {}: {}", one_line(other), one_line(&why)), &why),
    }
    match serving(&answer.body) {
        Some(1) => Found::passed("SERVING", "SERVING"),
        Some(0) => Found::failed("UNKNOWN, but SERVING is expected", "UNKNOWN"),
        Some(2) => Found::failed("NOT_SERVING, but SERVING is expected", "NOT_SERVING"),
        Some(3) => Found::failed("SERVICE_UNKNOWN, but SERVING is expected", "SERVICE_UNKNOWN"),
        _ => Found::failed("the answer is no HealthCheckResponse", &String::from_utf8_lossy(&answer.body)),
    }
}

/// The field `status = 1` of a `HealthCheckResponse`; zero, if it is not written.
fn serving(body: &[u8]) -> Option<u64> {
    let (prefix, rest) = body.split_at_checked(PREFIX_BYTES)?;
    let (is_compressed, length) = prefix.split_first()?;
    let length = usize::try_from(u32::from_be_bytes(length.try_into().ok()?)).ok()?;
    if *is_compressed != 0 {
        return None;
    }
    let mut fields = rest.get(..length)?;
    let mut status = 0;
    while !fields.is_empty() {
        let key = read_varint(&mut fields)?;
        match key & 7 {
            0 => {
                let value = read_varint(&mut fields)?;
                if key >> 3 == 1 {
                    status = value;
                }
            }
            1 => fields = fields.get(8..)?,
            2 => {
                let length = usize::try_from(read_varint(&mut fields)?).ok()?;
                fields = fields.get(length..)?;
            }
            5 => fields = fields.get(4..)?,
            _ => return None,
        }
    }
    Some(status)
}

fn write_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7F {
        bytes.push(low_bits(value) | 0x80);
        value >>= 7;
    }
    bytes.push(low_bits(value));
}

fn low_bits(value: u64) -> u8 {
    u8::try_from(value & 0x7F).unwrap_or(0)
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7F) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// What it means that a connection broke.
fn broken(error: &h2::Error, waiting: &Waiting) -> Found {
    let raw = waiting.raw();
    let said = match () {
        () if raw.is_empty() => "the connection was closed before an answer came".to_owned(),
        () if raw.starts_with("HTTP/1") => "it speaks HTTP/1.1, and no gRPC".to_owned(),
        () => format!("no gRPC answer: {error}"),
    };
    Found::no_answer(said, &raw)
}
