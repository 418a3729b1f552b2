use serde_json::json;

use super::{Content, Frame, read};

#[track_caller]
fn check_refused(text: &str, says: &str) {
    let (_, frame) = read(text);
    let failure = frame.and_then(|frame| match frame {
        Frame::SendMessage { content, .. } => content.parts(),
        other => panic!("{other:?}"),
    });
    let failure = failure.expect_err(text);
    let reason = failure.fact("reason").expect("a reason");
    assert!(reason.contains(says) && reason.chars().count() <= 200, "{reason}");
}

#[test]
fn a_refusal_says_what_is_wrong() {
    check_refused("{", "it is not JSON");
    check_refused("[1]", "no object");
    check_refused(r#"{"id":1}"#, "missing field `type`");
    check_refused(r#"{"type":"shout"}"#, "unknown variant `shout`");
    check_refused(r#"{"type":"send_message"}"#, "missing field `content`");
    check_refused(r#"{"type":"send_message","content":3}"#, "a list of parts of type text");
    check_refused(r#"{"type":"send_message","content":[]}"#, "content is empty");
    check_refused(r#"{"type":"send_message","content":"x","id":[]}"#, "its id");
    check_refused(&json!({ "type": "x".repeat(5000) }).to_string(), "unknown variant");
}

#[test]
fn what_a_client_claims_beyond_the_frame_is_ignored() {
    let text = r#"{"type":"send_message","content":"x","scopes":["admin"],"origin":"cli","seq":1}"#;
    let (id, frame) = read(text);
    assert_eq!(id, None);
    let expected = Frame::SendMessage { session_id: None, content: Content::Words("x".to_owned()) };
    assert_eq!(frame, Ok(expected));
}
