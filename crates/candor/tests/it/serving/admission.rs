//! Who gets in, and what everyone else is told. Each row is a way by which a web page or a stranger has got into a server
//! on somebody's own machine.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use candor_testkit::{Candor, Closed, Home, Ws};
use serde_json::json;

use super::{Served, answer, converse, saying, serve, status_of};
use crate::rig::{BINARY, KEY, home_of, home_with};

#[track_caller]
fn check(served: &Served<'_>, headers: &[(&str, &str)], expect: u16) {
    let bearer = served.bearer();
    let all: Vec<(&str, &str)> =
        std::iter::once(("authorization", bearer.as_str())).chain(headers.iter().copied()).collect();
    assert_eq!(served.refusal(&all), expect, "{headers:?}");
}

#[test]
fn a_foreign_page_is_refused_before_the_handshake_even_with_the_token() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let (port, host) = (served.port, served.host());
    let own = format!("http://{host}");
    check(&served, &[("origin", &own)], 101);
    check(&served, &[("origin", &format!("http://localhost:{port}"))], 101);
    check(&served, &[("origin", &format!("http://[::1]:{port}"))], 101);
    let foreign = [
        "http://evil.com".to_owned(),
        "null".to_owned(),
        String::new(),
        "http://127.0.0.1".to_owned(),
        format!("https://{host}"),
        format!("http://{host}.evil.com"),
        format!("http://evil.com:{port}"),
        format!("http://localhost.:{port}"),
        format!("http://{host}/"),
        format!("http://user@{host}"),
        format!("file://{host}"),
        format!("http://127.0.0.1:{}", port ^ 1),
    ];
    for origin in &foreign {
        check(&served, &[("origin", origin)], 403);
    }
    check(&served, &[("sec-fetch-site", "cross-site"), ("origin", &own)], 403);
    check(&served, &[("sec-fetch-site", "same-origin"), ("origin", &own)], 101);
}

#[test]
fn a_name_that_was_made_to_lead_here_is_refused() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let port = served.port;
    check(&served, &[("host", &format!("LOCALHOST:{port}"))], 101);
    for host in ["evil.com", "127.0.0.1", "localhost", "", "127.0.0.1:1", "0.0.0.0"] {
        check(&served, &[("host", host)], 403);
    }
    for host in ["evil.com", "127.0.0.1.evil.com", "0.0.0.0", "127.0.0.2", "localhost."] {
        check(&served, &[("host", &format!("{host}:{port}"))], 403);
    }
    let line = "GET /healthz HTTP/1.1";
    assert_eq!(served.status(line, &[&format!("Host: 127.0.0.1:{port}")]), 200);
    assert_eq!(served.status(line, &[&format!("Host: evil.com:{port}")]), 403, "not even its health");
    assert_eq!(served.status(line, &[]), 403, "no name at all");
    let twice = [format!("Host: 127.0.0.1:{port}"), format!("Host: evil.com:{port}")];
    assert_eq!(served.status(line, &[&twice[0], &twice[1]]), 403);
    let absolute = format!("GET http://evil.com:{port}/healthz HTTP/1.1");
    assert_eq!(served.status(&absolute, &[&twice[0]]), 403, "the target counts, too");
}

#[test]
fn nobody_gets_in_without_the_token() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let token = &served.token;
    assert_eq!(token.len(), 64, "256 bits");
    let last = if token.ends_with('0') { "1" } else { "0" };
    let wrong = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Bearer {}", &token[..63]),
        format!("Bearer {token}0"),
        format!("Bearer {}{last}", &token[..63]),
        format!("Bearer {}", token.to_uppercase().replace(char::is_numeric, "x")),
        format!("Basic {token}"),
        token.clone(),
    ];
    for value in &wrong {
        assert_eq!(served.refusal(&[("authorization", value)]), 401, "{value}");
    }
    assert_eq!(served.refusal(&[]), 401);
    assert_eq!(served.refusal_at(&format!("/ws?token={token}"), &[]), 401, "not in the address");
    assert_eq!(served.refusal_at(&format!("/ws?access_token={token}"), &[]), 401);
    assert_eq!(served.refusal(&[("cookie", &format!("token={token}"))]), 401);
    let scopes = [("x-scopes", "operator.admin"), ("x-forwarded-for", "127.0.0.1")];
    assert_eq!(served.refusal(&scopes), 401, "nothing else counts");
    assert!(fake.requests().is_empty());
}

#[test]
fn a_browser_shows_the_token_as_a_subprotocol() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let with =
        |protocols: &str| Ws::try_connect(served.port, "/ws", &[("sec-websocket-protocol", protocols)]);
    let token = format!("candor.token.{}", served.token);
    assert_eq!(with(&format!("candor, {token}")).expect("let in").protocol(), Some("candor"));
    assert_eq!(with(&token).expect("let in").protocol(), Some(token.as_str()));
    assert_eq!(with("candor, candor.token.0123").err(), Some(401));
    assert_eq!(with(&format!("{token}, candor.token.0123")).err(), Some(401), "one of them only");
    let both = [("authorization", "Bearer wrong"), ("sec-websocket-protocol", token.as_str())];
    assert_eq!(served.refusal(&both), 401, "a wrong header is not made up for");
}

#[test]
fn guessing_is_shut_after_twenty_and_the_owner_still_gets_in() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let origin = format!("http://{}", served.host());
    let guess = |number: u32| {
        let bearer = format!("Bearer {number:064}");
        // What could be thought to exempt a client exempts nobody.
        served.refusal(&[("authorization", &bearer), ("origin", &origin), ("devicetoken", "x")])
    };
    let statuses: Vec<u16> = (0..1000).map(guess).collect();
    assert!(statuses[..20].iter().all(|status| *status == 401), "{:?}", &statuses[..20]);
    assert!(statuses[20..].iter().all(|status| *status == 429), "{:?}", &statuses[20..]);
    assert_eq!(answer(&converse(&mut served.connect(), "Hello there")), "Hello.");
}

#[test]
fn another_token_in_the_file_shuts_the_old_one_out() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut old = served.connect();
    converse(&mut old, "Hello there");
    let new = "n".repeat(64);
    home.write("token", &new);
    assert_eq!(served.refusal(&[("authorization", &served.bearer())]), 401, "the old one");
    assert_eq!(old.closed(), Closed::Code(1008), "open sockets are closed");
    assert_eq!(answer(&converse(&mut Ws::connect(served.port, &new), "Hello there")), "Hello.");
    fs::remove_file(home.path().join("token")).expect("it is there");
    assert_eq!(served.refusal(&[("authorization", &format!("Bearer {new}"))]), 401, "no token, nobody");
    home.write("token", "");
    assert_eq!(served.refusal(&[("authorization", "Bearer ")]), 401, "an empty one is none");
}

#[test]
fn a_socket_with_an_old_token_gets_nothing_more() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    converse(&mut socket, "Hello there");
    home.write("token", "n".repeat(64));
    // Nobody connects; what the socket itself says is what makes the server look, once a second.
    let started = Instant::now();
    let end = loop {
        assert!(started.elapsed() < Duration::from_secs(20), "it was not closed");
        if let Err(closed) = socket.try_send(&json!({ "type": "nothing" })) {
            break closed;
        }
    };
    assert_eq!(end, Closed::Code(1008));
}

#[test]
fn the_token_is_made_for_its_owner_alone_and_kept() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let first = serve(&home).token;
    assert_eq!(home.mode("token"), 0o600);
    let served = serve(&home);
    assert_eq!(served.token, first);
    assert!(!served.running.stderr().contains(&first), "it is not shown");
    drop(served);
    let path = home.path().join("token");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("it is ours");
    let served = serve(&home);
    assert_ne!(served.token, first, "others may have read it");
    assert_eq!(home.mode("token"), 0o600);
    assert!(served.running.stderr().contains("there is a new token"), "{}", served.running.stderr());
    let files: Vec<_> = fs::read_dir(home.path()).expect("a home").flatten().map(|e| e.file_name()).collect();
    assert!(!files.iter().any(|name| name.to_string_lossy().starts_with("token.")), "{files:?}");
}

#[test]
fn there_is_health_for_everyone_and_nothing_else() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let host = format!("Host: {}", served.host());
    let answer = served.raw(&format!("GET /healthz HTTP/1.1\r\n{host}\r\n\r\n"));
    assert!(answer.ends_with("\r\n\r\n{\"status\":\"ok\"}"), "{answer}");
    assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
    assert!(!answer.contains(env!("CARGO_PKG_VERSION")), "no version for strangers: {answer}");
    for path in ["/", "/ws/", "/healthz/", "/../token", "/token", "/api/sessions"] {
        assert_eq!(served.status(&format!("GET {path} HTTP/1.1"), &[&host]), 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"] {
        assert_eq!(served.status(&format!("{method} /healthz HTTP/1.1"), &[&host]), 405, "{method}");
    }
    assert_eq!(served.status("GET /ws HTTP/1.1", &[&host]), 401);
    let bearer = format!("Authorization: {}", served.bearer());
    assert_eq!(served.status("GET /ws HTTP/1.1", &[&host, &bearer]), 400, "no handshake");
    assert_eq!(status_of(&served.raw("nonsense\r\n\r\n")), 400);
    let long = format!("X-Long: {}", "x".repeat(20_000));
    assert_eq!(served.status("GET /healthz HTTP/1.1", &[&host, &long]), 431);
    let many: Vec<String> = (0..500).map(|number| format!("X-{number}: y")).collect();
    let many: Vec<&str> = std::iter::once(host.as_str()).chain(many.iter().map(String::as_str)).collect();
    assert_eq!(served.status("GET /healthz HTTP/1.1", &many), 431);
}

#[test]
fn a_body_is_never_read() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let before = served.memory_kb();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, served.port)).expect("it listens");
    let head = format!("POST /ws HTTP/1.1\r\nHost: {}\r\nContent-Length: 1073741824\r\n\r\n", served.host());
    stream.write_all(head.as_bytes()).expect("it reads the head");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).expect("it answers to the head");
    assert_eq!(&answer, b"HTTP/1.1 405");
    let block = vec![b'x'; 1 << 20];
    let sent = (0..1024).take_while(|_| stream.write_all(&block).is_ok()).count();
    assert!(sent < 64, "it took {sent} MiB");
    let after = served.memory_kb();
    assert!(after < before + 8_000, "{after} kB, before {before}");
}

#[test]
fn who_connects_and_says_nothing_is_soon_gone() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let half = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n", served.host());
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, served.port)).expect("it listens");
    // More than are served at a time.
    let silent: Vec<TcpStream> = (0..260).map(|_| connect()).collect();
    for mut stream in &silent {
        stream.write_all(half.as_bytes()).expect("it reads");
    }
    assert_eq!(answer(&converse(&mut served.connect(), "Hello there")), "Hello.", "its turn comes");
    for mut stream in &silent[..250] {
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time limit");
        // A silent connection ends; it does not time out here.
        let end = stream.read(&mut [0; 64]);
        assert!(!end.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock));
    }
}

#[test]
fn an_address_that_is_taken_has_a_card() {
    let fake = saying("Hello.");
    let (home, other) = (home_of(&fake), home_of(&fake));
    let served = serve(&home);
    let ran = candor(&other, &["--listen", &served.host()]).run();
    assert_eq!(ran.status, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("SERVE_ADDRESS") && ran.stderr.contains(&served.host()), "{}", ran.stderr);
    let from_file = home_with(&fake, &format!("server = {{ listen = \"{}\" }}", served.host()));
    let ran = candor(&from_file, &[]).run();
    assert!(ran.stderr.contains("SERVE_ADDRESS"), "the setting counts: {}", ran.stderr);
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7777"] {
        let ran = candor(&home, &["--listen", address]).run();
        assert_eq!(ran.status, 4, "{}", ran.stderr);
        assert!(ran.stderr.contains("SERVE_NOT_LOOPBACK"), "{}", ran.stderr);
    }
    let ran = candor(&home, &["--listen", "nonsense"]).run();
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(!home.path().join("token").exists(), "nothing was begun");
}

#[test]
fn the_socket_can_be_switched_off() {
    let fake = saying("Hello.");
    let home = home_with(&fake, "server = { interactive = { ws_enabled = false } }");
    let served = serve(&home);
    assert_eq!(served.refusal(&[("authorization", &served.bearer())]), 404);
    assert_eq!(served.status("GET /healthz HTTP/1.1", &[&format!("Host: {}", served.host())]), 200);
}

#[test]
fn the_token_stays_out_of_what_is_said_and_logged() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let frames = converse(&mut socket, &format!("My token is {}", served.token));
    assert!(!json!(frames).to_string().contains(&served.token));
    assert!(!fake.requests()[0].body.to_string().contains(&served.token), "not to the model");
    assert!(!home.read("logs/candor.log").contains(&served.token));
}

fn candor<'h>(home: &'h Home, args: &[&str]) -> Candor<'h> {
    Candor::new(BINARY, home).args(["serve"]).args(args).env("FAKE_KEY", KEY)
}
