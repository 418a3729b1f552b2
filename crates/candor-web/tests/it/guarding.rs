//! What may be reached, as far as the loopback address can show it.

use std::net::Ipv4Addr;
use std::sync::Arc;

use candor_protocol::Code;
use candor_web::{Allowed, Guard, Web};

use crate::rig::{Rig, Server, check_failure, html, open, redirect};
use crate::spellings::{self, SCHEMES};

fn opening(entries: &[&str]) -> Web {
    Web { allow_private: entries.iter().map(|entry| entry.parse().unwrap()).collect(), ..open() }
}

/// Without a network of its own a test can only try what would stay on this machine; the whole table is tried in `trapped.rs`.
#[tokio::test]
async fn no_spelling_of_this_machine_is_reached_directly_or_by_redirect() {
    let trap = Server::saying(html("trapped"));
    let port = trap.address.port();
    let closed = Rig::new(Web::default());
    // What a translator would have to carry elsewhere might leave this machine if the guard were broken.
    let is_here = |host: &String| !host.starts_with("[2") && !host.starts_with("[64");
    for host in spellings::of(Ipv4Addr::LOCALHOST).into_iter().filter(is_here) {
        let url = format!("http://{host}:{port}/");
        let output = closed.fetch(&url).await;
        check_failure(&output, Code::WebAddressRefused, "nothing was connected");
        let sent = url.clone();
        let server = Server::new(move |_| redirect(&sent));
        let rig = Rig::new(opening(&[&format!("127.0.0.1:{}", server.address.port())]));
        check_failure(&rig.fetch(&server.url("/")).await, Code::WebAddressRefused, "nothing was connected");
    }
    for url in SCHEMES {
        check_failure(&closed.fetch(url).await, Code::WebAddressRefused, "");
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn the_reason_is_told_and_no_password_with_it() {
    let rig = Rig::new(Web::default());
    let cases = [
        ("http://0x7f.1:9/x", "http://127.0.0.1:9/x was not fetched", "127.0.0.1 is loopback"),
        ("http://localhost:9/", "http://localhost:9/", "localhost is 127.0.0.1, which is loopback"),
        ("http://user:hunter2@127.0.0.1:9/", "http://127.0.0.1:9/", "it holds a user name or a password"),
        ("ftp://user:hunter2@127.0.0.1/", "ftp://127.0.0.1/", "only http and https are fetched"),
        ("http://metadata.google.internal/", "http://metadata.google.internal/", "a cloud's metadata server"),
        ("example.com", "example.com", "it is no address"),
    ];
    for (url, shown, reason) in cases {
        let output = rig.fetch(url).await;
        check_failure(&output, Code::WebAddressRefused, shown);
        check_failure(&output, Code::WebAddressRefused, reason);
        assert!(!format!("{output:?}").contains("hunter2"), "{output:?}");
    }
    let long = format!("http://127.0.0.1/{}", "a".repeat(9_000));
    check_failure(&rig.fetch(&long).await, Code::WebAddressRefused, "longer than 8192 bytes");
}

#[tokio::test]
async fn what_is_opened_is_open_and_nothing_else() {
    let server = Server::saying(html("x"));
    let port = server.address.port();
    let own = format!("127.0.0.1:{port}");
    let is_open = async |entry: &str, url: &str| !Rig::new(opening(&[entry])).fetch(url).await.is_error;
    let at = |host: &str| format!("http://{host}:{port}/");
    assert!(is_open("127.0.0.1", &at("127.0.0.1")).await);
    assert!(is_open("127.0.0.0/8", &at("0x7f.1")).await, "it is the same address");
    assert!(is_open(&own, &at("127.0.0.1")).await);
    assert!(is_open("localhost", &at("localhost")).await);
    assert!(is_open(&format!("LocalHost.:{port}"), &at("localhost")).await);
    for (entry, host) in [
        ("127.0.0.1:1", "127.0.0.1"),
        ("127.0.0.2", "127.0.0.1"),
        ("10.0.0.0/8", "127.0.0.1"),
        ("localhost:1", "localhost"),
        // The name also stands for ::1, which nobody has opened.
        ("127.0.0.1", "localhost"),
        // The same address for the machine, but not what was opened.
        ("127.0.0.1", "[::ffff:127.0.0.1]"),
        // A name that is opened does not open its address.
        ("localhost", "127.0.0.1"),
        ("localhost", "foo.localhost"),
    ] {
        assert!(!is_open(entry, &at(host)).await, "{entry} opens {host}");
    }
}

#[test]
fn entries_are_hosts_addresses_and_ranges() {
    for (entry, shown) in [
        ("intranet", "intranet"),
        ("Intranet.Example.:8080", "intranet.example:8080"),
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("10.1.2.3:443", "10.1.2.3/32:443"),
        ("fd00::/8", "[fd00::/8]"),
        ("[fd00::1]:443", "[fd00::1/128]:443"),
        ("[fd00::/8]", "[fd00::/8]"),
        (" ::/0 ", "[::/0]"),
    ] {
        assert_eq!(entry.parse::<Allowed>().unwrap().to_string(), shown);
    }
    for entry in [
        "",
        "10.0.0.0/33",
        "fd00::/129",
        "a/8",
        "host:port",
        "127.1",
        "[::1",
        "[::1]443",
        "10.0.0.0/-1",
        "a b",
    ] {
        assert!(entry.parse::<Allowed>().is_err(), "{entry}");
    }
}

#[tokio::test]
async fn addresses_for_benchmarks_are_public_for_whoever_says_so() {
    for (allow_benchmarking, is_open) in [(false, false), (true, true)] {
        let guard = Guard::new(Arc::new(Web { allow_benchmarking, ..Web::default() }));
        let url = guard.parse("http://198.18.0.1/").unwrap();
        assert_eq!(guard.resolve(url).await.is_ok(), is_open);
    }
}
