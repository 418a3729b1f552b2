//! A service that ends while it is asked.

use candor_protocol::CheckResult::{Failed, Passed};
use candor_verify::plan::{HttpProbe, ProbeHow};

use super::rig::{Rig, probe};

/// Takes one connection, says something, and ends: without an answer, or after it.
const ONCE: &str = "exec python3 -u -c \"
import os,socket
s=socket.create_server(('127.0.0.1',0)); print(s.getsockname()[1])
c,_=s.accept(); c.recv(4096); ANSWER
print('KeyError: boom'); os._exit(1)\"";

async fn asked(script: &str) -> (Rig, HttpProbe) {
    let rig = Rig::running(script);
    let port = rig.first_line().await;
    (rig, HttpProbe { url: format!("http://127.0.0.1:{port}/"), ..HttpProbe::default() })
}

#[tokio::test]
async fn its_end_is_told_and_what_it_said_last() {
    let (rig, asked) = asked(&ONCE.replace("ANSWER", "pass")).await;
    let mut asked = probe(ProbeHow::Http(asked));
    asked.retries = 5;
    // One that is gone is not asked again: nothing is said of a second try.
    let answer = rig.check(&asked, Failed, "GET /: the service ended before it answered").await;
    assert!(answer.sample.unwrap().ends_with("KeyError: boom"));
}

#[tokio::test]
async fn an_answer_before_the_end_counts() {
    let reply = "c.sendall(b'HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok'); c.close()";
    let (rig, asked) = asked(&ONCE.replace("ANSWER", reply)).await;
    rig.check(&probe(ProbeHow::Http(asked)), Passed, "GET /: 200").await;
}

#[tokio::test]
async fn a_wrong_answer_before_the_end_is_told_as_one() {
    let reply = "c.sendall(b'HTTP/1.1 500 No\\r\\ncontent-length: 2\\r\\n\\r\\nno'); c.close()";
    let (rig, asked) = asked(&ONCE.replace("ANSWER", reply)).await;
    let said = "GET /: 500, but a 2xx or 3xx is expected";
    rig.check(&probe(ProbeHow::Http(asked)), Failed, said).await;
}

#[tokio::test]
async fn who_waits_for_one_that_has_ended_does_not_wait_long() {
    let rig = Rig::running("echo bye");
    rig.running.ended().await;
    let said = "the service ended before it answered";
    for (how, name) in [
        (ProbeHow::Log("never".to_owned()), "log /never/"),
        (ProbeHow::Tcp("127.0.0.1:9".to_owned()), "tcp 127.0.0.1:9"),
        (ProbeHow::File { path: "never".into(), contains: None, matches: None }, "file never"),
        (ProbeHow::Stdin { send: "hi".to_owned(), expect: None }, "stdin \"hi\""),
    ] {
        // The time of these is a minute.
        let answer = rig.check(&probe(how), Failed, &format!("{name}: {said}")).await;
        assert_eq!(answer.sample.as_deref(), Some("bye"));
    }
    rig.check(&probe(ProbeHow::Log("by.".to_owned())), Passed, "log /by./: the line is there").await;
}
