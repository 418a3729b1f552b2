//! What a session's events say was said.

use candor_agent::Conversation;
use candor_protocol::{
    Event, EventBody, Message, Moment, Origin, Outcome, Part, Role, RunId, SessionId, Status, StopReason,
    ToolCall, Usage, Verdict, VerdictStatus,
};
use serde_json::{Value, json};

/// The number of a run, and an event of it.
pub(crate) type Of = (usize, EventBody);

pub(crate) fn events(runs: &[RunId], bodies: Vec<Of>) -> Vec<Event> {
    let session_id = SessionId::now();
    let numbered = |(at, (run, body)): (usize, Of)| Event {
        seq: at as u64 + 1,
        session_id,
        run_id: Some(runs[run]),
        at: Moment::now(),
        body,
    };
    bodies.into_iter().enumerate().map(numbered).collect()
}

pub(crate) fn start() -> EventBody {
    EventBody::RunStart { model: "m".to_owned(), message_count: 1 }
}

pub(crate) fn end() -> EventBody {
    let verdict =
        Verdict { status: VerdictStatus::NotApplicable, profile: "fast".to_owned(), evidence: Vec::new() };
    EventBody::RunEnd(Outcome {
        status: Status::Done,
        verdict,
        usage: Usage::default(),
        cost_usd: None,
        turns: 1,
        tool_calls: 0,
        duration_ms: 1,
        card: None,
        children: None,
    })
}

pub(crate) fn user(text: &str) -> EventBody {
    EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text(text)] }
}

pub(crate) fn answer(text: &str, calls: &[&str]) -> EventBody {
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

pub(crate) fn result(id: &str) -> EventBody {
    EventBody::ToolResult {
        call_id: id.to_owned(),
        tool_name: "file_read".to_owned(),
        result: format!("result of {id}"),
        for_people: String::new(),
        is_error: false,
        card: None,
        duration_ms: 1,
        changes: Vec::new(),
        recovered: Vec::new(),
        images: Vec::new(),
    }
}

/// The messages that a run begins with, as the events before it tell them.
fn conversation(events: &[Event], run: RunId) -> Vec<Message> {
    let mut told = Conversation::default();
    for event in events {
        told.event(event);
    }
    told.begin(run);
    told.messages().to_vec()
}

/// What a conversation keeps of its summary, as it is saved.
pub(crate) fn kept_summary(told: &Conversation) -> Value {
    serde_json::to_value(told).unwrap()["summary"].take()
}

/// What the last of the runs begins with.
#[track_caller]
fn check<const RUNS: usize>(bodies: Vec<Of>, expected: &[(Role, usize, &str)]) {
    let runs: [RunId; RUNS] = std::array::from_fn(|_| RunId::now());
    let told: Vec<_> = conversation(&events(&runs, bodies), runs[RUNS - 1])
        .into_iter()
        .map(|message| (message.role, message.parts.len(), message.plain_text()))
        .collect();
    let expected: Vec<_> =
        expected.iter().map(|(role, parts, text)| (*role, *parts, (*text).to_owned())).collect();
    assert_eq!(told, expected);
}

#[test]
fn results_of_one_answer_are_one_message() {
    check::<2>(
        vec![
            (0, user("go")),
            (0, start()),
            (0, answer("reading", &["a", "b"])),
            (0, result("a")),
            (0, result("b")),
            (0, answer("done", &[])),
            (0, end()),
            (1, user("thanks")),
        ],
        &[
            (Role::User, 1, "go"),
            (Role::Assistant, 3, "reading"),
            (Role::Tool, 2, ""),
            (Role::Assistant, 1, "done"),
            (Role::User, 1, "thanks"),
        ],
    );
}

#[test]
fn what_was_said_to_a_run_while_its_tools_ran_is_heard_after_their_results() {
    check::<2>(
        vec![
            (0, user("go")),
            (0, start()),
            (0, answer("", &["a", "b"])),
            (0, result("a")),
            (0, user("stop that")),
            (0, result("b")),
            (0, answer("ok", &[])),
            (0, end()),
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
fn what_was_said_to_a_run_while_it_answered_is_heard_after_the_answer() {
    check::<2>(
        vec![
            (0, user("go")),
            (0, start()),
            (0, user("and be brief")),
            (0, answer("a long story", &[])),
            (0, answer("in short", &[])),
            (0, end()),
        ],
        &[
            (Role::User, 1, "go"),
            (Role::Assistant, 1, "a long story"),
            (Role::User, 1, "and be brief"),
            (Role::Assistant, 1, "in short"),
        ],
    );
}

#[test]
fn what_a_run_never_listened_to_is_heard_by_the_next() {
    check::<2>(
        vec![(0, user("go")), (0, start()), (0, user("wait")), (0, end()), (1, user("hello?"))],
        &[(Role::User, 1, "go"), (Role::User, 1, "wait"), (Role::User, 1, "hello?")],
    );
}

#[test]
fn a_message_that_waited_for_its_run_comes_where_the_run_begins() {
    check::<2>(
        vec![
            (0, user("first")),
            (0, start()),
            (1, user("second")),
            (0, answer("", &["a"])),
            (0, result("a")),
            (0, answer("answer to the first", &[])),
            (0, end()),
        ],
        &[
            (Role::User, 1, "first"),
            (Role::Assistant, 2, ""),
            (Role::Tool, 1, ""),
            (Role::Assistant, 1, "answer to the first"),
            (Role::User, 1, "second"),
        ],
    );
}

#[test]
fn a_message_that_waits_for_a_later_run_is_not_heard_by_an_earlier_one() {
    let runs = [RunId::now(), RunId::now()];
    let events = events(&runs, vec![(0, user("first")), (1, user("second")), (0, user("and this"))]);
    let told: Vec<_> = conversation(&events, runs[0]).iter().map(Message::plain_text).collect();
    assert_eq!(told, ["first", "and this"]);
}

#[test]
fn a_message_whose_run_never_began_is_heard_by_the_next_that_does() {
    check::<3>(
        vec![(0, user("first")), (0, start()), (1, user("lost")), (2, user("after the restart"))],
        &[(Role::User, 1, "first"), (Role::User, 1, "lost"), (Role::User, 1, "after the restart")],
    );
}

pub(crate) fn compacted(removed_messages: u64, summary: &str) -> EventBody {
    EventBody::Compacted {
        removed_messages,
        removed_images: 0,
        summary_tokens: 3,
        summary: summary.to_owned(),
        tokens_before: 0,
        read_files: vec!["a.rs".to_owned()],
        modified_files: Vec::new(),
        by: candor_protocol::SummarisedBy::Rules,
    }
}

#[test]
fn a_summary_stands_in_place_of_what_it_summarises() {
    check::<3>(
        vec![
            (0, user("q1")),
            (0, start()),
            (0, answer("a1", &[])),
            (0, end()),
            (1, user("q2")),
            (1, start()),
            (1, compacted(2, "before: q1, a1")),
            (1, answer("a2", &[])),
            (1, end()),
        ],
        &[(Role::User, 1, "before: q1, a1"), (Role::User, 1, "q2"), (Role::Assistant, 1, "a2")],
    );
}

#[test]
fn the_summary_and_its_files_are_known() {
    let runs = [RunId::now()];
    let mut told = Conversation::default();
    assert_eq!(kept_summary(&told), Value::Null);
    for event in events(&runs, vec![(0, user("q1")), (0, start()), (0, compacted(1, "before"))]) {
        told.event(&event);
    }
    let expected = json!({ "text": "before", "readFiles": ["a.rs"], "modifiedFiles": [] });
    assert_eq!(kept_summary(&told), expected);
    assert_eq!(told.messages()[0].plain_text(), "before");
}

#[test]
fn a_run_without_a_message_leaves_those_that_wait_to_their_own_runs() {
    let bodies = || {
        vec![
            (0, user("first")),
            (0, start()),
            (0, answer("one", &[])),
            (0, end()),
            (2, user("said meanwhile")),
            (1, start()),
            (1, compacted(2, "before")),
            (1, end()),
        ]
    };
    let runs: [RunId; 4] = std::array::from_fn(|_| RunId::now());
    let texts = |run: RunId| -> Vec<String> {
        conversation(&events(&runs, bodies()), run).iter().map(Message::plain_text).collect()
    };
    assert_eq!(texts(runs[3]), ["before"], "a run without a message");
    assert_eq!(texts(runs[2]), ["before", "said meanwhile"]);
}

#[test]
fn what_recovery_adds_after_a_crash_completes_the_answer() {
    check::<2>(
        vec![
            (0, user("go")),
            (0, start()),
            (0, answer("", &["a", "b"])),
            (0, result("a")),
            (0, user("hurry")),
            (0, result("b")),
            (0, end()),
            (1, user("and?")),
        ],
        &[
            (Role::User, 1, "go"),
            (Role::Assistant, 3, ""),
            (Role::Tool, 2, ""),
            (Role::User, 1, "hurry"),
            (Role::User, 1, "and?"),
        ],
    );
}

#[test]
fn a_call_whose_result_never_came_has_one_that_says_so() {
    let runs = [RunId::now(), RunId::now()];
    let crashed = vec![(0, user("go")), (0, start()), (0, answer("", &["a", "b"])), (0, result("a"))];
    let after = [vec![(1, user("again"))], vec![(0, end()), (1, user("again"))]];
    for rest in after {
        let bodies = crashed.clone().into_iter().chain(rest).collect();
        let told = conversation(&events(&runs, bodies), runs[1]);
        let Part::ToolResult(result) = &told[2].parts[1] else { panic!("{:?}", told[2]) };
        assert_eq!((result.call_id.as_str(), result.is_error), ("b", true));
        assert_eq!(result.card.as_ref().unwrap().code, "TOOL_INTERRUPTED");
        assert_eq!(told.len(), 4);
    }
}

#[test]
fn a_second_result_of_a_call_is_not_taken() {
    check::<2>(
        vec![
            (0, user("go")),
            (0, start()),
            (0, answer("", &["a"])),
            (0, result("a")),
            (0, result("a")),
            (0, result("unknown")),
            (0, end()),
        ],
        &[(Role::User, 1, "go"), (Role::Assistant, 2, ""), (Role::Tool, 1, "")],
    );
}

#[test]
fn results_are_in_the_order_of_their_calls_whichever_came_first() {
    let runs = [RunId::now(), RunId::now()];
    let asked = vec![(0, user("go")), (0, start()), (0, answer("", &["a", "b", "c", "d"]))];
    let came = vec![(0, result("c")), (0, result("a")), (0, result("d")), (0, end())];
    let told = conversation(&events(&runs, [asked, came].concat()), runs[1]);
    let id = |part: &Part| match part {
        Part::ToolResult(result) => result.call_id.clone(),
        other => panic!("{other:?} is no result"),
    };
    assert_eq!(told[2].parts.iter().map(id).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
}
