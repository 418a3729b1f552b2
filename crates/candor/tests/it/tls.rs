//! HTTPS with real certificates: a server of another language, and what it does to a connection.
#![expect(clippy::disallowed_methods, reason = "the server is a process of its own")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use candor_testkit::{Candor, Home};

use crate::rig::BINARY;

/// Answers every request; the first answer is cut without the word by which TLS says that it is over.
const SERVER: &str = r#"
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("server.pem", "server.key")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
frame = lambda text: ("data: %s\n\n" % text).encode()
pieces = [frame('{"choices":[{"delta":{"content":"Hello over "}}]}'),
          frame('{"choices":[{"delta":{"content":"TLS."},"finish_reason":"stop"}]}'), frame("[DONE]")]
served = 0
while True:
    plain, _ = listener.accept()
    try:
        stream = context.wrap_socket(plain, server_side=True)
        data = b""
        while b"\r\n\r\n" not in data:
            data += stream.recv(65536)
        stream.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" + pieces[0])
        served += 1
        if served == 1:
            socket.socket(fileno=stream.detach()).close()
        else:
            stream.sendall(pieces[1] + pieces[2])
            stream.unwrap()
    except (ssl.SSLError, OSError):
        pass
"#;

struct Server {
    child: Child,
    home: Home,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start() -> Self {
        let home = Home::new();
        let dir = home.tmp();
        fs::write(dir.join("server.py"), SERVER).expect("a script");
        make_certificates(&dir);
        let mut child = Command::new("python3")
            .arg("server.py")
            .current_dir(&dir)
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let mut port = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut port).expect("a port");
        let config = format!(
            "provider = \"tls\"\nretry = {{ base_delay_ms = 100, max_delay_ms = 1000, max_retries = 1 }}\n[providers.tls]\n\
             base_url = \"https://localhost:{}/v1\"\nmodel = \"m\"\n",
            port.trim()
        );
        home.write("config.toml", config);
        Self { child, home }
    }

    fn ask(&self) -> Candor<'_> {
        Candor::new(BINARY, &self.home).args(["Hello there"])
    }
}

/// An authority of our own, and a certificate of it for `localhost`.
fn make_certificates(dir: &Path) {
    let lines = [
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=test",
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=localhost",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names",
    ];
    fs::write(dir.join("names"), "subjectAltName=DNS:localhost\n").expect("a file");
    for line in lines {
        let made =
            Command::new("openssl").args(line.split(' ')).current_dir(dir).output().expect("openssl starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}

#[test]
fn f22_over_tls_a_cut_without_its_last_word_is_retried() {
    let server = Server::start();
    let ran = server.ask().env("SSL_CERT_FILE", server.home.tmp().join("ca.pem")).run().ok();
    assert_eq!(ran.stdout, "Hello over TLS.\n");
    assert!(ran.stderr.contains("The answer was cut off. Retrying"), "{}", ran.stderr);
}

#[test]
fn over_tls_a_certificate_that_nobody_vouches_for_is_refused() {
    let server = Server::start();
    let ran = server.ask().run().code(1);
    assert!(ran.stderr.contains("invalid peer certificate: UnknownIssuer"), "{}", ran.stderr);
}
