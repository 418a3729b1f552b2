//! The health of gRPC services.

use candor_protocol::CheckResult::{Failed, Passed};
use candor_verify::plan::ProbeHow;
use h2::server::SendResponse;
use hyper::body::Bytes;
use hyper::{HeaderMap, Request, Response};
use tokio::net::TcpStream;

use super::rig::{Rig, Then, answer, hasty, probe, server, serving};

/// Serves the health of `up`, `down` and of all, as the service in the request's bytes.
async fn health(stream: TcpStream) {
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    while let Some(Ok((request, respond))) = connection.accept().await {
        tokio::spawn(reply(request, respond));
    }
}

async fn reply(request: Request<h2::RecvStream>, mut respond: SendResponse<Bytes>) {
    assert_eq!(request.uri().path(), "/grpc.health.v1.Health/Check");
    assert_eq!(request.headers()["content-type"], "application/grpc");
    assert_eq!(request.headers()["te"], "trailers");
    let mut body = request.into_body();
    let mut message = Vec::new();
    while let Some(data) = body.data().await {
        message.extend_from_slice(&data.unwrap());
    }
    let head = |status: Option<&str>| {
        let mut head = Response::builder().header("content-type", "application/grpc");
        if let Some(status) = status {
            head = head.header("grpc-status", status).header("grpc-message", "why not");
        }
        head.body(()).unwrap()
    };
    let status: &[u8] = match message.as_slice() {
        [0, 0, 0, 0, 0] | [0, 0, 0, 0, 4, 0x0A, 2, b'u', b'p'] => &[0x08, 1],
        [0, 0, 0, 0, 6, 0x0A, 4, b'd', b'o', b'w', b'n'] => &[0x08, 2],
        // Fields that nobody knows come first.
        [0, 0, 0, 0, 5, 0x0A, 3, b'n', b'e', b'w'] => &[0x12, 1, b'x', 0x18, 0x80, 1, 0x08, 1],
        [0, 0, 0, 0, 5, 0x0A, 3, b'o', b'd', b'd'] => &[0x08],
        [.., b'n', b'o'] => return drop(respond.send_response(head(Some("5")), true)),
        [.., b'o', b'f', b'f'] => return drop(respond.send_response(head(Some("12")), true)),
        _ => return drop(respond.send_response(head(Some("14")), true)),
    };
    let length = u8::try_from(status.len()).unwrap();
    let mut stream = respond.send_response(head(None), false).unwrap();
    stream.send_data([&[0, 0, 0, 0, length], status].concat().into(), false).unwrap();
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", "0".parse().unwrap());
    stream.send_trailers(trailers).unwrap();
}

#[tokio::test]
async fn only_serving_is_healthy() {
    let (address, _server) = serving(health).await;
    let rig = Rig::new();
    let cases = [
        ("", Passed, "SERVING"),
        ("up", Passed, "SERVING"),
        ("new", Passed, "SERVING"),
        ("down", Failed, "NOT_SERVING, but SERVING is expected"),
        ("odd", Failed, "the answer is no HealthCheckResponse"),
        ("no", Failed, "it knows no service no"),
        ("off", Failed, "it does not serve grpc.health.v1.Health"),
        ("other", Failed, "gRPC status 14: why not"),
    ];
    for (service, result, said) in cases {
        let how = ProbeHow::Grpc { address: address.to_string(), service: service.to_owned() };
        let name = format!("grpc {address} {service}");
        rig.check(&probe(how), result, &format!("{}: {said}", name.trim_end())).await;
    }
}

#[tokio::test]
async fn what_is_no_grpc_is_told() {
    let rig = Rig::new();
    let how = |address| ProbeHow::Grpc { address, service: String::new() };
    let cases = [
        (answer("400 Bad Request", "text/plain", "no"), "it speaks HTTP/1.1, and no gRPC"),
        (String::new(), "the connection was closed before an answer came"),
    ];
    for (raw, said) in cases {
        let (address, _server) = server(raw, Then::Close).await;
        rig.check(&probe(how(address.to_string())), Failed, &format!("grpc {address}: {said}")).await;
    }
    let (address, _server) = server("", Then::Hold).await;
    rig.check(&hasty(how(address.to_string())), Failed, &format!("grpc {address}: no answer within 500 ms"))
        .await;
}
