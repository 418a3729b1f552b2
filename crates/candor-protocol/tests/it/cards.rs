//! Cards, steps and classes.

use candor_protocol::{Class, ErrorCard, Step};
use serde_json::json;

fn card() -> ErrorCard {
    ErrorCard {
        code: "SEGMENT_NOT_INITIALIZED".into(),
        class: Class::Precondition,
        title: "t".into(),
        cause: "c".into(),
        tried: Vec::new(),
        steps: vec![
            Step::run("a b"),
            Step::Check { text: "look".into(), command: Some("ls".into()) },
            Step::Check { text: "think".into(), command: None },
            Step::Do { text: "act".into() },
        ],
        verify: Some("true".into()),
        retryable: false,
        exit_code: 4,
    }
}

#[test]
fn a_card_in_json() {
    let json = json!({
        "code": "SEGMENT_NOT_INITIALIZED",
        "class": "Precondition",
        "title": "t",
        "cause": "c",
        "steps": [
            { "kind": "run", "command": "a b" },
            { "kind": "check", "text": "look", "command": "ls" },
            { "kind": "check", "text": "think" },
            { "kind": "do", "text": "act" },
        ],
        "verify": "true",
        "retryable": false,
        "exitCode": 4,
    });
    assert_eq!(serde_json::to_value(card()).expect("serializes"), json);
    assert_eq!(serde_json::from_value::<ErrorCard>(json).expect("parses"), card());
}

#[test]
fn a_step_as_a_line() {
    let lines: Vec<_> = card().steps.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["Run: a b", "look: ls", "think", "act"]);
}

#[test]
fn the_classes_are_closed_and_a_foreign_one_is_kept_as_written() {
    let names: Vec<_> = Class::ALL.iter().map(Class::as_str).collect();
    assert_eq!(
        names,
        [
            "Usage",
            "Config",
            "Precondition",
            "Runtime",
            "Auth",
            "RateLimit",
            "Network",
            "Provider",
            "Tool",
            "Policy",
            "Resource",
            "Verification",
            "Integrity",
            "Internal"
        ]
    );
    for class in Class::ALL {
        assert_eq!(&Class::from(class.as_str().to_owned()), class);
    }
    let foreign: Class = serde_json::from_value(json!("PRECONDITION")).expect("parses");
    assert_eq!(foreign, Class::Foreign("PRECONDITION".into()));
    assert_eq!(serde_json::to_value(foreign).expect("serializes"), json!("PRECONDITION"));
}
