//! What a session's events say was said.

use candor_agent::conversation;
use candor_protocol::{Event, EventBody, Moment, Origin, Part, Role, SessionId, StopReason, ToolCall, Usage};
use serde_json::json;

fn events(bodies: Vec<EventBody>) -> Vec<Event> {
    let session_id = SessionId::now();
    let numbered =
        |(at, body)| Event { seq: at as u64 + 1, session_id, run_id: None, at: Moment::now(), body };
    bodies.into_iter().enumerate().map(numbered).collect()
}

fn user(text: &str) -> EventBody {
    EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text(text)] }
}

fn answer(text: &str, calls: &[&str]) -> EventBody {
    let call = |id: &&str| {
        Part::ToolCall(ToolCall {
            call_id: (*id).to_owned(),
            tool_name: "file_read".to_owned(),
            args: json!({}),
            malformed: None,
            opaque: None,
        })
    };
    let content = std::iter::once(Part::text(text)).chain(calls.iter().map(call)).collect();
    EventBody::MessageComplete {
        content,
        model: "m".to_owned(),
        usage: Usage::default(),
        stop_reason: StopReason::EndTurn,
    }
}

fn result(id: &str) -> EventBody {
    EventBody::ToolResult {
        call_id: id.to_owned(),
        tool_name: "file_read".to_owned(),
        result: format!("result of {id}"),
        is_error: false,
        card: None,
        duration_ms: 1,
    }
}

#[track_caller]
fn check(bodies: Vec<EventBody>, expected: &[(Role, usize, &str)]) {
    let told: Vec<_> = conversation(&events(bodies))
        .into_iter()
        .map(|message| (message.role, message.parts.len(), message.plain_text()))
        .collect();
    let expected: Vec<_> =
        expected.iter().map(|(role, parts, text)| (*role, *parts, (*text).to_owned())).collect();
    assert_eq!(told, expected);
}

#[test]
fn results_of_one_answer_are_one_message() {
    check(
        vec![user("go"), answer("reading", &["a", "b"]), result("a"), result("b"), answer("done", &[])],
        &[
            (Role::User, 1, "go"),
            (Role::Assistant, 3, "reading"),
            (Role::Tool, 2, ""),
            (Role::Assistant, 1, "done"),
        ],
    );
}

#[test]
fn what_was_said_while_tools_ran_is_heard_after_their_results() {
    check(
        vec![
            user("go"),
            answer("", &["a", "b"]),
            result("a"),
            user("stop that"),
            result("b"),
            answer("ok", &[]),
        ],
        &[
            (Role::User, 1, "go"),
            (Role::Assistant, 3, ""),
            (Role::Tool, 2, ""),
            (Role::User, 1, "stop that"),
            (Role::Assistant, 1, "ok"),
        ],
    );
}

#[test]
fn a_summary_stands_in_place_of_what_it_summarises() {
    let compacted =
        EventBody::Compacted { removed_messages: 2, summary_tokens: 3, summary: "before: q1, a1".to_owned() };
    check(
        vec![user("q1"), answer("a1", &[]), user("q2"), compacted, answer("a2", &[])],
        &[(Role::User, 1, "before: q1, a1"), (Role::User, 1, "q2"), (Role::Assistant, 1, "a2")],
    );
}
