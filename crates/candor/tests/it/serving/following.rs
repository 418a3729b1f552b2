//! Following a session: from the beginning, from the middle, twice, slowly, and not to the end.

use candor_testkit::{Dialect, FakeLlm, Gate, Reply};
use serde_json::{Value, json};

use super::{Served, answer, converse, converse_in, message, message_in, saying, serve, stored, types};
use crate::rig::home_of;

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::Anthropic)
}

#[track_caller]
fn subscribe(served: &Served<'_>, session: &Value, after: u64) -> candor_testkit::Ws {
    let mut socket = served.connect();
    let reply =
        socket.send(json!({ "type": "subscribe", "sessionId": session, "afterSeq": after })).receive();
    assert_eq!(reply["type"], "ack", "{reply}");
    socket
}

#[test]
fn a_run_is_told_from_its_message_to_its_end() {
    let fake = saying("Hello, how are you?");
    let home = home_of(&fake);
    let served = serve(&home);
    let frames = converse(&mut served.connect(), "Hello there");
    let expected = ["ack", "session_created", "message_accepted", "run_start", "message_complete", "run_end"];
    assert_eq!(types(&frames), expected);
    assert_eq!(stored(&frames), [1, 2, 3, 4, 5]);
    assert_eq!(frames[1]["source"], "websocket");
    let deltas = frames.iter().filter(|frame| frame["type"] == "stream_delta");
    let joined: String = deltas.filter_map(|frame| frame["text"].as_str()).collect();
    assert_eq!(joined, "Hello, how are you?");
}

#[test]
fn who_comes_back_gets_exactly_the_rest() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let first = converse(&mut served.connect(), "Hello there");
    let session = &first[0]["sessionId"];
    let second = converse_in(&mut served.connect(), session, "And again");
    let last = *stored(&second).last().expect("an end");
    let all: Vec<Value> =
        first.iter().chain(&second).filter(|frame| frame["seq"].is_u64()).cloned().collect();
    for after in 0..last {
        let mut socket = subscribe(&served, session, after);
        let rest = socket.until(|frame| frame["seq"] == last);
        assert_eq!(stored(&rest), (after + 1..=last).collect::<Vec<_>>(), "after {after}");
        let told = |seq: &Value| all.iter().find(|frame| frame["seq"] == *seq && is_stored(frame));
        assert!(rest.iter().all(|frame| told(&frame["seq"]) == Some(frame)), "the very same events");
    }
    // After the last there is nothing, until something happens.
    let mut socket = subscribe(&served, session, last);
    let news = converse_in(&mut socket, session, "Once more");
    assert_eq!(stored(&news)[0], last + 1);
}

fn is_stored(frame: &Value) -> bool {
    !matches!(frame["type"].as_str(), Some("stream_delta" | "status" | "ack"))
}

#[test]
fn a_second_subscription_takes_the_place_of_the_first() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let first = converse(&mut socket, "Hello there");
    let session = &first[0]["sessionId"];
    for after in [0, 2] {
        socket.send(json!({ "type": "subscribe", "sessionId": session, "afterSeq": after }));
        let frames = socket.until_type("run_end");
        assert_eq!(stored(&frames), (after + 1..=5).collect::<Vec<u64>>());
    }
    let again = converse_in(&mut socket, session, "And again");
    assert_eq!(stored(&again), [6, 7, 8, 9], "each event once");
}

#[test]
fn two_sockets_see_the_same_events() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::text("Hello, how are you?").gate(&gate));
    let home = home_of(&fake);
    let served = serve(&home);
    let mut first = served.connect();
    let mut seen = first.send(message("Hello there")).until_type("run_start");
    let mut second = subscribe(&served, &seen[0]["sessionId"], 0);
    let mut also = second.until_type("run_start");
    gate.open();
    seen.extend(first.until_type("run_end"));
    also.extend(second.until_type("run_end"));
    let durable =
        |frames: &[Value]| frames.iter().filter(|frame| is_stored(frame)).cloned().collect::<Vec<_>>();
    assert_eq!(durable(&seen), durable(&also));
    assert_eq!(stored(&seen), [1, 2, 3, 4, 5]);
}

#[test]
fn a_run_goes_on_without_its_socket() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::text("Finished all the same.").gate(&gate));
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let frames = socket.send(message("Hello there")).until_type("run_start");
    gate.wait_reached();
    drop(socket);
    gate.open();
    let rest = subscribe(&served, &frames[0]["sessionId"], 3).until_type("run_end");
    assert_eq!(answer(&rest), "Finished all the same.");
    assert_eq!(rest.last().expect("an end")["status"], "done");
}

#[test]
fn a_run_is_stopped_by_its_id_and_only_by_its_own() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::text("This will not be said to its end.").gate(&gate));
    fake.repeat(Reply::text("Hello."));
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let frames = socket.send(message("Hello there")).until_type("run_start");
    let (session, run) = (&frames[0]["sessionId"], &frames[0]["runId"]);
    gate.wait_reached();
    let is_answer = |frame: &Value| matches!(frame["type"].as_str(), Some("ack" | "error"));
    let waiting = socket.send(message_in(session, "And then")).until(is_answer).pop().expect("an answer");
    let other = json!({ "type": "cancel", "sessionId": session, "runId": waiting["runId"] });
    let reply = socket.send(other).until(is_answer).pop().expect("an answer");
    assert_eq!(reply["card"]["code"], "FRAME_INVALID", "it has not begun: {reply}");
    socket.send(json!({ "type": "cancel", "sessionId": session, "runId": run }));
    let end = socket.until_type("run_end").pop().expect("an end");
    assert_eq!((&end["runId"], &end["status"]), (run, &json!("stopped")));
    let end = socket.until_type("run_end").pop().expect("an end");
    assert_eq!((&end["runId"], &end["status"]), (&waiting["runId"], &json!("done")));
}

#[test]
fn a_message_for_the_run_that_goes_on_reaches_it() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::calls([("shell_exec", json!({ "command": "true" }))]).gate(&gate));
    fake.repeat(Reply::text("As you wish."));
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let frames = socket.send(message("Do it")).until_type("run_start");
    gate.wait_reached();
    let steer = json!({ "type": "steer", "sessionId": frames[0]["sessionId"], "content": "But gently" });
    let taken = socket.send(steer).until_type("ack");
    gate.open();
    let rest = socket.until_type("run_end");
    assert_eq!(answer(&rest), "As you wish.", "{taken:#?}");
    assert_eq!(fake.requests()[1].user_texts(), ["Do it", "But gently"]);
}

#[test]
fn a_socket_follows_so_many_sessions_and_no_more() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let mut last = Value::Null;
    for _ in 0..64 {
        last = converse(&mut socket, "Hello there")[0]["sessionId"].clone();
    }
    let is_answer = |frame: &Value| matches!(frame["type"].as_str(), Some("ack" | "error"));
    let reply = socket.send(message("One too many")).until(is_answer).pop().expect("an answer");
    assert_eq!(reply["card"]["code"], "FRAME_INVALID", "{reply}");
    assert_eq!(answer(&converse_in(&mut socket, &last, "One of them")), "Hello.");
    assert_eq!(answer(&converse(&mut served.connect(), "Another socket")), "Hello.");
}

#[test]
fn a_client_that_never_reads_costs_no_memory() {
    const DELTAS: usize = 20_000;
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let piece = "a piece of an answer that is a little longer ".repeat(6);
    fake.repeat(Reply::text("Hello."));
    let home = home_of(&fake);
    let served = serve(&home);
    let mut reader = served.connect();
    let sessions: Vec<Value> =
        (0..3).map(|_| converse(&mut reader, "Hello there")[0]["sessionId"].clone()).collect();
    let deaf: Vec<_> = (0..16)
        .map(|_| {
            let mut socket = served.connect();
            for session in &sessions {
                socket.send(json!({ "type": "subscribe", "sessionId": session }));
            }
            socket
        })
        .collect();
    fake.repeat(Reply::many_deltas(DELTAS, &piece));
    // The first answer fills what there is to fill, up to one event for each of them.
    converse_in(&mut reader, &sessions[0], "Talk");
    let before = served.memory_kb();
    for session in &sessions[1..] {
        converse_in(&mut reader, session, "Talk");
    }
    // Kept for all of them, the pieces of two more answers would be sixteen times as much as they are.
    let answers_kb = (2 * DELTAS * piece.len() / 1024) as u64;
    let grown = served.memory_kb().saturating_sub(before);
    assert!(grown < 8 * answers_kb, "{grown} kB more, and the answers have {answers_kb} kB");
    drop(deaf);
    fake.repeat(Reply::text("Hello."));
    assert_eq!(answer(&converse_in(&mut reader, &sessions[0], "And now?")), "Hello.");
}
