//! Every fault does on the wire what it says.

use candor_testkit::{Dialect, FakeLlm, Fault, Reply};
use serde_json::json;

use super::client::{Client, Ended, Got, ask, hello};

const TEXT: &str = "0123456789";

/// Ten deltas of one byte each.
fn reply() -> Reply {
    Reply::text(TEXT).deltas(1)
}

fn play(dialect: Dialect, fault: Fault) -> Got {
    let fake = FakeLlm::start(dialect);
    fake.push(reply().fault(fault));
    ask(&fake)
}

/// The dialects in which a fault has a meaning, each with what came of it.
fn everywhere(fault: &Fault) -> Vec<(Dialect, Got)> {
    let meant = Dialect::ALL.iter().copied().filter(|dialect| fault.applies(*dialect));
    let played: Vec<_> = meant.map(|dialect| (dialect, play(dialect, fault.clone()))).collect();
    assert!(!played.is_empty());
    played
}

#[track_caller]
fn check(fault: &Fault, status: u16, ended: Ended, said: &str) {
    for (dialect, got) in everywhere(fault) {
        assert_eq!((got.status, got.ended), (status, ended), "{dialect:?} {fault:?}: {}", got.text());
        assert_eq!(got.said(dialect), said, "{dialect:?} {fault:?}");
    }
}

#[test]
fn connections_end_before_and_within_the_head() {
    check(&Fault::CloseBeforeHead, 0, Ended::Closed, "");
    check(&Fault::ResetBeforeHead, 0, Ended::Reset, "");
    check(&Fault::CloseMidHead, 0, Ended::Closed, "");
}

#[test]
fn answers_are_cut_after_the_given_number_of_deltas() {
    check(&Fault::CutAfterDeltas(0), 200, Ended::Closed, "");
    check(&Fault::CutAfterDeltas(3), 200, Ended::Closed, "012");
    check(&Fault::CutAfterDeltas(10), 200, Ended::Closed, TEXT);
    check(&Fault::CutAfterDeltas(99), 200, Ended::Closed, TEXT);
    check(&Fault::ResetAfterDeltas(3), 200, Ended::Reset, "012");
    check(&Fault::CutMidChunkSize, 200, Ended::Closed, "0");
}

#[test]
fn an_answer_is_cut_between_the_bytes_of_a_character() {
    for (dialect, got) in everywhere(&Fault::CutMidUtf8) {
        assert_eq!(got.ended, Ended::Closed, "{dialect:?}");
        assert_eq!(got.body.last(), Some(&0xc3), "{dialect:?}");
        assert_eq!(got.said(dialect), TEXT, "{dialect:?}");
    }
}

#[test]
fn lengths_lie() {
    for (dialect, got) in everywhere(&Fault::WrongChunkSize) {
        assert_eq!(got.ended, Ended::Malformed, "{dialect:?}");
    }
    for (dialect, got) in everywhere(&Fault::ContentLengthTooLong) {
        assert_eq!((got.ended, got.said(dialect).as_str()), (Ended::Closed, TEXT), "{dialect:?}");
    }
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(reply().fault(Fault::ContentLengthTooShort));
    let mut client = Client::new(&fake);
    assert_eq!(client.ask(Dialect::OpenaiChat, &hello(Dialect::OpenaiChat)).ended, Ended::Properly);
    assert_eq!(
        client.rest(),
        (b"]\n\n".to_vec(), Ended::Closed),
        "the rest of the body is on the connection"
    );
}

#[test]
fn bodies_are_not_what_they_should_be() {
    for (dialect, got) in everywhere(&Fault::BrokenGzip) {
        assert_eq!((got.status, got.header("content-encoding")), (200, Some("gzip")), "{dialect:?}");
        assert!(got.body.starts_with(b"\x1f\x8b\x08"));
    }
    for (fault, status, words) in
        [(Fault::Html200, 200, "Please sign in"), (Fault::Html502, 502, "502 Bad Gateway")]
    {
        for (_, got) in everywhere(&fault) {
            assert_eq!((got.status, got.header("content-type")), (status, Some("text/html; charset=utf-8")));
            assert!(got.text().contains(words));
        }
    }
    for (dialect, got) in everywhere(&Fault::JsonError200) {
        assert_eq!((got.status, got.header("content-type")), (200, Some("application/json")), "{dialect:?}");
        assert!(!got.json()["error"].is_null());
    }
    for (_, got) in everywhere(&Fault::EmptyBody(503)) {
        assert_eq!((got.status, got.body.len()), (503, 0));
    }
    for (_, got) in everywhere(&Fault::Redirect("http://127.0.0.1:1/else".into())) {
        assert_eq!((got.status, got.header("location")), (307, Some("http://127.0.0.1:1/else")));
    }
}

#[test]
fn informational_heads_come_before_the_real_one() {
    check(&Fault::Informational100, 200, Ended::Properly, TEXT);
    let fake = FakeLlm::start(Dialect::Ollama);
    fake.push(reply().fault(Fault::Informational100));
    let mut client = Client::new(&fake);
    client.send(Dialect::Ollama, &hello(Dialect::Ollama));
    let statuses: Vec<u16> = (0..3).map(|_| client.read_one().status).collect();
    assert_eq!(statuses, [100, 103, 200]);
}

#[test]
fn silence_lasts_until_somebody_leaves() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        fake.push(reply().fault(Fault::SilenceAfterHead)).push(reply().fault(Fault::SilenceAfterDeltas(2)));
        for expect in ["\r\n\r\n", "\"1\""] {
            let mut client = Client::new(&fake);
            client.send(dialect, &hello(dialect));
            client.read_some(expect);
            drop(client);
        }
        fake.wait_for_hangups(2);
    }
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(reply().fault(Fault::SilenceAfterDeltas(2)));
    let mut client = Client::new(&fake);
    client.send(Dialect::OpenaiChat, &hello(Dialect::OpenaiChat));
    client.read_some("\"1\"");
    drop(fake);
    let got = client.read();
    assert_eq!((got.said(Dialect::OpenaiChat).as_str(), got.ended), ("01", Ended::Closed));
}

#[test]
fn comments_and_pings_are_no_answer() {
    for (dialect, got) in everywhere(&Fault::CommentsForever(500)) {
        assert_eq!((got.ended, got.frames().len()), (Ended::Closed, 0), "{dialect:?}");
        let line = if dialect == Dialect::Gemini { ": keep-alive\r\n\r\n" } else { ": keep-alive\n\n" };
        assert_eq!(got.text(), line.repeat(500));
    }
    check(&Fault::PingsThen, 200, Ended::Properly, TEXT);
    for (dialect, got) in everywhere(&Fault::PingsThen) {
        assert_eq!(got.text().matches(": keep-alive").count(), 2, "{dialect:?}");
    }
}

#[test]
fn a_terminator_can_be_missing() {
    check(&Fault::NoTerminator, 200, Ended::Properly, TEXT);
    for (dialect, got) in everywhere(&Fault::NoTerminator) {
        let text = got.text();
        for end in ["[DONE]", "message_stop", "response.completed", "finishReason", "\"done\":true"] {
            assert!(!text.contains(end), "{dialect:?} has {end}");
        }
    }
}

#[test]
fn errors_come_in_the_middle_in_the_shape_of_the_dialect() {
    let cases = [
        (Dialect::OpenaiChat, "server_error", "", "/error/type", "server_error"),
        (
            Dialect::OpenaiResponses,
            "rate_limited",
            "response.failed",
            "/response/error/code",
            "rate_limit_exceeded",
        ),
        (
            Dialect::OpenaiResponses,
            "overflow",
            "response.failed",
            "/response/error/code",
            "context_length_exceeded",
        ),
        (Dialect::Anthropic, "overloaded", "error", "/error/type", "overloaded_error"),
        (Dialect::Gemini, "overloaded", "", "/error/status", "UNAVAILABLE"),
        (Dialect::Ollama, "server_error", "", "/error", "llama runner process has terminated"),
    ];
    for (dialect, kind, event, pointer, expect) in cases {
        let got = play(dialect, Fault::MidStreamError(kind.into()));
        assert_eq!((got.said(dialect).as_str(), got.ended), ("0", Ended::Properly), "{dialect:?}");
        let (name, value) = got.frames().pop().expect("a last frame");
        assert_eq!(name, event, "{dialect:?}");
        assert_eq!(value.pointer(pointer), Some(&json!(expect)), "{dialect:?} {kind}");
    }
    let overloaded = play(Dialect::Anthropic, Fault::MidStreamError("overloaded".into()));
    let frame = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    assert!(overloaded.text().ends_with(frame), "{}", overloaded.text());
    let vllm = play(Dialect::OpenaiChat, Fault::VllmError);
    assert_eq!(vllm.frames().pop().expect("a last frame").1["object"], "error");
}

#[test]
fn choices_can_be_empty_or_null() {
    let got = play(Dialect::OpenaiChat, Fault::EmptyChoicesFirst);
    let first = &got.frames()[0].1;
    assert_eq!((&first["choices"], first["prompt_filter_results"].is_array()), (&json!([]), true));
    assert_eq!(got.said(Dialect::OpenaiChat), TEXT);
    let got = play(Dialect::OpenaiChat, Fault::NullChoices);
    let frames = got.frames();
    let usage = &frames[frames.len() - 2].1;
    assert!(usage["choices"].is_null() && usage["usage"].is_object(), "{usage}");
}

#[test]
fn usage_can_be_missing() {
    check(&Fault::UsageMissing, 200, Ended::Properly, TEXT);
    assert!(!play(Dialect::OpenaiChat, Fault::UsageMissing).text().contains("usage"));
}

#[test]
fn text_can_be_no_text() {
    for (dialect, got) in everywhere(&Fault::InvalidUtf8InText) {
        assert!(std::str::from_utf8(&got.body).is_err(), "{dialect:?}");
        assert_eq!(got.said(dialect), format!("{TEXT}\u{fffd}\u{fffd}"), "{dialect:?}");
    }
    check(&Fault::U2028, 200, Ended::Properly, &format!("{TEXT}before\u{2028}after"));
    for (dialect, got) in everywhere(&Fault::HugeLine(1 << 20)) {
        assert_eq!(got.said(dialect).len(), TEXT.len() + (1 << 20), "{dialect:?}");
        assert!(got.chunks.iter().any(|chunk| chunk.len() > 1 << 20), "{dialect:?}: in one frame");
    }
}

#[test]
fn characters_and_bytes_come_in_pieces() {
    check(&Fault::SplitUtf8, 200, Ended::Properly, &format!("{TEXT}é€"));
    for (dialect, got) in everywhere(&Fault::SplitUtf8) {
        for byte in "é€".bytes() {
            assert!(got.chunks.contains(&vec![byte]), "{dialect:?}: {byte:#x} has a chunk of its own");
        }
    }
    check(&Fault::OneBytePerPacket, 200, Ended::Properly, TEXT);
    for (dialect, got) in everywhere(&Fault::OneBytePerPacket) {
        assert!(got.chunks.iter().all(|chunk| chunk.len() == 1), "{dialect:?}");
    }
}

#[test]
fn lines_end_and_begin_in_every_legal_way() {
    let cases = [
        (Fault::CrLf, "\r\n\r\ndata: "),
        (Fault::CrOnly, "\r\rdata: "),
        (Fault::NoSpaceAfterColon, "data:{"),
        (Fault::MultiLineData, "data: {\ndata: \""),
        (Fault::UnknownEvents, "retry: 3000\nid: 7\n\nevent: lonely\n\n"),
        (Fault::Bom, "\u{feff}data: {"),
    ];
    for (fault, expect) in cases {
        let text = play(Dialect::OpenaiChat, fault.clone()).text();
        assert!(text.contains(expect), "{fault:?}: {text:?}");
        assert!(text.contains("[DONE]"), "{fault:?}");
    }
    let carriage_returns = play(Dialect::Anthropic, Fault::CrOnly).text();
    assert!(
        !carriage_returns.contains('\n') && carriage_returns.starts_with("event: message_start\rdata: {")
    );
    let spread = play(Dialect::OpenaiChat, Fault::MultiLineData).text();
    let first: Vec<&str> = spread.split("\n\n").next().expect("a frame").lines().collect();
    let joined = first.iter().map(|line| line.trim_start_matches("data: ")).collect::<Vec<_>>().join("\n");
    assert_eq!(first.len(), 3);
    assert!(serde_json::from_str::<serde_json::Value>(&joined).is_ok(), "{joined}");
    check(&Fault::UnknownEvents, 200, Ended::Properly, TEXT);
}

#[test]
fn refusals_have_their_own_shapes() {
    let last = |dialect| play(dialect, Fault::Refusal).frames();
    let chat = last(Dialect::OpenaiChat);
    assert!(chat.iter().any(|(_, value)| value["choices"][0]["delta"]["refusal"].is_string()));
    let responses = last(Dialect::OpenaiResponses);
    let content = &responses.last().expect("a last frame").1["response"]["output"][0]["content"][0];
    assert_eq!(content["type"], "refusal");
    let anthropic = last(Dialect::Anthropic);
    let (_, delta) = &anthropic[anthropic.len() - 2];
    assert_eq!(
        (&delta["delta"]["stop_reason"], &delta["usage"]["output_tokens"]),
        (&json!("refusal"), &json!(0))
    );
    assert_eq!(last(Dialect::Gemini)[0].1["promptFeedback"]["blockReason"], "PROHIBITED_CONTENT");
}

#[test]
fn a_response_can_be_incomplete() {
    let got = play(Dialect::OpenaiResponses, Fault::Incomplete("content_filter".into()));
    let (event, value) = got.frames().pop().expect("a last frame");
    assert_eq!(event, "response.incomplete");
    assert_eq!(value["response"]["incomplete_details"]["reason"], "content_filter");
}

#[test]
fn raw_bytes_are_the_whole_answer() {
    let fake = FakeLlm::start(Dialect::Gemini);
    fake.push(Reply::empty().fault(Fault::Raw(b"\x00nonsense".to_vec())));
    let mut client = Client::new(&fake);
    client.send(Dialect::Gemini, &hello(Dialect::Gemini));
    assert_eq!(client.rest(), (b"\x00nonsense".to_vec(), Ended::Closed));
}

#[test]
fn a_connection_that_broke_is_not_used_again() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(reply().fault(Fault::CutAfterDeltas(1))).push(reply());
    ask(&fake);
    assert_eq!(ask(&fake).said(Dialect::Anthropic), TEXT);
    assert_eq!(fake.connections(), 2);
}

#[test]
fn faults_can_be_combined() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(reply().fault(Fault::CrLf).fault(Fault::OneBytePerPacket).fault(Fault::CutAfterDeltas(2)));
    let got = ask(&fake);
    assert_eq!((got.said(Dialect::OpenaiChat).as_str(), got.ended), ("01", Ended::Closed));
    assert!(got.text().contains("\r\n\r\n") && got.chunks.iter().all(|chunk| chunk.len() == 1));
}
