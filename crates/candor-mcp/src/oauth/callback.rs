//! Waits on this machine for a browser to come back from a login.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The path that the browser is sent back to.
const PATH: &str = "/callback";
/// The longest head of a request.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// How long a browser may take to say what it wants.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

const THANKS: &str = "You are logged in. You can close this window and go back to Candor.";
const SORRY: &str = "The login was not granted. You can close this window and go back to Candor.";

/// Somebody who waits.
pub(super) struct Callback {
    listener: TcpListener,
    /// Where the browser is to be sent.
    pub(super) address: String,
}

impl Callback {
    pub(super) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = format!("http://127.0.0.1:{}{PATH}", listener.local_addr()?.port());
        Ok(Self { listener, address })
    }

    /// The whole address that the browser came back with. Whether its `state` is ours is for the login to see.
    pub(super) async fn came_back(&self) -> io::Result<String> {
        loop {
            let (mut stream, _) = self.listener.accept().await?;
            // A browser asks for other things too, and anybody on this machine may ask for anything.
            let Ok(Ok(Some(target))) = tokio::time::timeout(HEAD_TIME_MAX, target(&mut stream)).await else {
                continue;
            };
            let origin = self.address.strip_suffix(PATH).unwrap_or(&self.address);
            let Some(query) = target.strip_prefix(PATH).and_then(|rest| rest.strip_prefix('?')) else {
                answer(&mut stream, "404 Not Found", "There is nothing here.").await;
                continue;
            };
            let is_granted = query.split('&').any(|pair| pair.starts_with("code="));
            answer(&mut stream, "200 OK", if is_granted { THANKS } else { SORRY }).await;
            return Ok(format!("{origin}{target}"));
        }
    }
}

/// What a GET request asks for.
async fn target(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > HEAD_BYTES_MAX || stream.read_buf(&mut head).await? == 0 {
            return Ok(None);
        }
    }
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split(' ');
    Ok(words.next().filter(|method| *method == "GET").and_then(|_| words.next()).map(str::to_owned))
}

async fn answer(stream: &mut TcpStream, status: &str, text: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    // A browser that has gone away does not matter any more.
    let _ = stream.write_all(format!("{head}{text}").as_bytes()).await;
    let _ = stream.shutdown().await;
}
