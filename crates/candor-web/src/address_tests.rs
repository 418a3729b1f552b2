use std::net::IpAddr;

use super::not_public;

fn is_public(address: &str) -> bool {
    not_public(address.parse::<IpAddr>().unwrap()).is_none()
}

/// The first and the last address of each range, and their neighbours outside, where those are public.
#[test]
fn ranges_begin_and_end_where_the_registries_say() {
    let ranges = [
        ("0.0.0.0", "0.255.255.255", "", "1.0.0.0"),
        ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
        ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
        ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
        ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
        ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
        ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
        ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
        ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
        ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
        ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
        ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
        ("224.0.0.0", "255.255.255.255", "223.255.255.255", ""),
        ("168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"),
        ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff::1", "2001:200::1"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7::1", "2001:db9::1"),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::1", "2003::1"),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe::1", "3fff:1000::1"),
        ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff::1", ""),
        ("::", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", "", "2000::1"),
        ("64:ff9b:1::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""),
    ];
    for (first, last, before, after) in ranges {
        assert!(!is_public(first) && !is_public(last), "{first} to {last}");
        for neighbour in [before, after].into_iter().filter(|neighbour| !neighbour.is_empty()) {
            assert!(is_public(neighbour), "{neighbour}");
        }
    }
}

#[test]
fn a_translator_is_only_used_to_reach_public_addresses() {
    assert!(is_public("64:ff9b::808:808"));
    for private in ["7f00:1", "a00:1", "a9fe:a9fe", "6464:64c8", "c0a8:101", "0:1", "c612:1"] {
        assert!(!is_public(&format!("64:ff9b::{private}")), "{private}");
    }
    // The same by a translator of one's own, at every length of a prefix that RFC 6052 knows.
    let own = [
        "2a01:4f8:a00:1::",
        "2a01:4f8:10a:0:1::",
        "2a01:4f8:1:a00:0:100::",
        "2a01:4f8:1:20a:0:1::",
        "2a01:4f8:1:2:a:0:100:0",
        "2a01:4f8:1:2::a00:1",
        "2a01:4f8:1:2::7f00:1",
        "2a01:4f8:1:2::a9fe:a9fe",
    ];
    for address in own {
        assert!(!is_public(address), "{address}");
    }
}

#[test]
fn well_known_servers_are_public() {
    let servers = [
        "8.8.8.8",
        "1.1.1.1",
        "93.184.216.34",
        "2606:4700::6810:84e5",
        "2001:4860:4860::8888",
        "2620:fe::fe",
        "2a00:1450:4001:82a::200e",
        "2606:2800:220:1:248:1893:25c8:1946",
        "2a04:4e42::81",
    ];
    for server in servers {
        assert!(is_public(server), "{server}");
    }
}
