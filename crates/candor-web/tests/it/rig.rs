//! Servers on the loopback address, and a model that calls the tools.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use candor_protocol::{Code, ToolCall};
use candor_tools::{Registry, Rules, ToolContext, ToolOutput, dispatch};
use candor_web::{Robots, Web, tools};
use serde_json::{Value, json};

/// What a server does after its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It closes the connection.
    Closes,
    /// It says nothing more, and waits until the other side has gone.
    Waits,
    /// It repeats its last kilobyte for as long as somebody listens.
    Goes,
}

/// One answer, byte by byte.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) then: Then,
}

/// A server on the loopback address that answers requests by their head.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) fn new(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0", answer)
    }

    pub(crate) fn at(address: &str, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (seen, counted, answer) = (Arc::clone(&heads), Arc::clone(&connections), Arc::new(answer));
        // It ends with the process of its test.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || serve(stream, &seen, &*answer));
            }
        });
        Self { address, heads, connections }
    }

    /// One that gives everybody the same answer.
    pub(crate) fn saying(answer: Answer) -> Self {
        Self::new(move |_| answer.clone())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of all requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<String>>, answer: &dyn Fn(&str) -> Answer) {
    let Some(head) = head(&mut stream) else { return };
    seen.lock().unwrap().push(head.clone());
    let answer = answer(&head);
    if stream.write_all(&answer.bytes).is_err() {
        return;
    }
    match answer.then {
        Then::Closes => {}
        Then::Waits => drop(stream.read_to_end(&mut Vec::new())),
        Then::Goes => {
            let piece = &answer.bytes[answer.bytes.len().saturating_sub(1024)..];
            while stream.write_all(piece).is_ok() {}
        }
    }
}

fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let mut head = String::from_utf8_lossy(&head).into_owned();
    let length = header(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    head.push_str(&String::from_utf8_lossy(&body));
    Some(head)
}

/// The value of a header of a request.
pub(crate) fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// The path of a request.
pub(crate) fn path(head: &str) -> &str {
    head.split(' ').nth(1).unwrap_or_default()
}

/// An answer with this status line, these headers and this body.
pub(crate) fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Answer {
    let body = body.as_ref();
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    Answer { bytes: [head.as_bytes(), body].concat(), then: Then::Closes }
}

pub(crate) fn typed(content_type: &str, body: impl AsRef<[u8]>) -> Answer {
    answer("200 OK", &format!("content-type: {content_type}\r\n"), body)
}

pub(crate) fn html(body: &str) -> Answer {
    typed("text/html; charset=utf-8", body)
}

pub(crate) fn redirect(to: &str) -> Answer {
    answer("302 Found", &format!("location: {to}\r\n"), "")
}

/// Settings that reach the loopback address and ask no robots.
pub(crate) fn open() -> Web {
    Web { allow_private: vec!["127.0.0.0/8".parse().unwrap()], robots: Robots::Ignore, ..Web::default() }
}

/// A model with the tools of the web.
pub(crate) struct Rig {
    pub(crate) registry: Registry,
    pub(crate) context: ToolContext,
}

impl Rig {
    pub(crate) fn new(settings: Web) -> Self {
        let session = "0195a3c1-7b00-7000-8000-000000000001".parse().unwrap();
        let context = ToolContext::alone(session, PathBuf::from("."), Rules::default());
        Self { registry: Registry::new(tools(settings)), context }
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> ToolOutput {
        let call = ToolCall {
            call_id: "c1".into(),
            tool_name: tool.into(),
            args: args.clone(),
            malformed: None,
            opaque: None,
        };
        dispatch(&self.registry, &call, &args, &self.context).await
    }

    pub(crate) async fn fetch(&self, url: &str) -> ToolOutput {
        self.call("web_fetch", json!({ "url": url })).await
    }

    /// What a model is told about a page.
    pub(crate) async fn page(&self, url: &str) -> Value {
        told(&self.fetch(url).await)
    }

    pub(crate) async fn search(&self, query: &str) -> ToolOutput {
        self.call("web_search", json!({ "query": query })).await
    }
}

/// What a model is told.
#[track_caller]
pub(crate) fn told(output: &ToolOutput) -> Value {
    assert!(!output.is_error, "{output:?}");
    serde_json::from_str(&output.for_model).unwrap()
}

/// A failure with this code and these words in its cause.
#[track_caller]
pub(crate) fn check_failure(output: &ToolOutput, code: Code, words: &str) {
    assert!(output.is_error, "{output:?}");
    let card = output.card.as_ref().unwrap();
    assert_eq!(card.code, code.as_str(), "{output:?}");
    assert!(card.cause.contains(words), "{words:?} is not in {:?}", card.cause);
    assert!(!card.cause.contains("unknown"), "{card:?}");
}
