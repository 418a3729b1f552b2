//! A mirror that may block, behind a relay.

use std::io::{self, PipeReader, Read};
use std::sync::mpsc;

use candor_log::event::SessionCreated;
use candor_log::{Mirror, Options, Relay};
use serde_json::Value;

use crate::masking::Copied;
use crate::rig::{Rig, Running, note, notes, session};

/// A log that is mirrored into a pipe.
fn piped(rig: &Rig) -> (Running, PipeReader) {
    let (reader, writer) = io::pipe().unwrap();
    let relay = Relay::start(writer, rig.hands.clock()).unwrap();
    (Running::start(Options { mirror: Mirror::To(Box::new(relay)), ..rig.options() }), reader)
}

fn parsed(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_relay_hands_on_the_same_bytes() {
    let rig = Rig::new();
    let copied = Copied::default();
    let relay = Relay::start(copied.clone(), rig.hands.clock()).unwrap();
    let running = Running::start(Options { mirror: Mirror::To(Box::new(relay)), ..rig.options() });
    running.batch(|| note(1));
    running.batch(|| (2..=500).for_each(note));
    running.end();
    assert_eq!(String::from_utf8(copied.0.lock().unwrap().clone()).unwrap(), rig.text());
    assert_eq!(rig.lines().len(), 500);
}

#[test]
fn a_pipe_that_nobody_reads_holds_up_nothing_and_says_later_what_is_missing() {
    let rig = Rig::new();
    let (running, mut reader) = piped(&rig);
    let long = "x".repeat(100_000);
    // Several times what the pipe and the relay hold together. Each batch is waited for, so that none is lost in the queue.
    let sent = 120;
    for _ in 0..sent {
        running.batch(|| SessionCreated { session_id: session(), source: &long }.log());
    }
    assert_eq!(rig.lines().len(), sent, "the file has every line");
    let (read_so_far, seen) = mpsc::channel();
    let reading = std::thread::spawn(move || {
        let mut text = Vec::new();
        let mut piece = vec![0; 1 << 16];
        loop {
            let bytes = reader.read(&mut piece).unwrap();
            if bytes == 0 {
                return String::from_utf8(text).unwrap();
            }
            text.extend_from_slice(&piece[..bytes]);
            if text.windows(11).rev().take(piece.len()).any(|seen| seen == b"log_dropped") {
                let _ = read_so_far.send(());
            }
        }
    });
    seen.recv().unwrap();
    running.batch(|| note(7));
    running.end();
    let lines = parsed(&reading.join().unwrap());
    let gaps: Vec<_> = lines.iter().filter(|line| line["event"] == "log_dropped").collect();
    let missing: u64 = gaps.iter().map(|line| line["count"].as_u64().unwrap()).sum();
    let whole = lines.iter().filter(|line| line["event"] == "session_created").count();
    assert!(missing > 0);
    assert_eq!(whole as u64 + missing, sent as u64);
    assert_eq!(notes(&lines), [7], "and it goes on");
    assert_eq!(rig.lines().len(), sent + 1, "what the mirror missed is no loss of the file");
    assert!(rig.heard.codes().is_empty());
}

#[test]
fn a_pipe_that_nobody_reads_does_not_keep_the_log_from_ending() {
    let rig = Rig::new();
    let (running, reader) = piped(&rig);
    let long = "x".repeat(100_000);
    running.batch(|| (0..10).for_each(|_| SessionCreated { session_id: session(), source: &long }.log()));
    running.end();
    assert_eq!(rig.lines().len(), 10);
    drop(reader);
}

#[test]
fn a_pipe_that_is_closed_is_told_once_and_costs_no_line() {
    let rig = Rig::new();
    let (running, reader) = piped(&rig);
    drop(reader);
    // The relay finds out on its own thread, so when it is told depends on who is quicker; that it is, does not.
    let mut number = 0;
    while rig.heard.codes().is_empty() {
        number += 1;
        running.batch(|| note(number));
    }
    running.batch(|| note(number + 1));
    running.end();
    let lines = rig.lines();
    assert_eq!(notes(&lines), (1..=number + 1).collect::<Vec<_>>());
    let ended: Vec<_> = lines.iter().filter(|line| line["event"] == "log_mirror_ended").collect();
    assert_eq!(ended.len(), 1);
    assert!(ended[0]["reason"].as_str().unwrap().contains("pipe"), "{}", ended[0]);
    assert_eq!(rig.heard.codes(), ["LOG_WRITE_FAILED"]);
}
