//! Where addresses lead, and what goes wrong on the way.

use candor_protocol::CheckResult::{Failed, Passed, Unverifiable};
use candor_sandbox::{Level, Policy, Sandbox};
use candor_verify::plan::{HttpProbe, ProbeHow};
use candor_verify::probe::{http_ready, tcp_ready};
use futures_util::FutureExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::rig::{LONG, Rig, SHORT, Then, answer, hasty, head, http_probe, probe, server, serving};

const PYTHON: &str = "exec python3 -u -m http.server --bind 127.0.0.1 0";

fn at(url: String) -> ProbeHow {
    ProbeHow::Http(HttpProbe { url, ..HttpProbe::default() })
}

/// A port at which nothing listens.
async fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn nothing_listens() {
    let port = free_port().await;
    let rig = Rig::new();
    let said = format!("GET /: nothing listens at 127.0.0.1:{port}: no connection within 500 ms");
    rig.check(&hasty(at(format!("http://127.0.0.1:{port}/"))), Failed, &said).await;
    let said =
        format!("tcp 127.0.0.1:{port}: nothing listens at 127.0.0.1:{port}: no connection within 500 ms");
    rig.check(&hasty(ProbeHow::Tcp(format!("127.0.0.1:{port}"))), Failed, &said).await;
}

#[tokio::test]
async fn who_listens_a_moment_later_is_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let rig = Rig::new();
    let asked = probe(ProbeHow::Tcp(address.to_string()));
    let asking = rig.ask(&asked);
    tokio::pin!(asking);
    // The first connection is refused before this is polled again.
    assert!((&mut asking).now_or_never().is_none());
    tokio::task::yield_now().await;
    let _listener = TcpListener::bind(address).await.unwrap();
    assert_eq!(asking.await.summary, format!("tcp {address}: connected"));
}

#[tokio::test]
async fn a_connection_that_breaks_is_told() {
    let cases = [
        ("", Then::Close, "the connection was closed before an answer came"),
        ("", Then::Reset, "the connection was reset before an answer came"),
        (
            "HTTP/1.1 200 OK\r\nx: ",
            Then::Close,
            "the connection was closed in the middle of the head of the answer",
        ),
        ("SSH-2.0-OpenSSH_9.2\r\n", Then::Close, "what came back is no HTTP"),
        ("\u{1}\u{2}garbage", Then::Hold, "what came back is no HTTP"),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
            Then::Close,
            "200, but the connection was closed in the middle of the body, after 3 bytes",
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            Then::Hold,
            "200, but the body is no HTTP after 0 bytes",
        ),
    ];
    let rig = Rig::new();
    for (raw, then, said) in cases {
        let (address, _server) = server(raw, then).await;
        let answer = rig
            .check(&probe(ProbeHow::Http(http_probe(address, "/"))), Failed, &format!("GET /: {said}"))
            .await;
        assert_eq!(answer.sample.unwrap_or_default(), raw, "what came is shown");
    }
}

#[tokio::test]
async fn what_takes_too_long_is_told() {
    let cases = [
        ("", "no answer within 500 ms"),
        ("HTTP/1.1 200 OK\r\nx", "no answer within 500 ms"),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
            "200, but after 3 bytes no end of the body within 500 ms",
        ),
    ];
    let rig = Rig::new();
    for (raw, said) in cases {
        let (address, _server) = server(raw, Then::Hold).await;
        let answer = rig
            .check(&hasty(ProbeHow::Http(http_probe(address, "/"))), Failed, &format!("GET /: {said}"))
            .await;
        assert_eq!(answer.sample.unwrap_or_default(), raw, "what came is shown");
    }
}

#[tokio::test]
async fn who_never_stops_is_left() {
    let (endless, _server) = serving(|mut stream| async move {
        head(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(&[b'x'; 16_384]).await.is_ok() {}
    })
    .await;
    let (dripping, _server) = serving(|mut stream| async move {
        head(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nx: ").await;
        while stream.write_all(b"y").await.is_ok() {
            tokio::time::sleep(SHORT / 10).await;
        }
    })
    .await;
    let (headers, _server) =
        server(format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(1 << 20)), Then::Hold).await;
    let rig = Rig::new();
    let answer = rig.ask(&hasty(ProbeHow::Http(http_probe(endless, "/")))).await;
    assert_eq!(answer.result, Failed);
    assert!(answer.summary.starts_with("GET /: 200, but after "), "{answer:?}");
    assert!(answer.summary.ends_with(" bytes no end of the body within 500 ms"), "{answer:?}");
    rig.check(&hasty(ProbeHow::Http(http_probe(dripping, "/"))), Failed, "GET /: no answer within 500 ms")
        .await;
    let said = "GET /: the head of the answer is longer than 64 KiB";
    rig.check(&probe(ProbeHow::Http(http_probe(headers, "/"))), Failed, said).await;
}

#[tokio::test]
async fn names_of_this_machine_lead_to_both_loopbacks() {
    let Ok(listener) = TcpListener::bind("[::1]:0").await else { return };
    let port = listener.local_addr().unwrap().port();
    let rig = Rig::new();
    for host in ["localhost", "LOCALHOST.", "api.localhost", "0.0.0.0", "[::]", "[::1]"] {
        rig.check(
            &probe(ProbeHow::Tcp(format!("{host}:{port}"))),
            Passed,
            &format!("tcp {host}:{port}: connected"),
        )
        .await;
    }
    rig.check(&probe(ProbeHow::Tcp(format!(":{port}"))), Passed, &format!("tcp :{port}: connected")).await;
}

#[tokio::test]
async fn a_path_leads_to_where_the_service_listens() {
    let (address, _server) = server(answer("200 OK", "text/plain", "hi"), Then::Close).await;
    let mut rig = Rig::new();
    for base in [
        address,
        format!("0.0.0.0:{}", address.port()).parse().unwrap(),
        format!("[::]:{}", address.port()).parse().unwrap(),
    ] {
        rig.base = Some(base);
        rig.check(&probe(at("/health".to_owned())), Passed, "GET /health: 200").await;
    }
}

#[tokio::test]
async fn what_is_not_on_this_machine_is_asked_only_if_that_was_opted_in() {
    let mut rig = Rig::new();
    let hint = "is not on this machine; with `remote_probes: true` in .candor/verify.yaml and `sandbox.network = \"all\"` it would be asked";
    let cases = [
        (
            at("http://user:pw@host.invalid/x".to_owned()),
            format!("GET http://host.invalid/x: host.invalid {hint}"),
        ),
        (at("https://192.0.2.1/".to_owned()), format!("GET https://192.0.2.1/: 192.0.2.1 {hint}")),
        (ProbeHow::Tcp("host.invalid:80".to_owned()), format!("tcp host.invalid:80: host.invalid {hint}")),
        (
            ProbeHow::Websocket { url: "ws://host.invalid/".to_owned(), send: None, expect: None },
            format!("websocket ws://host.invalid/: host.invalid {hint}"),
        ),
        (
            ProbeHow::Grpc { address: "host.invalid:1".to_owned(), service: String::new() },
            format!("grpc host.invalid:1: host.invalid {hint}"),
        ),
    ];
    for (how, said) in &cases {
        rig.check(&probe(how.clone()), Unverifiable, said).await;
    }
    rig.may_leave = true;
    for (how, _) in cases {
        // The name is reserved for never being found, the address for documentation.
        let answer = rig.ask(&hasty(how)).await;
        assert_eq!(answer.result, Failed, "{answer:?}");
        assert!(answer.summary.contains("no connection"), "{answer:?}");
    }
}

#[tokio::test]
async fn an_address_that_is_none_is_told() {
    let rig = Rig::new();
    for address in ["", "8080", "localhost", "localhost:0", "localhost:99999", "::1:80", "localhost:http"] {
        let said = format!("tcp {address}: the probe cannot be asked: {address} is no host:port");
        rig.check(&probe(ProbeHow::Tcp(address.to_owned())), Failed, &said).await;
    }
}

#[tokio::test]
async fn a_server_behind_walls_is_asked_in_its_own_network() {
    let rig = Rig::walled(PYTHON);
    let line = rig.first_line().await;
    let port: u16 = line.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    std::fs::write(rig.directory.path().join("ping.txt"), "pong").unwrap();
    let url = format!("http://localhost:{port}/ping.txt");
    let asked = HttpProbe { url: url.clone(), contains: Some("pong".to_owned()), ..HttpProbe::default() };
    rig.check(&probe(ProbeHow::Http(asked)), Passed, "GET /ping.txt: 200, with all that is expected").await;
    assert_eq!(http_ready(&url, &rig.sandbox, LONG).await, Ok(200));
    assert_eq!(tcp_ready(&format!("127.0.0.1:{port}"), &rig.sandbox, LONG).await, Ok(()));
    // It is not on the host.
    let refused = tcp_ready(&format!("127.0.0.1:{port}"), &Sandbox::bare(), LONG).await;
    assert_eq!(refused, Err(format!("nothing listens at 127.0.0.1:{port}")));
}

#[tokio::test]
async fn where_there_is_no_network_nothing_is_known() {
    let mut rig = Rig::new();
    let policy = Policy { writable: vec![rig.directory.path().to_owned()], ..Policy::default() };
    rig.sandbox = Sandbox::open_at(policy, Level::Landlock).unwrap();
    let said = "tcp 127.0.0.1:9: the walls here leave the service no network that can be reached";
    rig.check(&probe(ProbeHow::Tcp("127.0.0.1:9".to_owned())), Unverifiable, said).await;
}

#[tokio::test]
async fn ready_is_who_answers_well() {
    let sandbox = Sandbox::bare();
    let ready = async |raw: String, then| {
        let (address, _server) = server(raw, then).await;
        http_ready(&format!("http://{address}/healthz"), &sandbox, LONG).await
    };
    assert_eq!(ready(answer("200 OK", "text/plain", "ok"), Then::Close).await, Ok(200));
    assert_eq!(
        ready("HTTP/1.1 307 Go\r\nlocation: /\r\ncontent-length: 0\r\n\r\n".to_owned(), Then::Close).await,
        Ok(307)
    );
    // The head will do.
    assert_eq!(ready("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n".to_owned(), Then::Hold).await, Ok(200));
    assert_eq!(
        ready(answer("404 No", "text/plain", ""), Then::Close).await,
        Err("it answers with 404".to_owned())
    );
    assert_eq!(
        ready(answer("503 No", "text/plain", ""), Then::Close).await,
        Err("it answers with 503".to_owned())
    );
    assert_eq!(
        ready("SSH-2.0\r\n".to_owned(), Then::Close).await,
        Err("what came back is no HTTP".to_owned())
    );
    let (silent, _server) = server("", Then::Hold).await;
    let late = http_ready(&format!("http://{silent}/"), &sandbox, SHORT).await;
    assert_eq!(late, Err("no answer within 500 ms".to_owned()));
    let outside = http_ready("http://host.invalid/", &sandbox, LONG).await.unwrap_err();
    assert!(outside.starts_with("host.invalid is not on this machine"), "{outside}");
}
