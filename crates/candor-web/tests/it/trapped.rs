//! The whole table of addresses in a network where every address leads into a trap.
//!
//! The test starts itself again behind `unshare`, in a network of its own with nothing but a loopback device that answers for all
//! addresses there are, and with a name server and a hosts file of its own. Nothing can leave it. Whatever the guard let through by mistake
//! would end at a listener that counts. It needs what the sandbox needs, namespaces, and fails without: a guard that nobody tried is none.

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use candor_protocol::Code;
use candor_testkit::{Candor, Home};
use candor_web::{Robots, Web};
use url::{Host, Url};

use crate::rig::{Rig, answer, html, redirect};
use crate::spellings::{self, INSIDE, INSIDE_V6, SCHEMES};

/// How the file begins that tells the test where it is.
const MARK: &str = "# the name server of a test\n";
/// A public server, as far as anybody here can tell.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);

const LINE: &str = r#"
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
mount --bind "$FILES/resolv.conf" /etc/resolv.conf
mount --bind "$FILES/hosts" /etc/hosts
exec "$TEST" --exact --nocapture trapped::r30_no_spelling_reaches_the_trap
"#;

#[test]
fn r30_no_spelling_reaches_the_trap() {
    if fs::read_to_string("/etc/resolv.conf").is_ok_and(|text| text.starts_with(MARK)) {
        return inside();
    }
    let home = Home::new();
    let files = home.workspace();
    fs::write(
        files.join("resolv.conf"),
        format!("{MARK}nameserver 127.0.0.1\noptions timeout:5 attempts:1\n"),
    )
    .unwrap();
    fs::write(files.join("hosts"), "127.0.0.1 localhost\n10.0.0.7 hosts-file.example\n").unwrap();
    let ran = Candor::new("unshare", &home)
        .args(["-rnm", "sh", "-ec", LINE])
        .env("FILES", &files)
        .env("TEST", std::env::current_exe().unwrap())
        .time_limit(Duration::from_mins(4))
        .run()
        .ok();
    let figures: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("figure: ")).collect();
    assert_eq!(figures.len(), 3, "{}", ran.stdout);
    for figure in figures {
        println!("{}", &figure[figure.find("figure: ").unwrap()..]);
    }
}

fn inside() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let trap = Trap::new();
    let names = Names::new();
    runtime.block_on(async {
        table(&trap).await;
        answers(&trap).await;
        rebinding(&trap, &names).await;
    });
}

fn settings() -> Web {
    Web { robots: Robots::Ignore, ..Web::default() }
}

/// Every spelling, directly and behind a redirect of a public server.
async fn table(trap: &Trap) {
    let rig = Rig::new(settings());
    let mut urls = spellings::all();
    // Without the guard most of them lead into the trap: the rest are addresses that no parser or no connection takes.
    let reached = urls.iter().filter(|url| trap.is_reached(url)).count();
    urls.extend(SCHEMES.iter().map(|url| (*url).to_owned()));
    assert!(urls.len() >= 400 && reached >= 350, "{reached} of {}", urls.len());
    assert_eq!(rig.page(&format!("http://{PUBLIC}/")).await["content"], "public");
    assert_eq!(trap.forget(), reached, "the trap counts what is connected");
    let mut sent = 0;
    for url in &urls {
        check(&rig, url, url).await;
        // A header holds neither, and nothing is no redirect.
        if !url.is_empty() && *url == url.trim() {
            trap.send_to(url);
            check(&rig, &format!("http://{PUBLIC}/to"), url).await;
            sent += 1;
        }
    }
    let respecting = Rig::new(Web::default());
    for url in spellings::of(Ipv4Addr::LOCALHOST) {
        trap.send_to(&format!("http://{url}/"));
        check(&respecting, &format!("http://{PUBLIC}/to"), &url).await;
    }
    assert_eq!(trap.forget(), 0);
    println!(
        "figure: SSRF table: {} spellings ({reached} lead into the trap without a guard), {sent} again as redirects, 0 reached the trap",
        urls.len(),
    );
}

/// Refused for what it is. What is sent from one address to another may be relative to the first, and is a page of the public server then.
async fn check(rig: &Rig, url: &str, what: &str) {
    let output = rig.fetch(url).await;
    let text = format!("{:?}", output.for_model);
    assert!(!text.contains("TRAP"), "{what}: {text}");
    let code = output.card.map(|card| card.code);
    let sent = Url::parse(url).and_then(|base| base.join(what));
    let is_relative = url != what && sent.is_ok_and(|sent| sent.host() == Some(Host::Ipv4(PUBLIC)));
    assert!(code.as_deref() == Some(Code::WebAddressRefused.as_str()) || is_relative, "{what}: {text}");
}

/// Every kind of address as what a name server says: alone, among public ones, behind another name, in the other family.
async fn answers(trap: &Trap) {
    let rig = Rig::new(settings());
    assert_eq!(rig.page("http://public.example/").await["content"], "public");
    assert_eq!(rig.page("http://PUBLIC.example.:80/").await["url"], "http://public.example/");
    let mut names = vec!["cname-metadata.example".to_owned()];
    for address in INSIDE {
        let hex = format!("{:08x}", u32::from(*address));
        names.extend(["a", "mixed", "after", "cname"].map(|kind| format!("{kind}-{hex}.example")));
    }
    let carried = INSIDE.iter().map(Ipv4Addr::to_ipv6_mapped);
    for address in INSIDE_V6.iter().map(|text| text.parse().unwrap()).chain(carried) {
        let hex = format!("{:032x}", u128::from(address));
        names.extend(["aaaa", "half"].map(|kind| format!("{kind}-{hex}.example")));
    }
    let reached = names.iter().filter(|name| trap.is_reached(&format!("http://{name}/"))).count();
    assert!(reached >= 40, "{reached} of {}", names.len());
    trap.forget();
    for name in &names {
        let url = format!("http://{name}/");
        check(&rig, &url, &url).await;
        trap.send_to(&url);
        check(&rig, &format!("http://{PUBLIC}/to"), &url).await;
    }
    assert_eq!(trap.forget(), 0);
    println!(
        "figure: SSRF names: {} answers of a name server, also as redirects, 0 reached the trap",
        names.len()
    );
}

/// A name that is public when it is checked and private when somebody asks again.
async fn rebinding(trap: &Trap, names: &Names) {
    let rig = Rig::new(settings());
    for number in 0..20 {
        // One question, and the connection goes where its answer said.
        let name = format!("rebind-{number}.example");
        assert_eq!(rig.page(&format!("http://{name}/")).await["content"], "public");
        assert_eq!(names.asked(&name), 1, "a name is asked for once a hop");
        // Each hop asks anew, and is checked anew.
        let name = format!("rebind-again-{number}.example");
        trap.send_to(&format!("http://{name}/"));
        check(&rig, &format!("http://{name}/to"), &name).await;
        assert_eq!(names.asked(&name), 2);
    }
    // The rules of a site are a hop of their own: what they cost is a refusal, not a connection.
    let respecting = Rig::new(Web::default());
    let output = respecting.fetch("http://rebind-robots.example/").await;
    assert!(!output.for_model.contains("TRAP"), "{output:?}");
    assert_eq!(trap.forget(), 0);
    println!("figure: SSRF rebinding: 41 names that change their address, 0 reached the trap");
}

/// Listens for everything.
struct Trap {
    caught: Arc<Mutex<usize>>,
    next: Arc<Mutex<String>>,
}

impl Trap {
    fn new() -> Self {
        let (caught, next) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(String::new())));
        for port in [80, 443] {
            // Both families: the kernel hands IPv4 over as IPv6.
            let listener = TcpListener::bind(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))).unwrap();
            let (caught, next) = (Arc::clone(&caught), Arc::clone(&next));
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    serve(stream, &caught, &next);
                }
            });
        }
        Self { caught, next }
    }

    /// Where the public server sends everybody on to.
    fn send_to(&self, url: &str) {
        url.clone_into(&mut self.next.lock().unwrap());
    }

    /// Whether an address leads into the trap where nobody guards it.
    fn is_reached(&self, url: &str) -> bool {
        let Ok(url) = Url::parse(url) else { return false };
        let port = url.port_or_known_default().unwrap_or(80);
        let found: Vec<SocketAddr> = match url.host() {
            Some(Host::Ipv4(address)) => vec![(address, port).into()],
            Some(Host::Ipv6(address)) => vec![(address, port).into()],
            Some(Host::Domain(name)) => {
                (name, port).to_socket_addrs().map(Iterator::collect).unwrap_or_default()
            }
            None => Vec::new(),
        };
        let before = *self.caught.lock().unwrap();
        found.iter().any(|address| {
            let Ok(mut stream) = TcpStream::connect_timeout(address, Duration::from_secs(5)) else {
                return false;
            };
            stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
            stream.read_to_end(&mut Vec::new()).is_ok() && *self.caught.lock().unwrap() > before
        })
    }

    /// How many have been caught, from nothing on. Connections are taken in their order: what came before this one is counted.
    fn forget(&self) -> usize {
        for port in [80, 443] {
            let mut last = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
            last.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
            last.read_to_end(&mut Vec::new()).unwrap();
        }
        std::mem::take(&mut *self.caught.lock().unwrap()) - 2
    }
}

/// The public server at its address, the trap at all others.
fn serve(mut stream: TcpStream, caught: &Mutex<usize>, next: &Mutex<String>) {
    let is_public =
        stream.local_addr().is_ok_and(|address| address.ip().to_canonical() == IpAddr::V4(PUBLIC));
    if !is_public {
        *caught.lock().unwrap() += 1;
        // Nobody has to say anything to be caught, and nobody is waited for.
        let _ = stream.write_all(&answer("200 OK", "content-type: text/plain\r\n", "TRAP").bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        return;
    }
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
        head.push(byte[0]);
    }
    let said = if head.starts_with(b"GET /to ") { redirect(&next.lock().unwrap()) } else { html("public") };
    let _ = stream.write_all(&said.bytes);
}

/// A name server that says what names ask for.
struct Names {
    asked: Arc<Mutex<HashMap<String, usize>>>,
}

impl Names {
    fn new() -> Self {
        let asked = Arc::new(Mutex::new(HashMap::new()));
        let socket = UdpSocket::bind("127.0.0.1:53").unwrap();
        let counts = Arc::clone(&asked);
        thread::spawn(move || {
            let mut packet = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut packet) {
                if let Some(said) = said(&packet[..length], &counts) {
                    let _ = socket.send_to(&said, from);
                }
            }
        });
        Self { asked }
    }

    /// How often the IPv4 address of a name was asked for.
    fn asked(&self, name: &str) -> usize {
        self.asked.lock().unwrap().get(name).copied().unwrap_or(0)
    }
}

const A: u16 = 1;
const CNAME: u16 = 5;
const AAAA: u16 = 28;

fn said(question: &[u8], asked: &Mutex<HashMap<String, usize>>) -> Option<Vec<u8>> {
    let (mut at, mut labels) = (12, Vec::new());
    loop {
        let length = usize::from(*question.get(at)?);
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(question.get(at + 1..=at + length)?).to_ascii_lowercase());
        at += 1 + length;
    }
    let kind = u16::from_be_bytes([*question.get(at + 1)?, *question.get(at + 2)?]);
    let name = labels.join(".");
    let mut asked = asked.lock().unwrap();
    let count = asked.entry(name.clone()).or_default();
    *count += usize::from(kind == A);
    let records = records(&name, kind, *count);
    let code = if records.is_some() { 0x80 } else { 0x83 };
    let records = records.unwrap_or_default();
    let mut said =
        [&question[..2], &[0x81, code, 0, 1, 0, u8::try_from(records.len()).ok()?, 0, 0, 0, 0]].concat();
    said.extend_from_slice(question.get(12..at + 5)?);
    for (owner, kind, data) in records {
        said.extend(encoded(&owner));
        said.extend(kind.to_be_bytes());
        // The class of the internet, and not to be kept.
        said.extend([0, 1, 0, 0, 0, 0]);
        said.extend(u16::try_from(data.len()).ok()?.to_be_bytes());
        said.extend(data);
    }
    Some(said)
}

type Record = (String, u16, Vec<u8>);

/// What is said about a name; nothing about one that does not exist.
fn records(name: &str, kind: u16, count: usize) -> Option<Vec<Record>> {
    let v4 = |address: Ipv4Addr| (name.to_owned(), A, address.octets().to_vec());
    let label = name.strip_suffix(".example")?;
    let (way, rest) = label.split_once('-').unwrap_or((label, ""));
    let inside = u32::from_str_radix(rest, 16).map(Ipv4Addr::from);
    let inside_v6 = u128::from_str_radix(rest, 16).map(Ipv6Addr::from);
    let all = match way {
        "public" => vec![v4(PUBLIC)],
        "a" => vec![v4(inside.ok()?)],
        "mixed" => vec![v4(PUBLIC), v4(inside.ok()?)],
        "after" => vec![v4(inside.ok()?), v4(PUBLIC)],
        "cname" => {
            let (to, address) = match inside {
                Ok(address) => ("inside.example", address),
                Err(_) => ("metadata.google.internal", Ipv4Addr::new(169, 254, 169, 254)),
            };
            vec![(name.to_owned(), CNAME, encoded(to)), (to.to_owned(), A, address.octets().to_vec())]
        }
        "aaaa" => vec![(name.to_owned(), AAAA, inside_v6.ok()?.octets().to_vec())],
        "half" => vec![v4(PUBLIC), (name.to_owned(), AAAA, inside_v6.ok()?.octets().to_vec())],
        "rebind" if count <= 1 => vec![v4(PUBLIC)],
        "rebind" => vec![v4(Ipv4Addr::LOCALHOST)],
        _ => return None,
    };
    Some(all.into_iter().filter(|(_, of, _)| *of == kind || *of == CNAME).collect())
}

fn encoded(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in name.split('.') {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes
}
