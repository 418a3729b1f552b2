//! What a line looks like, whatever goes into it.

use candor_log::event::{CronError, ToolBlocked, ToolCall};
use candor_protocol::Level;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

use crate::rig::{Rig, Running, note, session};

const NASTY: &[&str] = &[
    "",
    "\"",
    "\\",
    "\\\"}\n{\"ts\":\"x\"",
    "line\nbreak\r\n\ttab",
    "\u{0}\u{1}\u{8}\u{b}\u{c}\u{1b}[31m\u{7f}",
    "\u{85}\u{9b}31m\u{a0}",
    "\u{2028}\u{2029}\u{feff}\u{202e}",
    "héllo 🦀 \u{10ffff}",
    "</script><!--",
];

fn blocked(text: &str) {
    ToolBlocked { session_id: session(), tool: text, command: text, reason: text }.log();
}

#[test]
fn s14_6_every_line_is_json_whatever_the_values_hold() {
    let rig = Rig::new();
    rig.run(|| NASTY.iter().for_each(|text| blocked(text)));
    let lines = rig.lines();
    assert_eq!(lines.len(), NASTY.len());
    for (line, text) in lines.iter().zip(NASTY) {
        assert_eq!(line["command"], *text);
        assert_eq!(line["reason"], *text);
    }
    let controls = rig.text().chars().filter(|c| c.is_control() && *c != '\n').count();
    assert_eq!(controls, 0, "a control character stands in the file as it is");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn s14_6_any_text_comes_back_as_it_went_in(texts in prop::collection::vec(any::<String>(), 1..8)) {
        let rig = Rig::new();
        rig.run(|| texts.iter().for_each(|text| CronError { job_id: "j", error: text }.log()));
        let read: Vec<_> = rig.lines().iter().map(|line| line["error"].as_str().unwrap().to_owned()).collect();
        // Masking may replace what looks like a secret; random text that does is not what this is about.
        for (read, text) in read.iter().zip(&texts) {
            prop_assert!(read == text || read.contains(candor_redact::MASK));
        }
        prop_assert_eq!(read.len(), texts.len());
    }
}

#[test]
fn structured_arguments_are_json_and_not_text() {
    let args = json!({ "path": "a\nb", "list": [1, 2.5, null, true], "nested": { "k": {} } });
    let rig = Rig::new();
    let running = Running::start(candor_log::Options { level: Level::Debug, ..rig.options() });
    running.scope(|| {
        let duration = Duration::ZERO;
        ToolCall { session_id: session(), tool: "t", duration, is_error: false, args: Some(&args) }.log();
    });
    running.end();
    assert_eq!(rig.lines()[0]["args"], args);
}

#[test]
fn s14_6_other_libraries_land_in_the_same_file() {
    let rig = Rig::new();
    rig.run(|| {
        tracing::warn!(target: "sqlx::pool", elapsed_ms = 1200_u64, ok = false, ratio = 0.5, "slow \"acquire\"");
    });
    let line = &rig.lines()[0];
    assert_eq!(line["level"], "warn");
    assert_eq!(line["module"], "sqlx::pool");
    assert_eq!(line["event"], "log");
    assert_eq!(line["message"], "slow \"acquire\"");
    assert_eq!(line["elapsed_ms"], 1200);
    assert_eq!(line["ok"], false);
    assert_eq!(line["ratio"], 0.5);
}

#[test]
fn other_libraries_cannot_stand_in_for_the_opening_fields() {
    let rig = Rig::new();
    rig.run(|| {
        let (ts, level, module, event) = ("1970", "error", "agent-loop", "turn_start");
        tracing::warn!(target: "evil", ts, level, module, event, debug = ?Some("x\n"), nan = f64::NAN, "m");
    });
    let text = rig.text();
    for name in ["\"ts\":", "\"level\":", "\"module\":", "\"event\":"] {
        assert_eq!(text.matches(name).count(), 1, "{name} in {text}");
    }
    let line = &rig.lines()[0];
    assert_eq!(line["level"], "warn");
    assert_eq!(line["event"], "log");
    assert_eq!(line["field.level"], "error");
    assert_eq!(line["debug"], "Some(\"x\\n\")");
    assert_eq!(line["nan"], Value::Null);
}

#[test]
fn an_error_value_of_another_library_is_its_message() {
    let rig = Rig::new();
    rig.run(|| {
        let error = std::io::Error::other("the \"pool\" is closed");
        tracing::error!(target: "sqlx", error = &error as &(dyn std::error::Error + 'static));
    });
    assert_eq!(rig.lines()[0]["error"], "the \"pool\" is closed");
}

#[test]
fn a_value_too_long_for_a_line_is_left_out_whole() {
    let rig = Rig::new();
    let huge = "x".repeat(2 << 20);
    rig.run(|| {
        ToolBlocked { session_id: session(), tool: "t", command: &huge, reason: "too long" }.log();
        tracing::error!(target: "other", huge = ?huge, after = 1);
        note(7);
    });
    let lines = rig.lines();
    assert_eq!(lines[0]["command"], "[left out: too long for a log line]");
    assert_eq!(lines[0]["reason"], "too long");
    assert_eq!(lines[1]["huge"], "[left out: too long for a log line]");
    assert_eq!(lines[1]["after"], 1);
    assert_eq!(lines[2]["removedMessages"], 7);
    assert!(rig.text().len() < 4096);
}

#[test]
fn the_longest_output_a_tool_may_have_fits() {
    let rig = Rig::new();
    let output = "é\"\n".repeat(50_000);
    rig.run(|| CronError { job_id: "j", error: &output }.log());
    assert_eq!(rig.lines()[0]["error"], output);
}

#[test]
fn the_stamp_has_milliseconds_and_follows_the_clock() {
    let rig = Rig::new();
    let running = rig.start();
    let times = [
        "2025-02-11T23:59:59.999Z",
        "2025-02-11T23:59:59.007Z",
        "2024-02-29T00:00:00.070Z",
        "9999-12-30T22:00:00.700Z",
        "1970-01-01T00:00:00.000Z",
    ];
    running.scope(|| {
        for time in times {
            rig.hands.set(time);
            note(0);
        }
        rig.hands.set("1969-12-31T23:59:59Z");
        note(0);
    });
    running.end();
    let mut written = Vec::new();
    for name in rig.names() {
        written.extend(crate::rig::lines_of(&rig.directory().join(name)));
    }
    let mut stamps: Vec<_> = written.iter().map(|line| line["ts"].as_str().unwrap()).collect();
    let mut expected = times.to_vec();
    expected.push("1970-01-01T00:00:00.000Z");
    stamps.sort_unstable();
    expected.sort_unstable();
    assert_eq!(stamps, expected);
}
