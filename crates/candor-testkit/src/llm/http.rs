//! HTTP/1.1 by hand: whole requests in, bytes out. A library would repair what this fake has to break.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::net::TcpStream;
use std::time::Instant;

/// The longest head that is read. Ours are below two kilobytes.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// The longest body that is read: a full context window with images is below it.
const BODY_BYTES_MAX: usize = 256 << 20;

/// How many header fields a request may have.
const HEADERS_MAX: usize = 100;

/// What one read takes from the socket: most requests in a few reads, and little enough for a thread's stack.
const READ_BYTES: usize = 16 << 10;

/// A request, read to its end.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// When its last byte was there.
    pub(super) at: Instant,
}

impl Incoming {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub(super) fn closes(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// The value of the first header of that name, whatever its case.
pub(super) fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The reading side of one connection.
pub(super) struct Reader {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Reader {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    /// The next request; none when the client has left between two of them.
    pub(super) fn request(&mut self) -> io::Result<Option<Incoming>> {
        let mut incoming = loop {
            if let Some((incoming, head_bytes)) = parse_head(&self.buffer)? {
                self.buffer.drain(..head_bytes);
                break incoming;
            }
            if self.buffer.len() > HEAD_BYTES_MAX {
                return Err(broken("the head is too long"));
            }
            if !self.fill()? {
                return if self.buffer.is_empty() { Ok(None) } else { Err(broken("cut within the head")) };
            }
        };
        let chunked = incoming.header("transfer-encoding").is_some_and(|value| value.contains("chunked"));
        incoming.body = if chunked {
            self.chunked_body()?
        } else {
            let declared = incoming.header("content-length").unwrap_or("0");
            let length = declared.trim().parse().map_err(|_| broken("content-length is no number"))?;
            self.take(length)?
        };
        incoming.at = Instant::now();
        Ok(Some(incoming))
    }

    fn chunked_body(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16).map_err(|_| broken("a chunk size is no number"))?;
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.take(size)?);
            if body.len() > BODY_BYTES_MAX || !self.line()?.is_empty() {
                return Err(broken("a chunk is longer than it said, or all are too long"));
            }
        }
    }

    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\r\n") {
                let line = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
                self.buffer.drain(..end + 2);
                return Ok(line);
            }
            if self.buffer.len() > HEAD_BYTES_MAX || !self.fill()? {
                return Err(broken("cut within a line"));
            }
        }
    }

    fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > BODY_BYTES_MAX {
            return Err(broken("the body is too long"));
        }
        while self.buffer.len() < length {
            if !self.fill()? {
                return Err(broken("cut within the body"));
            }
        }
        let rest = self.buffer.split_off(length);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    /// Waits for more bytes; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        let mut piece = [0; READ_BYTES];
        let count = self.stream.read(&mut piece)?;
        self.buffer.extend_from_slice(&piece[..count]);
        Ok(count > 0)
    }
}

/// The head at the front of the bytes and its length; none while it is not complete.
fn parse_head(bytes: &[u8]) -> io::Result<Option<(Incoming, usize)>> {
    let mut fields = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => Ok(None),
        Ok(httparse::Status::Complete(length)) => {
            let text = |part: Option<&str>| part.unwrap_or_default().to_string();
            let headers = request.headers.iter().map(|field| {
                (field.name.to_ascii_lowercase(), String::from_utf8_lossy(field.value).into_owned())
            });
            let (method, target, headers) = (text(request.method), text(request.path), headers.collect());
            Ok(Some((Incoming { method, target, headers, body: Vec::new(), at: Instant::now() }, length)))
        }
        Err(error) => Err(broken(&error.to_string())),
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}

/// The head of a response, up to and with its empty line.
pub(super) fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    text.push_str("\r\n");
    text.into_bytes()
}

/// A whole response with a length.
pub(super) fn response(
    status: u16,
    headers: &[(String, String)],
    content_type: &str,
    body: &[u8],
) -> Vec<u8> {
    let mut all = headers.to_vec();
    if !content_type.is_empty() {
        all.push(("content-type".into(), content_type.into()));
    }
    all.push(("content-length".into(), body.len().to_string()));
    let mut bytes = head(status, &all);
    bytes.extend_from_slice(body);
    bytes
}

/// Appends one chunk of a chunked body.
pub(super) fn chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

/// The chunk that ends a body.
pub(super) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Payload Too Large",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        // A reason may be empty, and clients must not need it.
        _ => "",
    }
}
