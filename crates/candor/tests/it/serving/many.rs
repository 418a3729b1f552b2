//! Many clients at once.

use std::thread;

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::Value;

use super::{answer, converse, serve, stored};
use crate::rig::home_of;

const CLIENTS: usize = 100;

#[test]
fn a_hundred_runs_at_once_lose_and_reorder_nothing() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let words: Vec<String> = (0..400).map(|number| format!("word{number} ")).collect();
    let text = words.concat();
    fake.repeat(Reply::text(&text).deltas(8));
    let home = home_of(&fake);
    let served = serve(&home);
    let told: Vec<Vec<Value>> = thread::scope(|scope| {
        let talk = |number: usize| {
            let mut socket = served.connect();
            scope.spawn(move || converse(&mut socket, &format!("Message {number}")))
        };
        let clients: Vec<_> = (0..CLIENTS).map(talk).collect();
        clients.into_iter().map(|client| client.join().expect("a client")).collect()
    });
    for frames in &told {
        assert_eq!(stored(frames), [1, 2, 3, 4, 5]);
        let session = &frames[0]["sessionId"];
        assert!(frames.iter().all(|frame| frame["sessionId"] == *session), "of its own session only");
        let seqs: Vec<u64> = frames.iter().filter_map(|frame| frame["seq"].as_u64()).collect();
        assert!(seqs.is_sorted(), "{seqs:?}");
        let deltas = frames.iter().filter(|frame| frame["type"] == "stream_delta");
        let joined: String = deltas.filter_map(|frame| frame["text"].as_str()).collect();
        assert!(joined == text && answer(frames) == text, "the pieces are the whole");
    }
    let asked = fake.requests().iter().filter(|seen| seen.user_texts()[0].starts_with("Message ")).count();
    assert_eq!(asked, CLIENTS);
}
