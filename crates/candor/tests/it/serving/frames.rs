//! Frames that make no sense: each is answered, and the socket lives on where it can.

use std::io::{Read, Write};
use std::time::Duration;

use candor_testkit::{Closed, Message, Ws};
use serde_json::{Value, json};

use super::{answer, converse, converse_in, saying, serve, serve_on, types};
use crate::rig::{candor, home_of, on_both};

const NOBODY: &str = "0192b7a0-0000-7000-8000-000000000000";

/// Says this and gives the refusal.
#[track_caller]
fn refused(socket: &mut Ws, text: &str, code: &str) -> Value {
    let reply = socket.send_text(text).receive();
    assert_eq!((&reply["type"], &reply["card"]["code"]), (&json!("error"), &json!(code)), "{text}: {reply}");
    assert!(reply["message"].as_str().is_some_and(|message| !message.is_empty()), "{reply}");
    assert!(reply["card"]["steps"].as_array().is_some_and(|steps| steps.len() >= 2), "{reply}");
    reply
}

#[test]
fn what_is_no_frame_is_answered_and_the_socket_lives() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let long_type = format!(r#"{{"type":"{}"}}"#, "x".repeat(100_000));
    let texts = [
        "",
        "nonsense",
        "{",
        "null",
        "[]",
        "3",
        "\u{0}",
        "{}",
        r#"{"type":null}"#,
        r#"{"type":"unknown"}"#,
        r#"{"type":"stream_delta","text":"I am the server"}"#,
        r#"{"type":"send_message"}"#,
        r#"{"type":"send_message","content":""}"#,
        r#"{"type":"send_message","content":" \n "}"#,
        r#"{"type":"send_message","content":[]}"#,
        r#"{"type":"send_message","content":3}"#,
        r#"{"type":"send_message","content":{"type":"text","text":"x"}}"#,
        r#"{"type":"send_message","content":[{"type":"image","mediaType":"image/png","data":""}]}"#,
        r#"{"type":"send_message","content":[{"type":"tool_result","callId":"c","content":"x"}]}"#,
        r#"{"type":"send_message","content":"x","sessionId":"../../etc"}"#,
        r#"{"type":"send_message","content":"x","id":{}}"#,
        r#"{"type":"steer","content":"x"}"#,
        r#"{"type":"cancel"}"#,
        r#"{"type":"subscribe"}"#,
        r#"{"type":"answer","callId":"c1","choice":"yes"}"#,
        deep.as_str(),
        long_type.as_str(),
    ];
    for text in texts {
        let reply = refused(&mut socket, text, "FRAME_INVALID");
        assert!(reply.to_string().len() < 4_000, "what was sent does not come back whole");
    }
    let subscribe = json!({ "type": "subscribe", "sessionId": NOBODY, "afterSeq": -1 }).to_string();
    refused(&mut socket, &subscribe, "FRAME_INVALID");
    socket.write(Message::binary(vec![0, 1, 2])).expect("it reads");
    assert_eq!(socket.receive()["card"]["code"], "FRAME_INVALID");
    socket.write(Message::Ping(vec![1].into())).expect("it reads");
    assert!(fake.requests().is_empty(), "none of them reached the model");
    assert_eq!(answer(&converse(&mut socket, "Hello there")), "Hello.");
}

on_both! {
    fn s7_8_an_id_that_is_none_or_nobodys_is_refused(keep) {
        let fake = saying("Hello.");
        let home = home_of(&fake);
        let served = serve_on(&home, keep);
        let mut socket = served.connect();
        for kind in ["send_message", "steer", "cancel", "subscribe"] {
            let frame = json!({ "type": kind, "sessionId": NOBODY, "content": "x", "id": kind });
            let reply = refused(&mut socket, &frame.to_string(), "SESSION_UNKNOWN");
            assert_eq!((&reply["id"], &reply["sessionId"]), (&json!(kind), &json!(NOBODY)));
            for none in ["", "../../etc", "'; DROP TABLE sessions; --", "01a1de", "%"] {
                let frame = json!({ "type": kind, "sessionId": none, "content": "x" });
                refused(&mut socket, &frame.to_string(), "FRAME_INVALID");
            }
        }
        assert!(fake.requests().is_empty());
    }
}

#[test]
fn a_session_that_was_deleted_is_not_there() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let session = converse(&mut socket, "Hello there")[0]["sessionId"].clone();
    let id = session.as_str().expect("an id");
    candor(&home, &format!("sessions delete {id} --yes")).run().ok();
    for kind in ["send_message", "steer", "subscribe"] {
        let frame = json!({ "type": kind, "sessionId": session, "content": "x" });
        refused(&mut socket, &frame.to_string(), "SESSION_UNKNOWN");
    }
    assert_eq!(answer(&converse(&mut socket, "Hello there")), "Hello.");
}

#[test]
fn an_answer_carries_the_id_of_its_frame() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    for id in [json!("a1"), json!(7), json!(1.5)] {
        let frame = json!({ "type": "send_message", "content": "Hello there", "id": id });
        let frames = socket.send(frame).until_type("run_end");
        assert_eq!(frames[0]["type"], "ack", "the answer is the first: {frames:#?}");
        assert_eq!(frames[0]["id"], id);
        let end = frames.last().expect("an end");
        assert_eq!((&frames[0]["sessionId"], &frames[0]["runId"]), (&end["sessionId"], &end["runId"]));
    }
    let reply = refused(&mut socket, r#"{"type":"unknown","id":"b2"}"#, "FRAME_INVALID");
    assert_eq!(reply["id"], "b2");
}

#[test]
fn parts_of_text_are_one_message() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let content = json!([{ "type": "text", "text": "One. " }, { "type": "text", "text": "Two." }]);
    let frames =
        served.connect().send(json!({ "type": "send_message", "content": content })).until_type("run_end");
    let accepted = frames.iter().find(|frame| frame["type"] == "message_accepted").expect("it was taken");
    assert_eq!(accepted["content"], content);
    assert_eq!(accepted["origin"], "websocket");
}

#[test]
fn a_frame_that_is_too_long_ends_the_socket_with_a_word() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let text = "x".repeat(1024 * 1024 - 100);
    let frames = converse(&mut socket, &text);
    assert_eq!(answer(&frames), "Hello.", "just short enough");
    socket.write(Message::text("x".repeat(1024 * 1024 + 1))).expect("it reads to the end");
    assert_eq!(socket.closed(), Closed::Code(1009));
    let before = served.memory_kb();
    let mut rude = served.connect();
    let _ = rude.write(Message::text("x".repeat(32 * 1024 * 1024)));
    assert!(matches!(rude.closed(), Closed::Code(1009) | Closed::Silently));
    let grown = served.memory_kb().saturating_sub(before);
    assert!(grown < 16_000, "{grown} kB more: the frame of 32 MB was kept");
    let session = &frames[0]["sessionId"];
    assert_eq!(answer(&converse_in(&mut served.connect(), session, "Still there?")), "Hello.");
}

#[test]
fn pings_whose_answers_are_never_read_cost_no_memory() {
    const BYTES_MAX: usize = 64 << 20;
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let socket = served.connect();
    let before = served.memory_kb();
    let pings = [b"\x89\xfd\0\0\0\0".as_slice(), &[b'x'; 125]].concat().repeat(1000);
    socket.stream().set_write_timeout(Some(Duration::from_secs(1))).expect("a time limit");
    let rounds = BYTES_MAX / pings.len();
    let taken = (0..rounds).take_while(|_| socket.stream().write_all(&pings).is_ok()).count();
    assert!(taken < rounds, "it answered whatever came");
    let grown = served.memory_kb().saturating_sub(before);
    assert!(grown < 8_000, "{grown} kB more");
    assert_eq!(answer(&converse(&mut served.connect(), "Hello there")), "Hello.");
}

#[test]
fn pings_are_answered_while_they_are_read() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let socket = served.connect();
    for number in 0..200_u8 {
        socket.stream().write_all(&[0x89, 0x81, 0, 0, 0, 0, number]).expect("it reads");
        let mut pong = [0; 3];
        socket.stream().read_exact(&mut pong).expect("it answers");
        assert_eq!(pong, [0x8a, 1, number]);
    }
}

#[test]
fn what_is_not_the_protocol_ends_the_socket() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    // An unmasked text frame; a frame with reserved bits; a text that is not UTF-8, masked with zeros.
    let garbled: [(&[u8], u16); 3] =
        [(b"\x81\x02{}", 1002), (b"\xf1\x82\0\0\0\0{}", 1002), (b"\x81\x82\0\0\0\0\xff\xfe", 1007)];
    for (bytes, code) in garbled {
        let mut socket = served.connect();
        socket.stream().write_all(bytes).expect("it reads");
        assert_eq!(socket.closed(), Closed::Code(code), "{bytes:?}");
    }
    assert_eq!(answer(&converse(&mut served.connect(), "Hello there")), "Hello.");
}

#[test]
fn frames_out_of_order_do_no_harm() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let first = converse(&mut socket, "Hello there");
    let (session, run) = (&first[0]["sessionId"], &first[0]["runId"]);
    // A stop when nothing goes on, of a run that has ended, of one that never was.
    let reply = socket.send(json!({ "type": "cancel", "sessionId": session, "id": 1 })).receive();
    assert_eq!((&reply["type"], &reply["id"]), (&json!("ack"), &json!(1)));
    for gone in [run.clone(), json!(NOBODY)] {
        let frame = json!({ "type": "cancel", "sessionId": session, "runId": gone });
        refused(&mut socket, &frame.to_string(), "FRAME_INVALID");
    }
    let ahead = json!({ "type": "subscribe", "sessionId": session, "afterSeq": 1000 });
    refused(&mut socket, &ahead.to_string(), "FRAME_INVALID");
    // Steering without a run begins one.
    let frames = socket
        .send(json!({ "type": "steer", "sessionId": session, "content": "And this" }))
        .until_type("run_end");
    assert_eq!(answer(&frames), "Hello.");
    assert!(types(&frames).contains(&"ack") && types(&frames).contains(&"message_accepted"));
}
