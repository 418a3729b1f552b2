//! Whatever is written as an address: nothing panics, and what is let through is public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use candor_web::{Guard, Web};
use proptest::prelude::*;
use url::Host;

/// Written anew from the standard library's own words and the registries, so that a mistake cannot be in both.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || address.is_broadcast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let s = address.segments();
    let low = u32::from(s[6]) << 16 | u32::from(s[7]);
    if s[..6] == [0x64, 0xff9b, 0, 0, 0, 0] {
        return is_public_v4(low.into());
    }
    (0x2000..0x4000).contains(&s[0])
        && s[0] != 0x2002
        && !(s[0] == 0x2001 && (s[1] < 0x200 || s[1] == 0xdb8))
        && !(s[0] == 0x3fff && s[1] < 0x1000)
        // What a translator would take for a private address behind a prefix of 96 bits.
        && !(s[4] == 0 && s[5] == 0 && low >> 24 != 0 && !is_public_v4(low.into()))
}

/// Addresses near the borders of ranges, and any.
fn addresses() -> impl Strategy<Value = IpAddr> {
    let near = prop::sample::select(vec![
        0u8, 1, 9, 10, 11, 63, 64, 100, 126, 127, 128, 168, 169, 172, 192, 198, 203, 224, 254, 255,
    ]);
    let high = prop::sample::select(vec![
        0u16, 0x64, 0x100, 0x2000, 0x2001, 0x2002, 0x2003, 0x2a01, 0x3fff, 0x4000, 0xfc00, 0xfd00, 0xfe80,
        0xff02,
    ]);
    let low = prop_oneof![
        Just(0u16),
        Just(1),
        Just(0xff9b),
        Just(0xffff),
        Just(0x7f00),
        Just(0xa9fe),
        Just(0xdb8),
        any::<u16>()
    ];
    let v6 = (high, prop::array::uniform7(low)).prop_map(|(first, rest)| {
        let mut segments = [first; 8];
        segments[1..].copy_from_slice(&rest);
        IpAddr::V6(segments.into())
    });
    let v4 =
        prop::array::uniform4(prop_oneof![near, any::<u8>()]).prop_map(|octets| IpAddr::V4(octets.into()));
    prop_oneof![
        v4,
        v6,
        any::<u32>().prop_map(|bits| IpAddr::V4(bits.into())),
        any::<u128>().prop_map(|bits| IpAddr::V6(bits.into()))
    ]
}

/// Pieces that parsers stumble over, in any order.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "http://",
        "https://",
        "http:",
        "HTTP:/",
        "ftp://",
        "//",
        "/",
        "\\",
        "@",
        ":",
        "?",
        "#",
        "[",
        "]",
        "::",
        "ffff",
        "0x7f",
        "127",
        ".",
        "0",
        "1",
        "%",
        "%2e",
        "%31",
        "localhost",
        "metadata.google.internal",
        "．",
        "。",
        "１",
        "\u{ad}",
        "\t",
        "\n",
        " ",
        "xn--",
        "é",
        "64:ff9b::",
        "2130706433",
    ]);
    let made = prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => made.clone(), 3 => made.prop_map(|rest| format!("http://{rest}")), 1 => any::<String>()]
}

fn resolved(guard: &Guard, url: url::Url) -> Option<candor_web::Target> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(guard.resolve(url)).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn an_address_that_is_let_through_is_public(address in addresses(), port in 1..u16::MAX) {
        let guard = Guard::new(Arc::new(Web::default()));
        let host = std::net::SocketAddr::new(address, port);
        let url = guard.parse(&format!("http://{host}/")).unwrap();
        if let Some(target) = resolved(&guard, url) {
            prop_assert_eq!(&target.addresses, &[host]);
            prop_assert!(is_public(address), "{}", address);
        }
    }

    #[test]
    fn any_text_is_refused_or_read(text in texts()) {
        let guard = Guard::new(Arc::new(Web::default()));
        let Ok(url) = guard.parse(&text) else { return Ok(()) };
        prop_assert!(matches!(url.scheme(), "http" | "https"));
        prop_assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
        // What is read is read the same way again.
        prop_assert_eq!(&guard.parse(url.as_str()).unwrap(), &url);
        // Names would be asked for in the network.
        let is_here = |name: &str| name == "localhost" || name.ends_with(".localhost");
        if let Some(Host::Domain(name)) = url.host() && !is_here(name) {
            prop_assert!(!name.ends_with('.') && name != "metadata.google.internal");
            return Ok(());
        }
        if let Some(target) = resolved(&guard, url) {
            prop_assert!(!target.addresses.is_empty());
            prop_assert!(target.addresses.iter().all(|address| is_public(address.ip())), "{:?}", target);
        }
    }
}
