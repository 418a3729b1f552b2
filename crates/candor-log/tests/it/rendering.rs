//! Entries as lines for people.

use candor_log::read::{Colour, Entry, render};
use candor_protocol::Level;
use proptest::prelude::*;
use serde_json::{Value, json};

fn entry(fields: Value) -> Entry {
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    Entry {
        ts: "2025-02-11T10:00:03.042Z".parse().unwrap(),
        level: Level::Warn,
        module: "tools".to_owned(),
        event: "tool_timeout".to_owned(),
        fields,
    }
}

/// Checks how fields are shown.
#[track_caller]
fn check(fields: Value, expect: &str) {
    let line = render(&entry(fields), Colour::Never);
    assert_eq!(line, format!("2025-02-11 10:00:03.042Z WARN  tools tool_timeout{expect}"));
}

#[test]
fn a_line_has_time_level_module_event_and_fields() {
    check(json!({}), "");
    check(
        json!({ "tool": "bash", "timeoutMs": 1200, "ok": true, "none": null }),
        " tool=bash timeoutMs=1200 ok=true none=null",
    );
    check(json!({ "a": "two words", "b": "", "c": "x=\"y\"" }), " a=\"two words\" b=\"\" c=\"x=\\\"y\\\"\"");
    check(json!({ "list": ["a", 1], "map": { "k": "v w" } }), " list=[\"a\",1] map={\"k\":\"v w\"}");
}

#[test]
fn nothing_in_an_entry_can_act_on_the_terminal() {
    check(json!({ "a": "\u{1b}[2Jgone\u{7}" }), " a=\"\\u{1b}[2Jgone\\u{7}\"");
    check(json!({ "a": "x\u{9b}31m\u{7f}\u{0}" }), " a=\"x\\u{9b}31m\\u{7f}\\u{0}\"");
    check(json!({ "a": "one\r\ntwo\tthree" }), " a=\"one\\r\\ntwo\\tthree\"");
    check(
        json!({ "a": "abc\u{202e}fdp.exe\u{200b}\u{2028}" }),
        " a=\"abc\\u{202e}fdp.exe\\u{200b}\\u{2028}\"",
    );
    check(json!({ "\u{1b}]0;title\u{7}": 1 }), " \\u{1b}]0;title\\u{7}=1");
    check(json!({ "a": ["\u{1b}[31m", "\u{9b}"] }), " a=[\"\\u001b[31m\",\"\\u{9b}\"]");
    let mut forged = entry(json!({}));
    forged.event = "x\n2025-02-11 10:00:03.042Z ERROR forged".to_owned();
    forged.module = "\u{1b}c".to_owned();
    assert_eq!(
        render(&forged, Colour::Never),
        "2025-02-11 10:00:03.042Z WARN  \\u{1b}c x\\n2025-02-11 10:00:03.042Z ERROR forged"
    );
}

proptest! {
    #[test]
    fn any_entry_is_one_line_without_controls(key in any::<String>(), value in any::<String>(), name in any::<String>()) {
        let mut entry = entry(json!({ key: [value.clone()], "text": value }));
        entry.event = name;
        let line = render(&entry, Colour::Never);
        prop_assert!(!line.contains(char::is_control));
    }
}

#[test]
fn long_values_are_cut_and_many_fields_are_ended() {
    check(json!({ "a": "é".repeat(200) }), &format!(" a={}", "é".repeat(200)));
    check(json!({ "a": "é".repeat(201) }), &format!(" a={}…", "é".repeat(200)));
    let many: serde_json::Map<_, _> = (0..40).map(|number| (format!("f{number}"), json!(1))).collect();
    let line = render(&entry(Value::Object(many)), Colour::Never);
    assert!(line.ends_with(" f31=1 …"), "{line}");
}

#[test]
fn colour_adds_only_colour() {
    let fields = json!({ "tool": "bash", "reason": "a b" });
    let plain = render(&entry(fields.clone()), Colour::Never);
    let painted = render(&entry(fields), Colour::Ansi);
    assert!(painted.contains("\u{1b}[33mWARN \u{1b}[0m"), "{painted:?}");
    let mut bare = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    bare.push_str(rest);
    assert_eq!(bare, plain);
}
