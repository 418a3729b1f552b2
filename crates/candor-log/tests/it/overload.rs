//! More lines than can be written.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use candor_log::event::{CronError, SessionCreated};
use candor_log::{Mirror, Options};
use serde_json::Value;

use crate::rig::{Rig, Running, note, session};

/// A mirror that keeps the writer from going on until it is opened.
#[derive(Clone)]
pub(crate) struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    reached: bool,
    open: bool,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn mirror(&self) -> Mirror {
        Mirror::To(Box::new(self.clone()))
    }

    /// Waits until the writer stands before the gate.
    pub(crate) fn wait_until_closed(&self) {
        let state = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(state, |state| !state.reached).unwrap());
    }

    pub(crate) fn open(&self) {
        self.0.0.lock().unwrap().open = true;
        self.0.1.notify_all();
    }
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.0.lock().unwrap();
        state.reached = true;
        self.0.1.notify_all();
        drop(self.0.1.wait_while(state, |state| !state.open).unwrap());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn dropped(lines: &[Value]) -> Vec<u64> {
    lines
        .iter()
        .filter(|line| line["event"] == "log_dropped")
        .map(|line| {
            assert_eq!(line["level"], "warn");
            assert_eq!(line["module"], "log");
            line["count"].as_u64().unwrap()
        })
        .collect()
}

#[test]
fn what_does_not_fit_is_dropped_and_counted_exactly_once() {
    let rig = Rig::new();
    let gate = Gate::new();
    let running = Running::start(Options { mirror: gate.mirror(), ..rig.options() });
    let long = "x".repeat(100_000);
    let sent = 1 + 200 + 2;
    running.scope(|| {
        note(0);
        gate.wait_until_closed();
        // 200 lines of 100 kB are more than twice what may wait.
        for _ in 0..200 {
            SessionCreated { session_id: session(), source: &long }.log();
        }
        // Errors wait a moment for room that does not come.
        let before = Instant::now();
        CronError { job_id: "j", error: &long }.log();
        CronError { job_id: "j", error: &long }.log();
        assert!(before.elapsed() >= Duration::from_millis(100));
        gate.open();
    });
    running.end();
    let lines = rig.lines();
    let counts = dropped(&lines);
    assert_eq!(counts.len(), 1, "one line tells of all that is missing");
    let written = lines.len() - counts.len();
    assert_eq!(written as u64 + counts[0], sent);
    assert!((80..=84).contains(&written), "{written} lines of 100 kB in 8 MiB");
    assert_eq!(lines.last().unwrap()["event"], "log_dropped", "told after the lines that were before it");
}

/// Waits at the gate with the first lines, and panics over the next.
struct Trap {
    gate: Gate,
    passed: bool,
}

impl Write for Trap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(!std::mem::replace(&mut self.passed, true), "a mirror that panics");
        self.gate.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_was_dropped_is_counted_even_when_the_writer_panics() {
    let rig = Rig::new();
    let gate = Gate::new();
    let mirror = Mirror::To(Box::new(Trap { gate: gate.clone(), passed: false }));
    let running = Running::start(Options { mirror, ..rig.options() });
    let long = "x".repeat(100_000);
    running.scope(|| {
        note(0);
        gate.wait_until_closed();
        for _ in 0..100 {
            SessionCreated { session_id: session(), source: &long }.log();
        }
        gate.open();
    });
    running.end();
    let lines = rig.lines();
    let counts = dropped(&lines);
    assert_eq!(counts.iter().sum::<u64>() + (lines.len() - counts.len()) as u64, 101);
}

/// Logs an error into a full queue while another thread makes room, and says whether it was written.
fn error_into_a_full_queue() -> bool {
    let rig = Rig::new();
    let gate = Gate::new();
    let running = Running::start(Options { mirror: gate.mirror(), ..rig.options() });
    let long = "x".repeat(100_000);
    running.scope(|| {
        note(0);
        gate.wait_until_closed();
        for _ in 0..90 {
            SessionCreated { session_id: session(), source: &long }.log();
        }
        let opener = thread::spawn({
            let gate = gate.clone();
            move || gate.open()
        });
        CronError { job_id: "j", error: &long }.log();
        opener.join().unwrap();
    });
    running.end();
    let lines = rig.lines();
    let counts = dropped(&lines);
    assert_eq!(counts.iter().sum::<u64>() + (lines.len() - counts.len()) as u64, 92);
    lines.iter().any(|line| line["event"] == "cron_error")
}

#[test]
fn an_error_that_finds_room_in_time_is_written() {
    // On a machine with much else to do the other thread may come too late, but not every time.
    assert!((0..20).any(|_| error_into_a_full_queue()));
}

#[test]
fn many_threads_lose_nothing_that_is_not_counted() {
    let rig = Rig::new();
    let running = rig.start();
    thread::scope(|scope| {
        for thread in 0..8 {
            let running = &running;
            scope
                .spawn(move || running.scope(|| (0..2000).for_each(|number| note(thread * 10_000 + number))));
        }
    });
    running.end();
    let lines = rig.lines();
    let lost: u64 = dropped(&lines).iter().sum();
    let mut notes = crate::rig::notes(&lines);
    assert_eq!(notes.len() as u64 + lost, 16_000);
    for thread in 0..8 {
        let own: Vec<_> = notes.iter().filter(|note| *note / 10_000 == thread).collect();
        assert!(own.is_sorted(), "the lines of one thread keep their order");
    }
    notes.sort_unstable();
    notes.dedup();
    assert_eq!(notes.len() as u64 + lost, 16_000, "no line is there twice");
}
