//! Events as programs outside see them.

use candor_protocol::{
    DeltaKind, Event, EventBody, Evidence, Moment, Origin, Outcome, Part, RunId, SessionId, Status,
    StopReason, Usage, Verdict, VerdictStatus,
};
use serde_json::{Value, json};

/// The event as JSON, without the fields that all have; reading it back gives the event again.
#[track_caller]
fn check(body: EventBody, durable: bool, expected: &Value) {
    assert_eq!(body.is_durable(), durable);
    let event = Event {
        seq: 7,
        session_id: SessionId::now(),
        run_id: Some(RunId::now()),
        at: Moment::from_millis(1_739_268_000_123),
        body,
    };
    let mut json = serde_json::to_value(&event).expect("JSON");
    assert_eq!(serde_json::from_value::<Event>(json.clone()).expect("an event"), event);
    let fields = json.as_object_mut().expect("an object");
    assert_eq!(fields.remove("seq"), Some(json!(7)));
    assert_eq!(fields.remove("at"), Some(json!("2025-02-11T10:00:00.123Z")));
    assert_eq!(fields.remove("sessionId"), Some(json!(event.session_id.to_string())));
    assert_eq!(fields.remove("runId"), event.run_id.map(|run| json!(run.to_string())));
    assert_eq!(&json, expected);
}

#[test]
fn a_message_that_was_taken() {
    check(
        EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text("Hi")] },
        true,
        &json!({"type": "message_accepted", "origin": "cli", "content": [{"type": "text", "text": "Hi"}]}),
    );
}

#[test]
fn a_piece_of_an_answer_is_not_stored() {
    check(
        EventBody::StreamDelta { text: "Hel".to_owned(), kind: DeltaKind::Reasoning },
        false,
        &json!({"type": "stream_delta", "text": "Hel", "kind": "reasoning"}),
    );
}

#[test]
fn a_call_and_its_result() {
    check(
        EventBody::ToolStart {
            call_id: "c1".to_owned(),
            tool_name: "file_read".to_owned(),
            args: json!({"path": "a"}),
        },
        true,
        &json!({"type": "tool_start", "callId": "c1", "toolName": "file_read", "args": {"path": "a"}}),
    );
    check(
        EventBody::ToolResult {
            call_id: "c1".to_owned(),
            tool_name: "file_read".to_owned(),
            result: "text".to_owned(),
            for_people: "4 bytes".to_owned(),
            is_error: false,
            card: None,
            duration_ms: 12,
            changes: Vec::new(),
            recovered: Vec::new(),
            images: Vec::new(),
        },
        true,
        &json!({"type": "tool_result", "callId": "c1", "toolName": "file_read", "result": "text", "forPeople": "4 bytes", "isError": false, "durationMs": 12}),
    );
}

#[test]
fn a_wait_says_how_long() {
    check(
        EventBody::Status {
            message: "Rate limited.".to_owned(),
            attempt: Some(1),
            delay_ms: Some(900),
            discard: false,
        },
        false,
        &json!({"type": "status", "message": "Rate limited.", "attempt": 1, "delayMs": 900}),
    );
}

#[test]
fn an_answer_has_its_usage_and_its_reason() {
    check(
        EventBody::MessageComplete {
            content: vec![Part::text("Hello")],
            model: "m".to_owned(),
            usage: Usage::new(10, 2),
            stop_reason: StopReason::EndTurn,
        },
        true,
        &json!({
            "type": "message_complete", "content": [{"type": "text", "text": "Hello"}], "model": "m",
            "usage": {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}, "stopReason": "end_turn"
        }),
    );
}

#[test]
fn the_end_of_a_run() {
    let verdict = Verdict {
        status: VerdictStatus::NotApplicable,
        profile: "fast".to_owned(),
        evidence: vec![Evidence::note("nothing changed")],
    };
    let outcome = Outcome {
        status: Status::AbortedConstraint,
        verdict,
        usage: Usage::new(1, 2),
        cost_usd: Some(0.5),
        turns: 3,
        tool_calls: 4,
        duration_ms: 5,
        card: None,
        children: None,
    };
    check(
        EventBody::RunEnd(outcome),
        true,
        &json!({
            "type": "run_end", "status": "aborted_constraint",
            "verdict": {"status": "not_applicable", "profile": "fast", "evidence": [{"check": "verification", "kind": "note", "result": "skipped", "summary": "nothing changed", "durationMs": 0}]},
            "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}, "costUsd": 0.5,
            "turns": 3, "toolCalls": 4, "durationMs": 5
        }),
    );
}

#[test]
fn the_exit_code_of_each_status_is_that_of_the_contract() {
    let statuses = [
        (Status::Done, "done", 0),
        (Status::Failed, "failed", 1),
        (Status::DonePartial, "done_partial", 3),
        (Status::AbortedConstraint, "aborted_constraint", 4),
        (Status::AbortedStuck, "aborted_stuck", 5),
        (Status::NeedsApproval, "needs_approval", 6),
        (Status::Stopped, "stopped", 130),
    ];
    for (status, word, code) in statuses {
        assert_eq!((status.as_str(), status.exit_code()), (word, code));
        assert_eq!(serde_json::to_value(status).expect("JSON"), word);
    }
}

#[test]
fn evidence_that_was_stored_as_a_sentence_is_read() {
    let stored = json!({"status": "unverifiable", "profile": "fast", "evidence": ["files were written"]});
    let verdict: Verdict = serde_json::from_value(stored).unwrap();
    assert_eq!(verdict.evidence, [Evidence::note("files were written")]);
    let again: Verdict = serde_json::from_value(serde_json::to_value(&verdict).unwrap()).unwrap();
    assert_eq!(again, verdict);
}
