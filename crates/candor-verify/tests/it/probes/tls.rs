//! TLS on this machine, where any certificate will do.

use std::net::SocketAddr;
use std::sync::Arc;

use candor_protocol::CheckResult::{Failed, Passed};
use candor_verify::plan::{HttpProbe, Probe, ProbeHow};
use futures_util::SinkExt;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

use super::rig::{Rig, answer, probe, serving};

/// A certificate for `localhost` that is signed by itself, and its key. They are for this test alone.
const CERTIFICATE: &str = "MIIBmzCCAUGgAwIBAgIUb1Ha37salL6C2BwJOyJW+rscUyUwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2 \
    MTExNjAwMjk0MFoYDzIxMjYxMDIzMDAyOTQwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC \
    AATr4RIVrpyXFIO3VLh/vwMw4HlxcyR4/fqpToqWoZxp95Mk3mhdOYix24j4chlKKxZCJ6zNLlZwHa2u0Lsp6ya+o28wbTAdBgNV \
    HQ4EFgQUJFunyBZqerOCF/gI9yeytwTd2DQwHwYDVR0jBBgwFoAUJFunyBZqerOCF/gI9yeytwTd2DQwDwYDVR0TAQH/BAUwAwEB \
    /zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgaAgdn99jcq1jepukpRgSVVkOwSgEdTprcLDw \
    JVo1h+ECIQDkwg3COqXpomy9NrHZlC/WPG3y3KxbKfasKhEiuPawFg==";
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdux+6vFQPRyoOBDs+eBumTrYSYyuVOcquT+Zbl/f9cWhRANCAATr \
    4RIVrpyXFIO3VLh/vwMw4HlxcyR4/fqpToqWoZxp95Mk3mhdOYix24j4chlKKxZCJ6zNLlZwHa2u0Lsp6ya+";

fn pem(kind: &str, base64: &str) -> String {
    format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", base64.replace(' ', ""))
}

async fn tls_server<F>(
    serve: impl Fn(TlsStream<TcpStream>) -> F + Clone + Send + 'static,
) -> (SocketAddr, JoinSet<()>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let certificate = CertificateDer::from_pem_slice(pem("CERTIFICATE", CERTIFICATE).as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(pem("PRIVATE KEY", KEY).as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    serving(move |stream| {
        let (acceptor, serve) = (acceptor.clone(), serve.clone());
        async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream).await;
            }
        }
    })
    .await
}

async fn https() -> (SocketAddr, JoinSet<()>) {
    tls_server(|mut stream| async move {
        let mut request = [0; 4096];
        assert!(stream.read(&mut request).await.unwrap() > 0);
        stream.write_all(answer("200 OK", "text/plain", "pong").as_bytes()).await.unwrap();
        let _ = stream.shutdown().await;
    })
    .await
}

#[tokio::test]
async fn a_certificate_of_its_own_will_do() {
    let (address, _server) = https().await;
    let rig = Rig::new();
    for url in [format!("https://{address}/ping"), format!("https://localhost:{}/ping", address.port())] {
        let asked = HttpProbe { url, contains: Some("pong".to_owned()), ..HttpProbe::default() };
        rig.check(&probe(ProbeHow::Http(asked)), Passed, "GET /ping: 200, with all that is expected").await;
    }
}

#[tokio::test]
async fn a_websocket_may_be_in_tls() {
    let (address, _server) = tls_server(|stream| async move {
        let Ok(mut socket) = accept_async(stream).await else { return };
        let _ = socket.send(Message::text("hello")).await;
    })
    .await;
    let url = format!("wss://{address}/");
    let how = ProbeHow::Websocket { url: url.clone(), send: None, expect: Some("hello".to_owned()) };
    Rig::new().check(&probe(how), Passed, &format!("websocket {url}: the answer came")).await;
}

#[tokio::test]
async fn who_does_not_speak_tls_is_told() {
    let (address, _server) = serving(|mut stream| async move {
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(answer("400 Bad Request", "text/plain", "").as_bytes()).await;
    })
    .await;
    let asked = HttpProbe { url: format!("https://{address}/"), ..HttpProbe::default() };
    let answer = Rig::new().ask(&probe(ProbeHow::Http(asked))).await;
    assert_eq!(answer.result, Failed);
    assert!(answer.summary.starts_with("GET /: no TLS connection: "), "{answer:?}");
}

#[tokio::test]
async fn a_question_that_nobody_declared_finds_tls_by_itself() {
    let (address, _server) = https().await;
    let mut rig = Rig::new();
    rig.base = Some(address);
    let how = ProbeHow::Http(HttpProbe { url: "/".to_owned(), ..HttpProbe::default() });
    rig.check(&Probe { derived: true, ..probe(how) }, Passed, "GET /: 200").await;
}
