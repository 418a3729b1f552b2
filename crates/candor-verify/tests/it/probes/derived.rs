//! What is made of answers to questions that nobody declared.

use candor_protocol::CheckResult::{self, Failed, Passed, Skipped};
use candor_verify::plan::{Probe, ProbeHow};

use super::rig::{Rig, Then, answer, http_probe, probe, server};

async fn check_raw(name: &str, raw: impl Into<Vec<u8>>, result: CheckResult, said: &str) {
    let (address, _server) = server(raw, Then::Close).await;
    let asked =
        Probe { name: name.to_owned(), derived: true, ..probe(ProbeHow::Http(http_probe(address, "/"))) };
    Rig::new().check(&asked, result, &format!("GET /: {said}")).await;
}

async fn page(body: &str, result: CheckResult, said: &str) {
    check_raw("GET /", answer("200 OK", "text/html; charset=utf-8", body), result, said).await;
}

async fn json(body: &str, result: CheckResult, said: &str) {
    check_raw("GET /", answer("200 OK", "application/json", body), result, said).await;
}

#[tokio::test]
async fn a_server_that_fails_has_failed() {
    for code in ["500", "502", "503", "504"] {
        let said = format!("{code}: the server fails");
        check_raw("GET /", answer(&format!("{code} No"), "text/html", "x"), Failed, &said).await;
    }
}

#[tokio::test]
async fn a_refusal_tells_nothing() {
    for code in ["401", "403"] {
        let said = format!("{code}: it asks who we are, which tells nothing");
        check_raw("GET /", answer(&format!("{code} No"), "text/html", "x"), Skipped, &said).await;
    }
    for code in ["404", "405"] {
        let said = format!("{code}: there is nothing to ask here");
        check_raw("GET /health", answer(&format!("{code} No"), "text/html", "x"), Skipped, &said).await;
    }
    for code in ["400", "422", "426", "429"] {
        let said = format!("{code}: it wants to be asked otherwise, which tells nothing");
        check_raw("GET /", answer(&format!("{code} No"), "text/html", "x"), Skipped, &said).await;
    }
}

#[tokio::test]
async fn a_route_of_the_api_description_must_be_there() {
    for code in ["404", "405"] {
        let said = format!("{code}, but the API description names this route");
        check_raw("GET / (openapi.yaml)", answer(&format!("{code} No"), "text/html", "x"), Failed, &said)
            .await;
    }
    check_raw(
        "GET / (OpenAPI)",
        answer("401 No", "text/html", "x"),
        Skipped,
        "401: it asks who we are, which tells nothing",
    )
    .await;
}

#[tokio::test]
async fn good_answers_pass() {
    check_raw(
        "GET /",
        "HTTP/1.1 301 Go\r\nlocation: /app\r\ncontent-length: 0\r\n\r\n",
        Passed,
        "301 to /app",
    )
    .await;
    page("<html><title>My shop</title><body>Welcome</body></html>", Passed, "200").await;
    check_raw("GET /", answer("200 OK", "text/plain", "Hello"), Passed, "200").await;
    json(r#"{"hello":"world"}"#, Passed, "200").await;
}

#[tokio::test]
async fn what_does_not_speak_http_need_not() {
    let said = "what listens there does not speak HTTP";
    check_raw("GET /", "-ERR unknown command 'GET'\r\n", Skipped, said).await;
    check_raw("GET /", "SSH-2.0-OpenSSH_9.2\r\n", Skipped, said).await;
    check_raw("GET /", b"\x4a\x00\x00\x00\x0a8.0.36\x00".as_slice(), Skipped, said).await;
    // Who hangs up may have crashed.
    check_raw("GET /", "", Failed, "the connection was closed before an answer came").await;
    let said = "the connection was closed in the middle of the head of the answer";
    check_raw("GET /", "HTTP/1.1 200", Failed, said).await;
    check_raw("GET /", "HTT", Failed, said).await;
}

#[tokio::test]
async fn an_error_page_with_status_200_is_a_failure() {
    let pages = [
        (
            "<title>500 Internal Server Error</title><h1>Oops</h1>",
            "an error page with the title \"500 Internal Server Error\"",
        ),
        (
            "<HTML><TITLE>\n Internal Server Error\n</TITLE>",
            "an error page with the title \"Internal Server Error\"",
        ),
        ("<title>Server Error (500)</title>", "an error page with the title \"Server Error (500)\""),
        ("<title>502 Bad Gateway</title>", "an error page with the title \"502 Bad Gateway\""),
        ("<title>Application Error</title>", "an error page with the title \"Application Error\""),
        (
            "<title>We're sorry, but something went wrong (500)</title>",
            "an error page with the title \"We're sorry, but something went wrong (500)\"",
        ),
        (
            "<title>Error</title><body><pre>TypeError: x is not a function<br> at /app.js:3</pre>",
            "an error page with the title \"Error\"",
        ),
        (
            "<title>KeyError at /</title><p>You’re seeing this error because you have <code>DEBUG = True</code> in",
            "Django's debug page",
        ),
        ("<title>ZeroDivisionError: division by zero // Werkzeug Debugger</title>", "the Werkzeug debugger"),
        ("<html><body><h1>Whitelabel Error Page</h1><p>This application", "Spring's error page"),
        ("<title>Call to undefined method foo() (500 Internal Server Error)</title>", "a Symfony error page"),
        (
            r#"<script id="__NEXT_DATA__" type="application/json">{"props":{},"page":"/_error"}</script>"#,
            "a Next.js error page",
        ),
        ("<body><h2>Application error: a server-side exception has occurred</h2>", "a Next.js error page"),
        ("<!DOCTYPE html><body><pre>Cannot GET /</pre></body>", "the page by which Express knows no route"),
        ("<body><vite-error-overlay></vite-error-overlay>", "the error overlay of Vite"),
        (
            "<br />\n<b>Fatal error</b>:  Uncaught Exception: boom in /srv/index.php:3\nStack trace:\n#0 {main}\n  thrown in <b>/srv/index.php</b> on line <b>3</b><br />",
            "a fatal error of PHP",
        ),
        (
            "PHP Parse error:  syntax error, unexpected end of file in /srv/index.php on line 9",
            "a fatal error of PHP",
        ),
        (
            "<pre>Traceback (most recent call last):\n  File \"app.py\", line 3, in view\nKeyError: 'x'</pre>",
            "a Python traceback",
        ),
    ];
    for (body, what) in pages {
        page(body, Failed, &format!("200, but the body is {what}")).await;
    }
    let text =
        answer("200 OK", "text/plain", "Traceback (most recent call last):\n  File \"a.py\", line 1\nE: x");
    check_raw("GET /", text, Failed, "200, but the body is a Python traceback").await;
}

#[tokio::test]
async fn a_page_that_only_mentions_errors_is_none() {
    let pages = [
        "<title>Error</title><h1>About errors</h1>",
        "<title>Error handling - the guide</title><pre>try { }</pre>",
        "<title>How to fix a 500 Internal Server Error</title>",
        "<title>Docs</title><p>PHP says Fatal error: when it cannot go on, and tells on line 3 why.</p>",
        "<title>Docs</title><code>Whitelabel Error Page</code>",
        "<title>Docs</title><p>You need DEBUG = True in your settings.</p>",
        "<title>Logs</title><p>It begins with Traceback (most recent call last): and goes on.</p>",
        r#"<script id="__NEXT_DATA__" type="application/json">{"page":"/","query":{}}</script><a href="/_error">"#,
        "<title>Server Errors: 0</title>",
        "<title>Docs</title><p>Next.js shows: Application error: a client-side exception has occurred</p>",
        "<p><b>Warning</b>:  Undefined variable $x in <b>/srv/index.php</b> on line <b>3</b><br />",
    ];
    for body in pages {
        page(body, Passed, "200").await;
    }
    let script = answer("200 OK", "text/javascript", "// <title>500 Internal Server Error</title>");
    check_raw("GET /", script, Passed, "200").await;
}

#[tokio::test]
async fn an_object_that_tells_of_an_error_alone_is_a_failure() {
    for body in [
        r#"{"error":"database is locked"}"#,
        r#"{"error":{"message":"boom"}}"#,
        r#"{"error":true,"message":"boom","stack":"at x"}"#,
        r#"{"ok":false,"error":"boom","code":"E_BOOM"}"#,
        r#"{"data":null,"error":"boom"}"#,
    ] {
        json(body, Failed, &format!("200, but the body is an error and nothing else: {body}")).await;
    }
}

#[tokio::test]
async fn an_object_that_says_that_it_is_not_well_is_a_failure() {
    for (status, body) in [
        ("error", r#"{"status":"error"}"#),
        ("DOWN", r#"{"components":{"db":{"status":"DOWN"}},"status":"DOWN"}"#),
        ("unhealthy", r#"{"status":"unhealthy","uptime":3}"#),
        ("fail", r#"{"data":{"db":"token missing"},"status":"fail"}"#),
    ] {
        json(body, Failed, &format!("200, but the body is a failure (status is \"{status}\"): {body}")).await;
    }
    for (member, body) in [
        ("healthy", r#"{"healthy":false,"version":"1.2"}"#),
        ("ok", r#"{"ok":false}"#),
        ("success", r#"{"data":[],"success":false}"#),
    ] {
        json(body, Failed, &format!("200, but the body is a failure ({member} is false): {body}")).await;
    }
}

#[tokio::test]
async fn an_object_that_refuses_the_question_tells_nothing() {
    for body in [
        r#"{"error":"Not found"}"#,
        r#"{"error":"missing parameter q"}"#,
        r#"{"error":"x","statusCode":401}"#,
        r#"{"message":"login required","success":false}"#,
    ] {
        let said = format!("200, but the body refuses the question (\"{body}\"), which tells nothing");
        json(body, Skipped, &said).await;
    }
}

#[tokio::test]
async fn an_object_that_has_more_than_an_error_is_an_answer() {
    for body in [
        r#"{"error":null}"#,
        r#"{"error":false,"status":"ok"}"#,
        r#"{"error":"","message":"hi"}"#,
        r#"{"error":0}"#,
        r#"{"error":{}}"#,
        r#"{"errors":[]}"#,
        r#"{"error":"boom","data":[1]}"#,
        r#"{"error":3,"warning":5}"#,
        r#"{"error_count":3}"#,
        r#"[{"error":"boom"}]"#,
        r#"{"id":7,"status":"failed"}"#,
        r#"{"status":"ok","ok":true,"healthy":true,"success":true}"#,
        r#"{"status":"downloading"}"#,
    ] {
        json(body, Passed, "200").await;
    }
}
