//! What `/responses` answers.

use candor_protocol::{Part, StopReason};
use serde_json::json;

use super::{Ended, answer, opaque, read, thought};
use crate::Error;
use crate::dialect::Dialect::OpenaiResponses;

const COMPLETED: &str = r#"{"type":"response.completed","response":{"model":"gpt-5","output":[],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":5,"total_tokens":15}}}"#;

#[test]
fn thoughts_words_and_calls() {
    let whole = answer(
        OpenaiResponses,
        &[
            r#"{"type":"response.created","response":{"instructions":"x","output":[]}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}"#,
            r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0}"#,
            r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"hm"}"#,
            r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}"#,
            r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"so"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"xyz"}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message","content":[]}}"#,
            r#"{"type":"response.output_text.delta","output_index":1,"delta":"Hel"}"#,
            r#"{"type":"response.output_text.delta","output_index":1,"delta":"lo"}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}}"#,
            r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"a","name":"weather","arguments":""}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"city\":"}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"\"Oslo\"}"}"#,
            r#"{"type":"response.function_call_arguments.done","output_index":2,"arguments":"{\"city\":\"Oslo\"}"}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"a","name":"weather","arguments":"{\"city\":\"Oslo\"}"}}"#,
            COMPLETED,
        ],
    );
    let kept = json!({ "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "hm" }], "encrypted_content": "xyz" });
    assert_eq!(
        whole.parts,
        [thought("hm\n\nso", opaque(OpenaiResponses, kept)), Part::text("Hello"), super::call("a", None)]
    );
    assert_eq!((whole.stop, whole.model.as_deref()), (StopReason::ToolUse, Some("gpt-5")));
    assert_eq!(
        (whole.usage.input_tokens, whole.usage.cache_read_tokens, whole.usage.total_tokens),
        (10, 4, 15)
    );
}

#[test]
fn what_did_not_come_in_pieces_is_taken_whole() {
    let items = [
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[{"text":"hm"}]}}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"a","name":"weather","arguments":"{\"city\":\"Oslo\"}"}}"#,
        COMPLETED,
    ];
    let expect = [thought("hm", None), Part::text("Hello"), super::call("a", None)];
    assert_eq!(answer(OpenaiResponses, &items).parts, expect);
    let alone = r#"{"type":"response.completed","response":{"output":[{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"message","content":[{"text":"Hello"}]},{"type":"function_call","call_id":"a","name":"weather","arguments":"{\"city\":\"Oslo\"}"}]}}"#;
    assert_eq!(answer(OpenaiResponses, &[alone]).parts, expect);
}

#[test]
fn thoughts_of_two_items_stay_two() {
    let done = |index: u64, data: &str| {
        format!(
            r#"{{"type":"response.output_item.done","output_index":{index},"item":{{"type":"reasoning","summary":[],"encrypted_content":"{data}"}}}}"#
        )
    };
    let added = r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"reasoning"}}"#;
    let said = r#"{"type":"response.reasoning_text.delta","output_index":1,"delta":"two"}"#;
    let whole = answer(OpenaiResponses, &[&done(0, "one"), added, said, &done(1, "two"), COMPLETED]);
    let texts = whole.parts.iter().map(|part| match part {
        Part::Reasoning(thought) => {
            (thought.text.as_str(), thought.opaque.as_ref().unwrap().data["encrypted_content"].clone())
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(texts.collect::<Vec<_>>(), [("", json!("one")), ("two", json!("two"))]);
}

#[test]
fn refusals_and_limits() {
    let refusal = r#"{"type":"response.refusal.delta","output_index":0,"delta":"No."}"#;
    let refused = answer(OpenaiResponses, &[refusal, COMPLETED]);
    assert_eq!((refused.parts, refused.stop), (vec![Part::text("No.")], StopReason::Refusal));
    for (reason, expect) in
        [("max_output_tokens", StopReason::MaxTokens), ("content_filter", StopReason::Refusal)]
    {
        let end = format!(
            r#"{{"type":"response.incomplete","response":{{"incomplete_details":{{"reason":"{reason}"}}}}}}"#
        );
        assert_eq!(answer(OpenaiResponses, &[&end]).stop, expect);
    }
}

#[track_caller]
fn check_error(frame: &str, expect: fn(&Error) -> bool) {
    let error = read(OpenaiResponses, &[frame]).unwrap_err();
    assert!(expect(&error), "{error:?}");
}

#[test]
fn failures_wherever_they_stand() {
    let failed = |code: &str, message: &str| {
        format!(
            r#"{{"type":"response.failed","response":{{"status":"failed","error":{{"code":"{code}","message":"{message}"}},"usage":null}}}}"#
        )
    };
    check_error(&failed("rate_limit_exceeded", "Please try again in 11.054s."), |error| {
        error.retry_after().is_some_and(|wait| wait.as_millis() == 11_054)
    });
    check_error(&failed("context_length_exceeded", "x"), |e| matches!(e, Error::ContextTooLong { .. }));
    check_error(&failed("insufficient_quota", "x"), |e| matches!(e, Error::OutOfQuota { .. }));
    check_error(r#"{"type":"error","code":"server_is_overloaded","message":"x"}"#, |e| {
        matches!(e, Error::Unavailable { .. })
    });
    check_error(r#"{"type":"error","error":{"code":"invalid_prompt","message":"x"}}"#, |e| {
        matches!(e, Error::BadRequest { .. })
    });
    check_error(r#"{"error":{"message":"x","type":"server_error"}}"#, |e| {
        matches!(e, Error::Unavailable { .. })
    });
}

#[test]
fn an_unfinished_stream_is_cut_and_odd_events_are_skipped() {
    let odd = [
        "",
        "{",
        "[DONE]",
        r#"{"type":"response.new_thing","item":7,"response":"x"}"#,
        r#"{"type":"response.output_item.done","item":null}"#,
    ];
    assert!(matches!(read(OpenaiResponses, &odd), Ok(Ended::Cut)));
}
