//! Every way that is known to write an address that must not be reached.

use std::net::Ipv4Addr;

/// What is not public, one of each kind.
pub(crate) const INSIDE: &[Ipv4Addr] = &[
    Ipv4Addr::LOCALHOST,
    Ipv4Addr::new(127, 255, 3, 7),
    Ipv4Addr::new(10, 1, 2, 3),
    Ipv4Addr::new(172, 16, 0, 1),
    Ipv4Addr::new(192, 168, 1, 1),
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(100, 64, 0, 1),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(198, 18, 0, 1),
    Ipv4Addr::new(192, 0, 2, 1),
    Ipv4Addr::UNSPECIFIED,
];

/// The same in IPv6.
pub(crate) const INSIDE_V6: &[&str] = &[
    "::1",
    "::",
    "fd00:ec2::254",
    "fc00::1",
    "fe80::1",
    "fec0::1",
    "100::1",
    "2001:db8::1",
    "2001:10::1",
    "3fff::1",
    "5f00::1",
    "64:ff9b:1::808:808",
    "4000::1",
];

/// What is not fetched whatever it names.
pub(crate) const SCHEMES: &[&str] = &[
    "file:///etc/hostname",
    "file://127.0.0.1/etc/hostname",
    "FILE:/etc/hostname",
    "gopher://127.0.0.1/_x",
    "ftp://127.0.0.1/",
    "dict://127.0.0.1/",
    "ldap://127.0.0.1/",
    "ws://127.0.0.1/",
    "jar:http://127.0.0.1!/",
    "view-source:http://127.0.0.1/",
    "blob:http://127.0.0.1/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "about:blank",
    "http+unix://%2Frun%2Fdocker.sock/info",
    "127.0.0.1",
    "//127.0.0.1/",
    "localhost:80",
    "",
];

/// One IPv4 address in all spellings, as hosts.
pub(crate) fn of(address: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = address.octets();
    let whole = u32::from(address);
    let (high, low) = (whole >> 16, whole & 0xffff);
    let dotted = address.to_string();
    let wide: String = dotted.chars().map(fullwidth).collect();
    let encoded: String = dotted.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    let mut hosts = vec![
        dotted.clone(),
        format!("{dotted}."),
        whole.to_string(),
        format!("{whole:#x}"),
        format!("0X{whole:08X}"),
        format!("0{whole:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("000{a:o}.{b}.{c:#x}.{d}"),
        format!("{a}.{}", whole & 0x00ff_ffff),
        format!("{a:#x}.{}", whole & 0x00ff_ffff),
        format!("{a}.{b}.{low}"),
        wide,
        dotted.replace('.', "。"),
        dotted.replace('.', "%2e"),
        encoded,
        format!("ok@{dotted}"),
        format!("ok:ok@{dotted}"),
        format!("example.com:80@{dotted}"),
        format!("[::ffff:{dotted}]"),
        format!("[::FFFF:{high:x}:{low:x}]"),
        format!("[0:0:0:0:0:ffff:{high:x}:{low:x}]"),
        format!("[0000:0000:0000:0000:0000:ffff:{high:04x}:{low:04x}]"),
        format!("[::ffff:0:{high:x}:{low:x}]"),
        format!("[::{dotted}]"),
        format!("[64:ff9b::{high:x}:{low:x}]"),
        format!("[64:ff9b::{dotted}]"),
        format!("[64:ff9b:1::{high:x}:{low:x}]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        format!("[2001:0:4136:e378:8000:63bf:{:x}:{:x}]", !high & 0xffff, !low & 0xffff),
    ];
    // A translator of one's own has no use for 0.0.0.0/8, and name servers have such numbers.
    if a != 0 {
        hosts.push(format!("[2a01:4f8:1:2::{high:x}:{low:x}]"));
    }
    hosts
}

/// All of it, as addresses of the web.
pub(crate) fn all() -> Vec<String> {
    let mut urls: Vec<String> =
        INSIDE.iter().flat_map(|address| of(*address)).map(|host| format!("http://{host}/")).collect();
    urls.extend(INSIDE_V6.iter().map(|address| format!("http://[{address}]/")));
    urls.extend(NAMES.iter().map(|name| format!("http://{name}/")));
    urls.extend(ODD.iter().map(|url| (*url).to_owned()));
    urls
}

/// Names of this machine and of metadata servers.
const NAMES: &[&str] = &[
    "localhost",
    "localhost.",
    "LOCALHOST",
    "LocalHost.",
    "foo.localhost",
    "a.b.localhost.",
    "ｌｏｃａｌｈｏｓｔ",
    "ⓛocalhost",
    "local%68ost",
    "lo\u{ad}calhost",
    "metadata.google.internal",
    "METADATA.google.internal.",
    "metadata.goog",
    "metadata",
    "metadata.azure.internal",
    "instance-data.ec2.internal",
    "hosts-file.example",
];

/// Addresses that fool parsers.
const ODD: &[&str] = &[
    "http:\\\\127.0.0.1\\",
    "http:/127.0.0.1/",
    "http:127.0.0.1/",
    "http:////127.0.0.1/",
    "HTTP://127.0.0.1/",
    "ht\ttp://127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http://127.0.0.1/@example.com/",
    "http://127.0.0\t.1/",
    "http://\t127.0.0.1/",
    "  http://127.0.0.1/  ",
    "http://127.0.0.1:80/",
    "http://127.0.0.1:080/",
    "http://127.0.0.1:/",
    "https://127.0.0.1/",
    "https://127.0.0.1:80/",
    "https://[::1]/",
    "https://localhost/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127.0.0.1../",
    "http://127..0.0.1/",
    "http://.127.0.0.1/",
    "http://[fe80::1%25lo]/",
    "http://[::1%lo]/",
    "http://[::1].example.com/",
    "http://0/",
    "http://0x/",
    "http://00000000/",
    "http://0x7f.1/",
    "http://127.1/",
    "http://0177.1/",
    "http://0x7f.0x1/",
    "http://4294967297/",
    "http://127.0.0.1%00.example.com/",
    "http://127.0.0.1%0d%0aHost:x/",
    "http://%31%32%37.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://240.0.0.1/",
    "http://[ff02::1]/",
];

fn fullwidth(character: char) -> char {
    match character {
        '.' => '．',
        digit => char::from_u32(0xff10 + digit.to_digit(10).unwrap()).unwrap(),
    }
}
