//! What the owner opens although it is not public.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use crate::address::same_prefix;

/// A host, an address or a range of addresses, at one port or at any: `intranet`, `10.0.0.0/8`, `127.0.0.1:8080`, `[fd00::1]:443`.
///
/// It opens exactly that. A host is opened whatever its addresses are; an address is opened whichever name has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    what: What,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Host(String),
    Range(IpAddr, u32),
}

impl Allowed {
    /// Whether this host is opened by its name.
    pub(crate) fn has_host(&self, host: &str, port: u16) -> bool {
        matches!(&self.what, What::Host(name) if name == host) && self.has_port(port)
    }

    /// Whether this address is opened.
    pub(crate) fn has_address(&self, address: IpAddr, port: u16) -> bool {
        let within = match (&self.what, address) {
            (What::Range(IpAddr::V4(net), bits), IpAddr::V4(address)) => {
                same_prefix(address.to_bits().into(), net.to_bits().into(), *bits, 32)
            }
            (What::Range(IpAddr::V6(net), bits), IpAddr::V6(address)) => {
                same_prefix(address.to_bits(), net.to_bits(), *bits, 128)
            }
            _ => false,
        };
        within && self.has_port(port)
    }

    fn has_port(&self, port: u16) -> bool {
        self.port.is_none_or(|open| open == port)
    }
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = || format!("`{text}` is no host, address or range, such as intranet:8080 or 10.0.0.0/8");
        // An IPv6 address has colons of its own: it has a port only behind brackets.
        let (what, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (inside, port) = rest.split_once(']').ok_or_else(wrong)?;
                let port =
                    if port.is_empty() { None } else { Some(port.strip_prefix(':').ok_or_else(wrong)?) };
                (inside, port)
            }
            None if text.matches(':').count() == 1 => {
                text.split_once(':').map(|(what, port)| (what, Some(port))).ok_or_else(wrong)?
            }
            None => (text, None),
        };
        let port = port.map(|port| port.parse::<u16>().map_err(|_| wrong())).transpose()?;
        let (address, bits) = match what.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| wrong())?)),
            None => (what, None),
        };
        let what = match address.parse::<IpAddr>() {
            Ok(address) => {
                let width = if address.is_ipv4() { 32 } else { 128 };
                let bits = bits.unwrap_or(width);
                if bits > width {
                    return Err(wrong());
                }
                What::Range(address, bits)
            }
            Err(_) if bits.is_none() => What::Host(host(address).ok_or_else(wrong)?),
            Err(_) => return Err(wrong()),
        };
        Ok(Self { what, port })
    }
}

/// A host as it stands in a parsed address, so that both can be compared.
fn host(name: &str) -> Option<String> {
    match url::Host::parse(name).ok()? {
        url::Host::Domain(name) => {
            let name = name.strip_suffix('.').map_or(name.as_str(), |name| name).to_owned();
            (!name.is_empty()).then_some(name)
        }
        // `127.1` is an address in another spelling; whoever opens something should see what.
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => None,
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Host(host) => to.write_str(host)?,
            What::Range(IpAddr::V4(net), bits) => write!(to, "{net}/{bits}")?,
            What::Range(IpAddr::V6(net), bits) => write!(to, "[{net}/{bits}]")?,
        }
        self.port.map_or(Ok(()), |port| write!(to, ":{port}"))
    }
}
