//! Which addresses are public.
//!
//! The standard library's own answer is not stable, and it does not look into addresses that carry another one. The tables are the
//! special-purpose registries of IANA; IPv6 is turned around: only `2000::/3` is handed out, so everything else is not public.

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The range for measurements, which is public for whoever says so.
pub(crate) const BENCHMARKING: &str = "for benchmarking (198.18.0.0/15)";

/// What is not public, and why.
const V4: &[(Ipv4Addr, u32, &str)] = &[
    // Public by its number, and the metadata server of every Azure machine.
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a cloud's metadata server"),
    (Ipv4Addr::new(169, 254, 169, 254), 32, "a cloud's metadata server"),
    (Ipv4Addr::new(100, 100, 100, 200), 32, "a cloud's metadata server"),
    (Ipv4Addr::UNSPECIFIED, 8, "unspecified"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared by a provider's customers (CGNAT)"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "for protocols"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a 6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, BENCHMARKING),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::BROADCAST, 32, "broadcast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128, "a cloud's metadata server"),
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified"),
    (Ipv6Addr::LOCALHOST, 128, "loopback"),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, "IPv4 inside of IPv6 (mapped)"),
    (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96, "IPv4 inside of IPv6 (translated)"),
    (Ipv6Addr::UNSPECIFIED, 96, "IPv4 inside of IPv6 (compatible)"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "IPv4 inside of IPv6 (local NAT64)"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "private (ULA)"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "private (site-local)"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "IPv4 inside of IPv6 (Teredo)"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "for protocols"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "for documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "IPv4 inside of IPv6 (6to4)"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "for documentation"),
];

/// Where translators put public IPv4 addresses (RFC 6052).
const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);

/// Why an address is not public; nothing, where it is.
pub(crate) fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    }
}

fn v4(address: Ipv4Addr) -> Option<&'static str> {
    let within = |net: Ipv4Addr, bits| same_prefix(address.to_bits().into(), net.to_bits().into(), bits, 32);
    V4.iter().find(|(net, bits, _)| within(*net, *bits)).map(|(_, _, why)| *why)
}

fn v6(address: Ipv6Addr) -> Option<&'static str> {
    let within = |net: Ipv6Addr, bits| same_prefix(address.to_bits(), net.to_bits(), bits, 128);
    if within(NAT64, 96) {
        // A network without IPv4 has no other way to most of the web: what counts is where the translator goes.
        let [.., a, b, c, d] = address.octets();
        return v4(Ipv4Addr::new(a, b, c, d)).map(|_| "a private IPv4 address inside of IPv6 (NAT64)");
    }
    if let Some((_, _, why)) = V6.iter().find(|(net, bits, _)| within(*net, *bits)) {
        return Some(why);
    }
    if address.octets()[0] & 0xe0 != 0x20 {
        return Some("not handed out to anybody");
    }
    carried(address).then_some("a private IPv4 address inside of IPv6")
}

/// Whether an address looks as if a translator of somebody's own network took it apart into a private IPv4 address (RFC 6052).
///
/// Which prefix such a translator has is not known here, so its places are tried in every address. Only what is zero around the four
/// bytes makes it one, and no host has such an address by chance. 0.0.0.0/8 is left out: `::53` is a name server.
fn carried(address: Ipv6Addr) -> bool {
    let o = address.octets();
    let zero = |from: usize| o[from..].iter().all(|byte| *byte == 0);
    let places = [
        (o[8..12] == [0; 4]).then_some([o[12], o[13], o[14], o[15]]),
        (o[8] == 0 && zero(13)).then_some([o[9], o[10], o[11], o[12]]),
        (o[8] == 0 && zero(12)).then_some([o[7], o[9], o[10], o[11]]),
        (o[8] == 0 && zero(11)).then_some([o[6], o[7], o[9], o[10]]),
        (o[8] == 0 && zero(10)).then_some([o[5], o[6], o[7], o[9]]),
        zero(8).then_some([o[4], o[5], o[6], o[7]]),
    ];
    places.into_iter().flatten().any(|inside| inside[0] != 0 && v4(inside.into()).is_some())
}

/// Whether two addresses of this many bits begin with the same `bits`.
pub(crate) fn same_prefix(one: u128, other: u128, bits: u32, width: u32) -> bool {
    (one ^ other).checked_shr(width.saturating_sub(bits)).unwrap_or(0) == 0
}
