//! Following a log as it grows.

use std::fs::{self, OpenOptions};
use std::io::Write;

use candor_log::Options;
use candor_log::read::{Follower, Position, Query};
use candor_protocol::Level;

use crate::rig::{Rig, Running, note};

fn follow(rig: &Rig, position: Position) -> Follower {
    Follower::new(&rig.path(), Query::default(), position).unwrap()
}

/// The notes of one poll.
fn poll(follower: &mut Follower) -> Vec<u64> {
    let entries = follower.poll().unwrap();
    entries.iter().filter_map(|entry| entry.fields.get("removedMessages")?.as_u64()).collect()
}

#[test]
fn what_is_written_comes_with_the_next_poll() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| note(1));
    let (mut all, mut new) = (follow(&rig, Position::Start), follow(&rig, Position::End));
    running.batch(|| note(2));
    assert_eq!(poll(&mut all), [1, 2]);
    assert_eq!(poll(&mut new), [2]);
    assert!(poll(&mut new).is_empty());
    running.batch(|| (3..=4).for_each(note));
    assert_eq!(poll(&mut new), [3, 4]);
    running.end();
}

#[test]
fn a_log_that_is_not_there_yet_is_awaited() {
    let rig = Rig::new();
    let mut follower = follow(&rig, Position::End);
    assert!(poll(&mut follower).is_empty());
    rig.run(|| note(1));
    assert_eq!(poll(&mut follower), [1]);
}

#[test]
fn rotation_between_two_polls_hides_nothing() {
    let rig = Rig::new();
    let rotation = candor_log::Rotation { max_days: 0, size_bytes_max: 400, total_bytes_max: 0 };
    let running = Running::start(Options { rotation, ..rig.options() });
    running.batch(|| note(1));
    let mut follower = follow(&rig, Position::End);
    // Several files begin and end before the follower looks again.
    running.batch(|| (2..=20).for_each(note));
    assert!(rig.names().len() > 4, "{:?}", rig.names());
    assert_eq!(poll(&mut follower), (2..=20).collect::<Vec<_>>());
    rig.hands.set("2025-02-12T12:00:00Z");
    running.batch(|| note(21));
    assert_eq!(poll(&mut follower), [21]);
    running.batch(|| note(22));
    assert_eq!(poll(&mut follower), [22]);
    running.end();
    assert_eq!(poll(&mut follow(&rig, Position::Start)), (1..=22).collect::<Vec<_>>());
}

#[test]
fn archives_without_a_live_file_are_read_to_the_last() {
    let rig = Rig::new();
    let rotation = candor_log::Rotation { max_days: 0, size_bytes_max: 400, total_bytes_max: 0 };
    let running = Running::start(Options { rotation, ..rig.options() });
    running.batch(|| (1..=9).for_each(note));
    running.end();
    fs::rename(rig.path(), rig.directory().join("candor.2025-02-11.99.log")).unwrap();
    let mut follower = follow(&rig, Position::Start);
    assert_eq!(poll(&mut follower), (1..=9).collect::<Vec<_>>());
    assert!(poll(&mut follower).is_empty());
    rig.run(|| note(10));
    assert_eq!(poll(&mut follower), [10]);
}

#[test]
fn truncation_and_replacement_are_noticed() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| (1..=5).for_each(note));
    let mut follower = follow(&rig, Position::Start);
    assert_eq!(poll(&mut follower), [1, 2, 3, 4, 5]);
    OpenOptions::new().write(true).open(rig.path()).unwrap().set_len(0).unwrap();
    running.batch(|| note(6));
    assert_eq!(poll(&mut follower), [6]);
    fs::remove_file(rig.path()).unwrap();
    assert!(poll(&mut follower).is_empty());
    running.batch(|| note(7));
    assert_eq!(poll(&mut follower), [7]);
    running.end();
}

#[test]
fn a_line_that_comes_in_two_parts_is_one_line() {
    let rig = Rig::new();
    rig.run(|| note(1));
    let text = rig.text();
    let (first, second) = text.split_at(50);
    rig.write("candor.log", first);
    let mut follower = follow(&rig, Position::Start);
    assert!(poll(&mut follower).is_empty());
    OpenOptions::new().append(true).open(rig.path()).unwrap().write_all(second.as_bytes()).unwrap();
    assert_eq!(poll(&mut follower), [1]);
    assert_eq!(follower.skipped().damaged, 0);
}

#[test]
fn a_poll_is_bounded_and_the_next_goes_on() {
    let rig = Rig::new();
    rig.run(|| note(1));
    let line = rig.text();
    rig.write("candor.log", line.repeat((10 << 20) / line.len()));
    let mut follower = follow(&rig, Position::Start);
    let polls: Vec<_> = (0..4).map(|_| poll(&mut follower).len()).collect();
    assert!(polls[0] <= (4 << 20) / line.len(), "{polls:?}");
    assert_eq!(polls.iter().sum::<usize>(), (10 << 20) / line.len());
    assert_eq!(polls[3], 0);
}

#[test]
fn only_what_is_wanted_comes() {
    let rig = Rig::new();
    let query = Query { level: Some(Level::Error), ..Query::default() };
    let mut follower = Follower::new(&rig.path(), query, Position::Start).unwrap();
    rig.run(|| {
        note(1);
        candor_log::event::CronError { job_id: "j", error: "x" }.log();
    });
    let found = follower.poll().unwrap();
    assert_eq!(found.iter().map(|entry| entry.event.as_str()).collect::<Vec<_>>(), ["cron_error"]);
}
