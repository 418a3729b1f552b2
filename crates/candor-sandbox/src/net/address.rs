//! Which addresses are on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is a public one: not this machine, not its neighbours, not a way to write one of those.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = match (first, second, third) {
        // This network, the address space of providers, protocol assignments, benchmarks, the future.
        (0 | 240.., ..) | (100, 64..128, _) | (192, 0, 0) | (198, 18..20, _) => true,
        _ => false,
    };
    !(is_special
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let last = || Ipv4Addr::from((u32::from(segments[6]) << 16) | u32::from(segments[7]));
    match segments {
        // Version 4 in other clothes: mapped, translated, and by way of a relay.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(last()),
        [0x2002, high, low, ..] => is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))),
        // Only what is handed out to networks; of that not tunnels and not documentation.
        [0x2001, 0 | 0xdb8, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
