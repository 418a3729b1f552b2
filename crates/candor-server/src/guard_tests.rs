use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use super::{Names, check};

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: HeaderName = name.parse().expect("a name");
        headers.append(name, HeaderValue::from_str(value).expect("a value"));
    }
    headers
}

#[track_caller]
fn checked(address: &str, pairs: &[(&str, &str)], expect: u16) {
    let names = Names::of(address.parse().expect("an address"));
    let status = check(&Method::GET, &Uri::from_static("/ws"), &headers(pairs), &names);
    assert_eq!(status.map_or_else(|status| status.as_u16(), |()| 200), expect, "{address} {pairs:?}");
}

#[test]
fn the_port_may_be_left_out_where_clients_do() {
    checked("127.0.0.1:80", &[("host", "localhost")], 200);
    checked("127.0.0.1:80", &[("host", "localhost:80"), ("origin", "http://localhost")], 200);
    checked("127.0.0.1:8080", &[("host", "localhost")], 403);
    checked("127.0.0.1:80", &[("host", "localhost"), ("origin", "http://localhost:8080")], 403);
}

#[test]
fn another_loopback_address_has_its_own_name() {
    checked("127.0.0.2:7777", &[("host", "127.0.0.2:7777")], 200);
    checked("127.0.0.1:7777", &[("host", "127.0.0.2:7777")], 403);
    checked("[::1]:7777", &[("host", "[::1]:7777"), ("origin", "http://[::1]:7777")], 200);
}

#[test]
fn a_header_that_is_there_twice_is_believed_by_nobody() {
    let host = ("host", "127.0.0.1:7777");
    let own = ("origin", "http://127.0.0.1:7777");
    checked("127.0.0.1:7777", &[host, own], 200);
    checked("127.0.0.1:7777", &[host, own, own], 403);
    checked("127.0.0.1:7777", &[host, host], 403);
    let site = ("sec-fetch-site", "same-origin");
    checked("127.0.0.1:7777", &[host, site], 200);
    checked("127.0.0.1:7777", &[host, site, ("sec-fetch-site", "cross-site")], 403);
}

#[test]
fn a_browser_that_names_another_page_is_refused() {
    let check = |site, expect| {
        checked("127.0.0.1:7777", &[("host", "127.0.0.1:7777"), ("sec-fetch-site", site)], expect);
    };
    check("none", 200);
    check("same-origin", 200);
    check("same-site", 403);
    check("cross-site", 403);
    check("Cross-Site", 403);
    check("", 403);
}

#[test]
fn every_combination_of_host_and_origin_is_decided_as_it_should_be() {
    let hosts = [
        ("127.0.0.1:7777", true),
        ("localhost:7777", true),
        ("[::1]:7777", true),
        ("LocalHost:7777", true),
        ("127.0.0.1", false),
        ("127.0.0.1:7778", false),
        ("evil.com", false),
        ("evil.com:7777", false),
        ("localhost.evil.com:7777", false),
        ("2130706433:7777", false),
        ("0x7f.1:7777", false),
        ("[::ffff:127.0.0.1]:7777", false),
        ("127.0.0.1:7777@evil.com", false),
        ("", false),
    ];
    let mut decided = 0;
    for (host, host_is_ours) in hosts {
        checked("127.0.0.1:7777", &[("host", host)], if host_is_ours { 200 } else { 403 });
        for (page, page_is_ours) in hosts {
            for scheme in ["http", "https"] {
                let origin = format!("{scheme}://{page}");
                let good = host_is_ours && page_is_ours && scheme == "http";
                checked(
                    "127.0.0.1:7777",
                    &[("host", host), ("origin", &origin)],
                    if good { 200 } else { 403 },
                );
                decided += 1;
            }
        }
    }
    assert!(decided >= 200);
}
