//! Addresses that look public and are not, and some that are.

use super::is_public;

#[test]
fn only_public_addresses_are_public() {
    for (address, expected) in [
        ("1.1.1.1", true),
        ("93.184.216.34", true),
        ("172.32.0.1", true),
        ("100.128.0.1", true),
        ("0.0.0.0", false),
        ("0.1.2.3", false),
        ("10.0.0.1", false),
        ("100.64.0.1", false),
        ("127.0.0.1", false),
        ("127.8.8.8", false),
        ("169.254.169.254", false),
        ("172.16.0.1", false),
        ("172.31.255.255", false),
        ("192.0.0.1", false),
        ("192.0.2.1", false),
        ("192.168.1.1", false),
        ("198.19.0.1", false),
        ("224.0.0.1", false),
        ("255.255.255.255", false),
        ("2606:4700::1111", true),
        ("::", false),
        ("::1", false),
        ("::ffff:127.0.0.1", false),
        ("::ffff:10.0.0.1", false),
        ("::ffff:1.1.1.1", true),
        ("::127.0.0.1", false),
        ("64:ff9b::7f00:1", false),
        ("64:ff9b::101:101", true),
        ("2001:db8::1", false),
        ("2001::1", false),
        ("2002:7f00:1::", false),
        ("2002:a00:1::1", false),
        ("fc00::1", false),
        ("fd00:ec2::254", false),
        ("fe80::1", false),
        ("fec0::1", false),
        ("ff02::1", false),
    ] {
        assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
    }
}
