//! When a service is ready.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use candor_sandbox::{How, Listening, Running, Sandbox, State};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::excerpt;
use crate::heard::Heard;
use crate::plan::{ProbeHow, READY_TIMEOUT, ReadyWhen, Service};
use crate::probe::{http_ready, tcp_ready};

/// How long a service without a port must stay alive to be called ready, where no line says so.
const ALIVE: Duration = Duration::from_millis(1_500);
/// How often is looked, at first; each look doubles it up to the second.
const LOOK: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));
/// How long one question may take.
const QUESTION: Duration = Duration::from_secs(2);

/// What services say when they are ready.
const READY_LINE: &str = r"(?i)\b(?:listening (?:on|at)|running (?:on|at)|serving (?:on|at|http)|ready (?:on|in|to accept|for)|accepting connections|server (?:is )?(?:started|ready|running|up)|started (?:server|polling|bot)|bot (?:is )?(?:started|ready|running)|polling (?:started|for)|application startup complete|waiting for (?:connections|messages|updates|jobs))\b";

/// What any service is asked that happens to listen; that it is asked does not mean that it must.
const USUAL: &[&str] = &["GET /", "GET /health", "GET /healthz"];

/// What is looked at.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) service: &'a Service,
    pub(super) sandbox: &'a Sandbox,
    pub(super) running: &'a Running,
    pub(super) heard: &'a Heard,
    pub(super) cancel: &'a CancellationToken,
    pub(super) started: Instant,
}

/// It is ready.
pub(super) struct Ready {
    /// What tells so.
    pub(super) by: String,
    /// Where it listens.
    pub(super) base: Option<SocketAddr>,
}

/// It is not.
pub(super) enum NotReady {
    Ended(How),
    /// Somebody else listens where it should.
    Taken(SocketAddr),
    /// It took too long, and this is what was missing.
    Late(String),
    Stopped,
}

/// The pattern of the line that tells that a service is ready.
pub(super) fn line(service: &Service) -> &str {
    match service.ready.as_ref().map(|ready| &ready.when) {
        Some(ReadyWhen::Log(pattern)) => pattern,
        _ => READY_LINE,
    }
}

/// Waits until it is ready, or has shown that it will not be.
pub(super) async fn wait(view: &View<'_>, deadline: Instant) -> Result<Ready, NotReady> {
    let limit = view.service.ready.as_ref().map_or(READY_TIMEOUT, |ready| ready.timeout);
    let until = deadline.min(view.started + limit);
    let expected = expected(view.service);
    let mut pause = LOOK.0;
    loop {
        // First whether it runs: what it opened before it ended is gone.
        if let State::Ended(how) = view.running.state() {
            return Err(NotReady::Ended(how));
        }
        let listening = view.running.listening();
        if let Some(taken) = taken(&listening, &expected) {
            return Err(NotReady::Taken(taken));
        }
        let missing = match look(view, &listening).await {
            Ok(ready) => match view.running.state() {
                State::Ended(how) => return Err(NotReady::Ended(how)),
                State::Running => return Ok(ready),
            },
            Err(missing) => missing,
        };
        if Instant::now() >= until {
            return Err(NotReady::Late(missing));
        }
        tokio::select! {
            () = view.cancel.cancelled() => return Err(NotReady::Stopped),
            () = view.running.ended() => {}
            () = sleep(pause) => {}
        }
        pause = (pause * 2).min(LOOK.1);
    }
}

/// Where it listens by now.
pub(super) fn opened(view: &View<'_>) -> Option<SocketAddr> {
    own(&view.running.listening(), view.service)
}

/// One look: ready, or what is still missing.
async fn look(view: &View<'_>, listening: &[Listening]) -> Result<Ready, String> {
    let base = own(listening, view.service);
    match view.service.ready.as_ref().map(|ready| &ready.when) {
        Some(ReadyWhen::Http(url)) => match http_ready(url, view.sandbox, QUESTION).await {
            Ok(status) => {
                is_own(listening, address(url), view)?;
                Ok(Ready { by: format!("{url} answers with {status}"), base })
            }
            Err(why) => Err(with_places(format!("{url}: {why}"), listening)),
        },
        Some(ReadyWhen::Tcp(place)) => match tcp_ready(place, view.sandbox, QUESTION).await {
            Ok(()) => {
                is_own(listening, place.parse().ok(), view)?;
                Ok(Ready { by: format!("{place} accepts connections"), base })
            }
            Err(why) => Err(with_places(format!("{place}: {why}"), listening)),
        },
        Some(ReadyWhen::Log(text)) => {
            let line = view.heard.found(text);
            line.map(|line| Ready { by: format!("it said {:?}", excerpt::short(&line)), base })
                .ok_or_else(|| format!("no line matches {text}"))
        }
        None => undeclared(view, base),
    }
}

/// Nothing is declared: a port of its own, a line that says so, or that it stays alive.
fn undeclared(view: &View<'_>, base: Option<SocketAddr>) -> Result<Ready, String> {
    if let Some(address) = base {
        return Ok(Ready { by: format!("it listens on {address}"), base });
    }
    if expects_port(view.service) {
        return Err("it opened no port".to_owned());
    }
    if let Some(line) = view.heard.found(READY_LINE) {
        return Ok(Ready { by: format!("it said {:?}", excerpt::short(&line)), base });
    }
    if view.started.elapsed() >= ALIVE {
        return Ok(Ready { by: format!("it stayed alive for {}", excerpt::time(ALIVE)), base });
    }
    Err("it had not been alive for long enough".to_owned())
}

/// Whether a service is one that others connect to.
fn expects_port(service: &Service) -> bool {
    service.probes.iter().any(|probe| {
        if probe.derived && USUAL.contains(&probe.name.as_str()) {
            return false;
        }
        // What is asked of another machine says nothing about this one.
        let is_here = |place: &str| place.starts_with('/') || address(place).is_some();
        match &probe.how {
            ProbeHow::Http(http) => is_here(&http.url),
            ProbeHow::Websocket { url, .. } => is_here(url),
            ProbeHow::Tcp(place) | ProbeHow::Grpc { address: place, .. } => is_here(place),
            _ => false,
        }
    })
}

/// The addresses of this machine at which a service is expected.
fn expected(service: &Service) -> Vec<SocketAddr> {
    let ready = service.ready.iter().filter_map(|ready| match &ready.when {
        ReadyWhen::Http(url) => address(url),
        ReadyWhen::Tcp(place) => address(place),
        ReadyWhen::Log(_) => None,
    });
    let probes = service.probes.iter().filter_map(|probe| match &probe.how {
        ProbeHow::Http(http) => address(&http.url),
        ProbeHow::Tcp(place) | ProbeHow::Grpc { address: place, .. } => address(place),
        ProbeHow::Websocket { url, .. } => address(url),
        _ => None,
    });
    ready.chain(probes).collect()
}

/// The address that a URL or `host:port` names, if it is one of this machine.
fn address(text: &str) -> Option<SocketAddr> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (
            authority,
            match scheme {
                "https" | "wss" => 443,
                "http" | "ws" => 80,
                _ => return None,
            },
        ),
    };
    let ip = match host.trim_matches(['[', ']']) {
        "localhost" | "" => IpAddr::V4(Ipv4Addr::LOCALHOST),
        host => host.parse().ok()?,
    };
    (ip.is_loopback() || ip.is_unspecified()).then(|| SocketAddr::new(ip, port))
}

/// An address at which the service is expected, and where somebody else listens and it does not.
fn taken(listening: &[Listening], expected: &[SocketAddr]) -> Option<SocketAddr> {
    let at = |address: &SocketAddr, is_own: bool| {
        listening.iter().any(|open| {
            open.is_own == is_own
                && open.address.port() == address.port()
                && meets(open.address.ip(), address.ip())
        })
    };
    expected.iter().find(|address| at(address, false) && !at(address, true)).copied()
}

/// Whether a socket that listens at one address is met at the other.
fn meets(open: IpAddr, asked: IpAddr) -> bool {
    open == asked || open.is_unspecified() || asked.is_unspecified()
}

/// Whether the address that answered is the service's own.
fn is_own(listening: &[Listening], address: Option<SocketAddr>, view: &View<'_>) -> Result<(), String> {
    let Some(address) = address else { return Ok(()) };
    let port = |open: &&Listening| open.address.port() == address.port();
    // It may have opened it since.
    let now = view.running.listening();
    if listening.iter().chain(&now).filter(port).any(|open| open.is_own) {
        return Ok(());
    }
    Err(format!("{address} answers, but it was not opened by this service"))
}

/// Where the service listens: at a port that a probe names, or else at its lowest.
fn own(listening: &[Listening], service: &Service) -> Option<SocketAddr> {
    let named: Vec<u16> = expected(service).iter().map(SocketAddr::port).collect();
    let mut open: Vec<SocketAddr> =
        listening.iter().filter(|open| open.is_own).map(|open| reachable(open.address)).collect();
    open.sort_by_key(|address| (!named.contains(&address.port()), address.is_ipv6(), address.port()));
    open.first().copied()
}

/// An address to connect to.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// What is missing, and where it listens instead.
fn with_places(missing: String, listening: &[Listening]) -> String {
    let places: Vec<String> =
        listening.iter().filter(|open| open.is_own).map(|open| open.address.to_string()).collect();
    if places.is_empty() { missing } else { format!("{missing}; it listens on {}", places.join(", ")) }
}
