//! A WebSocket client that waits for what it reads, and says what it waited for when it does not come.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::error::Error;
use tungstenite::handshake::HandshakeError;
use tungstenite::http::header::{HeaderName, HeaderValue};
use tungstenite::protocol::WebSocket;
use tungstenite::{Message, client};

/// How long a test waits for a frame: far more than a loaded machine needs.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// A client of a WebSocket on this machine.
#[derive(Debug)]
pub struct Ws {
    inner: WebSocket<TcpStream>,
    /// The subprotocol that the server chose.
    protocol: Option<String>,
}

/// What a server ended a socket with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// A close frame with this code.
    Code(u16),
    /// No word: the connection was closed or reset.
    Silently,
}

impl Ws {
    /// Connects to `/ws` with a bearer token. Panics when it is not let in.
    #[track_caller]
    pub fn connect(port: u16, token: &str) -> Self {
        let bearer = format!("Bearer {token}");
        match Self::try_connect(port, "/ws", &[("authorization", &bearer)]) {
            Ok(socket) => socket,
            Err(status) => panic!("not let in: {status}"),
        }
    }

    /// Connects with these headers beside those of the handshake, or instead of them. The status is told when the
    /// server does not switch protocols; 0 means that it closed the connection.
    pub fn try_connect(port: u16, path: &str, headers: &[(&str, &str)]) -> Result<Self, u16> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("the server listens");
        stream.set_read_timeout(Some(WAIT_MAX)).expect("a socket takes a time limit");
        stream.set_nodelay(true).expect("a socket sends at once");
        let address = format!("ws://127.0.0.1:{port}{path}");
        let mut request = address.into_client_request().expect("an address is a request");
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("the name of a header");
            let value = HeaderValue::from_str(value).expect("the value of a header");
            request.headers_mut().insert(name, value);
        }
        match client(request, stream) {
            Ok((inner, response)) => {
                let protocol = response.headers().get("sec-websocket-protocol");
                let protocol = protocol.and_then(|name| name.to_str().ok()).map(str::to_owned);
                Ok(Self { inner, protocol })
            }
            Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
            Err(_) => Err(0),
        }
    }

    /// The subprotocol that the server chose.
    pub fn protocol(&self) -> Option<&str> {
        self.protocol.as_deref()
    }

    /// Sends a frame of JSON.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a test writes its frame in place, with `json!`")]
    pub fn send(&mut self, frame: Value) -> &mut Self {
        self.send_text(&frame.to_string())
    }

    /// Sends any text.
    #[track_caller]
    pub fn send_text(&mut self, text: &str) -> &mut Self {
        self.write(Message::text(text)).expect("the server reads");
        self
    }

    /// Sends a frame of JSON and gives the next frame, or how the server ended the socket instead.
    #[track_caller]
    pub fn try_send(&mut self, frame: &Value) -> Result<Value, Closed> {
        // Whether it could still be sent shows in what is read.
        let _ = self.write(Message::text(frame.to_string()));
        self.read()
    }

    /// The next frame, or how the server ended the socket instead.
    #[track_caller]
    pub fn try_receive(&mut self) -> Result<Value, Closed> {
        self.read()
    }

    /// Sends a message of any kind, to a server that may have had enough.
    pub fn write(&mut self, message: Message) -> Result<(), Error> {
        self.inner.send(message)
    }

    /// The next frame. Panics when none comes, or what comes is no JSON.
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        match self.read() {
            Ok(frame) => frame,
            Err(closed) => panic!("waited for a frame, and the socket was closed: {closed:?}"),
        }
    }

    /// The frames up to the first that is meant, which is the last. Panics, with those there were, when it does not come.
    #[track_caller]
    pub fn until(&mut self, is_meant: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = Vec::new();
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            assert!(Instant::now() < deadline, "waited in vain; there were {frames:#?}");
            match self.read() {
                Ok(frame) => frames.push(frame),
                Err(closed) => panic!("the socket was closed: {closed:?}; there were {frames:#?}"),
            }
            if frames.last().is_some_and(&is_meant) {
                return frames;
            }
        }
    }

    /// The frames up to the first of a type.
    #[track_caller]
    pub fn until_type(&mut self, kind: &str) -> Vec<Value> {
        self.until(|frame| frame["type"] == kind)
    }

    /// Waits until the server ends the socket; frames before that are thrown away.
    #[track_caller]
    pub fn closed(&mut self) -> Closed {
        loop {
            if let Err(closed) = self.read() {
                return closed;
            }
        }
    }

    /// The connection below, for a test that wants to be rude.
    pub fn stream(&self) -> &TcpStream {
        self.inner.get_ref()
    }

    #[track_caller]
    fn read(&mut self) -> Result<Value, Closed> {
        loop {
            match self.inner.read() {
                Ok(Message::Text(text)) => {
                    return Ok(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")));
                }
                Ok(Message::Close(frame)) => {
                    // Answers it, as a client should.
                    let _ = self.inner.flush();
                    return Err(frame.map_or(Closed::Silently, |frame| Closed::Code(frame.code.into())));
                }
                Ok(_) => {}
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    panic!("waited {WAIT_MAX:?} for a frame");
                }
                Err(_) => return Err(Closed::Silently),
            }
        }
    }
}
