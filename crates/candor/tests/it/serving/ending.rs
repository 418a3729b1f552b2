//! How a server ends.

use candor_testkit::{Closed, Dialect, FakeLlm, Gate, Reply};

use super::{converse, message, saying, serve};
use crate::rig::{candor, events, home_of, log_lines};

#[test]
fn a_stop_says_goodbye_and_ends_well() {
    for signal in ["INT", "TERM"] {
        let fake = saying("Hello.");
        let home = home_of(&fake);
        let served = serve(&home);
        let mut socket = served.connect();
        converse(&mut socket, "Hello there");
        let mut idle = served.connect();
        served.running.signal(signal);
        assert_eq!(socket.closed(), Closed::Code(1001));
        assert_eq!(idle.closed(), Closed::Code(1001));
        let ran = served.running.finish();
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert_eq!(log_lines(&home, "server_start").len(), 1);
        assert_eq!(log_lines(&home, "ws_connect").len(), 2);
        let reasons = log_lines(&home, "ws_disconnect");
        assert!(reasons.iter().all(|line| line["reason"] == "the server stops"), "{reasons:?}");
    }
}

#[test]
fn a_stop_ends_the_runs_and_stores_their_ends() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    let gate = Gate::new();
    fake.repeat(Reply::text("This will not be said to its end.").gate(&gate));
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let frames = socket.send(message("Hello there")).until_type("run_start");
    let session = frames[0]["sessionId"].as_str().expect("a session").to_owned();
    socket.send(super::message_in(&frames[0]["sessionId"], "And then")).until_type("ack");
    gate.wait_reached();
    served.running.signal("TERM");
    let end = socket.until_type("run_end").pop().expect("an end");
    assert_eq!(end["status"], "stopped", "who is connected sees it");
    assert_eq!(socket.closed(), Closed::Code(1001));
    assert_eq!(served.running.finish().status, 0);
    let shown = candor(&home, &format!("sessions show {session} --json")).run().ok();
    let count = |kind: &str| events(&shown).iter().filter(|event| event["type"] == kind).count();
    assert_eq!((count("message_accepted"), count("run_start"), count("run_end")), (2, 2, 2));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    // A client that does not answer a goodbye is waited for, for a while.
    let _deaf = served.connect();
    served.running.signal("TERM").wait_for_stderr("stopping");
    served.running.signal("TERM");
    let ran = served.running.finish();
    assert_eq!(ran.status, 130, "{}", ran.stderr);
    assert!(ran.stderr.contains("stopped at once"), "{}", ran.stderr);
}

#[test]
fn a_client_that_does_not_answer_a_goodbye_does_not_hold_the_server_up() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    let _deaf = served.connect();
    served.running.signal("TERM");
    assert_eq!(served.running.finish().status, 0);
}
