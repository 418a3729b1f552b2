//! Answers that end in an unusual way, or not at all.

use std::io::Write;
use std::thread;
use std::time::Duration;

use candor_llm::{Dialect, Endpoint, Error, HttpProvider, Timeouts};
use candor_protocol::{StopReason, Usage};
use candor_testkit::{Fault, Reply, Stop};

use super::rig::{FINE, RETRIES, Rig, WORDS, check_stop, endpoint, in_all, stream, where_it_applies};
use crate::server::{CHUNKED, Server, Then, chunk, refused};

/// Silence that is long enough to be seen and short enough to be waited for.
const SHORT: Duration = Duration::from_millis(250);

#[tokio::test]
async fn f10_a_stream_without_its_terminator_is_cut() {
    where_it_applies(&Fault::NoTerminator, async |rig| {
        // A reason to finish was given and the body ended as it should: nothing is missing but the word `[DONE]`.
        if rig.dialect == Dialect::OpenaiChat {
            rig.fake.push(Reply::text(WORDS).fault(Fault::NoTerminator));
            let asked = rig.ask().await;
            rig.goes_on(asked.recovered(WORDS, 0)).await;
            return;
        }
        rig.survives(Reply::text(WORDS).fault(Fault::NoTerminator)).await.discarded_after("Cut");
    })
    .await;
}

#[tokio::test]
async fn f10_a_cut_anywhere_is_retried_and_leaves_nothing_behind() {
    for deltas in 0..8 {
        let fault = Fault::CutAfterDeltas(deltas);
        where_it_applies(&fault, async |rig| {
            let args = serde_json::json!({ "path": "a/long/path/of/a/file.txt" });
            let reply = Reply::text("Let me look at it first.").and_call("read", args);
            let asked = rig.survives(reply.fault(fault.clone())).await;
            assert_eq!(asked.waited_after("Cut").discard, deltas > 0, "{}", rig.name);
        })
        .await;
    }
}

#[tokio::test]
async fn f10_a_stream_that_is_always_cut_is_an_error_in_the_end() {
    let fault = Fault::CutAfterDeltas(1);
    where_it_applies(&fault, async |rig| {
        rig.fake.repeat(Reply::text(WORDS).fault(fault.clone()));
        let asked = rig.ask().await;
        assert!(matches!(asked.failed(RETRIES), Error::Cut { .. }), "{}", rig.name);
    })
    .await;
}

fn impatient(dialect: Dialect, case: &str) -> Rig {
    let idle = Timeouts { idle: SHORT, ..Timeouts::default() };
    Rig::with_timeouts(dialect, case, idle)
}

#[tokio::test]
async fn f11_silence_is_noticed_and_retried() {
    for fault in [Fault::SilenceAfterHead, Fault::SilenceAfterDeltas(1)] {
        for dialect in Dialect::ALL {
            let rig = impatient(dialect, &format!("{fault:?}"));
            let asked = rig.survives(Reply::text(WORDS).fault(fault.clone())).await;
            let wait = asked.waited_after("Silent");
            assert_eq!(wait.error, Error::Silent { limit: SHORT }, "{}", rig.name);
            assert_eq!(wait.discard, fault != Fault::SilenceAfterHead, "{}", rig.name);
            rig.fake.wait_for_hangups(1);
        }
    }
}

#[tokio::test]
async fn f11_no_head_is_silence() {
    for dialect in Dialect::ALL {
        let server = Server::new(|_, socket| {
            crate::server::wait_until_gone(socket);
            Then::Close
        });
        let timeouts = Timeouts { first: SHORT, ..Timeouts::default() };
        let address = format!("http://{}", server.address);
        let provider = HttpProvider::new(Endpoint { timeouts, ..endpoint(dialect, &address) }).unwrap();
        assert_eq!(refused(&provider).await, Error::Silent { limit: SHORT }, "{dialect}");
    }
}

#[tokio::test]
async fn f11_signs_of_life_alone_are_silence() {
    let endless = Fault::CommentsForever(usize::MAX);
    let meant = Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Ollama);
    for dialect in meant {
        let data = Timeouts { data: SHORT, ..Timeouts::default() };
        let rig = Rig::with_timeouts(dialect, "comments without end", data);
        let asked = rig.survives(Reply::text(WORDS).fault(endless.clone())).await;
        assert_eq!(asked.waited_after("Silent").error, Error::Silent { limit: SHORT }, "{}", rig.name);
    }
}

#[tokio::test]
async fn f11_empty_lines_alone_are_silence() {
    for dialect in Dialect::ALL {
        let server = Server::new(|_, socket| {
            _ = socket.write_all(CHUNKED.as_bytes());
            while socket.write_all(chunk("\n").as_bytes()).is_ok() {}
            Then::Close
        });
        let timeouts = Timeouts { data: SHORT, ..Timeouts::default() };
        let address = format!("http://{}", server.address);
        let provider = HttpProvider::new(Endpoint { timeouts, ..endpoint(dialect, &address) }).unwrap();
        assert_eq!(refused(&provider).await, Error::Silent { limit: SHORT }, "{dialect}");
    }
}

#[tokio::test]
async fn f11_a_trickle_that_never_makes_a_frame_is_silence() {
    for dialect in Dialect::ALL {
        let server = Server::new(|_, socket| {
            _ = socket.write_all(CHUNKED.as_bytes());
            while socket.write_all(chunk("d").as_bytes()).is_ok() {
                // The pace of the trickle: well below the limit of idleness.
                thread::sleep(SHORT / 20);
            }
            Then::Close
        });
        let timeouts = Timeouts { data: SHORT, ..Timeouts::default() };
        let address = format!("http://{}", server.address);
        let provider = HttpProvider::new(Endpoint { timeouts, ..endpoint(dialect, &address) }).unwrap();
        assert_eq!(refused(&provider).await, Error::Silent { limit: SHORT }, "{dialect}");
    }
}

#[tokio::test]
async fn f11_comments_and_then_the_end_is_a_cut() {
    let fault = Fault::CommentsForever(50);
    where_it_applies(&fault, async |rig| {
        rig.survives(Reply::text(WORDS).fault(fault.clone())).await.waited_after("Cut");
    })
    .await;
}

#[tokio::test]
async fn f11_pings_between_words_mean_nothing() {
    where_it_applies(&Fault::PingsThen, async |rig| {
        rig.fake.push(Reply::text(WORDS).fault(Fault::PingsThen));
        let asked = rig.ask().await;
        rig.goes_on(asked.recovered(WORDS, 0)).await;
    })
    .await;
}

#[tokio::test]
async fn f12_chunks_without_choices_mean_nothing() {
    for fault in [Fault::EmptyChoicesFirst, Fault::NullChoices] {
        where_it_applies(&fault, async |rig| {
            rig.fake.push(Reply::text(WORDS).usage(70, 7).fault(fault.clone()));
            let asked = rig.ask().await;
            let answer = asked.recovered(WORDS, 0);
            assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (70, 7), "{}", rig.name);
            rig.goes_on(answer).await;
        })
        .await;
    }
}

#[tokio::test]
async fn f13_an_answer_without_token_counts_is_one() {
    where_it_applies(&Fault::UsageMissing, async |rig| {
        rig.fake.push(Reply::text(WORDS).fault(Fault::UsageMissing));
        let asked = rig.ask().await;
        let answer = asked.recovered(WORDS, 0);
        assert_eq!(answer.usage, Usage::default(), "{}", rig.name);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn f14_an_empty_success_is_an_empty_answer() {
    in_all("nothing at all", async |rig| {
        rig.fake.push(Reply::empty());
        let asked = rig.ask().await;
        let answer = asked.recovered("", 0);
        assert!(answer.is_empty() && answer.parts.is_empty(), "{}: {answer:?}", rig.name);
        check_stop(&rig.name, answer, StopReason::EndTurn);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn f14_blank_words_are_an_empty_answer_and_do_not_spoil_the_session() {
    in_all("blanks", async |rig| {
        rig.fake.push(Reply::text(" \n\n ").and_reasoning("Hm.", "c2lnbmVk"));
        let asked = rig.ask().await;
        let answer = asked.recovered(" \n\n ", 0);
        assert!(answer.is_empty(), "{}: {answer:?}", rig.name);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn f21_a_refusal_is_an_answer_that_says_so() {
    where_it_applies(&Fault::Refusal, async |rig| {
        rig.fake.push(Reply::text(FINE).fault(Fault::Refusal));
        let asked = rig.ask().await;
        let answer = asked.answered(0);
        check_stop(&rig.name, answer, StopReason::Refusal);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn f21_the_other_reasons_to_stop() {
    let reasons = [
        (Stop::End, StopReason::EndTurn),
        (Stop::MaxTokens, StopReason::MaxTokens),
        (Stop::Refusal, StopReason::Refusal),
    ];
    for (stop, expect) in reasons {
        in_all(&format!("{stop:?}"), async |rig| {
            // Ollama has no word for a refusal.
            if stop == Stop::Refusal && rig.dialect == Dialect::Ollama {
                return;
            }
            rig.fake.push(Reply::text(WORDS).stop(stop));
            let asked = rig.ask().await;
            let answer = asked.recovered(WORDS, 0);
            check_stop(&rig.name, answer, expect);
            rig.goes_on(answer).await;
        })
        .await;
    }
}

#[tokio::test]
async fn f21_the_reasons_of_anthropic() {
    let reasons = [
        ("pause_turn", StopReason::Pause),
        ("model_context_window_exceeded", StopReason::MaxTokens),
        ("stop_sequence", StopReason::EndTurn),
        ("something_new", StopReason::EndTurn),
    ];
    for (reason, expect) in reasons {
        let rig = Rig::new(Dialect::Anthropic, reason);
        rig.fake.push(stream(format!(
            "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"Hm\"}}}}\n\n\
             data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\n\
             data: {{\"type\":\"message_stop\"}}\n\n"
        )));
        let asked = rig.ask().await;
        let answer = asked.recovered("Hm", 0);
        check_stop(&rig.name, answer, expect);
        rig.goes_on(answer).await;
    }
}
