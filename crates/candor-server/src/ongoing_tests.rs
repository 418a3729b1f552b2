use candor_protocol::{
    Event, EventBody, Moment, Origin, Outcome, RunId, SessionId, Status, Usage, Verdict, VerdictStatus,
};

use super::{Ongoing, SESSIONS_MAX, Standing, standing};

fn event(run: RunId, body: EventBody) -> Event {
    Event { seq: 1, session_id: SessionId::now(), run_id: Some(run), at: Moment::now(), body }
}

fn taken(run: RunId) -> Event {
    event(run, EventBody::MessageAccepted { origin: Origin::Websocket, content: Vec::new() })
}

fn began(run: RunId) -> Event {
    event(run, EventBody::RunStart { model: String::new(), message_count: 1 })
}

fn ended(run: RunId) -> Event {
    let verdict =
        Verdict { status: VerdictStatus::NotApplicable, profile: String::new(), evidence: Vec::new() };
    let outcome = Outcome {
        status: Status::Done,
        verdict,
        usage: Usage::default(),
        cost_usd: None,
        turns: 1,
        tool_calls: 0,
        duration_ms: 1,
        card: None,
    };
    event(run, EventBody::RunEnd(outcome))
}

#[test]
fn the_events_tell_where_a_run_stands() {
    let (a, b) = (RunId::now(), RunId::now());
    let check = |events: &[Event], run, expect| assert_eq!(standing(events, run), expect, "{events:#?}");
    check(&[], a, Standing::Unknown);
    check(&[taken(a)], a, Standing::Next);
    check(&[taken(a), began(a)], a, Standing::Next);
    check(&[taken(a), began(a)], b, Standing::Unknown);
    check(&[taken(a), taken(b)], b, Standing::Waits);
    check(&[taken(a), began(a), taken(b)], a, Standing::Next);
    check(&[taken(a), began(a), taken(b)], b, Standing::Waits);
    check(&[taken(a), began(a), taken(b), ended(a)], a, Standing::Ended);
    check(&[taken(a), began(a), taken(b), ended(a)], b, Standing::Next);
    check(&[began(a), ended(a), taken(a)], a, Standing::Ended);
    // A crash has taken the end of the first.
    check(&[taken(a), began(a), taken(b), began(b)], b, Standing::Next);
    check(&[taken(a), began(a), taken(b), began(b)], a, Standing::Ended);
}

#[test]
fn no_more_sessions_are_remembered_than_there_is_room_for() {
    let ongoing = Ongoing::default();
    for _ in 0..SESSIONS_MAX + 10 {
        ongoing.note(SessionId::now(), RunId::now());
    }
    assert_eq!(ongoing.runs.lock().expect("no panic").len(), SESSIONS_MAX);
}

#[test]
fn the_later_of_two_runs_is_the_last_in_whatever_order_they_are_noted() {
    let (ongoing, session) = (Ongoing::default(), SessionId::now());
    let (first, second) = (RunId::now(), RunId::now());
    ongoing.note(session, second);
    ongoing.note(session, first);
    assert_eq!(ongoing.runs.lock().expect("no panic").get(&session), Some(&second));
}
