//! Whatever comes back, there is an answer.

use std::time::Duration;

use candor_verify::plan::{HttpProbe, Probe, ProbeHow};
use futures_util::future::join_all;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::rig::{Rig, serving};

/// More than it takes to read what is there already.
const LIMIT: Duration = Duration::from_secs(1);

/// Bytes that look like an answer for a while, or not at all.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    let head = prop_oneof![
        Just(b"".as_slice()),
        Just(b"HTTP/1.1 200 OK\r\n".as_slice()),
        Just(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n".as_slice()),
        Just(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".as_slice()),
        Just(
            b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"
                .as_slice()
        ),
        Just(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00".as_slice()),
        Just(b"\x15\x03\x01\x00\x02".as_slice()),
    ];
    (head, vec(any::<u8>(), 0..300)).prop_map(|(head, tail)| [head, &tail].concat())
}

fn probes(address: std::net::SocketAddr) -> Vec<Probe> {
    let url = format!("http://{address}/");
    let all = HttpProbe {
        url: url.clone(),
        expect_headers: vec![("content-type".to_owned(), "x".to_owned())],
        contains: Some("x".to_owned()),
        matches: Some("x.*y".to_owned()),
        json: vec![("$.a[*]['b']".to_owned(), json!(1))],
        schema: Some(json!({"type": "object"})),
        ..HttpProbe::default()
    };
    let kinds = [
        ProbeHow::Http(all.clone()),
        ProbeHow::Http(HttpProbe { url: url.replace("http", "https"), ..all }),
        ProbeHow::Http(HttpProbe { url, ..HttpProbe::default() }),
        ProbeHow::Websocket { url: format!("ws://{address}/"), send: None, expect: Some("x".to_owned()) },
        ProbeHow::Grpc { address: address.to_string(), service: String::new() },
    ];
    let made = kinds.into_iter().enumerate().map(|(at, how)| Probe {
        name: "random (openapi)".to_owned(),
        how,
        timeout: LIMIT,
        retries: 0,
        derived: at == 2,
    });
    made.collect()
}

#[test]
fn any_bytes_are_answered_for() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(ProptestConfig { cases: 40, ..ProptestConfig::default() });
    let rig = runtime.block_on(async { Rig::new() });
    let tried = runner.run(&answers(), |bytes| {
        runtime.block_on(async {
            // It does not wait for more of the question than its beginning: in TLS it has no end.
            let (address, _server) = serving(move |mut stream| {
                let bytes = bytes.clone();
                async move {
                    let _ = stream.read(&mut [0; 4096]).await;
                    let _ = stream.write_all(&bytes).await;
                }
            })
            .await;
            let probes = probes(address);
            for answer in join_all(probes.iter().map(|probe| rig.ask(probe))).await {
                prop_assert!(!answer.summary.is_empty() && !answer.summary.contains('\n'), "{:?}", answer);
                prop_assert!(answer.sample.is_none_or(|sample| sample.chars().count() <= 2_000));
            }
            Ok(())
        })
    });
    tried.unwrap();
}
