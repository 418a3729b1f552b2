//! Input that nobody should give us, from servers and from people, in every dialect.

use candor_llm::{Dialect, Endpoint, Error, HttpProvider};
use candor_protocol::{StopReason, plain_text};
use candor_testkit::{FakeLlm, Fault, Reply};
use serde_json::json;

use crate::faults::rig::{KEY, Rig, calls, endpoint, in_all, stream, where_it_applies};
use crate::server::ask;

#[tokio::test]
async fn a_proxy_that_answers_in_html_is_named_and_not_quoted() {
    let page =
        "<!DOCTYPE html><html><head><title>Zscaler: access denied</title></head><body>secret</body></html>";
    for status in [200, 307, 403, 404, 407, 451] {
        in_all(&format!("a page with {status}"), async |rig| {
            rig.fake.push(Reply::status(status).body("text/html", page));
            let asked = rig.ask().await;
            let error = asked.failed(0).to_string();
            assert!(!error.contains('<') && !error.contains("secret"), "{}: {error}", rig.name);
        })
        .await;
    }
}

#[tokio::test]
async fn a_page_that_calls_itself_a_stream_is_a_page() {
    in_all("a page as a stream", async |rig| {
        rig.fake.push(stream("\n  <!DOCTYPE html><html><body>Please sign in</body></html>"));
        rig.ask().await.failed_at_once("NotAProvider");
    })
    .await;
}

#[tokio::test]
async fn what_calls_itself_a_page_is_one_however_it_begins() {
    for page in ["\u{feff}<!DOCTYPE html><html></html>", "Please sign in", ""] {
        in_all(&format!("the page {page:?}"), async |rig| {
            rig.fake.push(Reply::status(200).body("text/html; charset=utf-8", page));
            rig.ask().await.failed_at_once("NotAProvider");
        })
        .await;
    }
}

#[tokio::test]
async fn a_server_of_another_kind_is_cut_or_no_provider_and_never_an_answer() {
    let bodies = [
        "",
        "\n\n\n",
        "OK",
        "{}",
        "[]",
        "{\"status\":\"ok\"}",
        "data:\n\n",
        "data: [1,2]\n\n",
        "null",
        "data: null\n\n",
    ];
    for body in bodies {
        in_all(&format!("{body:?}"), async |rig| {
            rig.fake.repeat(stream(body));
            let asked = rig.ask().await;
            let error = asked.answer.as_ref().unwrap_err();
            let known = matches!(error, Error::Cut { .. } | Error::NotAProvider { .. });
            assert!(known, "{}: {error:?}", rig.name);
        })
        .await;
    }
}

/// A stream with more in it than the dialect has, and with values of the wrong kind beside the right ones.
fn with_unknown_fields(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenaiChat => {
            "data: {\"id\":7,\"new\":{\"deep\":[1]},\"choices\":[{\"delta\":{\"content\":\"Hel\",\"mood\":1},\"x\":{}}]}\n\n\
             data: {\"choices\":[{\"delta\":{\"content\":null,\"tool_calls\":null}},null,3]}\n\n\
             data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}],\"usage\":\"none\"}\n\n\
             data: [DONE]\n\n"
        }
        Dialect::OpenaiResponses => {
            "data: {\"type\":\"response.shiny\",\"new\":[{}]}\n\n\
             data: {\"type\":\"response.output_text.delta\",\"output_index\":\"0\",\"delta\":\"Hel\",\"obfuscation\":\"x\"}\n\n\
             data: {\"type\":\"response.output_text.delta\",\"delta\":\"lo\",\"logprobs\":7}\n\n\
             data: {\"type\":\"response.completed\",\"response\":{\"usage\":[],\"output\":null,\"new\":1}}\n\n"
        }
        Dialect::Anthropic => {
            "data: {\"type\":\"message_start\",\"message\":{\"usage\":7,\"new\":{}}}\n\n\
             data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":null,\"new\":1}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\",\"new\":1}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"new_delta\",\"new\":\"x\"}}\n\n\
             data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"hologram\",\"data\":[1]}}\n\n\
             data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"new\":1},\"usage\":null}\n\n\
             data: {\"type\":\"message_stop\",\"new\":1}\n\n"
        }
        Dialect::Gemini => {
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hel\",\"new\":1},{\"hologram\":{}}]},\"new\":1}]}\n\n\
             data: {\"candidates\":null,\"usageMetadata\":7,\"new\":{}}\n\n\
             data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"lo\"}]},\"finishReason\":\"STOP\",\"index\":\"0\"}]}\n\n"
        }
        Dialect::Ollama => {
            "{\"model\":7,\"message\":{\"role\":\"assistant\",\"content\":\"Hel\",\"new\":1},\"done\":false,\"new\":[1]}\n\
             {\"message\":{\"content\":null,\"tool_calls\":null},\"done\":\"no\"}\n\
             {\"message\":{\"content\":\"lo\"},\"done\":true,\"eval_count\":\"many\",\"done_reason\":null}\n"
        }
    }
}

#[tokio::test]
async fn unknown_fields_and_values_of_the_wrong_kind_cost_nothing() {
    in_all("unknown fields", async |rig| {
        rig.fake.push(stream(with_unknown_fields(rig.dialect)));
        let asked = rig.ask().await;
        let answer = asked.recovered("Hello", 0);
        assert_eq!(answer.stop, StopReason::EndTurn, "{}", rig.name);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn bytes_that_are_no_text_do_not_end_the_answer() {
    where_it_applies(&Fault::InvalidUtf8InText, async |rig| {
        rig.fake.push(Reply::text("Hello").fault(Fault::InvalidUtf8InText));
        let asked = rig.ask().await;
        rig.goes_on(asked.recovered("Hello\u{fffd}\u{fffd}", 0)).await;
    })
    .await;
    in_all("an error that is no text", async |rig| {
        let mut raw = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 6\r\n\r\n".to_vec();
        raw.extend(b"\xff\xfe\x00bad");
        rig.fake.push(Reply::empty().fault(Fault::Raw(raw)));
        rig.ask().await.failed_at_once("BadRequest");
    })
    .await;
}

#[tokio::test]
async fn two_hundred_calls_beside_words_are_all_there() {
    in_all("words and 200 calls", async |rig| {
        let reply =
            (0..200).fold(Reply::text("So many."), |reply, n| reply.and_call("read", json!({ "path": n })));
        rig.fake.push(reply);
        let asked = rig.ask().await;
        let answer = asked.recovered("So many.", 0);
        assert_eq!(calls(answer).len(), 200, "{}", rig.name);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn more_calls_than_anyone_needs_are_refused() {
    in_all("600 calls", async |rig| {
        let reply = (0..600).fold(Reply::empty(), |reply, n| reply.and_call("read", json!({ "path": n })));
        rig.fake.push(reply);
        rig.ask().await.failed_at_once("TooLarge");
    })
    .await;
}

#[track_caller]
fn check_no_address(dialect: Dialect, base_url: &str) {
    let refused = HttpProvider::new(endpoint(dialect, base_url));
    let Err(error @ Error::NotAProvider { .. }) = &refused else {
        panic!("{dialect}, {base_url}: {refused:?}")
    };
    let facts = error.failure("fake", "FAKE_KEY").facts;
    let seen = format!("{error} {error:?} {facts:?}");
    assert!(!seen.contains("hidden"), "{dialect}, {base_url}: {seen}");
}

#[test]
fn what_is_no_address_is_refused_at_once() {
    for dialect in Dialect::ALL {
        for base in [
            "",
            " ",
            "not a url",
            "localhost:11434",
            "127.0.0.1:8080/v1",
            "/v1",
            "ftp://host/v1",
            "file:///etc/passwd",
            "http://",
            "https://[::1/v1",
            "http://host:99999999/v1",
            "javascript:alert(1)",
            "data:text/plain,hidden@x",
        ] {
            check_no_address(dialect, base);
        }
    }
}

#[test]
fn what_is_no_address_is_shown_without_its_secrets() {
    for dialect in Dialect::ALL {
        for base in [
            "htp://me:hidden@host/v1",
            "me:hidden@host/v1",
            "//me:hidden@host",
            "http://me:hidden@host:99999999/v1",
            "host?key=hidden",
            "host#hidden",
        ] {
            check_no_address(dialect, base);
        }
    }
}

#[tokio::test]
async fn a_key_that_no_header_carries_is_refused_unsent() {
    for dialect in Dialect::ALL {
        let fake = FakeLlm::start(Rig::new(dialect, "").fake.dialect());
        for key in ["sk-broken\nkey", "sk-broken\r\nx-evil: 1", "sk-\0broken"] {
            let odd = Endpoint { key: Some(key.to_owned()), ..endpoint(dialect, &fake.base_url()) };
            let error = ask(&HttpProvider::new(odd).unwrap()).await.0.unwrap_err();
            assert!(matches!(error, Error::BadRequest { status: None, .. }), "{dialect}: {error:?}");
            assert!(!format!("{error} {error:?}").contains("broken"), "{dialect}: {error:?}");
        }
        assert_eq!(fake.connections(), 0, "{dialect}");
    }
}

/// The address of a fake with everything in it that must not be seen.
fn with_secrets(fake: &FakeLlm) -> String {
    let address = fake.base_url().replace("http://", "http://me:hidden@");
    format!("{address}?token=hidden")
}

#[tokio::test]
async fn an_address_may_hold_a_password_and_a_query() {
    in_all("secrets in the address", async |rig| {
        rig.fake.push(Reply::text("Hello"));
        let provider = HttpProvider::new(endpoint(rig.dialect, &with_secrets(&rig.fake))).unwrap();
        let (answer, _) = ask(&provider).await;
        assert_eq!(plain_text(&answer.unwrap().parts), "Hello", "{}", rig.name);
        let seen = rig.fake.requests().pop().unwrap();
        assert!(seen.path.contains("token=hidden"), "{}: {}", rig.name, seen.path);
        // Two authorizations are none: servers refuse them, or take the wrong one.
        let authorizations = seen.headers.iter().filter(|(name, _)| name == "authorization").count();
        assert_eq!(authorizations, 1, "{}: {:?}", rig.name, seen.headers);
        assert!(!format!("{provider:?}").contains("hidden"), "{}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn a_password_and_a_query_of_the_address_are_in_no_error() {
    in_all("secrets in the address", async |rig| {
        let provider = HttpProvider::new(endpoint(rig.dialect, &with_secrets(&rig.fake))).unwrap();
        let faults = [
            Fault::CloseBeforeHead,
            Fault::Html200,
            Fault::Html502,
            Fault::BrokenGzip,
            Fault::EmptyBody(404),
            Fault::CutAfterDeltas(0),
            Fault::Redirect(format!("http://me:hidden@host.invalid/{KEY}?token=hidden")),
        ];
        for fault in faults {
            rig.fake.push(Reply::text("Hello").fault(fault.clone()));
            let error = ask(&provider).await.0.unwrap_err();
            let facts = error.failure("fake", "FAKE_KEY").facts;
            let seen = format!("{error} {error:?} {facts:?}");
            assert!(!seen.contains("hidden") && !seen.contains(KEY), "{}, {fault:?}: {seen}", rig.name);
        }
    })
    .await;
}
