//! Secrets never reach the file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use candor_log::event::{CronError, ToolCall, TurnStart};
use candor_log::{Mirror, Options};
use candor_protocol::Level;
use candor_redact::{MASK, Redactor};
use proptest::prelude::*;
use serde_json::json;
use std::time::Duration;

use crate::rig::{Rig, Running, note, session};

/// Made at run time, so that no scanner takes this file for a leak.
fn secret() -> String {
    ["cor", "rect-horse-", "battery-", "staple"].concat()
}

fn knowing(rig: &Rig) -> Options {
    Options { level: Level::Debug, redactor: Redactor::with_secrets([secret()]), ..rig.options() }
}

#[derive(Clone, Default)]
pub(crate) struct Copied(pub(crate) Arc<Mutex<Vec<u8>>>);

impl Write for Copied {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn s14_10_a_known_secret_is_masked_in_every_place_it_can_stand() {
    let rig = Rig::new();
    let running = Running::start(knowing(&rig));
    let secret = secret();
    let args = json!({ "header": format!("X: {secret}"), "list": [secret], secret.clone(): 1 });
    running.scope(|| {
        TurnStart { session_id: session(), model: &secret, message_count: 1 }.log();
        let duration = Duration::ZERO;
        ToolCall { session_id: session(), tool: &secret, duration, is_error: false, args: Some(&args) }.log();
        tracing::warn!(target: "other", value = ?secret, "message with {secret}");
    });
    running.end();
    let text = rig.text();
    assert!(!text.contains(&secret), "{text}");
    assert_eq!(text.matches(MASK).count(), 7, "{text}");
    let lines = rig.lines();
    assert_eq!(lines[0]["model"], MASK);
    assert_eq!(lines[1]["args"]["header"], format!("X: {MASK}"));
}

#[test]
fn s14_10_a_secret_shaped_value_is_masked() {
    let rig = Rig::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    rig.run(|| CronError { job_id: "j", error: &format!("401 for {token}") }.log());
    assert_eq!(rig.lines()[0]["error"], format!("401 for {MASK}"));
}

#[test]
fn s14_10_neighbours_of_a_masked_line_stay_as_they_are() {
    let rig = Rig::new();
    let running = Running::start(knowing(&rig));
    let unfinished = format!("-----BEGIN {} KEY-----\nMIIEow", ["PRIV", "ATE"].concat());
    running.scope(|| {
        note(1);
        CronError { job_id: "j", error: &unfinished }.log();
        note(2);
        CronError { job_id: "j", error: &secret() }.log();
        note(3);
    });
    running.end();
    let lines = rig.lines();
    assert_eq!(crate::rig::notes(&lines), [1, 2, 3]);
    assert_eq!(lines[3]["error"], MASK);
}

#[test]
fn s14_6_a_line_that_masking_would_break_is_replaced_by_one_that_says_so() {
    let rig = Rig::new();
    // A "secret" that is part of how lines are written: without it nothing would be JSON.
    let redactor = Redactor::with_secrets(["\"jobId\":\"job\""]);
    let running = Running::start(Options { redactor, ..rig.options() });
    running.scope(|| {
        note(1);
        CronError { job_id: "job", error: "what it says" }.log();
        note(2);
    });
    running.end();
    let lines = rig.lines();
    assert_eq!(crate::rig::notes(&lines), [1, 2]);
    assert_eq!(lines[1]["event"], "log_masked");
    assert_eq!(lines[1]["ts"], "2025-02-11T12:00:00.000Z");
    assert!(!rig.text().contains("what it says"));
}

#[test]
fn s14_10_the_mirror_gets_the_same_masked_lines() {
    let rig = Rig::new();
    let copied = Copied::default();
    let running = Running::start(Options { mirror: Mirror::To(Box::new(copied.clone())), ..knowing(&rig) });
    running.scope(|| {
        CronError { job_id: "j", error: &secret() }.log();
        note(1);
    });
    running.end();
    let mirrored = String::from_utf8(copied.0.lock().unwrap().clone()).unwrap();
    assert_eq!(mirrored, rig.text());
    assert!(mirrored.contains(MASK));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn s14_10_a_masked_line_is_still_json(before in any::<String>(), key in "(password|apiKey|note)", after in any::<String>()) {
        let rig = Rig::new();
        let running = Running::start(knowing(&rig));
        let secret = secret();
        let text = format!("{before}{secret}{after}");
        let mut args = serde_json::Map::new();
        args.insert(key, text.clone().into());
        args.insert(text.clone(), 5.into());
        let args = serde_json::Value::Object(args);
        running.scope(|| {
            let duration = Duration::ZERO;
            ToolCall { session_id: session(), tool: &text, duration, is_error: false, args: Some(&args) }.log();
        });
        running.end();
        prop_assert_eq!(rig.lines().len(), 1);
        prop_assert!(!rig.text().contains(&secret));
    }
}
