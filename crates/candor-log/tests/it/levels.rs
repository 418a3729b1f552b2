//! Which levels are written.

use candor_log::Options;
use candor_log::event::{CronError, SessionCreated, ToolTimeout};
use candor_protocol::Level;
use std::time::Duration;

use crate::rig::{Rig, Running, session};

fn one_of_each() {
    CronError { job_id: "j", error: "own error" }.log();
    ToolTimeout { session_id: session(), tool: "t", timeout: Duration::ZERO }.log();
    SessionCreated { session_id: session(), source: "cli" }.log();
    tracing::error!(target: "other", "other error");
    tracing::warn!(target: "other", "other warn");
    tracing::info!(target: "other", "other info");
    tracing::debug!(target: "other", "other debug");
    tracing::trace!(target: "other", "other trace");
}

const OWN: [&str; 3] = ["cron_error", "tool_timeout", "session_created"];

/// Checks what is written of one event of each kind, at a level.
#[track_caller]
fn check(level: Level, own: &[&str], other: &[&str]) {
    let rig = Rig::new();
    let running = Running::start(Options { level, ..rig.options() });
    running.scope(one_of_each);
    running.end();
    let lines = rig.lines();
    let (others, owns): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line["event"] == "log");
    assert_eq!(owns.iter().map(|line| line["event"].as_str().unwrap()).collect::<Vec<_>>(), own);
    assert_eq!(others.iter().map(|line| line["message"].as_str().unwrap()).collect::<Vec<_>>(), other);
}

#[test]
fn s14_7_debug_is_not_written_at_info() {
    check(Level::Info, &OWN, &["other error", "other warn"]);
}

#[test]
fn s14_7_each_level_writes_itself_and_what_is_more_severe() {
    check(Level::Error, &OWN[..1], &["other error"]);
    check(Level::Warn, &OWN[..2], &["other error", "other warn"]);
    check(Level::Debug, &OWN, &["other error", "other warn", "other info", "other debug"]);
}

#[test]
fn s14_7_the_level_can_be_changed_while_running() {
    let rig = Rig::new();
    let running = rig.start();
    running.scope(|| {
        for level in [Level::Error, Level::Debug, Level::Error] {
            running.log.set_level(level);
            SessionCreated { session_id: session(), source: level.as_str() }.log();
            tracing::debug!(target: "other", "{level}");
        }
    });
    running.end();
    let lines = rig.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0]["source"], "debug");
    assert_eq!(lines[1]["message"], "debug");
}

#[test]
fn a_second_log_cannot_be_installed_over_the_first() {
    let rig = Rig::new();
    let first = rig.start();
    first.log.install().unwrap();
    let other = Rig::new();
    let second = other.start();
    let error = second.log.install().unwrap_err();
    assert!(matches!(error, candor_log::Error::AlreadyInstalled { .. }));
    std::thread::spawn(|| CronError { job_id: "j", error: "installed" }.log()).join().unwrap();
    first.end();
    second.end();
    assert!(rig.lines().iter().any(|line| line["error"] == "installed"));
    assert_eq!(other.lines().len(), 0);
}
