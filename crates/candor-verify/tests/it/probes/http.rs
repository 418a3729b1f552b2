//! What an HTTP probe sends, and what it makes of the answer.

use candor_protocol::CheckResult::{Failed, Passed};
use candor_verify::plan::{HttpProbe, ProbeHow};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

use super::rig::{Rig, Then, answer, hasty, head, http_probe, probe, server, serving};

/// Asks for `/ping` and demands a result and what follows `GET /ping: `.
async fn check(
    raw: impl Into<Vec<u8>>,
    change: impl FnOnce(&mut HttpProbe),
    result: candor_protocol::CheckResult,
    said: &str,
) -> Option<String> {
    let (address, _server) = server(raw, Then::Close).await;
    let mut asked = http_probe(address, "/ping");
    change(&mut asked);
    Rig::new().check(&probe(ProbeHow::Http(asked)), result, &format!("GET /ping: {said}")).await.sample
}

fn contains(part: &str) -> impl FnOnce(&mut HttpProbe) {
    move |probe| probe.contains = Some(part.to_owned())
}

fn status(status: u16) -> impl FnOnce(&mut HttpProbe) {
    move |probe| probe.status = Some(status)
}

fn json_at(path: &str, value: Value) -> impl FnOnce(&mut HttpProbe) {
    move |probe| probe.json = vec![(path.to_owned(), value)]
}

#[tokio::test]
async fn the_status_decides_where_nothing_else_is_expected() {
    check(answer("200 OK", "text/plain", "hello"), |_| {}, Passed, "200").await;
    check("HTTP/1.1 204 No Content\r\n\r\n", |_| {}, Passed, "204").await;
    check(
        "HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n",
        |_| {},
        Passed,
        "302 to /login",
    )
    .await;
    for code in ["404 Not Found", "400 Bad Request", "500 Internal Server Error", "599 Odd"] {
        let said = format!("{}, but a 2xx or 3xx is expected", &code[..3]);
        check(answer(code, "text/plain", "no"), |_| {}, Failed, &said).await;
    }
}

#[tokio::test]
async fn a_named_status_is_the_only_good_one() {
    check(answer("404 Not Found", "text/plain", ""), status(404), Passed, "404").await;
    check(answer("500 Oops", "text/plain", ""), status(500), Passed, "500").await;
    check(answer("201 Created", "text/plain", ""), status(200), Failed, "201, but 200 is expected").await;
    check(
        "HTTP/1.1 302 Found\r\nlocation: /a\r\ncontent-length: 0\r\n\r\n",
        status(200),
        Failed,
        "302 to /a, but 200 is expected",
    )
    .await;
}

#[tokio::test]
async fn the_body_must_contain_what_is_expected_and_is_shown_if_not() {
    let good = answer("200 OK", "text/plain", "a pong b");
    let sample = check(good, contains("pong"), Passed, "200, with all that is expected").await;
    assert_eq!(sample.as_deref(), Some("a pong b"));
    let bad = answer("200 OK", "text/plain", "nothing here");
    let sample = check(bad, contains("pong"), Failed, "200, but the body does not contain \"pong\"").await;
    assert_eq!(sample.as_deref(), Some("nothing here"));
}

#[tokio::test]
async fn a_chunked_body_is_joined() {
    let raw = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\npo\r\n2\r\nng\r\n0\r\n\r\n";
    check(raw, contains("pong"), Passed, "200, with all that is expected").await;
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_the_connection() {
    check("HTTP/1.0 200 OK\r\n\r\npong", contains("pong"), Passed, "200, with all that is expected").await;
}

#[tokio::test]
async fn a_body_that_is_no_text_is_read_nevertheless() {
    let raw = [b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n".as_slice(), b"\xff\xfepong"].concat();
    let sample = check(raw, contains("pong"), Passed, "200, with all that is expected").await;
    assert_eq!(sample.as_deref(), Some("\u{fffd}\u{fffd}pong"));
}

#[tokio::test]
async fn the_body_must_match_a_pattern() {
    let matches = |pattern: &str| {
        let pattern = pattern.to_owned();
        move |probe: &mut HttpProbe| probe.matches = Some(pattern)
    };
    let raw = answer("200 OK", "text/plain", "version 1.20");
    check(raw.clone(), matches(r"version \d+\.\d+"), Passed, "200, with all that is expected").await;
    check(raw.clone(), matches(r"^\d"), Failed, r"200, but the body does not match /^\d/").await;
    let said = "the probe cannot be asked: /(/ is no regular expression: unclosed group";
    check(raw, matches("("), Failed, said).await;
}

#[tokio::test]
async fn headers_must_contain_what_is_expected() {
    let header = |name: &str, part: &str| {
        let pair = (name.to_owned(), part.to_owned());
        move |probe: &mut HttpProbe| probe.expect_headers = vec![pair]
    };
    let raw = answer("200 OK", "application/json; charset=utf-8", "{}");
    check(raw.clone(), header("Content-Type", "json"), Passed, "200, with all that is expected").await;
    let said = "200, but the header content-type is \"application/json; charset=utf-8\" and does not contain \"html\"";
    check(raw.clone(), header("content-type", "html"), Failed, said).await;
    check(raw, header("x-missing", "1"), Failed, "200, but there is no header x-missing").await;
}

#[tokio::test]
async fn all_that_is_wrong_is_told() {
    let change = |probe: &mut HttpProbe| {
        probe.status = Some(201);
        probe.contains = Some("pong".to_owned());
    };
    let said = "200, but 201 is expected, and the body does not contain \"pong\"";
    check(answer("200 OK", "text/plain", "x"), change, Failed, said).await;
}

#[tokio::test]
async fn a_json_path_leads_to_the_expected_value() {
    let body =
        json!({"a": {"b": [1, 2.0, {"c d": null}]}, "items": [{"id": 1}, {"id": 7}], "é": "ü", "q\"": true});
    let raw = answer("200 OK", "application/json", &body.to_string());
    let right = [
        ("$.a.b[0]", json!(1)),
        ("$.a.b[0]", json!(1.0)),
        ("$.a.b[1]", json!(2)),
        ("$.a.b[-1]['c d']", json!(null)),
        ("$['a'][\"b\"][0]", json!(1)),
        ("$.items[*].id", json!(7)),
        ("$.items[1]", json!({"id": 7})),
        ("$.é", json!("ü")),
        ("$[\"q\\\"\"]", json!(true)),
        ("$.*.b[0]", json!(1)),
    ];
    for (path, value) in right {
        check(raw.clone(), json_at(path, value), Passed, "200, with all that is expected").await;
    }
    let wrong = [
        ("$.a.b[0]", json!(2), "200, but $.a.b[0] is 1, not 2"),
        ("$.a.b[0]", json!("1"), "200, but $.a.b[0] is 1, not \"1\""),
        ("$.a.c", json!(1), "200, but there is no $.a.c"),
        ("$.a.b[9]", json!(1), "200, but there is no $.a.b[9]"),
        ("$.a.b[-9]", json!(1), "200, but there is no $.a.b[-9]"),
        ("$.items[*].id", json!(3), "200, but none of the 2 values at $.items[*].id is 3"),
        ("a.b", json!(1), "the probe cannot be asked: a.b is no JSON path: it must begin with $"),
        ("$..b", json!(1), "the probe cannot be asked: $..b is no JSON path: `..` is not supported"),
        ("$.a[", json!(1), "the probe cannot be asked: $.a[ is no JSON path: a bracket is not closed"),
    ];
    for (path, value, said) in wrong {
        check(raw.clone(), json_at(path, value), Failed, said).await;
    }
}

#[tokio::test]
async fn what_is_no_json_has_no_path() {
    let said = "200, but the body is no JSON (expected value at line 1 column 1)";
    check(answer("200 OK", "application/json", "<html>"), json_at("$.a", json!(1)), Failed, said).await;
}

#[tokio::test]
async fn a_body_must_fit_its_schema() {
    let schema = |schema: Value| move |probe: &mut HttpProbe| probe.schema = Some(schema);
    let wanted = json!({
        "type": "object", "required": ["id"],
        "properties": {"id": {"type": "integer"}, "next": {"$ref": "#"}},
    });
    let raw = |body: &str| answer("200 OK", "application/json", body);
    check(
        raw(r#"{"id":1,"next":{"id":2}}"#),
        schema(wanted.clone()),
        Passed,
        "200, with all that is expected",
    )
    .await;
    let said = "200, but the body does not fit the schema: /next/id: want integer, but got string";
    check(raw(r#"{"id":1,"next":{"id":"2"}}"#), schema(wanted.clone()), Failed, said).await;
    let said = "200, but the body does not fit the schema: missing properties 'id'";
    check(raw("{}"), schema(wanted), Failed, said).await;
}

#[tokio::test]
async fn a_schema_loads_nothing_from_elsewhere() {
    for place in ["http://127.0.0.1:9/x.json", "file:///etc/hostname"] {
        let (address, _server) = server(answer("200 OK", "application/json", "{}"), Then::Close).await;
        let schema = Some(json!({ "$ref": place }));
        let asked = HttpProbe { schema, ..http_probe(address, "/") };
        let answer = Rig::new().ask(&probe(ProbeHow::Http(asked))).await;
        assert_eq!(answer.result, Failed);
        assert!(answer.summary.contains("the probe cannot be asked: the schema is none"), "{answer:?}");
    }
}

#[tokio::test]
async fn of_a_long_body_the_beginning_is_kept_and_the_rest_is_counted() {
    let body = format!("pong{}end", "x".repeat(3 << 20));
    let raw = answer("200 OK", "text/plain", &body);
    let sample =
        check(raw.clone(), contains("pong"), Passed, "200, with all that is expected").await.unwrap();
    assert_eq!(sample.chars().count(), 2_000);
    check(
        raw.clone(),
        contains("end"),
        Failed,
        "200, but the first MiB of the body does not contain \"end\"",
    )
    .await;
    let said = "200, but the body is too long to be read as JSON (1 MiB at most)";
    check(raw, json_at("$", json!(1)), Failed, said).await;
}

#[tokio::test]
async fn a_stream_of_events_is_read_until_there_is_enough() {
    let raw = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: pong\n\n";
    let (address, _server) = server(raw, Then::Hold).await;
    let asked = HttpProbe { contains: Some("pong".to_owned()), ..http_probe(address, "/events") };
    let rig = Rig::new();
    rig.check(&probe(ProbeHow::Http(asked)), Passed, "GET /events: 200, with all that is expected").await;
    let asked = HttpProbe { contains: Some("other".to_owned()), ..http_probe(address, "/events") };
    let said = "GET /events: 200, but after 12 bytes nothing of what is expected within 500 ms";
    rig.check(&hasty(ProbeHow::Http(asked)), Failed, said).await;
}

#[tokio::test]
async fn the_question_is_sent_as_it_was_written() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (address, _server) = serving(move |mut stream| {
        let tell = tell.clone();
        async move {
            let head = head(&mut stream).await;
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            stream.read_exact(&mut body).await.unwrap();
            tell.send((head, String::from_utf8(body).unwrap())).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        }
    })
    .await;
    let asked = HttpProbe {
        method: Some("post".to_owned()),
        headers: vec![("X-Key".to_owned(), "ab cd".to_owned())],
        body: Some(r#"{"a": 1}"#.to_owned()),
        ..http_probe(address, "/a path?q=ü&r=1")
    };
    let rig = Rig::new();
    rig.check(&probe(ProbeHow::Http(asked.clone())), Passed, "POST /a%20path?q=%C3%BC&r=1: 200").await;
    let (head, body) = told.recv().await.unwrap();
    assert!(head.starts_with("POST /a%20path?q=%C3%BC&r=1 HTTP/1.1\r\n"), "{head}");
    for line in
        [format!("host: {address}"), "x-key: ab cd".to_owned(), "content-type: application/json".to_owned()]
    {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line} in {head}");
    }
    assert_eq!(body, r#"{"a": 1}"#);
    let headers =
        vec![("content-type".to_owned(), "text/x".to_owned()), ("Host".to_owned(), "named".to_owned())];
    rig.ask(&probe(ProbeHow::Http(HttpProbe { headers, ..asked }))).await;
    let (head, _) = told.recv().await.unwrap();
    assert!(head.contains("\r\ncontent-type: text/x\r\n") && head.contains("\r\nhost: named\r\n"), "{head}");
    assert!(!head.contains("application/json"), "{head}");
}

#[tokio::test]
async fn a_question_that_cannot_be_sent_is_told() {
    let rig = Rig::new();
    let cases = [
        (
            HttpProbe { url: "/x".to_owned(), ..HttpProbe::default() },
            "it names no port, and the service was not seen to open one",
        ),
        (
            HttpProbe { url: "127.0.0.1:80/x".to_owned(), ..HttpProbe::default() },
            "127.0.0.1:80/x is no URL: relative URL without a base",
        ),
        (
            HttpProbe { url: "ftp://127.0.0.1/x".to_owned(), ..HttpProbe::default() },
            "ftp is no scheme for it",
        ),
        (
            HttpProbe {
                url: "http://127.0.0.1/".to_owned(),
                method: Some("G T".to_owned()),
                ..HttpProbe::default()
            },
            "G T is no method for it",
        ),
        (
            HttpProbe {
                url: "http://127.0.0.1/".to_owned(),
                headers: vec![("a b".to_owned(), "c".to_owned())],
                ..HttpProbe::default()
            },
            "a b: c is no header",
        ),
    ];
    for (asked, why) in cases {
        let answer = rig.ask(&probe(ProbeHow::Http(asked))).await;
        assert_eq!(answer.result, Failed);
        assert!(answer.summary.ends_with(&format!(": the probe cannot be asked: {why}")), "{answer:?}");
    }
}

#[tokio::test]
async fn it_is_asked_again_as_often_as_it_may_be() {
    let first = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counter = std::sync::Arc::clone(&first);
    let (address, _server) = serving(move |mut stream| {
        let number = counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        async move {
            head(&mut stream).await;
            let status = if number == 1 { "200 OK" } else { "503 Wait" };
            stream.write_all(answer(status, "text/plain", "").as_bytes()).await.unwrap();
        }
    })
    .await;
    let rig = Rig::new();
    let mut asked = probe(ProbeHow::Http(http_probe(address, "/")));
    asked.retries = 3;
    rig.check(&asked, Passed, "GET /: 200 (try 2)").await;
    asked.retries = 1;
    let said = "GET /: 503, but a 2xx or 3xx is expected (try 2)";
    rig.check(&asked, Failed, said).await;
    assert_eq!(first.load(std::sync::atomic::Ordering::SeqCst), 4);
}
