//! The list of hosts that a session may talk to.

use std::net::{IpAddr, SocketAddr};

use super::address::is_public;

/// The list.
#[derive(Debug)]
pub(super) struct Hosts(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    host: Host,
    port: u16,
}

#[derive(Debug, PartialEq, Eq)]
enum Host {
    /// This address. Whoever wrote it down means it, wherever it leads.
    Address(IpAddr),
    /// This name.
    Name(String),
    /// Every name below this one, and not the name itself.
    Below(String),
}

/// A host and a port that somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) host: String,
    pub(super) port: u16,
}

impl Hosts {
    /// Reads a list. An entry that cannot be read is an error: to leave it out would change what somebody meant.
    pub(super) fn parse(entries: &[String]) -> Result<Self, String> {
        entries
            .iter()
            .map(|entry| Entry::parse(entry).ok_or_else(|| format!("`{entry}` is no host:port")))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether somebody may talk to this host, and under which name it may be: an address that a name leads to must be
    /// a public one, as whoever has the name decides where it leads.
    pub(super) fn allows(&self, target: &Target) -> bool {
        self.0.iter().any(|entry| entry.port == target.port && entry.host.is(&target.host))
    }

    /// Whether a connection may go to this address, where the target is allowed.
    pub(super) fn may_reach(target: &Target, address: SocketAddr) -> bool {
        is_public(address.ip()) || target.host.parse() == Ok(address.ip())
    }
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        let Target { host, port } = Target::parse(text)?;
        let host = match (host.parse(), host.strip_prefix("*.")) {
            (Ok(address), _) => Host::Address(address),
            (_, Some(name)) if is_name(name) => Host::Below(name.to_owned()),
            _ if is_name(&host) => Host::Name(host),
            _ => return None,
        };
        Some(Self { host, port })
    }
}

impl Host {
    fn is(&self, asked: &str) -> bool {
        match self {
            Self::Address(address) => asked.parse() == Ok(*address),
            Self::Name(name) => name == asked,
            Self::Below(name) => asked
                .strip_suffix(name)
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|rest| !rest.is_empty()),
        }
    }
}

impl Target {
    /// Reads `host:port`; an address of version 6 is in brackets.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        Self::new(host, port.parse().ok()?)
    }

    /// A host as it was written, in the spelling in which it is compared.
    pub(super) fn new(host: &str, port: u16) -> Option<Self> {
        let host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => address.parse::<std::net::Ipv6Addr>().ok()?.to_string(),
            None if host.contains(':') => return None,
            None => host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase(),
        };
        let is_pattern = host.strip_prefix("*.").is_some_and(is_name);
        (host.parse::<IpAddr>().is_ok() || is_name(&host) || is_pattern).then_some(Self { host, port })
    }
}

/// Whether this can be the name of a host. A name of digits and dots alone is an old way to write an address.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    name.split('.').all(is_part)
        && last.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !last.starts_with("0x")
}

#[cfg(test)]
#[path = "hosts_tests.rs"]
mod tests;
