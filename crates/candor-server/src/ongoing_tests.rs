use candor_protocol::{RunId, SessionId};

use super::{Ongoing, SESSIONS_MAX};

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
