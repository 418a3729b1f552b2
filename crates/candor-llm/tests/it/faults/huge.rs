//! Answers that are far larger than any should be.

use std::io::Write;
use std::net::TcpStream;

use candor_llm::{Dialect, Error, HttpProvider};
use candor_protocol::{StopReason, plain_text};
use candor_testkit::Reply;
use serde_json::json;

use super::rig::{calls, check_stop, endpoint, in_all};
use crate::server::{CHUNKED, Server, Then, ask, chunk, refused};

/// Calls in one answer, far more than a model makes.
const CALLS: usize = 200;

#[tokio::test]
async fn f28_two_hundred_calls_in_one_answer() {
    in_all("200 calls", async |rig| {
        let numbers = 0..CALLS;
        rig.fake.push(Reply::calls(numbers.map(|number| ("read", json!({ "path": format!("{number}") })))));
        let asked = rig.ask().await;
        let answer = asked.recovered("", 0);
        let found: Vec<_> = calls(answer).iter().map(|call| call.args["path"].clone()).collect();
        let expect: Vec<_> = (0..CALLS).map(|number| json!(number.to_string())).collect();
        assert_eq!(found, expect, "{}", rig.name);
        check_stop(&rig.name, answer, StopReason::ToolUse);
        rig.goes_on(answer).await;
        assert_eq!(rig.fake.requests()[1].tool_results().len(), CALLS, "{}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f28_thousands_of_deltas_in_one_answer() {
    in_all("20,000 deltas", async |rig| {
        rig.fake.push(Reply::many_deltas(20_000, "word "));
        rig.ask().await.recovered(&"word ".repeat(20_000), 0);
    })
    .await;
}

/// A frame of a stream that adds these words to the answer. Written by hand: to have it encoded would take longer than the
/// test.
fn frame(dialect: Dialect, words: &str) -> String {
    match dialect {
        Dialect::OpenaiChat => {
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\n")
        }
        Dialect::OpenaiResponses => {
            format!(
                "data: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"{words}\"}}\n\n"
            )
        }
        Dialect::Anthropic => format!(
            "data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{words}\"}}}}\n\n"
        ),
        Dialect::Gemini => {
            format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{words}\"}}]}}}}]}}\n\n")
        }
        Dialect::Ollama => format!("{{\"message\":{{\"content\":\"{words}\"}},\"done\":false}}\n"),
    }
}

/// How a stream ends that said these words. One dialect says all of them again.
fn end(dialect: Dialect, words: &str) -> Vec<String> {
    let end = match dialect {
        Dialect::OpenaiChat => "data: [DONE]\n\n",
        Dialect::OpenaiResponses => {
            let content = format!("[{{\"type\":\"output_text\",\"text\":\"{words}\"}}]");
            let item = format!("{{\"type\":\"message\",\"content\":{content}}}");
            let done =
                format!("{{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{item}}}");
            let completed =
                format!("{{\"type\":\"response.completed\",\"response\":{{\"output\":[{item}]}}}}");
            return [done, completed].map(|data| format!("data: {data}\n\n")).to_vec();
        }
        Dialect::Anthropic => "data: {\"type\":\"message_stop\"}\n\n",
        Dialect::Gemini => "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n",
        Dialect::Ollama => "{\"done\":true}\n",
    };
    vec![end.to_owned()]
}

fn send(socket: &mut TcpStream, part: &str) -> bool {
    socket.write_all(chunk(part).as_bytes()).is_ok()
}

fn provider(server: &Server, dialect: Dialect) -> HttpProvider {
    HttpProvider::new(endpoint(dialect, &format!("http://{}", server.address))).unwrap()
}

/// What comes of a stream that repeats these frames and then ends.
async fn asked(dialect: Dialect, frames: String, times: usize, end: Vec<String>) -> (String, usize) {
    let server = Server::new(move |_, socket| {
        _ = socket.write_all(CHUNKED.as_bytes());
        let sent = (0..times).all(|_| send(socket, &frames)) && end.iter().all(|frame| send(socket, frame));
        _ = socket.write_all(b"0\r\n\r\n");
        if sent { Then::Keep } else { Then::Close }
    });
    let (answer, told) = ask(&provider(&server, dialect)).await;
    let answer = answer.unwrap_or_else(|error| panic!("{dialect}: {error:?}"));
    (plain_text(&answer.parts), told.iter().map(String::len).sum())
}

#[tokio::test]
async fn f28_a_million_deltas_in_one_answer() {
    let all = "w".repeat(1_000_000);
    for dialect in Dialect::ALL {
        let frames = frame(dialect, "w").repeat(1_000);
        let (said, told_bytes) = asked(dialect, frames, 1_000, end(dialect, &all)).await;
        assert_eq!((said.len(), told_bytes), (1_000_000, 1_000_000), "{dialect}");
    }
}

#[tokio::test]
async fn f28_fifty_megabytes_in_one_answer() {
    let words = "x".repeat(500_000);
    let all = words.repeat(100);
    for dialect in Dialect::ALL {
        let (said, told_bytes) = asked(dialect, frame(dialect, &words), 100, end(dialect, &all)).await;
        assert!(said == all, "{dialect}: {} bytes", said.len());
        assert_eq!(told_bytes, all.len(), "{dialect}");
    }
}

#[tokio::test]
async fn f28_an_answer_without_end_is_refused() {
    let words = "x".repeat(500_000);
    for dialect in Dialect::ALL {
        let frame = frame(dialect, &words);
        let server = Server::new(move |_, socket| {
            _ = socket.write_all(CHUNKED.as_bytes());
            while send(socket, &frame) {}
            Then::Close
        });
        let error = refused(&provider(&server, dialect)).await;
        assert!(matches!(error, Error::TooLarge { .. }), "{dialect}: {error:?}");
    }
}
