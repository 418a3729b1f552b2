//! A proxy that connects to listed hosts only: `CONNECT` for anything, and plain HTTP.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::hosts::{Hosts, Target};
use super::{ACCEPT_PAUSE, CONNECTIONS_MAX};

/// The most that a request may say before its body.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// How long it may take to say it.
const HEAD_TIME_MAX: Duration = Duration::from_secs(30);
/// How long a host may take to answer a knock.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(30);

/// Where the head of a request ends.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// Answers whoever comes, until it is aborted.
pub(super) async fn serve(listener: TcpListener, hosts: Arc<Hosts>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    // Aborting this task drops the set, and with it every connection.
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        while connections.try_join_next().is_some() {}
        let Ok((inside, _)) = listener.accept().await else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let hosts = Arc::clone(&hosts);
        connections.spawn(async move {
            let _permit = permit;
            // Whoever is not understood, or goes away, is not answered.
            let _ = answer(inside, &hosts).await;
        });
    }
}

/// What is asked for.
struct Asked {
    target: Target,
    /// What is sent on to the host; nothing for a tunnel.
    head: Vec<u8>,
}

async fn answer(mut inside: TcpStream, hosts: &Hosts) -> io::Result<()> {
    let Ok(head) = timeout(HEAD_TIME_MAX, read_head(&mut inside)).await else { return Ok(()) };
    let (head, rest) = head?;
    let Some(asked) = parse(&head) else {
        return refuse(&mut inside, "400 Bad Request", "This is no request to a proxy.").await;
    };
    if !hosts.allows(&asked.target) {
        let Target { host, port } = &asked.target;
        let reason = format!("{host}:{port} is not on the list of hosts.");
        return refuse(&mut inside, "403 Forbidden", &reason).await;
    }
    let mut outside = match connect(&asked.target).await {
        Ok(outside) => outside,
        Err(reason) => return refuse(&mut inside, "502 Bad Gateway", &reason).await,
    };
    if asked.head.is_empty() {
        inside.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    }
    outside.write_all(&asked.head).await?;
    outside.write_all(&rest).await?;
    copy_bidirectional(&mut inside, &mut outside).await.map(drop)
}

/// Reads up to the end of the head: the head, and what came after it.
async fn read_head(stream: &mut TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&chunk[..read]);
        if let Some(end) = memchr::memmem::find(&bytes, HEAD_END) {
            let rest = bytes.split_off(end + HEAD_END.len());
            return Ok((bytes, rest));
        }
        if bytes.len() > HEAD_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// Reads the head of a request, and writes the one that is sent on.
fn parse(head: &[u8]) -> Option<Asked> {
    let text = str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, uri, version) = (words.next()?, words.next()?, words.next()?);
    if !version.starts_with("HTTP/1.") || words.next().is_some() {
        return None;
    }
    if method == "CONNECT" {
        return Some(Asked { target: Target::parse(uri)?, head: Vec::new() });
    }
    let rest = uri.strip_prefix("http://")?;
    let (authority, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
    let target = Target::parse(authority).or_else(|| Target::new(authority, 80))?;
    // The host is what was checked, whatever the request says in another place; and one request is all that is sent.
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut sent = format!("{method} {slash}{path} {version}\r\nHost: {authority}\r\nConnection: close\r\n");
    for line in lines.filter(|line| !line.is_empty() && !is_ours(line)) {
        sent.push_str(line);
        sent.push_str("\r\n");
    }
    sent.push_str("\r\n");
    Some(Asked { target, head: sent.into_bytes() })
}

/// Headers that are between a client and its proxy, or that we write ourselves.
fn is_ours(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(name.as_str(), "host" | "connection" | "keep-alive") || name.starts_with("proxy-")
}

/// Connects to the host. The address that was looked at is the one that is used: a name that leads elsewhere a moment
/// later leads nowhere here.
async fn connect(target: &Target) -> Result<TcpStream, String> {
    let Target { host, port } = target;
    let failed = |error: io::Error| format!("{host}:{port} cannot be reached: {error}");
    let found = timeout(CONNECT_TIME_MAX, lookup_host((host.as_str(), *port))).await;
    let found = found.map_err(|_| failed(io::ErrorKind::TimedOut.into()))?;
    let addresses: Vec<SocketAddr> = found.map_err(failed)?.collect();
    let mut last = format!("{host} leads to an address that is not public.");
    for address in addresses.into_iter().filter(|address| Hosts::may_reach(target, *address)) {
        match timeout(CONNECT_TIME_MAX, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = failed(error),
            Err(_) => last = failed(io::ErrorKind::TimedOut.into()),
        }
    }
    Err(last)
}

async fn refuse(stream: &mut TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let length = reason.len() + 1;
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{reason}\n"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}
