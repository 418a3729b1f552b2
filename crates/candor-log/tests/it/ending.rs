//! No line is lost when the program ends or panics.

use std::fmt;
use std::panic;
use std::sync::Mutex;
use std::thread;

use candor_log::{Log, Mirror, Options};
use serde_json::Value;

use crate::rig::{Rig, Running, note, notes};

/// Hooks are of the whole process, so the tests that set one take turns.
static HOOK: Mutex<()> = Mutex::new(());

/// Runs something that panics with the log's hook set as the binary sets it.
fn with_hook(log: &Log, act: impl FnOnce()) {
    let _turn = HOOK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let previous = panic::take_hook();
    panic::set_hook(Box::new(log.panic_hook()));
    act();
    panic::set_hook(previous);
}

fn panics<'a>(lines: &'a [Value], message: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["event"] == "panic" && line["message"] == message).collect()
}

#[test]
fn every_line_is_in_the_file_when_the_guard_has_gone() {
    let rig = Rig::new();
    rig.run(|| (0..20_000).for_each(note));
    assert_eq!(notes(&rig.lines()), (0..20_000).collect::<Vec<_>>());
}

#[test]
fn flush_brings_every_line_to_the_file_while_running() {
    let rig = Rig::new();
    let running = rig.start();
    running.scope(|| (0..500).for_each(note));
    running.log.flush();
    assert_eq!(notes(&rig.lines()).len(), 500);
    running.log.flush();
    running.end();
}

#[test]
fn a_panic_in_a_thread_is_logged_and_flushed() {
    let rig = Rig::new();
    let running = rig.start();
    running.scope(|| note(1));
    with_hook(&running.log, || {
        assert!(thread::spawn(|| panic!("boom {}", 42)).join().is_err());
    });
    // The guard still lives: it is the hook that has brought the lines to the file.
    let lines = rig.lines();
    assert_eq!(notes(&lines), [1]);
    let found = panics(&lines, "boom 42");
    assert_eq!(found.len(), 1, "{lines:?}");
    assert_eq!(found[0]["level"], "error");
    assert!(found[0]["location"].as_str().unwrap().contains("ending.rs:"));
    running.end();
}

struct PanicsWhenShown;

impl fmt::Debug for PanicsWhenShown {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("shown");
    }
}

#[test]
fn a_panic_in_the_middle_of_an_event_is_logged_and_nothing_hangs() {
    let rig = Rig::new();
    let running = rig.start();
    with_hook(&running.log, || {
        let result = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            running.scope(|| tracing::error!(target: "other", value = ?PanicsWhenShown, "never written"));
        }));
        assert!(result.is_err());
    });
    running.batch(|| note(1));
    running.end();
    let lines = rig.lines();
    assert_eq!(panics(&lines, "shown").len(), 1, "{lines:?}");
    assert_eq!(notes(&lines), [1]);
    assert!(lines.iter().all(|line| line["event"] != "log"));
}

struct PanicsWhenWritten;

impl std::io::Write for PanicsWhenWritten {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        panic!("written");
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_panic_in_the_writer_itself_is_logged_and_nothing_hangs() {
    let rig = Rig::new();
    let mirror = Mirror::To(Box::new(PanicsWhenWritten));
    let running = Running::start(Options { mirror, ..rig.options() });
    with_hook(&running.log, || running.batch(|| note(1)));
    running.batch(|| note(2));
    running.end();
    let lines = rig.lines();
    assert_eq!(panics(&lines, "written").len(), 1, "{lines:?}");
    assert_eq!(notes(&lines), [1, 2]);
}

struct LogsWhenShown;

impl fmt::Debug for LogsWhenShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        note(99);
        f.write_str("inner")
    }
}

#[test]
fn a_value_that_logs_while_it_is_shown_does_no_harm() {
    let rig = Rig::new();
    let running = rig.start();
    running.scope(|| tracing::error!(target: "other", value = ?LogsWhenShown, "outer"));
    running.end();
    let lines = rig.lines();
    let outer = lines.iter().find(|line| line["message"] == "outer").unwrap();
    assert_eq!(outer["value"], "inner");
}

#[test]
fn logging_after_the_end_neither_hangs_nor_writes() {
    let rig = Rig::new();
    let running = rig.start();
    let log = running.log.clone();
    running.end();
    let subscriber =
        tracing_subscriber::layer::SubscriberExt::with(tracing_subscriber::Registry::default(), log.layer());
    tracing::subscriber::with_default(subscriber, || {
        note(1);
        candor_log::event::CronError { job_id: "j", error: "late" }.log();
    });
    log.flush();
    assert_eq!(rig.text(), "");
}
