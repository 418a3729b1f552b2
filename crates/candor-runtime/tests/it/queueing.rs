//! How much may wait for a session.

use candor_protocol::{Body, Code, Part, Status};
use candor_testkit::Reply;

use crate::events::check_sound;
use crate::rig::{Rig, answers, durable, end_of, held, reached};

/// As many as may wait.
const WAITING_MAX: usize = 64;

#[tokio::test]
async fn one_message_too_many_is_refused_and_none_of_the_others_is_lost() {
    let rig = Rig::new().await;
    let (reply, gate) = held("The first takes its time.");
    rig.fake.push(reply);
    rig.fake.repeat(Reply::text("Yes."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    rig.say(session, "message 0").await;
    reached(&gate).await;
    let mut last = None;
    for number in 1..=WAITING_MAX {
        last = Some(rig.say(session, &format!("message {number}")).await);
    }
    let refused = rig.submit(session, Body::Say(vec![Part::text("one too many")])).await.unwrap_err();
    assert_eq!(refused.code, Code::SessionQueueFull);
    assert!(candor_cards::card(&refused).steps.len() >= 2);
    gate.open();
    let (_, events) = end_of(&mut watching, last.unwrap()).await;
    assert_eq!(answers(&events).len(), WAITING_MAX + 1);
    let requests = rig.fake.requests().len();
    let said: Vec<_> =
        rig.sent(requests - 1).into_iter().filter(|(role, _)| role == "user").map(|(_, text)| text).collect();
    let expected: Vec<_> = (0..=WAITING_MAX).map(|number| format!("message {number}")).collect();
    assert_eq!(said, expected);
    check_sound(&durable(&events));
    // There is room again.
    assert_eq!(rig.ask(session, "message 65").await.0.status, Status::Done);
}

#[tokio::test]
async fn one_word_too_many_for_a_run_is_refused_and_a_stop_is_still_heard() {
    let rig = Rig::new().await;
    let (reply, gate) = held("It takes its time.");
    rig.fake.push(reply);
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Go").await;
    reached(&gate).await;
    for number in 0..WAITING_MAX {
        rig.steer(session, &format!("and {number}")).await;
    }
    let refused = rig.submit(session, Body::Steer(vec![Part::text("and")])).await.unwrap_err();
    assert_eq!(refused.code, Code::SessionQueueFull);
    rig.submit(session, Body::Stop(None)).await.unwrap();
    assert_eq!(end_of(&mut watching, run).await.0.status, Status::Stopped);
}
