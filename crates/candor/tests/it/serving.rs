//! `candor serve`, over real sockets: the real binary, a fake model, and clients of every kind.

mod admission;
mod approving;
mod ending;
mod following;
mod frames;
mod logging;
mod many;
mod npm_ws;
mod one_card;
mod retrying;
mod rfc6455;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use candor_testkit::{Candor, FakeLlm, Home, Running, Ws};
use serde_json::{Value, json};

use crate::rig::{BINARY, KEY, Keep};

/// A server that runs, and what a client needs to know of it.
pub(crate) struct Served<'h> {
    pub(crate) running: Running<'h>,
    port: u16,
    token: String,
}

/// Starts a server on a free port and waits until it listens.
#[track_caller]
fn serve(home: &Home) -> Served<'_> {
    serve_with(home, &[])
}

/// The same with more arguments.
#[track_caller]
pub(crate) fn serve_with<'h>(home: &'h Home, args: &[&str]) -> Served<'h> {
    Served::start(Candor::new(BINARY, home).args(args), home)
}

/// The same on either database.
#[track_caller]
fn serve_on<'h>(home: &'h Home, keep: &Keep) -> Served<'h> {
    Served::start(keep.on(Candor::new(BINARY, home)), home)
}

impl<'h> Served<'h> {
    /// Starts the binary as a server on a free port and waits until it listens.
    #[track_caller]
    pub(crate) fn start(candor: Candor<'h>, home: &Home) -> Self {
        let candor = candor.args(["serve", "--listen", "127.0.0.1:0"]).env("FAKE_KEY", KEY);
        let running = candor.time_limit(Duration::from_secs(120)).spawn();
        running.wait_for_stderr("(token in ");
        let said = running.stderr();
        let port = said.split("http://127.0.0.1:").nth(1).and_then(|rest| rest.split(' ').next());
        let port = port.and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("no port in {said}"));
        Self { running, port, token: home.read("token").trim().to_owned() }
    }
}

impl Served<'_> {
    #[track_caller]
    pub(crate) fn connect(&self) -> Ws {
        Ws::connect(self.port, &self.token)
    }

    /// The status that an attempt to get a socket is refused with; 101 when it is not.
    fn refusal(&self, headers: &[(&str, &str)]) -> u16 {
        self.refusal_at("/ws", headers)
    }

    fn refusal_at(&self, path: &str, headers: &[(&str, &str)]) -> u16 {
        Ws::try_connect(self.port, path, headers).err().unwrap_or(101)
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// The name of the server as a client says it.
    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sends these bytes and reads to the end.
    fn raw(&self, bytes: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time limit");
        stream.write_all(bytes.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        // A connection that is reset has said what it had to say.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The status of a request with these lines after the first.
    fn status(&self, line: &str, headers: &[&str]) -> u16 {
        let head = [&[line], headers].concat().join("\r\n");
        status_of(&self.raw(&format!("{head}\r\n\r\n")))
    }

    /// The memory it holds of its own, in kilobytes. Pages of the program come and go as the machine likes.
    fn memory_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.running.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a size");
        line.trim().trim_end_matches("kB").trim().parse().expect("a number")
    }
}

#[track_caller]
fn status_of(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("no status in {answer:?}"))
}

/// A message in a new session.
fn message(text: &str) -> Value {
    json!({ "type": "send_message", "content": text })
}

/// A message in a session that is there.
fn message_in(session: &Value, text: &str) -> Value {
    json!({ "type": "send_message", "sessionId": session, "content": text })
}

/// Says something in a new session and gives all frames up to the end of the run.
#[track_caller]
fn converse(socket: &mut Ws, text: &str) -> Vec<Value> {
    socket.send(message(text)).until_type("run_end")
}

/// Says something in a session that is there, likewise.
#[track_caller]
fn converse_in(socket: &mut Ws, session: &Value, text: &str) -> Vec<Value> {
    socket.send(message_in(session, text)).until_type("run_end")
}

/// The words of the last whole answer among frames.
#[track_caller]
fn answer(frames: &[Value]) -> &str {
    let complete = frames.iter().rfind(|frame| frame["type"] == "message_complete");
    complete.and_then(|frame| frame["content"][0]["text"].as_str()).unwrap_or_else(|| panic!("{frames:#?}"))
}

/// The types of frames, in order, without pieces of answers.
fn types(frames: &[Value]) -> Vec<&str> {
    let types = frames.iter().filter_map(|frame| frame["type"].as_str());
    types.filter(|kind| !matches!(*kind, "stream_delta" | "status")).collect()
}

/// The numbers of the stored events among frames.
fn stored(frames: &[Value]) -> Vec<u64> {
    let is_stored = |frame: &&Value| {
        !matches!(frame["type"].as_str(), Some("stream_delta" | "tool_progress" | "status" | "ack"))
    };
    frames.iter().filter(is_stored).filter_map(|frame| frame["seq"].as_u64()).collect()
}

/// A model whose every answer is this.
fn saying(text: &str) -> FakeLlm {
    let fake = FakeLlm::start(candor_testkit::Dialect::Anthropic);
    fake.repeat(candor_testkit::Reply::text(text));
    fake
}
