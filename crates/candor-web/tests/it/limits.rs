//! What comes in is bounded, whatever a server does. No test waits for a limit that people have: the settings are smaller.

use std::io::Write;
use std::time::Duration;

use candor_protocol::Code;
use candor_web::Web;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::rig::{Answer, Rig, Server, Then, answer, check_failure, open, told, typed};

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(body: &[u8]) -> Answer {
    answer("200 OK", "content-type: text/plain\r\ncontent-encoding: gzip\r\n", body)
}

#[tokio::test]
async fn a_packed_page_is_unpacked() {
    let server = Server::saying(gzip(&packed(b"hello")));
    assert_eq!(Rig::new(open()).page(&server.url("/")).await["content"], "hello");
    // Two in a row are one, by the book.
    let server = Server::saying(gzip(&[packed(b"one "), packed(b"two")].concat()));
    assert_eq!(Rig::new(open()).page(&server.url("/")).await["content"], "one two");
    let short = packed(&b"hello".repeat(1000));
    let server = Server::saying(gzip(&short[..short.len() - 10]));
    check_failure(&Rig::new(open()).fetch(&server.url("/")).await, Code::WebContent, "cut short");
}

/// Sixteen megabytes in as many kilobytes: all of it would be read if the limit counted what is sent.
#[tokio::test]
async fn a_bomb_stops_at_the_limit() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..16 {
        encoder.write_all(&piece).unwrap();
    }
    let server = Server::saying(gzip(&encoder.finish().unwrap()));
    let rig = Rig::new(Web { body_bytes_max: 100_000, ..open() });
    let page = rig.page(&server.url("/")).await;
    assert_eq!(page["missing"], "only its first 100000 bytes were read");
    assert!(page["cut"].as_str().unwrap().contains("of 100000;"), "{page}");
}

#[tokio::test]
async fn a_body_without_end_stops_at_the_limit() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n";
    let bytes = [head.as_bytes(), &[b'a'; 2048]].concat();
    let server = Server::saying(Answer { bytes, then: Then::Goes });
    let rig = Rig::new(Web { body_bytes_max: 1_000_000, ..open() });
    let page = rig.page(&server.url("/")).await;
    assert_eq!(page["missing"], "only its first 1000000 bytes were read");
}

#[tokio::test]
async fn a_server_that_keeps_us_waiting_is_left() {
    let rig = Rig::new(Web { total_timeout: Duration::from_millis(300), ..open() });
    let silences = [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf",
    ];
    for silence in silences {
        let server = Server::saying(Answer { bytes: silence.into(), then: Then::Waits });
        check_failure(&rig.fetch(&server.url("/")).await, Code::WebFetchFailed, "longer than 0.3 seconds");
    }
}

#[tokio::test]
async fn headers_without_end_are_refused() {
    let rig = Rig::new(open());
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(200));
    let server = Server::saying(Answer { bytes: many.into(), then: Then::Closes });
    check_failure(&rig.fetch(&server.url("/")).await, Code::WebFetchFailed, "Reason: ");
    let long = [b"HTTP/1.1 200 OK\r\nx: ".as_slice(), &[b'a'; 2048]].concat();
    let server = Server::saying(Answer { bytes: long, then: Then::Goes });
    check_failure(&rig.fetch(&server.url("/")).await, Code::WebFetchFailed, "Reason: ");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_page() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nhalf";
    let server = Server::saying(Answer { bytes: head.into(), then: Then::Closes });
    check_failure(&Rig::new(open()).fetch(&server.url("/")).await, Code::WebFetchFailed, "Reason: ");
}

#[tokio::test]
async fn a_pdf_that_is_too_long_is_not_read_in_part() {
    let server = Server::saying(typed("application/pdf", [b"%PDF-1.7\n".as_slice(), &[b' '; 5000]].concat()));
    let rig = Rig::new(Web { body_bytes_max: 1000, ..open() });
    check_failure(&rig.fetch(&server.url("/")).await, Code::WebContent, "longer than 1000 bytes");
}

/// A fetch that is cancelled ends at once, with its connection.
#[tokio::test]
async fn a_cancelled_fetch_ends() {
    let server = Server::saying(Answer { bytes: Vec::new(), then: Then::Waits });
    let rig = Rig::new(open());
    let cancel = rig.context.cancel.clone();
    let url = server.url("/");
    let (output, ()) = tokio::join!(rig.fetch(&url), async {
        while server.heads().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    check_failure(&output, Code::ToolInterrupted, "");
}

/// The readers hold on to what they are given, whatever it is.
#[tokio::test]
async fn broken_documents_are_cards() {
    let rig = Rig::new(open());
    let deep = "[".repeat(1_000_000);
    let bodies = [
        "%PDF-1.7".to_owned(),
        format!("%PDF-1.7\n1 0 obj\n{deep}\nendobj\ntrailer<</Root 1 0 R>>"),
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>endobj\ntrailer<</Root 1 0 R/Prev 0>>\nstartxref\n0\n%%EOF".to_owned(),
    ];
    for body in bodies {
        let server = Server::saying(typed("application/pdf", &body));
        check_failure(&rig.fetch(&server.url("/")).await, Code::WebContent, "application/pdf");
    }
}

/// Pages that make a reader's work or its result grow faster than they do themselves. Each would take gigabytes or minutes.
#[tokio::test]
async fn a_page_that_is_a_trap_costs_what_a_page_costs() {
    let long = "x".repeat(1_900);
    let pages = [
        "<div><b><a href=x>".repeat(20_000),
        format!("{}{}{}", "<b><i>".repeat(2_000), "word ".repeat(25_000), "</i></b>".repeat(2_000)),
        format!("<base href=/{long}/>{}", "<a href=x>y</a>".repeat(20_000)),
        format!("<base href=/{long}{long}/>{}", "<a href=x>y</a>".repeat(20_000)),
        "<table><tr><td>x".repeat(60_000),
        "<ul><li>x".repeat(60_000),
        "<ol start=9223372036854775807><li>x<li>y".to_owned(),
        "</x></y>".repeat(25_000),
        "<p><li>".repeat(25_000),
        format!("<a href=x>{}", "<p>y".repeat(25_000)),
        "&amp;".repeat(50_000),
        "<".repeat(300_000),
        format!("<{}", "a ".repeat(50_000)),
        format!("<p {}>x", (0..25_000).map(|number| format!("a{number}=1 ")).collect::<Vec<_>>().concat()),
    ];
    let rig = Rig::new(open());
    for page in pages {
        let server = Server::saying(typed("text/html", format!("before {page} after")));
        let told = told(&rig.fetch(&server.url("/")).await);
        assert!(told["content"].as_str().unwrap().starts_with("before"), "{told}");
        let whole = told["cut"]
            .as_str()
            .and_then(|cut| cut.split("of ").nth(1)?.split(';').next()?.parse::<usize>().ok());
        assert!(whole.is_none_or(|whole| whole <= 11 << 20), "{whole:?}");
    }
}
