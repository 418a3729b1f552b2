//! Refusals before the stream: statuses and what stands in their bodies.

use candor_llm::{Dialect, Error};
use candor_protocol::{Message, Role};
use candor_testkit::{Fault, Reply};
use serde_json::json;

use super::rig::{FINE, KEY, RETRIES, Rig, in_all, kind_of, where_it_applies};

#[tokio::test]
async fn f1_overload_before_the_stream_is_retried() {
    in_all("overloaded twice", async |rig| {
        rig.fake.extend([Reply::error("overloaded", ""), Reply::status(529), Reply::text(FINE)]);
        let asked = rig.ask().await;
        let answer = asked.recovered(FINE, 2);
        for wait in &asked.waits {
            assert_eq!((kind_of(&wait.error).as_str(), wait.discard), ("Unavailable", false), "{}", rig.name);
        }
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn f1_overload_that_stays_is_an_error_in_the_end() {
    in_all("overloaded for good", async |rig| {
        rig.fake.repeat(Reply::error("overloaded", ""));
        let asked = rig.ask().await;
        assert_eq!(kind_of(asked.failed(RETRIES)), "Unavailable", "{}", rig.name);
    })
    .await;
}

/// Each status with the error it is and whether it is tried again.
const STATUSES: &[(u16, &str, bool)] = &[
    (400, "BadRequest", false),
    (401, "Unauthorized", false),
    (402, "OutOfQuota", false),
    (404, "ModelUnknown", false),
    (408, "Unavailable", false),
    (409, "BadRequest", false),
    (422, "BadRequest", false),
    (429, "RateLimited", true),
    (500, "Unavailable", true),
    (502, "Unavailable", true),
    (503, "Unavailable", true),
    (504, "Unavailable", false),
    (529, "Unavailable", true),
];

#[tokio::test]
async fn f3_error_types_before_the_stream() {
    for (status, kind, retried) in STATUSES {
        in_all(&status.to_string(), async |rig| {
            // OpenAI's own words for it have a wait of seconds in them.
            let reply = match status {
                429 => Reply::error("rate_limited", "Slow down."),
                _ => Reply::status(*status),
            };
            rig.fake.push(reply);
            if *retried {
                rig.fake.push(Reply::text(FINE));
                let asked = rig.ask().await;
                asked.recovered(FINE, 1);
                let wait = asked.waited_after(kind);
                assert_eq!((wait.error.status(), wait.discard), (Some(*status), false), "{}", rig.name);
            } else {
                rig.ask().await.failed_at_once(kind);
                rig.takes(vec![Message::text(Role::User, "again")]).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn f3_what_is_forbidden_names_the_key_or_the_model() {
    in_all("403", async |rig| {
        rig.fake.push(Reply::status(403));
        // OpenAI's code says that it is the model that may not be used.
        let openai = matches!(rig.dialect, Dialect::OpenaiChat | Dialect::OpenaiResponses);
        rig.ask().await.failed_at_once(if openai { "ModelUnknown" } else { "Unauthorized" });
    })
    .await;
}

#[tokio::test]
async fn f3_a_request_that_is_too_large_is_a_context_that_is_too_long() {
    let rig = Rig::new(Dialect::Anthropic, "413");
    rig.fake.push(Reply::status(413));
    rig.ask().await.failed_at_once("ContextTooLong");
}

#[tokio::test]
async fn f20_a_context_that_is_too_long_is_said_at_once() {
    in_all("overflow", async |rig| {
        rig.fake.push(Reply::error("overflow", ""));
        rig.ask().await.failed_at_once("ContextTooLong");
    })
    .await;
    let overflow = Fault::MidStreamError("overflow".to_owned());
    where_it_applies(&overflow, async |rig| {
        rig.fake.push(Reply::text(FINE).fault(overflow.clone()));
        rig.ask().await.failed_at_once("ContextTooLong");
    })
    .await;
}

#[tokio::test]
async fn f20_deepseek_says_it_under_another_code() {
    let rig = Rig::new(Dialect::OpenaiChat, "DeepSeek's overflow");
    let message = "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens.";
    let error =
        json!({ "message": message, "type": "invalid_request_error", "code": "invalid_request_error" });
    let body = json!({ "error": error }).to_string();
    rig.fake.push(Reply::status(400).body("application/json", &body));
    let asked = rig.ask().await;
    assert_eq!(asked.failed(0), &Error::ContextTooLong { message: message.to_owned() }, "{}", rig.name);
}

/// Bodies of errors that no provider of ours writes, and their types.
const ODD_BODIES: &[(&str, &str)] = &[
    ("text/html", "<html><head><title>503 Service Unavailable</title></head><body>nginx</body></html>"),
    ("text/plain", "upstream connect error or disconnect/reset before headers"),
    ("application/json", "{\"unfinished\":"),
    ("application/json", "[]"),
    ("application/json", "null"),
    ("", ""),
];

#[tokio::test]
async fn f25_errors_of_proxies_are_retried_by_their_status() {
    for (content_type, body) in ODD_BODIES {
        in_all(&format!("503 with {body:?}"), async |rig| {
            let asked = rig.survives(Reply::status(503).body(content_type, body)).await;
            let wait = asked.waited_after("Unavailable");
            assert!(!wait.error.to_string().contains('<'), "{}: {}", rig.name, wait.error);
        })
        .await;
    }
    for fault in [Fault::Html502, Fault::EmptyBody(502), Fault::EmptyBody(503)] {
        where_it_applies(&fault, async |rig| {
            rig.survives(Reply::empty().fault(fault.clone())).await.waited_after("Unavailable");
        })
        .await;
    }
}

#[tokio::test]
async fn f25_a_gateway_that_gave_up_is_not_retried_unless_configured() {
    in_all("504 in HTML", async |rig| {
        let page = "<html><title>504 Gateway Time-out</title></html>";
        rig.fake.push(Reply::status(504).body("text/html", page));
        let asked = rig.ask().await;
        let error = asked.failed_at_once("Unavailable");
        assert!(error.to_string().contains("504 Gateway Time-out"), "{}: {error}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f25_a_page_with_status_200_is_no_provider() {
    where_it_applies(&Fault::Html200, async |rig| {
        rig.fake.push(Reply::empty().fault(Fault::Html200));
        rig.ask().await.failed_at_once("NotAProvider");
    })
    .await;
}

#[tokio::test]
async fn f25_an_error_with_status_200_is_that_error() {
    where_it_applies(&Fault::JsonError200, async |rig| {
        let asked = rig.survives(Reply::empty().fault(Fault::JsonError200)).await;
        asked.waited_after("Unavailable");
    })
    .await;
}

#[tokio::test]
async fn f25_a_success_without_a_body_is_a_cut() {
    let fault = Fault::EmptyBody(200);
    where_it_applies(&fault, async |rig| {
        rig.survives(Reply::empty().fault(fault.clone())).await.waited_after("Cut");
    })
    .await;
}

#[tokio::test]
async fn f26_a_refused_key_is_not_retried() {
    in_all("a wrong key", async |rig| {
        rig.fake.push(Reply::error("unauthorized", ""));
        rig.ask().await.failed_at_once("Unauthorized");
    })
    .await;
}

#[tokio::test]
async fn f26_a_key_that_the_server_repeats_is_not_shown() {
    for (status, kind) in
        [(401, "Unauthorized"), (402, "OutOfQuota"), (403, "Unauthorized"), (404, "NotAProvider")]
    {
        in_all(&format!("{status} with the key"), async |rig| {
            let words = format!("Incorrect API key provided: {KEY}. You can find yours on the page of keys.");
            for body in [json!({ "error": { "message": words } }).to_string(), words.clone()] {
                rig.fake.push(Reply::status(status).body("application/json", &body));
                let asked = rig.ask().await;
                let error = asked.failed_at_once(kind);
                assert!(error.to_string().contains("[REDACTED]"), "{}: {error}", rig.name);
            }
        })
        .await;
    }
}

#[tokio::test]
async fn f26_a_key_at_the_end_of_a_long_message_is_not_shown_in_half() {
    in_all("the key beyond the limit of a message", async |rig| {
        let words = format!("{}{KEY}", "x".repeat(490));
        let body = json!({ "error": { "message": words } }).to_string();
        rig.fake.push(Reply::status(401).body("application/json", &body));
        let asked = rig.ask().await;
        let error = asked.failed_at_once("Unauthorized").to_string();
        assert!(!error.contains(&KEY[..6]), "{}: {error}", rig.name);
    })
    .await;
}
