//! Odd JSON, read all the same.

use serde::Deserialize;

use super::{Count, List, Object, Problem, Text, mended};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Frame<'a> {
    #[serde(borrow)]
    text: Text<'a>,
    count: Count,
    list: List<Count>,
    object: Object<Inner>,
    #[serde(borrow)]
    problem: Problem<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Inner {
    count: Count,
}

#[test]
fn values_of_another_kind_are_empty() {
    for odd in ["null", "true", "-1", "1.5", "[]", "[{\"a\":[1]}]", "{}", "{\"a\":{\"b\":[]}}", "\"\""] {
        let json = format!(
            "{{\"text\":[{odd}],\"count\":[{odd}],\"list\":{{\"a\":{odd}}},\"object\":[{odd}],\"problem\":[{odd}]}}"
        );
        let frame: Frame<'_> = serde_json::from_str(&json).unwrap();
        assert_eq!(&*frame.text, "");
        assert!(frame.count.0.is_none() && frame.object.0.is_none() && frame.problem.0.is_none());
        assert!(frame.list.0.is_empty());
    }
}

#[test]
fn values_of_the_right_kind_are_read() {
    let json = r#"{"text":"a\nb","count":7,"list":[1,2.0,"x"],"object":{"count":3},"problem":{"message":"m","code":429}}"#;
    let frame: Frame<'_> = serde_json::from_str(json).unwrap();
    assert_eq!(&*frame.text, "a\nb");
    assert_eq!(frame.count.0, Some(7));
    assert_eq!(frame.list.0.iter().map(|count| count.0).collect::<Vec<_>>(), [Some(1), Some(2), None]);
    assert_eq!(frame.object.0.unwrap().count.0, Some(3));
    let problem = frame.problem.0.unwrap();
    assert_eq!((&*problem.message, problem.kinds().trim()), ("m", "429"));
}

#[test]
fn a_problem_may_be_a_bare_message() {
    let frame: Frame<'_> = serde_json::from_str(r#"{"problem":"no room"}"#).unwrap();
    assert_eq!(&*frame.problem.0.unwrap().message, "no room");
}

#[track_caller]
fn check(input: &str, expect: Option<&str>) {
    assert_eq!(mended(input).as_deref(), expect, "{input}");
}

#[test]
fn halves_of_surrogate_pairs_are_replaced() {
    check(r#"{"a":"\ud83d\udc4b"}"#, None);
    check(r#"{"a":"\ud83d"}"#, Some(r#"{"a":"\ufffd"}"#));
    check(r#"{"a":"\udc4b\ud83d x"}"#, Some(r#"{"a":"\ufffd\ufffd x"}"#));
    check(r#"{"a":"\\ud83d \u0041"}"#, None);
    check("{\"a\":\"x\ty\"}", Some("{\"a\":\"x y\"}"));
    check("\\", None);
    check("\\ü", None);
}
