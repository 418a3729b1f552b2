//! Who is on a list, and who only looks like it.

use super::{Hosts, Target};

fn allows(entries: &[&str], asked: &str) -> bool {
    let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
    let hosts = Hosts::parse(&entries).unwrap();
    Target::parse(asked).is_some_and(|target| hosts.allows(&target))
}

#[test]
fn only_who_is_listed_passes() {
    let list = &["example.com:443", "*.example.org:443", "127.0.0.1:8080", "[::1]:8080"];
    for (asked, expected) in [
        ("example.com:443", true),
        ("EXAMPLE.com:443", true),
        ("example.com.:443", true),
        ("example.com:80", false),
        ("www.example.com:443", false),
        ("example.com.evil.org:443", false),
        ("notexample.com:443", false),
        ("www.example.org:443", true),
        ("a.b.example.org:443", true),
        ("example.org:443", false),
        (".example.org:443", false),
        ("evilexample.org:443", false),
        ("127.0.0.1:8080", true),
        ("127.0.0.2:8080", false),
        ("2130706433:8080", false),
        ("127.1:8080", false),
        ("0x7f000001:8080", false),
        ("localhost:8080", false),
        ("[::1]:8080", true),
        ("[0:0:0:0:0:0:0:1]:8080", true),
        ("::1:8080", false),
        ("user@example.com:443", false),
        ("example.com/x:443", false),
        ("example.com", false),
    ] {
        assert_eq!(allows(list, asked), expected, "{asked}");
    }
}

#[test]
fn what_cannot_be_read_is_not_left_out() {
    for entry in [
        "",
        "example.com",
        "*:443",
        "*.:443",
        "exa*mple.com:443",
        "http://example.com:443",
        "a b:1",
        "x:99999",
    ] {
        assert!(Hosts::parse(&[entry.to_owned()]).is_err(), "{entry}");
    }
}

#[test]
fn a_name_reaches_only_public_addresses_and_an_address_itself() {
    let name = Target::parse("example.com:443").unwrap();
    assert!(Hosts::may_reach(&name, "1.1.1.1:443".parse().unwrap()));
    assert!(!Hosts::may_reach(&name, "127.0.0.1:443".parse().unwrap()));
    assert!(!Hosts::may_reach(&name, "169.254.169.254:443".parse().unwrap()));
    let address = Target::parse("127.0.0.1:443").unwrap();
    assert!(Hosts::may_reach(&address, "127.0.0.1:443".parse().unwrap()));
    assert!(!Hosts::may_reach(&address, "127.0.0.2:443".parse().unwrap()));
}
