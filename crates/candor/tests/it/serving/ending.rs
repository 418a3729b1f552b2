//! How a server ends.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use candor_testkit::{Candor, Closed, Dialect, FakeLlm, Gate, Home, Reply, Ws};
use serde_json::{Value, json};

use super::{Served, answer, converse, message, message_in, saying, serve};
use crate::rig::{BINARY, KEY, candor, events, home_of, log_lines};

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
        assert_eq!(ran.status, 0, "{}", ran.stderr);
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
    socket.send(message_in(&frames[0]["sessionId"], "And then")).until_type("ack");
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

/// How the runs of a session ended, by their ids.
fn ends(home: &Home, session: &str) -> BTreeMap<String, Value> {
    let shown = candor(home, &format!("sessions show {session} --json")).run().ok();
    let ends = events(&shown).into_iter().filter(|event| event["type"] == "run_end");
    ends.map(|end| (end["runId"].as_str().expect("a run").to_owned(), end["status"].clone())).collect()
}

/// Talks on until the server has enough, and gives the runs that it has promised. Tells once there are many.
fn talk(mut socket: Ws, many: &Sender<()>) -> Vec<(String, String)> {
    let (mut promised, mut frame) = (Vec::new(), message("Hello there"));
    loop {
        let mut reply = socket.try_send(&frame);
        while reply.as_ref().is_ok_and(|reply| reply["seq"].is_u64()) {
            reply = socket.try_receive();
        }
        let Ok(reply) = reply else { return promised };
        if let (Some(session), Some(run)) = (reply["sessionId"].as_str(), reply["runId"].as_str()) {
            promised.push((session.to_owned(), run.to_owned()));
            frame = message_in(&reply["sessionId"], "And then");
        }
        if promised.len() == 20 {
            many.send(()).expect("somebody waits");
        }
    }
}

#[test]
fn whatever_was_promised_before_a_stop_comes_to_an_end() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    let gate = Gate::new();
    fake.repeat(Reply::text("This will not be said to its end.").gate(&gate));
    let home = home_of(&fake);
    let served = serve(&home);
    let (many, told) = channel();
    let promised: Vec<(String, String)> = thread::scope(|scope| {
        let client = |_| {
            let (socket, many) = (served.connect(), many.clone());
            scope.spawn(move || talk(socket, &many))
        };
        let clients: Vec<_> = (0..4).map(client).collect();
        assert_eq!(told.iter().take(clients.len()).count(), clients.len());
        served.running.signal("TERM");
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    assert_eq!(served.running.finish().status, 0);
    let sessions: BTreeSet<&String> = promised.iter().map(|(session, _)| session).collect();
    let ends: BTreeMap<String, Value> =
        sessions.into_iter().flat_map(|session| ends(&home, session)).collect();
    for (_, run) in &promised {
        assert_eq!(ends.get(run), Some(&json!("stopped")), "one of {}", promised.len());
    }
}

#[test]
fn a_stop_finds_a_message_that_has_waited_for_long() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    let (first, second) = (Gate::new(), Gate::new());
    let calls = (0..300).map(|number| ("file_read", json!({ "path": format!("{number}") })));
    fake.push(Reply::calls(calls).gate(&first));
    fake.repeat(Reply::text("This will not be said to its end.").gate(&second));
    let home = home_of(&fake);
    let served = serve(&home);
    let mut socket = served.connect();
    let frames = socket.send(message("Hello there")).until_type("run_start");
    first.wait_reached();
    let session = frames[0]["sessionId"].as_str().expect("a session");
    let waits = socket.send(message_in(&frames[0]["sessionId"], "And then")).until_type("ack");
    first.open();
    second.wait_reached();
    // Hundreds of events lie between the message and the stop.
    socket.until(|frame| frame["seq"].as_u64() >= Some(500));
    served.running.signal("TERM");
    assert_eq!(socket.closed(), Closed::Code(1001));
    assert_eq!(served.running.finish().status, 0);
    let waits = waits.last().expect("an answer")["runId"].as_str().expect("a run");
    let ends = ends(&home, session);
    assert_eq!((ends.len(), ends.get(waits)), (2, Some(&json!("stopped"))), "{ends:?}");
    assert!(ends.values().all(|status| status == "stopped"), "{ends:?}");
}

#[test]
fn a_closed_terminal_ends_it_unless_it_was_started_not_to_mind() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let minds = serve(&home);
    minds.running.signal("HUP");
    assert_eq!(minds.running.finish().status, 0);
    let served = Served::start(Candor::new("/usr/bin/nohup", &home).args([BINARY]), &home);
    let mut socket = served.connect();
    served.running.signal("HUP");
    assert_eq!(answer(&converse(&mut socket, "Still there?")), "Hello.");
    served.running.signal("TERM");
    assert_eq!(served.running.finish().status, 0);
}

#[test]
fn a_second_signal_does_not_wait_for_a_name() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    let gate = Gate::new();
    fake.push(Reply::text("Hello."));
    fake.repeat(Reply::text("A title that never comes").gate(&gate));
    let home = home_of(&fake);
    let titles = Candor::new(BINARY, &home).env("CANDOR_SESSION__MODEL_TITLES", "true");
    let served = Served::start(titles, &home);
    let mut socket = served.connect();
    converse(&mut socket, "Hello there");
    gate.wait_reached();
    served.running.signal("TERM");
    assert_eq!(socket.closed(), Closed::Code(1001));
    served.running.signal("TERM");
    assert_eq!(served.running.finish().status, 130);
}

#[test]
fn signals_are_heard_before_there_is_anything_to_stop() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    // A database that takes the call and says nothing.
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let database = format!("postgres://nobody@{}/nothing", silent.local_addr().expect("an address"));
    let running = Candor::new(BINARY, &home)
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("FAKE_KEY", KEY)
        .env("CANDOR_DATABASE_URL", &database)
        .spawn();
    let _called = silent.accept().expect("it calls");
    running.signal("TERM").wait_for_stderr("stopping");
    running.signal("TERM");
    assert_eq!(running.finish().status, 130);
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
