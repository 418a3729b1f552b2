//! A server on the loopback that does exactly as it is told, and what asks it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use candor_llm::{Answer, Delta, Dialect, Endpoint, Error, HttpProvider, Provider, Request, Timeouts};
use candor_protocol::{Message, Role};

/// The key of the tests.
pub(crate) const KEY: &str = "sk-very-secret-key";

/// A stream that says "Hello" and ends as it should.
pub(crate) const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: [DONE]\n\n";

/// What came in.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The first line and the headers, as they were sent.
    pub(crate) head: String,
    pub(crate) body: String,
    /// Which connection it came over, counted from 0.
    pub(crate) connection: usize,
}

/// Whether the connection stays open.
pub(crate) enum Then {
    Keep,
    Close,
}

/// A server on the loopback.
pub(crate) struct Server {
    pub(crate) address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers each request with `answer`, which is given the number of the request and the connection.
    pub(crate) fn new(answer: impl Fn(usize, &mut TcpStream) -> Then + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&received), Arc::new(answer));
        thread::spawn(move || {
            for (connection, socket) in listener.incoming().flatten().enumerate() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || serve(connection, socket, &seen, &*answer));
            }
        });
        Self { address, received }
    }

    /// Answers every request with these bytes and keeps the connection.
    pub(crate) fn saying(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::new(move |_, socket| {
            _ = socket.write_all(&response);
            Then::Keep
        })
    }

    /// What came in so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        endpoint(&format!("http://{}/v1", self.address))
    }

    pub(crate) fn provider(&self) -> HttpProvider {
        HttpProvider::new(self.endpoint()).unwrap()
    }
}

fn serve(
    connection: usize,
    mut socket: TcpStream,
    seen: &Mutex<Vec<Received>>,
    answer: &(impl Fn(usize, &mut TcpStream) -> Then + ?Sized),
) {
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    while let Some((head, body)) = next_request(&mut reader) {
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(Received { head, body, connection });
            seen.len() - 1
        };
        if matches!(answer(number, &mut socket), Then::Close) {
            return;
        }
    }
}

fn next_request(reader: &mut impl BufRead) -> Option<(String, String)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).unwrap()))
}

/// Blocks until the other side has gone.
pub(crate) fn wait_until_gone(socket: &mut TcpStream) {
    while matches!(socket.read(&mut [0; 64]), Ok(1..)) {}
}

/// An address at which nobody listens. It is our end of a connection: as long as that is held, nobody else gets the port.
pub(crate) fn nobody() -> (TcpStream, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let held = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let address = held.local_addr().unwrap();
    thread::spawn(move || listener.accept().map(|(mut other, _)| wait_until_gone(&mut other)));
    (held, address)
}

/// A response with this status, these headers and this body.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

/// A stream of events, whole.
pub(crate) fn stream(body: &str) -> String {
    response("200 OK", "content-type: text/event-stream\r\n", body)
}

/// The beginning of a stream that goes on in chunks.
pub(crate) const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// One chunk.
pub(crate) fn chunk(body: &str) -> String {
    format!("{:x}\r\n{body}\r\n", body.len())
}

pub(crate) fn endpoint(base_url: &str) -> Endpoint {
    Endpoint {
        name: "local".to_owned(),
        dialect: Dialect::OpenaiChat,
        base_url: base_url.to_owned(),
        key: Some(KEY.to_owned()),
        timeouts: Timeouts { connect: Duration::from_secs(5), ..Timeouts::default() },
        proxy: None,
    }
}

pub(crate) fn request() -> Request {
    Request {
        model: "m".to_owned(),
        messages: vec![Message::text(Role::User, "hi")],
        tools: Vec::new(),
        max_tokens: None,
        context_tokens: None,
        cache_key: None,
    }
}

/// Asks once, and says what was told on the way.
pub(crate) async fn ask(provider: &HttpProvider) -> (Result<Answer, Error>, Vec<String>) {
    let mut told = Vec::new();
    let mut deltas = |delta: Delta<'_>| match delta {
        Delta::Text(text) | Delta::Reasoning(text) => told.push(text.to_owned()),
    };
    let answer = provider.ask(&request(), &mut deltas).await;
    (answer, told)
}

/// The error that asking gives. The key stands in none of its words.
pub(crate) async fn refused(provider: &HttpProvider) -> Error {
    let error = ask(provider).await.0.unwrap_err();
    assert!(!format!("{error:?} {error}").contains(KEY), "{error:?}");
    error
}
