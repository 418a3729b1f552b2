//! A client that hides nothing: how a body ended is part of what it returns.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use candor_testkit::{Dialect, FakeLlm};
use serde_json::{Value, json};

/// A read that takes longer is a hung server.
const READ_LIMIT: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// As its length or its last chunk said.
    Properly,
    /// The connection was closed first.
    Closed,
    /// The connection was reset.
    Reset,
    /// The chunks were not well formed.
    Malformed,
}

#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The chunks as they were cut.
    pub(crate) chunks: Vec<Vec<u8>>,
    pub(crate) ended: Ended,
}

pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub(crate) fn new(fake: &FakeLlm) -> Self {
        let url = fake.base_url();
        let host = url.trim_start_matches("http://").split('/').next().expect("a host");
        let stream = TcpStream::connect(host).expect("the fake listens");
        stream.set_read_timeout(Some(READ_LIMIT)).expect("a time limit");
        Self { stream, buffer: Vec::new() }
    }

    /// Sends a model request with a key.
    pub(crate) fn send(&mut self, dialect: Dialect, body: &Value) {
        self.send_with(dialect, &headers(dialect), &body.to_string());
    }

    pub(crate) fn send_with(&mut self, dialect: Dialect, headers: &[(&str, &str)], body: &str) {
        let start = format!("POST {} HTTP/1.1\r\nhost: localhost\r\n", path(dialect));
        let text = format!("{start}{}content-length: {}\r\n\r\n{body}", fields(headers), body.len());
        self.write(text.as_bytes());
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the fake reads");
    }

    pub(crate) fn ask(&mut self, dialect: Dialect, body: &Value) -> Got {
        self.send(dialect, body);
        self.read()
    }

    pub(crate) fn get(&mut self, path: &str, dialect: Dialect) -> Got {
        let fields = fields(&headers(dialect));
        self.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{fields}\r\n").as_bytes());
        self.read()
    }

    /// Reads a response; informational ones are skipped.
    pub(crate) fn read(&mut self) -> Got {
        loop {
            let got = self.read_one();
            if !(100..200).contains(&got.status) {
                return got;
            }
        }
    }

    pub(crate) fn read_one(&mut self) -> Got {
        let nothing =
            |ended| Got { status: 0, headers: Vec::new(), body: Vec::new(), chunks: Vec::new(), ended };
        let mut head = String::new();
        loop {
            match self.line() {
                Err(ended) => return nothing(ended),
                Ok(line) if line.is_empty() => break,
                Ok(line) => head.extend([line.as_str(), "\n"]),
            }
        }
        let mut lines = head.lines();
        let status_line = lines.next().expect("a status line");
        let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_string())).collect();
        let mut got = Got { status, headers, ..nothing(Ended::Properly) };
        match got.header("content-length").map(|length| length.parse::<usize>().expect("a length")) {
            Some(length) => got.ended = self.take(length, &mut got.body),
            None if got.header("transfer-encoding") == Some("chunked") => got.ended = self.chunks(&mut got),
            None => {}
        }
        got
    }

    /// Reads until this text has come, and keeps it for the next read.
    pub(crate) fn read_some(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.buffer).contains(text) {
            assert_eq!(self.fill(), Ok(()), "ended before {text:?}");
        }
    }

    /// Reads a chunked response to its end without looking at it: for measuring.
    pub(crate) fn read_bytes_until_end(&mut self) {
        while !self.buffer.ends_with(b"0\r\n\r\n") {
            assert_eq!(self.fill(), Ok(()), "ended too early");
        }
        self.buffer.clear();
    }

    /// Whatever comes until the connection ends, and how it ends.
    pub(crate) fn rest(&mut self) -> (Vec<u8>, Ended) {
        loop {
            if let Err(ended) = self.fill() {
                return (std::mem::take(&mut self.buffer), ended);
            }
        }
    }

    fn chunks(&mut self, got: &mut Got) -> Ended {
        loop {
            let size = match self.line() {
                Ok(line) => line,
                Err(ended) => return ended,
            };
            let Ok(size) = usize::from_str_radix(&size, 16) else { return Ended::Malformed };
            let mut chunk = Vec::new();
            let ended = self.take(size, &mut chunk);
            got.body.extend_from_slice(&chunk);
            if ended != Ended::Properly {
                return ended;
            }
            match self.line() {
                Ok(line) if line.is_empty() && size == 0 => return Ended::Properly,
                Ok(line) if line.is_empty() => got.chunks.push(chunk),
                Ok(_) => return Ended::Malformed,
                Err(ended) => return ended,
            }
        }
    }

    fn take(&mut self, length: usize, into: &mut Vec<u8>) -> Ended {
        while self.buffer.len() < length {
            if let Err(ended) = self.fill() {
                into.append(&mut self.buffer);
                return ended;
            }
        }
        into.extend(self.buffer.drain(..length));
        Ended::Properly
    }

    fn line(&mut self) -> Result<String, Ended> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\r\n") {
                let line = self.buffer.drain(..end + 2).collect::<Vec<u8>>();
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Result<(), Ended> {
        let mut piece = [0; 8192];
        match self.stream.read(&mut piece) {
            Ok(0) => Err(Ended::Closed),
            Ok(count) => {
                self.buffer.extend_from_slice(&piece[..count]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Err(Ended::Reset),
            Err(error) => panic!("the fake hangs: {error}"),
        }
    }
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    /// The names and the data of the frames; a JSON line has no name. What is not JSON comes as a string.
    pub(crate) fn frames(&self) -> Vec<(String, Value)> {
        let text = self.text().replace("\r\n", "\n");
        if self.header("content-type") == Some("application/x-ndjson") {
            let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
            return lines.map(|value| (String::new(), value)).collect();
        }
        let frames = text.split("\n\n").filter_map(|frame| {
            let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
            let data = field("data: ")?;
            let value = serde_json::from_str(data).unwrap_or_else(|_| Value::String(data.to_string()));
            Some((field("event: ").unwrap_or_default().to_string(), value))
        });
        frames.collect()
    }

    /// The text of the answer, from its deltas.
    pub(crate) fn said(&self, dialect: Dialect) -> String {
        let pointer = match dialect {
            Dialect::OpenaiChat => "/choices/0/delta/content",
            Dialect::OpenaiResponses => "/delta",
            Dialect::Anthropic => "/delta/text",
            Dialect::Gemini => "/candidates/0/content/parts/0/text",
            Dialect::Ollama => "/message/content",
        };
        let thought = |value: &Value| value["candidates"][0]["content"]["parts"][0]["thought"] == true;
        let frames = self.frames().into_iter().filter(|(event, value)| {
            !thought(value) && (dialect != Dialect::OpenaiResponses || event == "response.output_text.delta")
        });
        frames.filter_map(|(_, value)| value.pointer(pointer)?.as_str().map(str::to_string)).collect()
    }
}

/// Asks once on a connection of its own.
pub(crate) fn ask(fake: &FakeLlm) -> Got {
    Client::new(fake).ask(fake.dialect(), &hello(fake.dialect()))
}

pub(crate) fn path(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenaiChat => "/v1/chat/completions",
        Dialect::OpenaiResponses => "/v1/responses",
        Dialect::Anthropic => "/v1/messages",
        Dialect::Gemini => "/v1beta/models/some-model:streamGenerateContent?alt=sse",
        Dialect::Ollama => "/api/chat",
    }
}

pub(crate) fn headers(dialect: Dialect) -> Vec<(&'static str, &'static str)> {
    match dialect {
        Dialect::OpenaiChat | Dialect::OpenaiResponses => vec![("Authorization", "Bearer key")],
        Dialect::Anthropic => vec![("X-Api-Key", "key"), ("anthropic-version", "2023-06-01")],
        Dialect::Gemini => vec![("x-goog-api-key", "key")],
        Dialect::Ollama => vec![],
    }
}

/// Headers as lines.
pub(crate) fn fields(headers: &[(&str, &str)]) -> String {
    headers.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = write!(text, "{name}: {value}\r\n");
        text
    })
}

/// The least that each dialect takes.
pub(crate) fn hello(dialect: Dialect) -> Value {
    let messages = json!([{ "role": "user", "content": "hello" }]);
    match dialect {
        Dialect::OpenaiChat => json!({ "model": "some-model", "stream": true, "messages": messages }),
        Dialect::OpenaiResponses => json!({ "model": "some-model", "stream": true, "store": false,
            "input": messages }),
        Dialect::Anthropic => json!({ "model": "some-model", "stream": true, "max_tokens": 10,
            "messages": messages }),
        Dialect::Gemini => json!({ "contents": [{ "role": "user", "parts": [{ "text": "hello" }] }] }),
        Dialect::Ollama => json!({ "model": "some-model", "stream": true, "options": { "num_ctx": 4096 },
            "messages": messages }),
    }
}

/// A system text, a tool, a question, a call with its result, and another question.
pub(crate) fn round(dialect: Dialect) -> Value {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let function = json!({ "name": "read", "description": "reads", "parameters": schema });
    let mut body = hello(dialect);
    match dialect {
        Dialect::OpenaiChat => {
            body["tools"] = json!([{ "type": "function", "function": function }]);
            body["messages"] = json!([
                { "role": "system", "content": "be brief" }, { "role": "user", "content": "one" },
                { "role": "assistant", "content": null, "tool_calls": [{ "id": "c1", "type": "function",
                    "function": { "name": "read", "arguments": "{\"path\":\"a\"}" } }] },
                { "role": "tool", "tool_call_id": "c1", "content": "found" },
                { "role": "user", "content": [{ "type": "text", "text": "two" }] }]);
        }
        Dialect::OpenaiResponses => {
            body["tools"] = json!([{ "type": "function", "name": "read", "parameters": schema }]);
            body["instructions"] = json!("be brief");
            body["input"] = json!([
                { "role": "user", "content": [{ "type": "input_text", "text": "one" }] },
                { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc" },
                { "type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}" },
                { "type": "function_call_output", "call_id": "c1", "output": "found" },
                { "role": "user", "content": "two" }]);
        }
        Dialect::Anthropic => {
            body["tools"] = json!([{ "name": "read", "input_schema": schema }]);
            body["system"] = json!([{ "type": "text", "text": "be brief" }]);
            body["messages"] = json!([
                { "role": "user", "content": "one" },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "hm", "signature": "abc" },
                    { "type": "tool_use", "id": "c1", "name": "read", "input": {} }] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "c1", "content": [{ "type": "text", "text": "found" }] },
                    { "type": "text", "text": "two" }] }]);
        }
        Dialect::Gemini => {
            body["tools"] = json!([{ "functionDeclarations": [function] }]);
            body["systemInstruction"] = json!({ "parts": [{ "text": "be brief" }] });
            body["contents"] = json!([
                { "role": "user", "parts": [{ "text": "one" }] },
                { "role": "model", "parts": [{ "functionCall": { "name": "read", "args": {} } }] },
                { "role": "user", "parts": [
                    { "functionResponse": { "name": "read", "response": { "result": "found" } } },
                    { "text": "two" }] }]);
        }
        Dialect::Ollama => {
            body["tools"] = json!([{ "type": "function", "function": function }]);
            body["messages"] = json!([
                { "role": "system", "content": "be brief" }, { "role": "user", "content": "one" },
                { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "read",
                    "arguments": {} } }] },
                { "role": "tool", "tool_name": "read", "content": "found" },
                { "role": "user", "content": "two" }]);
        }
    }
    body
}
