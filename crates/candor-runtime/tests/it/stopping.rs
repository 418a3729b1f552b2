//! A stop ends whatever the run does.

use candor_protocol::{Body, EventBody, Status, StopReason};
use candor_testkit::Reply;
use serde_json::json;

use crate::events::check_sound;
use crate::rig::{Rig, answers, end_of, held, is_delta, reached, until};

#[tokio::test]
async fn a_stop_ends_the_models_answer_and_keeps_what_was_said() {
    let rig = Rig::new().await;
    let (reply, _gate) = held("Half of it, and then the other half.");
    rig.fake.push(reply);
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Tell me").await;
    until(&mut watching, is_delta).await;
    let another = Body::Stop(Some(candor_protocol::RunId::now()));
    assert_eq!(rig.submit(session, another).await.unwrap().run, None, "it is not that one");
    assert_eq!(rig.submit(session, Body::Stop(None)).await.unwrap().run, Some(run));
    let (outcome, events) = end_of(&mut watching, run).await;
    assert_eq!(outcome.status, Status::Stopped);
    assert_eq!(answers(&events).len(), 1);
    assert!("Half of it, and then the other half.".starts_with(&answers(&events)[0]));
    let kept = |body: &EventBody| {
        matches!(body, EventBody::MessageComplete { stop_reason: StopReason::Stopped, .. })
    };
    assert!(events.iter().any(|event| kept(&event.body)));
    check_sound(&rig.stored(session).await);
    let Rig { fake, .. } = rig;
    tokio::task::spawn_blocking(move || fake.wait_for_hangups(1)).await.unwrap();
}

#[tokio::test]
async fn a_stop_ends_a_tool_and_all_it_started() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::calls([(
        "shell_exec",
        json!({"command": "echo $$ > pid; mkfifo started; sleep 600 & echo x > started; wait; touch survived"}),
    )]));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Wait for ever").await;
    until(&mut watching, crate::rig::is_tool_start).await;
    let fifo = rig.home.workspace().join("started");
    // The pipe is there once it can be read.
    let read = move || loop {
        if let Ok(text) = std::fs::read_to_string(&fifo) {
            return text;
        }
        std::thread::yield_now();
    };
    tokio::task::spawn_blocking(read).await.unwrap();
    rig.submit(session, Body::Stop(None)).await.unwrap();
    let (outcome, _) = end_of(&mut watching, run).await;
    assert_eq!(outcome.status, Status::Stopped);
    let pid = std::fs::read_to_string(rig.home.workspace().join("pid")).unwrap();
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "the shell {} still runs", pid.trim());
    assert!(!rig.home.workspace().join("survived").exists());
    rig.fake.push(Reply::text("Stopped, then."));
    assert_eq!(rig.ask(session, "What now?").await.0.status, Status::Done);
}

#[tokio::test]
async fn a_stop_without_a_run_is_nothing() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::text("Still here."));
    let session = rig.create();
    assert_eq!(rig.submit(session, Body::Stop(None)).await.unwrap().run, None);
    assert_eq!(rig.ask(session, "Are you there?").await.0.status, Status::Done);
}

#[tokio::test]
async fn a_stop_ends_one_run_and_the_next_message_gets_its_own() {
    let rig = Rig::new().await;
    let (reply, gate) = held("Never to be heard whole.");
    rig.fake.push(reply);
    rig.fake.push(Reply::text("Second."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let first = rig.say(session, "One").await;
    reached(&gate).await;
    let second = rig.say(session, "Two").await;
    rig.submit(session, Body::Stop(None)).await.unwrap();
    assert_eq!(end_of(&mut watching, first).await.0.status, Status::Stopped);
    gate.open();
    assert_eq!(end_of(&mut watching, second).await.0.status, Status::Done);
}

#[tokio::test]
async fn at_the_end_of_the_program_what_waits_does_not_begin_and_is_heard_later() {
    let rig = crate::rig::Rig::new().await;
    let (reply, gate) = crate::rig::held("one");
    rig.fake.push(reply);
    let session = rig.create();
    rig.say(session, "first").await;
    crate::rig::reached(&gate).await;
    rig.say(session, "second").await;
    rig.runtime.close().await;
    assert_eq!(rig.fake.requests().len(), 1, "the second run has not begun");
    assert_eq!(crate::rig::kinds(&rig.stored(session).await).last().unwrap(), "run_end");
    rig.fake.push(candor_testkit::Reply::text("all"));
    rig.ask(session, "third").await;
    assert!(format!("{:?}", rig.sent(1)).contains("second"));
}
