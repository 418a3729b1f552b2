//! What may be reached: every hop of every request passes here before a packet leaves.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use url::{Host, Url};

use crate::address::{BENCHMARKING, not_public};
use crate::error::shown;
use crate::{Error, Web};

/// The longest address. Servers take no longer ones, and much can be carried out in one.
const URL_BYTES_MAX: usize = 8 << 10;

/// Names that clouds give their metadata servers. Their addresses are refused as well; the names are, so that nobody is even asked.
const METADATA: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.tencentyun.com",
];

/// Knows what may be reached.
#[derive(Debug, Clone)]
pub struct Guard {
    settings: Arc<Web>,
}

/// An address that was checked, and the only places where it may be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The address, without a fragment.
    pub url: Url,
    /// Where its host is. Empty: only the proxy knows.
    pub addresses: Vec<SocketAddr>,
}

impl Guard {
    /// One that goes by these settings.
    pub fn new(settings: Arc<Web>) -> Self {
        Self { settings }
    }

    /// Reads an address as a browser does, so that all spellings of a host become one.
    pub fn parse(&self, text: &str) -> Result<Url, Error> {
        if text.len() > URL_BYTES_MAX {
            return Err(refused(text, format!("it is longer than {URL_BYTES_MAX} bytes")));
        }
        let url =
            Url::parse(text.trim()).map_err(|error| refused(text, format!("it is no address: {error}")))?;
        self.normal(url)
    }

    /// The address that a redirect points to.
    pub(crate) fn join(&self, base: &Url, location: &str) -> Result<Url, Error> {
        if location.len() > URL_BYTES_MAX {
            return Err(refused(location, format!("it is longer than {URL_BYTES_MAX} bytes")));
        }
        let url =
            base.join(location).map_err(|error| refused(location, format!("it is no address: {error}")))?;
        self.normal(url)
    }

    /// What can be said of an address before its host is looked for.
    fn normal(&self, mut url: Url) -> Result<Url, Error> {
        let no = |url: &Url, reason: &str| Err(refused(&without_password(url), reason.to_owned()));
        if !matches!(url.scheme(), "http" | "https") {
            return no(&url, "only http and https are fetched");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return no(&url, "it holds a user name or a password");
        }
        url.set_fragment(None);
        if let Some(Host::Domain(name)) = url.host() {
            // `localhost.` is localhost; what has more dots at its end is no name.
            let bare = name.strip_suffix('.').unwrap_or(name).to_owned();
            if bare.is_empty() || bare.starts_with('.') || bare.ends_with('.') || bare.contains("..") {
                return no(&url, "its host is no name");
            }
            if bare.len() < name.len() && url.set_host(Some(&bare)).is_err() {
                return no(&url, "its host is no name");
            }
            let port = url.port_or_known_default().unwrap_or(0);
            if METADATA.contains(&bare.as_str()) && !self.is_open(&bare, port) {
                return no(&url, "its host is a cloud's metadata server");
            }
        }
        Ok(url)
    }

    /// Finds out where a host is, once, and checks every address that it has: one that is not public is enough to refuse all.
    pub async fn resolve(&self, url: Url) -> Result<Target, Error> {
        let port = url.port_or_known_default().unwrap_or(0);
        let (found, is_open) = match url.host() {
            Some(Host::Ipv4(address)) => (vec![IpAddr::V4(address)], false),
            Some(Host::Ipv6(address)) => (vec![IpAddr::V6(address)], false),
            Some(Host::Domain(name)) => {
                let is_open = self.is_open(name, port);
                (self.look_up(&url, name, port).await?, is_open)
            }
            None => return Err(refused(url.as_str(), "it has no host".to_owned())),
        };
        if found.is_empty() && self.settings.proxy.is_none() {
            return Err(unresolved(&url, "it has no address"));
        }
        for address in &found {
            if let Some(why) = self.closed(*address, port).filter(|_| !is_open) {
                let host = url.host_str().unwrap_or_default();
                let is = if host.trim_matches(['[', ']']) == address.to_string() {
                    format!("{address} is {why}")
                } else {
                    format!("{host} is {address}, which is {why}")
                };
                return Err(refused(url.as_str(), is));
            }
        }
        let addresses = found.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        Ok(Target { url, addresses })
    }

    async fn look_up(&self, url: &Url, name: &str, port: u16) -> Result<Vec<IpAddr>, Error> {
        // This machine, whatever a name server says about it.
        if name == "localhost" || name.ends_with(".localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        match tokio::net::lookup_host((name, port)).await {
            Ok(found) => Ok(found.map(|address| address.ip()).collect()),
            // Behind a proxy many machines know no names.
            Err(_) if self.settings.proxy.is_some() => Ok(Vec::new()),
            Err(error) => Err(unresolved(url, &error.to_string())),
        }
    }

    /// Why an address may not be reached; nothing, where it may.
    fn closed(&self, address: IpAddr, port: u16) -> Option<&'static str> {
        let why = not_public(address)?;
        let is_measured = why == BENCHMARKING && self.settings.allow_benchmarking;
        let is_open = self.settings.allow_private.iter().any(|open| open.has_address(address, port));
        (!is_measured && !is_open).then_some(why)
    }

    fn is_open(&self, host: &str, port: u16) -> bool {
        self.settings.allow_private.iter().any(|open| open.has_host(host, port))
    }
}

fn refused(url: &str, reason: String) -> Error {
    Error::Refused { url: shown(url), reason }
}

fn unresolved(url: &Url, reason: &str) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::Unreachable { url: url.to_string(), reason: format!("the name {host} was not found: {reason}") }
}

/// An address for people: what stands before the `@` is nobody's business.
fn without_password(url: &Url) -> String {
    let mut url = url.clone();
    // Of an address that cannot have them, neither can be taken away.
    _ = url.set_username("");
    _ = url.set_password(None);
    url.to_string()
}
