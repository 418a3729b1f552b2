//! Errors that come when the answer has begun already.

use candor_llm::Dialect;
use candor_protocol::StopReason;
use candor_testkit::{Fault, Reply, Stop};
use serde_json::json;

use super::rig::{FINE, KEY, RETRIES, Rig, WORDS, check_stop, in_all, kind_of, stream, where_it_applies};

fn mid_stream(kind: &str) -> Fault {
    Fault::MidStreamError(kind.to_owned())
}

#[tokio::test]
async fn f2_overload_within_the_stream_is_retried_and_its_words_are_void() {
    let fault = mid_stream("overloaded");
    where_it_applies(&fault, async |rig| {
        let asked = rig.survives(Reply::text(WORDS).fault(fault.clone())).await;
        asked.discarded_after("Unavailable");
    })
    .await;
}

#[tokio::test]
async fn f2_overload_within_a_call_leaves_no_half_of_it() {
    let fault = mid_stream("overloaded");
    where_it_applies(&fault, async |rig| {
        let reply = Reply::calls([("read", json!({ "path": "a/long/path/of/a/file.txt" }))]);
        let asked = rig.survives(reply.fault(fault.clone())).await;
        assert!(!asked.waited_after("Unavailable").discard, "{}: nothing was told", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f3_error_types_within_the_stream() {
    for (kind, expect) in [("rate_limited", "RateLimited"), ("server_error", "Unavailable")] {
        let fault = mid_stream(kind);
        where_it_applies(&fault, async |rig| {
            // OpenAI's words name a wait of seconds.
            if kind == "rate_limited" && rig.name.starts_with("openai") {
                return;
            }
            rig.survives(Reply::text(WORDS).fault(fault.clone())).await.discarded_after(expect);
        })
        .await;
    }
    // Ollama names no kinds within a stream, and a failed response knows only a few.
    let named = [Dialect::OpenaiChat, Dialect::Anthropic, Dialect::Gemini];
    let at_once =
        [("not_found", "ModelUnknown"), ("bad_request", "BadRequest"), ("unauthorized", "Unauthorized")];
    for (kind, expect) in at_once {
        for dialect in named {
            let rig = Rig::new(dialect, kind);
            rig.fake.push(Reply::text(WORDS).fault(mid_stream(kind)));
            rig.ask().await.failed_at_once(expect);
        }
    }
}

#[tokio::test]
async fn f3_a_stream_that_always_fails_is_an_error_in_the_end() {
    let fault = mid_stream("server_error");
    where_it_applies(&fault, async |rig| {
        rig.fake.repeat(Reply::text(WORDS).fault(fault.clone()));
        let asked = rig.ask().await;
        assert_eq!(kind_of(asked.failed(RETRIES)), "Unavailable", "{}", rig.name);
        assert!(asked.waits.iter().all(|wait| wait.discard), "{}: {:?}", rig.name, asked.waits);
    })
    .await;
}

/// A stream of chat completions that says a word and then this.
fn chat_then(frame: &str) -> Reply {
    stream(format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"Hm\"}}}}]}}\n\n{frame}\n\n"))
}

#[tokio::test]
async fn f6_an_error_frame_ends_the_stream() {
    let fault = mid_stream("server_error");
    where_it_applies(&fault, async |rig| {
        rig.survives(Reply::text(WORDS).fault(fault.clone())).await.discarded_after("Unavailable");
    })
    .await;
    let error = r#"{"error":{"message":"The server had an error","type":"server_error","code":null}}"#;
    let frames = [
        format!("data: {error}"),
        format!("event: error\ndata: {error}"),
        "event: error\ndata: {\"message\":\"The server had an error\",\"type\":\"server_error\"}".to_owned(),
        "data: {\"error\":\"The server had an error\"}".to_owned(),
        "data: {\"error\":{\"message\":\"gone\",\"code\":502},\"choices\":[{\"finish_reason\":\"error\"}]}"
            .to_owned(),
    ];
    for frame in frames {
        let rig = Rig::new(Dialect::OpenaiChat, &frame);
        // The word that came together with the error is told, and void at once.
        rig.survives(chat_then(&frame)).await.discarded_after("Unavailable");
    }
}

#[tokio::test]
async fn f6_a_frame_that_calls_itself_an_error_is_one_whatever_it_holds() {
    let frames =
        ["event: error\ndata: {}", "event: error\ndata: upstream died", "event: error\ndata: \"gone\""];
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Ollama) {
        for frame in frames {
            let rig = Rig::new(dialect, frame);
            rig.survives(stream(format!("{frame}\n\n"))).await.waited_after("Unavailable");
        }
    }
}

#[tokio::test]
async fn f6_a_key_in_an_error_frame_is_not_shown() {
    in_all("the key in a frame", async |rig| {
        // The second one lies across the limit of a message.
        for before in [0, 490] {
            let words = format!("{} {KEY} is not yours", "x".repeat(before));
            let body = match rig.dialect {
                Dialect::Ollama => json!({ "error": words }).to_string(),
                Dialect::OpenaiResponses => {
                    format!(
                        "data: {}\n\n",
                        json!({ "type": "error", "code": "invalid_prompt", "message": words })
                    )
                }
                _ => {
                    let error = json!({ "type": "invalid_request_error", "message": words });
                    format!("data: {}\n\n", json!({ "type": "error", "error": error }))
                }
            };
            rig.fake.push(stream(&body)).repeat(stream(&body));
            let asked = rig.ask().await;
            let error = asked.answer.as_ref().unwrap_err().to_string();
            assert!(!error.contains(&KEY[..6]), "{}: {error}", rig.name);
            assert!(error.contains("[REDACTED]"), "{}: {error}", rig.name);
        }
    })
    .await;
}

#[tokio::test]
async fn f7_the_shape_of_vllm_is_understood() {
    where_it_applies(&Fault::VllmError, async |rig| {
        rig.survives(Reply::text(WORDS).fault(Fault::VllmError)).await.discarded_after("Unavailable");
    })
    .await;
    let refused = r#"{"object":"error","message":"prompt is nonsense","type":"BadRequestError","code":400}"#;
    let rig = Rig::new(Dialect::OpenaiChat, refused);
    rig.fake.push(chat_then(&format!("data: {refused}")));
    rig.ask().await.failed_at_once("BadRequest");
}

#[tokio::test]
async fn f9_an_incomplete_answer_says_why() {
    for (reason, stop) in
        [("max_output_tokens", StopReason::MaxTokens), ("content_filter", StopReason::Refusal)]
    {
        let fault = Fault::Incomplete(reason.to_owned());
        where_it_applies(&fault, async |rig| {
            rig.fake.push(Reply::text(WORDS).fault(fault.clone()));
            let asked = rig.ask().await;
            let answer = asked.recovered(WORDS, 0);
            check_stop(&rig.name, answer, stop);
            rig.goes_on(answer).await;
        })
        .await;
    }
}

#[tokio::test]
async fn f9_an_answer_that_is_cut_off_at_its_limit_says_so() {
    in_all("the limit of tokens", async |rig| {
        let reply = Reply::text(FINE).and_call_with("call_1", "read", r#"{"path":"a"#);
        rig.fake.push(reply.stop(Stop::MaxTokens));
        let asked = rig.ask().await;
        let answer = asked.recovered(FINE, 0);
        // Gemini drops what it could not read and says that instead.
        let stop = if rig.dialect == Dialect::Gemini { StopReason::EndTurn } else { StopReason::MaxTokens };
        check_stop(&rig.name, answer, stop);
        rig.goes_on(answer).await;
    })
    .await;
}
