//! A server that is a process: one JSON message a line, both ways.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candor_sandbox::{How, Running, State};
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, NumberOrString, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest line: as long as the largest picture that anybody sends, and some more.
pub(crate) const LINE_BYTES_MAX: usize = 16 << 20;
/// What a read takes.
const CHUNK_BYTES: usize = 64 << 10;
/// How much of what it says about trouble is kept.
pub(crate) const SAID_BYTES_MAX: usize = 8 << 10;
/// How much of that a card repeats.
const TOLD_CHARS_MAX: usize = 1500;
/// How long a server may take to end after its input has ended.
const GRACE: Duration = Duration::from_secs(2);

/// A process that is spoken to, as those who ask about it see it.
#[derive(Clone)]
pub(crate) struct Child {
    running: Arc<Running>,
    oddities: Arc<Mutex<Oddities>>,
}

/// What a server did that it should not.
#[derive(Debug, Default, Clone)]
pub(crate) struct Oddities {
    /// Lines that are no message.
    pub(crate) garbage_lines: u64,
    /// Answers to what was not asked.
    pub(crate) unasked_answers: u64,
    /// Why nothing more is read from it.
    pub(crate) fatal: Option<String>,
}

impl Child {
    pub(crate) fn new(running: Running) -> Self {
        Self { running: Arc::new(running), oddities: Arc::default() }
    }

    /// Its number.
    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// What it did that it should not.
    pub(crate) fn oddities(&self) -> Oddities {
        self.oddities.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How it ended, in words that go on from its name.
    pub(crate) async fn how(&self) -> String {
        if let Some(fatal) = self.oddities().fatal {
            return format!("was ended because {fatal}");
        }
        // Its output has ended, and so has it in a moment, or it never will.
        let _ = tokio::time::timeout(GRACE, self.running.ended()).await;
        match self.running.state() {
            State::Running => "closed its output".to_owned(),
            State::Ended(How::Exited(code)) => format!("ended with exit code {code}"),
            State::Ended(How::Signalled(signal)) => format!("was ended by signal {signal}"),
            State::Ended(How::TimedOut | How::Cancelled) => "was ended".to_owned(),
        }
    }

    /// The end of what it said about trouble.
    pub(crate) fn said(&self) -> String {
        let said = self.running.output().text();
        let said = said.trim();
        let skip = said.chars().count().saturating_sub(TOLD_CHARS_MAX);
        said.chars().skip(skip).collect()
    }

    /// Lets it end by itself, and ends it if it does not.
    pub(crate) async fn stop(&self) {
        self.running.close().await;
        if tokio::time::timeout(GRACE, self.running.ended()).await.is_err() {
            self.running.stop(GRACE).await;
        }
    }

    fn note(&self, note: impl FnOnce(&mut Oddities)) {
        note(&mut self.oddities.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The conversation with a process.
pub(crate) struct Stdio<R> {
    child: Child,
    lines: Lines<R>,
    /// What it was asked and has not answered. Its answers come in any order, and some of them to nothing that was asked.
    asked: HashSet<NumberOrString>,
}

impl<R: AsyncRead + Unpin + Send> Stdio<R> {
    pub(crate) fn new(child: Child, output: R) -> Self {
        Self { child, lines: Lines::new(output), asked: HashSet::new() }
    }

    /// Whether anybody waits for this.
    fn is_expected(&mut self, message: &ServerJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Response(response) => self.asked.remove(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().is_none_or(|id| self.asked.remove(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => true,
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleClient> for Stdio<R> {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                // A late answer to what was tried before must not be taken for the answer to this.
                self.asked.clear();
            }
            self.asked.insert(request.id.clone());
        }
        let running = Arc::clone(&self.child.running);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            running.write(&line).await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = match self.lines.next().await {
                Ok(Some(line)) => line,
                Ok(None) => return None,
                Err(reason) => {
                    self.child.note(|oddities| oddities.fatal = Some(reason.to_string()));
                    return None;
                }
            };
            let is_empty = line.trim_ascii().is_empty();
            match serde_json::from_slice::<ServerJsonRpcMessage>(line) {
                Ok(message) if self.is_expected(&message) => return Some(message),
                Ok(_) => self.child.note(|oddities| oddities.unasked_answers += 1),
                Err(_) if is_empty => {}
                Err(_) => self.child.note(|oddities| oddities.garbage_lines += 1),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.child.stop().await;
        Ok(())
    }
}

/// A stream, line by line, with a bound on a line.
struct Lines<R> {
    from: R,
    held: Vec<u8>,
    /// Where the line begins that comes next.
    start: usize,
    /// How much of what is held was looked at.
    seen: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(from: R) -> Self {
        Self { from, held: Vec::new(), start: 0, seen: 0 }
    }

    /// The next line. Nothing of it is lost if nobody waits for it to the end.
    async fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            if let Some(found) = self.held[self.seen..].iter().position(|byte| *byte == b'\n') {
                let (start, end) = (self.start, self.seen + found);
                self.start = end + 1;
                self.seen = self.start;
                return Ok(Some(&self.held[start..end]));
            }
            self.held.drain(..self.start);
            (self.start, self.seen) = (0, self.held.len());
            if self.held.len() > LINE_BYTES_MAX {
                return Err(io::Error::other(format!("it wrote a line of more than {LINE_BYTES_MAX} bytes")));
            }
            if self.held.capacity() > CHUNK_BYTES * 2 && self.held.len() < CHUNK_BYTES {
                // One long line must not be paid for until the end.
                self.held.shrink_to(CHUNK_BYTES * 2);
            }
            self.held.reserve(CHUNK_BYTES);
            if self.from.read_buf(&mut self.held).await? == 0 {
                return Ok(None);
            }
        }
    }
}
