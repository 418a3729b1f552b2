//! Whom a session can talk to.

use std::net::SocketAddr;

use candor_sandbox::{Ended, How, Level, Network, Policy, Running, Sandbox, Spec, run, start};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, workspace};

/// Answers one connection with what it was told, and says so.
const SERVER: &str = "import socket,sys
s=socket.create_server(('127.0.0.1',PORT)); print('ready',flush=True)
while True:
  c,_=s.accept(); c.sendall(b'from inside'); c.close()";

const CLIENT: &str = "import socket
print(socket.create_connection(('127.0.0.1',PORT),5).recv(99).decode())";

fn python(rig: &Rig, script: &str, port: u16) -> Spec {
    let mut spec = rig.script("");
    spec.program = "/usr/bin/python3".into();
    spec.args = ["-c".into(), script.replace("PORT", &port.to_string()).into()].to_vec();
    spec
}

fn open(network: Network) -> Rig {
    Rig::with(|directory| {
        let policy = Policy { network, ..workspace(directory) };
        Sandbox::open_at(policy, Level::Namespaces).unwrap()
    })
}

async fn finish(rig: &Rig, spec: &Spec) -> Ended {
    run(spec, &rig.sandbox, &CancellationToken::new()).await.unwrap()
}

/// Waits until a process has said something.
async fn ready(running: &Running) {
    while running.output().total_bytes() == 0 {
        assert_eq!(running.state(), candor_sandbox::State::Running, "{}", running.output().text());
        tokio::task::yield_now().await;
    }
}

/// A server of the host that answers every request with the same words, and tells what it was asked.
async fn host_server() -> (SocketAddr, tokio::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = tokio::sync::mpsc::channel(16);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = vec![0; 4096];
            let read = stream.read(&mut asked).await.unwrap_or_default();
            let _ = tell.send(String::from_utf8_lossy(&asked[..read]).into_owned()).await;
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nfrom host";
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (address, told)
}

#[tokio::test]
async fn two_calls_of_a_session_reach_each_other_and_another_session_reaches_neither() {
    let rig = open(Network::Loopback { forward: Vec::new() });
    let other = open(Network::Loopback { forward: Vec::new() });
    let port = 18_080;
    let server = start(&python(&rig, SERVER, port), &rig.sandbox).unwrap();
    ready(&server).await;
    assert_eq!(finish(&rig, &python(&rig, CLIENT, port)).await.stdout.text(), "from inside\n");
    let refused = finish(&other, &python(&other, CLIENT, port)).await;
    assert!(refused.stderr.text().contains("ConnectionRefused"), "{}", refused.stderr.text());
    let host = tokio::net::TcpStream::connect(("127.0.0.1", port)).await;
    assert!(host.is_err(), "the host reaches it as well");
}

#[tokio::test]
async fn a_forwarded_port_is_the_hosts_and_no_other_is() {
    let (address, _told) = host_server().await;
    let (closed, mut heard) = host_server().await;
    let rig = open(Network::Loopback { forward: vec![address.port()] });
    let script = "import urllib.request as u\nprint(u.urlopen('http://127.0.0.1:PORT/').read().decode())";
    let ended = finish(&rig, &python(&rig, script, address.port())).await;
    assert_eq!(ended.stdout.text(), "from host\n", "{}", ended.stderr.text());
    let ended = finish(&rig, &python(&rig, script, closed.port())).await;
    assert_ne!(ended.how, How::Exited(0));
    assert!(heard.try_recv().is_err());
}

#[tokio::test]
async fn the_proxy_lets_through_what_is_listed_and_nothing_else() {
    let (listed, mut told) = host_server().await;
    let (other, mut heard) = host_server().await;
    let (port, closed) = (listed.port(), other.port());
    let rig = open(Network::List(vec![format!("127.0.0.1:{port}"), format!("localhost:{closed}")]));
    let fetch = |target: String| {
        // What programs are told not to use the proxy for is asked of the proxy here, to see what it says.
        let script = format!(
            "import os,urllib.request as u,urllib.error\nfor n in ['NO_PROXY','no_proxy']: os.environ.pop(n)\n\
             try: print(u.urlopen('http://{target}/path?q=1').read().decode())\n\
             except urllib.error.HTTPError as e: print(e.code, e.read().decode().strip())"
        );
        python(&rig, &script, 0)
    };
    let ended = finish(&rig, &fetch(format!("127.0.0.1:{port}"))).await;
    assert_eq!(ended.stdout.text(), "from host\n", "{}", ended.stderr.text());
    let asked = told.recv().await.unwrap();
    assert!(asked.starts_with("GET /path?q=1 HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains(&format!("\r\nHost: 127.0.0.1:{port}\r\n")), "{asked}");
    for (target, code) in [
        (format!("127.0.0.1:{closed}"), "403"),
        (format!("localhost:{port}"), "403"),
        (format!("127.1:{port}"), "403"),
        // It is listed, and leads to this machine.
        (format!("localhost:{closed}"), "502"),
    ] {
        let ended = finish(&rig, &fetch(target.clone())).await;
        let said = ended.stdout.text();
        assert!(said.starts_with(code) || said.starts_with("400"), "{target}: {said}{}", ended.stderr.text());
    }
    assert!(heard.try_recv().is_err());
    assert!(told.try_recv().is_err());
}

#[tokio::test]
async fn the_proxy_makes_tunnels_to_what_is_listed_and_bounds_what_it_reads() {
    let (listed, _told) = host_server().await;
    let (other, mut heard) = host_server().await;
    let rig = open(Network::List(vec![format!("127.0.0.1:{}", listed.port())]));
    let talk = |first: String, then: &str| {
        let script = format!(
            "import os,socket\nh,p=os.environ['HTTP_PROXY'][7:].split(':')\ns=socket.create_connection((h,int(p)),5)\n\
             s.sendall({first})\nprint(s.recv(999).decode().split('\\r\\n')[0])\n{then}"
        );
        python(&rig, &script, 0)
    };
    let connect = |address: SocketAddr| format!("b'CONNECT {address} HTTP/1.1\\r\\n\\r\\n'");
    let through = "s.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n'); print(s.recv(999).decode().split('\\r\\n')[-1])";
    let ended = finish(&rig, &talk(connect(listed), through)).await;
    assert_eq!(
        ended.stdout.text(),
        "HTTP/1.1 200 Connection established\nfrom host\n",
        "{}",
        ended.stderr.text()
    );
    let ended = finish(&rig, &talk(connect(other), "")).await;
    assert_eq!(ended.stdout.text(), "HTTP/1.1 403 Forbidden\n");
    assert!(heard.try_recv().is_err());
    let endless = "b'GET / HTTP/1.1\\r\\n'+b'X: y\\r\\n'*99999".to_owned();
    let ended = finish(&rig, &talk(endless, "")).await;
    assert!(!ended.stdout.text().contains("200"), "{}", ended.stdout.text());
}

#[tokio::test]
async fn bridges_end_with_the_sandbox() {
    let (address, _told) = host_server().await;
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    let rig = self::open(Network::Loopback { forward: vec![address.port()] });
    assert!(open() > before);
    drop(rig);
    while open() > before {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_whole_network_is_the_hosts() {
    let (address, _told) = host_server().await;
    let rig = open(Network::All);
    let script = "import urllib.request as u\nprint(u.urlopen('http://127.0.0.1:PORT/').read().decode())";
    let ended = finish(&rig, &python(&rig, script, address.port())).await;
    assert_eq!(ended.stdout.text(), "from host\n", "{}", ended.stderr.text());
}

#[test]
fn a_list_that_cannot_be_read_opens_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let policy = Policy { network: Network::List(vec!["*:443".to_owned()]), ..workspace(directory.path()) };
    assert!(Sandbox::open_at(policy, Level::Namespaces).is_err());
}
