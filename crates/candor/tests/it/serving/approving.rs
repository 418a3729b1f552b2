//! A client is asked before a call, and answers.

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::{Value, json};

use super::serve_with;
use crate::rig::home_of;

#[test]
fn a_client_is_asked_and_its_answer_decides() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    for name in ["first", "second"] {
        fake.push(Reply::calls([("shell_exec", json!({ "command": format!("touch {name}") }))]));
    }
    fake.repeat(Reply::text("Well then."));
    let home = home_of(&fake);
    let served = serve_with(&home, &["--permission", "ask"]);
    let mut socket = served.connect();
    socket.send_text(&json!({ "type": "send_message", "content": "Make them" }).to_string());
    let mut answers = ["no", "once"].into_iter();
    let mut ended = None;
    let mut refused = 0;
    while ended.is_none() {
        let frame: Value = socket.receive();
        match frame["type"].as_str().unwrap_or_default() {
            "approval_request" => {
                assert!(frame["choices"].as_array().is_some_and(|choices| choices.contains(&json!("once"))));
                let choice = answers.next().expect("two questions");
                // What is no choice is refused, and the question stands.
                for choice in ["perhaps", choice] {
                    let answer = json!({ "type": "answer", "callId": frame["callId"], "choice": choice });
                    socket.send_text(&answer.to_string());
                }
            }
            "error" if frame["card"]["code"] == "FRAME_INVALID" => refused += 1,
            "run_end" => ended = Some(frame),
            _ => {}
        }
    }
    assert_eq!(refused, 2);
    assert!(!home.workspace().join("first").exists() && home.workspace().join("second").exists());
    // It made a file, and there is nothing that could check it.
    assert_eq!(ended.expect("it ended")["status"], "done_partial");
}
