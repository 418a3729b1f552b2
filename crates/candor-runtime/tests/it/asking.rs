//! What a reader sees when an answer does not come at the first attempt.

use candor_protocol::{Event, EventBody, Status};
use candor_testkit::{Dialect, FakeLlm, Fault, Reply};

use crate::rig::{Rig, answers, model, provider};

/// The notices: what they say, and whether what was shown before is void.
fn notices(events: &[Event]) -> Vec<(String, bool)> {
    let notice = |event: &Event| match &event.body {
        EventBody::Status { message, discard, .. } => Some((message.clone(), *discard)),
        _ => None,
    };
    events.iter().filter_map(notice).collect()
}

#[tokio::test]
async fn what_a_model_said_before_it_failed_is_void_when_another_is_asked() {
    let second = FakeLlm::start(Dialect::OpenaiChat);
    second.push(Reply::text("Whole."));
    let rig = Rig::with(|setup| setup.models.push(model(provider(&second)))).await;
    let cut = Fault::MidStreamError("overloaded".to_owned());
    rig.fake.push(Reply::text("Half an answer").deltas(4).fault(cut));
    let session = rig.create();
    let (outcome, events) = rig.ask(session, "Go").await;
    assert_eq!((outcome.status, answers(&events)), (Status::Done, vec!["Whole.".to_owned()]));
    let notices = notices(&events);
    assert_eq!(notices.len(), 1);
    assert!(notices[0].1, "{notices:?}");
}

#[tokio::test]
async fn nothing_is_void_when_nothing_was_shown() {
    let second = FakeLlm::start(Dialect::OpenaiChat);
    second.push(Reply::text("Whole."));
    let rig = Rig::with(|setup| setup.models.push(model(provider(&second)))).await;
    rig.fake.push(Reply::error("bad_request", "no"));
    let session = rig.create();
    let (_, events) = rig.ask(session, "Go").await;
    assert!(notices(&events).iter().all(|(_, discard)| !discard));
}

#[tokio::test]
async fn an_empty_answer_is_paid_for_too() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::empty().usage(100, 1));
    rig.fake.push(Reply::text("Here.").usage(100, 10));
    let session = rig.create();
    let (outcome, _) = rig.ask(session, "Hello?").await;
    assert_eq!((outcome.usage.input_tokens, outcome.usage.output_tokens), (200, 11));
}
