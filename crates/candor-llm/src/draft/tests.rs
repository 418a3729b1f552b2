//! Pieces in every order, and the answer that they make.

use candor_protocol::{Opaque, Part, StopReason};
use serde_json::json;

use super::{ANSWER_BYTES_MAX, CALLS_MAX, Draft, PIECES_MAX};
use crate::{Answer, Delta, Error};

fn finished(build: impl FnOnce(&mut Draft) -> Result<(), Error>) -> Answer {
    let mut draft = Draft::default();
    build(&mut draft).unwrap();
    draft.finish()
}

/// The calls as `id name args`.
fn calls(answer: &Answer) -> Vec<String> {
    let call = |part: &Part| match part {
        Part::ToolCall(call) => Some(format!("{} {} {}", call.call_id, call.tool_name, call.args)),
        _ => None,
    };
    answer.parts.iter().filter_map(call).collect()
}

#[test]
fn text_joins_text_and_a_seal_parts_it() {
    let answer = finished(|draft| {
        draft.text("a")?;
        draft.text("b")?;
        draft.seal();
        draft.text("c")
    });
    assert_eq!(answer.parts, [Part::text("ab"), Part::text("c")]);
    assert_eq!(answer.stop, StopReason::EndTurn);
}

#[test]
fn interleaved_calls_keep_apart() {
    let answer = finished(|draft| {
        draft.call(1, Some("b"), Some("two"), "{\"y\"")?;
        draft.call(0, Some("a"), Some("one"), "{\"x\"")?;
        draft.call(1, None, None, ":2}")?;
        draft.call(0, None, None, ":1}")
    });
    assert_eq!(calls(&answer), [r#"b two {"y":2}"#, r#"a one {"x":1}"#]);
    assert_eq!(answer.stop, StopReason::ToolUse);
}

#[test]
fn names_may_come_in_pieces_after_the_arguments_or_again() {
    let answer = finished(|draft| {
        draft.call(0, None, None, "{}")?;
        draft.call(0, None, Some("read_"), "")?;
        draft.call(0, Some("a"), Some("file"), "")?;
        draft.call(1, Some("b"), Some("go"), "")?;
        draft.call(1, Some("b"), Some("go"), "{}")
    });
    assert_eq!(calls(&answer), ["a read_file {}", "b go {}"]);
}

#[test]
fn the_same_key_with_another_id_is_another_call() {
    let answer = finished(|draft| {
        draft.call(0, Some("a"), Some("one"), "{}")?;
        draft.call(0, Some("b"), Some("two"), "{\"x\":")?;
        draft.call(0, None, None, "1}")
    });
    assert_eq!(calls(&answer), ["a one {}", r#"b two {"x":1}"#]);
}

#[test]
fn ids_are_made_where_they_are_missing_or_come_twice() {
    let answer = finished(|draft| {
        draft.call(0, None, Some("one"), "")?;
        draft.call(1, Some("a"), Some("two"), "")?;
        draft.call(2, Some("a"), Some("three"), "")
    });
    let ids: Vec<_> = calls(&answer).iter().map(|call| call.split(' ').next().unwrap().to_owned()).collect();
    assert!(ids[0].starts_with("call_") && ids[1] == "a" && ids[2].starts_with("call_"), "{ids:?}");
    assert_ne!(ids[0], ids[2]);
}

#[test]
fn arguments_that_cannot_be_read_are_kept_as_they_are() {
    let answer = finished(|draft| {
        draft.call(0, Some("a"), Some("t"), "{\"path\":\"a")?;
        draft.call(1, Some("b"), Some("t"), "null")?;
        draft.call(2, Some("c"), Some("t"), "\"{\\\"x\\\":1}\"")
    });
    let Part::ToolCall(call) = &answer.parts[0] else { panic!("no call") };
    assert_eq!((call.malformed.as_deref(), &call.args), (Some("{\"path\":\"a"), &json!({})));
    assert_eq!(calls(&answer)[1..], ["b t {}", r#"c t {"x":1}"#]);
}

#[test]
fn whole_arguments_replace_those_in_pieces_without_counting_twice() {
    let big = format!("{{\"x\":\"{}\"}}", "y".repeat(ANSWER_BYTES_MAX / 3));
    let answer = finished(|draft| {
        draft.call(0, Some("a"), Some("t"), &big)?;
        draft.call_args_text(0, &big)?;
        draft.call_args_text(0, &big)?;
        draft.call_args_text(0, "{\"x\":1}")
    });
    assert_eq!(calls(&answer), [r#"a t {"x":1}"#]);
}

#[test]
fn opaque_data_belongs_to_the_thought_before_it() {
    let data = |n: u64| Opaque { dialect: "d".to_owned(), data: json!(n) };
    let answer = finished(|draft| {
        draft.reasoning("one")?;
        draft.reasoning_opaque(data(1))?;
        draft.reasoning_opaque(data(2))?;
        draft.text("so")?;
        draft.reasoning_opaque(data(3))
    });
    let seen: Vec<_> = answer
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Reasoning(thought) => Some((thought.text.as_str(), thought.opaque.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(seen, [("one", Some(data(1))), ("", Some(data(2))), ("", Some(data(3)))]);
}

#[test]
fn what_came_together_is_told_together_and_once() {
    let mut draft = Draft::default();
    let mut told = Vec::new();
    let mut tell = |draft: &mut Draft| {
        draft.tell(&mut |delta| {
            told.push(match delta {
                Delta::Text(text) => format!("text {text}"),
                Delta::Reasoning(text) => format!("thought {text}"),
            });
        });
    };
    draft.reasoning("h").unwrap();
    draft.reasoning("m").unwrap();
    draft.text("a").unwrap();
    tell(&mut draft);
    tell(&mut draft);
    draft.text("b").unwrap();
    draft.call(0, None, Some("t"), "{}").unwrap();
    draft.text("c").unwrap();
    draft.text("d").unwrap();
    tell(&mut draft);
    assert_eq!(told, ["thought hm", "text a", "text b", "text cd"]);
}

#[test]
fn limits_hold() {
    let mut draft = Draft::default();
    for key in 0..CALLS_MAX as u64 {
        draft.call(key, None, None, "").unwrap();
    }
    assert!(matches!(draft.call(CALLS_MAX as u64, None, None, ""), Err(Error::TooLarge { .. })));
    let mut draft = Draft::default();
    let mebibyte = "x".repeat(1 << 20);
    for _ in 0..ANSWER_BYTES_MAX >> 20 {
        draft.text(&mebibyte).unwrap();
    }
    assert!(matches!(draft.reasoning("x"), Err(Error::TooLarge { .. })));
    let mut draft = Draft::default();
    let alternating =
        (0..=PIECES_MAX).try_for_each(|n| if n % 2 == 0 { draft.text("x") } else { draft.reasoning("x") });
    assert!(matches!(alternating, Err(Error::TooLarge { .. })));
}
