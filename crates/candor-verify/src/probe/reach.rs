//! Where an address leads, and the connection to it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use candor_sandbox::Sandbox;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use super::outcome::{Found, Waiting, one_line, span};
use super::{Target, Try, mistake, pause, tls};

/// Both ends of a connection, with or without TLS.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// To the session's own network: the first of these that answers.
    Inside(Vec<SocketAddr>),
    /// Somewhere else.
    Outside { host: String, port: u16 },
}

/// Whether a refused connection is tried again until the time is over. A service may say that it is ready a moment before
/// it listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    Once,
    UntilTold,
}

/// How to get somewhere.
#[derive(Clone, Copy)]
pub(super) struct Reach<'r> {
    pub(super) sandbox: &'r Sandbox,
    pub(super) may_leave: bool,
    pub(super) patience: Patience,
}

impl<'r> Reach<'r> {
    pub(super) fn of(target: &Target<'r>) -> Self {
        Self { sandbox: target.sandbox, may_leave: target.may_leave, patience: Patience::UntilTold }
    }

    /// Connects, and keeps the first bytes that come.
    pub(super) async fn connect(&self, place: &Place, waiting: &Waiting) -> Result<TcpStream, Found> {
        waiting.for_want_of("no connection");
        loop {
            let error = match self.dial(place).await {
                Ok(stream) => return Ok(stream),
                Err(Failed::Found(found)) => return Err(found),
                Err(Failed::Io(error)) => error,
            };
            let said = unconnected(place, &error);
            if error.kind() != io::ErrorKind::ConnectionRefused || self.patience == Patience::Once {
                return Err(Found::no_answer(said, ""));
            }
            waiting.for_want_of(format!("{said}: no connection"));
            pause().await;
        }
    }

    async fn dial(&self, place: &Place) -> Result<TcpStream, Failed> {
        let stream = match place {
            Place::Inside(_) if !self.sandbox.can_dial() => return Err(Failed::Found(walled_off())),
            Place::Inside(addresses) => self.dial_first(addresses).await?,
            Place::Outside { host, .. } if !self.may_leave => return Err(Failed::Found(leaves(host))),
            Place::Outside { host, port } => TcpStream::connect((host.as_str(), *port)).await?,
        };
        // Questions are small and wait for answers. It is a matter of speed alone.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    async fn dial_first(&self, addresses: &[SocketAddr]) -> io::Result<TcpStream> {
        let mut refused = None;
        for address in addresses {
            match self.sandbox.dial(*address).await {
                // Where nothing listens on a port, a connection may by chance come from that very port and meet itself.
                Ok(stream) if stream.local_addr().is_ok_and(|ours| ours == *address) => {}
                Ok(stream) => return Ok(stream),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| io::ErrorKind::ConnectionRefused.into()))
    }
}

enum Failed {
    Found(Found),
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Place {
    /// Where a host and a port lead. An address that means all of this machine's own is asked on its loopback.
    pub(super) fn of(host: &str, port: u16) -> Self {
        let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
        let lower = host.to_ascii_lowercase();
        if lower == "localhost" || lower.ends_with(".localhost") {
            return Self::of_ip(Ipv4Addr::UNSPECIFIED.into(), port);
        }
        match host.parse() {
            Ok(address) if is_here(address) => Self::of_ip(address, port),
            _ => Self::Outside { host: host.to_owned(), port },
        }
    }

    /// Where a service listens that was seen to.
    pub(super) fn listening(address: SocketAddr) -> Self {
        Self::of_ip(address.ip(), address.port())
    }

    fn of_ip(ip: IpAddr, port: u16) -> Self {
        let (v4, v6) = (IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST));
        let all = match ip {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => vec![v4, v6],
            // It takes connections to IPv4 too, unless it was told not to.
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => vec![v6, v4],
            one => vec![one],
        };
        Self::Inside(all.into_iter().map(|ip| SocketAddr::new(ip, port)).collect())
    }

    /// Where a URL leads.
    pub(super) fn of_url(url: &Url) -> Result<Self, String> {
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| format!("{} names no host", one_line(url.as_str())))?;
        let port = url.port_or_known_default();
        Ok(Self::of(host, port.ok_or_else(|| format!("{} names no port", one_line(url.as_str())))?))
    }

    /// Where `host:port` leads.
    pub(super) fn of_address(address: &str) -> Result<Self, String> {
        let wrong = || format!("{} is no host:port", one_line(address));
        let address = address.trim();
        let address = address.strip_prefix("tcp://").unwrap_or(address);
        let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
        let host = if host.is_empty() { "localhost" } else { host };
        let is_bare_v6 = host.contains(':') && !host.starts_with('[');
        let port = port.parse().ok().filter(|port| *port > 0 && !is_bare_v6).ok_or_else(wrong)?;
        Ok(Self::of(host, port))
    }

    /// What people call it.
    fn name(&self) -> String {
        match self {
            Self::Inside(addresses) => {
                addresses.first().map_or_else(String::new, std::string::ToString::to_string)
            }
            Self::Outside { host, port } => format!("{}:{port}", one_line(host)),
        }
    }
}

/// Asks whether an address takes connections.
pub(super) async fn ask(address: &str, asked: &Try<'_>) -> Found {
    let place = match Place::of_address(address) {
        Ok(place) => place,
        Err(why) => return mistake(why),
    };
    match Reach::of(asked.target).connect(&place, asked.waiting).await {
        Ok(_) => Found::passed("connected", ""),
        Err(found) => found,
    }
}

/// Asks once whether `host:port` takes connections; if not, says why. Only what is on this machine is asked.
pub async fn tcp_ready(address: &str, sandbox: &Sandbox, limit: Duration) -> Result<(), String> {
    let place = Place::of_address(address)?;
    let reach = Reach { sandbox, may_leave: false, patience: Patience::Once };
    match timeout(limit, reach.connect(&place, &Waiting::new())).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(found)) => Err(found.said),
        Err(_) => Err(format!("no connection to {} within {}", place.name(), span(limit))),
    }
}

/// Whether an address is of this machine whatever its interfaces.
fn is_here(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified()
}

fn unconnected(place: &Place, error: &io::Error) -> String {
    let name = place.name();
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("nothing listens at {name}"),
        io::ErrorKind::ConnectionReset => format!("{name} reset the connection"),
        _ => format!("no connection to {name}: {error}"),
    }
}

pub(super) fn leaves(host: &str) -> Found {
    Found::unverifiable(format!(
        "{} is not on this machine; with `remote_probes: true` in .candor/verify.yaml and `sandbox.network = \"all\"` it would be asked",
        one_line(host)
    ))
}

fn walled_off() -> Found {
    Found::unverifiable("the walls here leave the service no network that can be reached")
}

/// Connects for a URL, with TLS if its scheme says so.
pub(super) async fn wire(
    url: &Url,
    place: &Place,
    reach: &Reach<'_>,
    waiting: &Arc<Waiting>,
) -> Result<Box<dyn Wire>, Found> {
    let stream = reach.connect(place, waiting).await?;
    waiting.connected();
    if !matches!(url.scheme(), "https" | "wss") {
        return Ok(Box::new(Recorded::new(stream, waiting)));
    }
    waiting.for_want_of("no TLS connection");
    let stream = tls::connect(url, place, stream).await?;
    waiting.for_want_of("no answer");
    Ok(Box::new(Recorded::new(stream, waiting)))
}

/// A connection whose first bytes are kept: what is no HTTP must be seen to be understood.
pub(super) struct Recorded<S> {
    stream: S,
    waiting: Arc<Waiting>,
}

impl<S> Recorded<S> {
    pub(super) fn new(stream: S, waiting: &Arc<Waiting>) -> Self {
        Self { stream, waiting: Arc::clone(waiting) }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Recorded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.waiting.received(buffer.filled().get(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Recorded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
