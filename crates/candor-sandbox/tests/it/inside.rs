//! Talking to what runs behind the walls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_sandbox::{How, Level, Network, Policy, Running, Sandbox, State, start, start_tapped};
use tokio::io::AsyncReadExt;

use crate::rig::{LONG, Rig, workspace};

const SERVER: &str = "import socket,sys
s=socket.create_server(('127.0.0.1',0)); print(s.getsockname()[1],flush=True)
while True:
  c,_=s.accept(); c.sendall(b'from inside'); c.close()";

const SERVER_V6: &str = "import socket,sys
s=socket.create_server(('::1',0),family=socket.AF_INET6); print(s.getsockname()[1],flush=True)
while True:
  c,_=s.accept(); c.sendall(b'from inside'); c.close()";

fn rigs() -> Vec<Rig> {
    if cfg!(elsewhere) { vec![Rig::new()] } else { vec![Rig::new(), walled()] }
}

fn walled() -> Rig {
    Rig::with(|directory| {
        let network = Network::Loopback { forward: Vec::new() };
        Sandbox::open_at(Policy { network, ..workspace(directory) }, Level::Namespaces).unwrap()
    })
}

async fn server(rig: &Rig, script: &str) -> (Running, u16) {
    let mut spec = rig.script("");
    spec.program = "/usr/bin/python3".into();
    spec.args = ["-c".into(), script.into()].to_vec();
    let running = start(&spec, &rig.sandbox).unwrap();
    while !running.output().text().contains('\n') {
        assert_eq!(running.state(), State::Running, "{}", running.output().text());
        tokio::task::yield_now().await;
    }
    let port = running.output().text().trim().parse().unwrap();
    (running, port)
}

#[tokio::test]
async fn a_server_inside_is_reached_from_outside() {
    for rig in rigs() {
        for (script, host) in [(SERVER, "127.0.0.1"), (SERVER_V6, "[::1]")] {
            let (running, port) = server(&rig, script).await;
            let mut stream = rig.sandbox.dial(format!("{host}:{port}").parse().unwrap()).await.unwrap();
            let mut said = String::new();
            stream.read_to_string(&mut said).await.unwrap();
            assert_eq!(said, "from inside");
            running.stop(LONG).await;
        }
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "other systems have no walls")]
async fn a_server_of_the_host_is_not_reached_through_a_session() {
    let rig = walled();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refused = rig.sandbox.dial(listener.local_addr().unwrap()).await;
    assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "other systems have no walls")]
async fn where_there_is_no_network_nothing_is_dialled() {
    let rig = Rig::at(Level::Landlock);
    assert!(!rig.sandbox.can_dial());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refused = rig.sandbox.dial(listener.local_addr().unwrap()).await;
    assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::Unsupported);
}

#[tokio::test]
async fn somebody_inside_reaches_our_listener() {
    for rig in rigs() {
        let listener = rig.sandbox.listen().await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let running =
            start(&rig.script(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}; cat <&3")), &rig.sandbox);
        let running = running.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        stream.writable().await.unwrap();
        assert_eq!(stream.try_write(b"hello").unwrap(), 5);
        drop(stream);
        running.ended().await;
        assert_eq!(running.output().text(), "hello");
    }
}

#[tokio::test]
async fn whose_sockets_listen_is_told() {
    for rig in rigs() {
        let (other, theirs) = server(&rig, SERVER).await;
        let (running, ours) = server(&rig, SERVER_V6).await;
        let found = running.listening();
        let whose =
            |port: u16| found.iter().find(|entry| entry.address.port() == port).map(|entry| entry.is_own);
        assert_eq!((whose(ours), whose(theirs)), (Some(true), Some(false)), "{found:?}");
        let address = found.iter().find(|entry| entry.is_own).unwrap().address;
        assert_eq!(address.to_string(), format!("[::1]:{ours}"));
        drop(other);
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what leaves its group is not found on other systems")]
async fn a_socket_of_a_child_in_another_session_counts_as_its_own() {
    for rig in rigs() {
        let script = format!("setsid python3 -c \"{SERVER}\" & wait");
        let running = start(&rig.script(&script), &rig.sandbox).unwrap();
        while !running.output().text().contains('\n') {
            assert_eq!(running.state(), State::Running, "{}", running.output().text());
            tokio::task::yield_now().await;
        }
        assert!(running.listening().iter().any(|entry| entry.is_own), "{:?}", running.listening());
    }
}

#[tokio::test]
async fn another_signal_asks_it_to_end() {
    for rig in rigs() {
        let script = "trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.01; done";
        let running = start(&rig.script(script), &rig.sandbox).unwrap();
        while !running.output().text().contains("ready") {
            tokio::task::yield_now().await;
        }
        assert_eq!(running.stop_by(2, LONG).await, How::Exited(7));
        assert!(running.output().text().contains("interrupted"));
    }
}

#[tokio::test]
async fn a_tap_hears_every_byte_on_its_stream() {
    for rig in rigs() {
        let heard = Arc::new(Mutex::new((0, 0)));
        let ear = Arc::clone(&heard);
        let mut spec = rig.script("head -c 3000000 /dev/zero; head -c 70000 /dev/zero >&2");
        spec.output_bytes_max = 100;
        let tap = move |stream, bytes: &[u8]| {
            let mut heard = ear.lock().unwrap();
            match stream {
                candor_sandbox::Stream::Stdout => heard.0 += bytes.len(),
                candor_sandbox::Stream::Stderr => heard.1 += bytes.len(),
            }
        };
        let running = start_tapped(&spec, &rig.sandbox, Arc::new(tap)).unwrap();
        running.ended().await;
        assert_eq!(*heard.lock().unwrap(), (3_000_000, 70_000));
        assert_eq!(running.stop(Duration::ZERO).await, How::Exited(0));
    }
}
