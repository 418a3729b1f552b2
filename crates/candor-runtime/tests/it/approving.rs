//! A person is asked before a call, and their word decides.

use std::time::Duration;

use candor_protocol::{Answer, Body, Code, Event, EventBody, Part, RunId, SessionId, Status};
use candor_runtime::Subscription;
use candor_testkit::Reply;
use candor_tools::Approval;
use serde_json::json;

use crate::events::check_sound;
use crate::rig::{Rig, end_of, until};

async fn asking() -> Rig {
    Rig::with(|setup| setup.tools.approval = Approval::Always).await
}

fn touch(rig: &Rig, name: &str) {
    rig.fake.push(Reply::calls([("shell_exec", json!({ "command": format!("touch {name}") }))]));
}

fn is_request(body: &EventBody) -> bool {
    matches!(body, EventBody::ApprovalRequest { .. })
}

/// Says something that leads to a question, and gives the call that waits.
async fn asked(rig: &Rig, session: SessionId) -> (Subscription, RunId, String) {
    let mut watching = rig.watch(session, 0).await.attended();
    let run = rig.say(session, "Make it").await;
    let request = until(&mut watching, is_request).await;
    let EventBody::ApprovalRequest { call_id, question, reason, choices, .. } = request.body else {
        unreachable!()
    };
    assert_eq!(question, "shell_exec: touch made");
    assert!(reason.is_some_and(|reason| reason.starts_with("this mode asks before every command")));
    assert!(choices.contains(&"once".to_owned()) && choices.contains(&"no".to_owned()), "{choices:?}");
    (watching, run, call_id)
}

fn answer(call_id: &str, choice: &str, reason: Option<&str>) -> Body {
    let (call_id, choice) = (call_id.to_owned(), choice.to_owned());
    Body::Answer(Answer { call_id, choice, reason: reason.map(str::to_owned) })
}

#[tokio::test]
async fn a_yes_lets_the_call_go_on() {
    let rig = asking().await;
    touch(&rig, "made");
    rig.fake.push(Reply::text("Made."));
    let session = rig.create();
    let (mut watching, run, call_id) = asked(&rig, session).await;
    assert!(!rig.home.workspace().join("made").exists(), "it ran before the answer");
    rig.submit(session, answer(&call_id, "once", None)).await.unwrap();
    let (outcome, _) = end_of(&mut watching, run).await;
    assert_eq!(outcome.status, Status::Done);
    assert!(rig.home.workspace().join("made").exists());
    let stored = rig.stored(session).await;
    check_sound(&stored);
    let said =
        |event: &Event| matches!(&event.body, EventBody::ApprovalAnswer { choice, .. } if choice == "once");
    assert_eq!(stored.iter().filter(|event| said(event)).count(), 1);
}

#[tokio::test]
async fn a_no_goes_to_the_model_with_its_reason() {
    let rig = asking().await;
    touch(&rig, "made");
    rig.fake.push(Reply::text("Then not."));
    let session = rig.create();
    let (mut watching, run, call_id) = asked(&rig, session).await;
    rig.submit(session, answer(&call_id, "no", Some("use the other folder"))).await.unwrap();
    let (outcome, events) = end_of(&mut watching, run).await;
    assert_eq!(outcome.status, Status::Done, "the model was told, and said so");
    assert!(!rig.home.workspace().join("made").exists());
    let result = events.iter().find_map(|event| match &event.body {
        EventBody::ToolResult { result, card, .. } => Some((result.clone(), card.clone().unwrap().code)),
        _ => None,
    });
    let (result, code) = result.unwrap();
    assert_eq!(code, Code::ToolDenied.as_str());
    assert!(result.contains("use the other folder"), "{result}");
    assert!(rig.sent(1).last().unwrap().1.contains("use the other folder"));
}

#[tokio::test]
async fn with_nobody_there_the_call_is_denied_at_once_and_the_run_says_so() {
    let rig = asking().await;
    touch(&rig, "made");
    rig.fake.push(Reply::text("All done!"));
    let session = rig.create();
    // Somebody who only reads cannot be asked.
    let (outcome, events) = rig.ask(session, "Make it").await;
    assert_eq!(outcome.status, Status::NeedsApproval);
    assert!(!rig.home.workspace().join("made").exists());
    let nobody = |event: &Event| matches!(&event.body, EventBody::ApprovalAnswer { choice, .. } if choice == Answer::NOBODY);
    assert_eq!(events.iter().filter(|event| nobody(event)).count(), 1);
}

#[tokio::test]
async fn when_the_last_one_leaves_the_run_does_not_wait_for_ever() {
    let rig = asking().await;
    touch(&rig, "made");
    rig.fake.push(Reply::text("Well."));
    let session = rig.create();
    let (watching, run, _) = asked(&rig, session).await;
    let mut reading = rig.watch(session, 0).await;
    drop(watching);
    // The run hears of it as soon as it is its turn, and waits for a clock then.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(21)).await;
    tokio::time::resume();
    let (outcome, _) = end_of(&mut reading, run).await;
    assert_eq!(outcome.status, Status::NeedsApproval);
}

#[tokio::test]
async fn an_answer_that_nobody_waits_for_is_refused() {
    let rig = asking().await;
    touch(&rig, "made");
    rig.fake.push(Reply::text("Made."));
    let session = rig.create();
    let (mut watching, run, call_id) = asked(&rig, session).await;
    let refused = |failure: candor_protocol::Failure| failure.code == Code::FrameInvalid;
    assert!(refused(rig.submit(session, answer("another", "once", None)).await.unwrap_err()));
    assert!(refused(rig.submit(session, answer(&call_id, "perhaps", None)).await.unwrap_err()));
    rig.submit(session, answer(&call_id, "once", None)).await.unwrap();
    end_of(&mut watching, run).await;
    assert!(refused(rig.submit(session, answer(&call_id, "once", None)).await.unwrap_err()));
}

#[tokio::test]
async fn a_stop_ends_a_run_that_waits_for_an_answer() {
    let rig = asking().await;
    touch(&rig, "made");
    let session = rig.create();
    let (mut watching, run, _) = asked(&rig, session).await;
    rig.submit(session, Body::Stop(None)).await.unwrap();
    let (outcome, _) = end_of(&mut watching, run).await;
    assert_eq!(outcome.status, Status::Stopped);
    check_sound(&rig.stored(session).await);
    // The session is usable.
    rig.fake.push(Reply::text("Here."));
    rig.submit(session, Body::Say(vec![Part::text("Still there?")])).await.unwrap();
}

#[tokio::test]
async fn a_question_of_the_model_is_answered_in_the_persons_words() {
    let rig = Rig::new().await;
    let args = json!({ "question": "Which colour?", "choices": ["red", "blue"] });
    rig.fake.push(Reply::calls([("ask_user", args)]));
    rig.fake.push(Reply::text("Blue it is."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await.attended();
    let run = rig.say(session, "Paint it").await;
    let request = until(&mut watching, is_request).await;
    let EventBody::ApprovalRequest { call_id, question, reason, choices, .. } = request.body else {
        unreachable!()
    };
    assert_eq!(reason.as_deref(), Some("the model leaves this to you"));
    assert_eq!((question.as_str(), choices), ("Which colour?", vec!["red".to_owned(), "blue".to_owned()]));
    assert!(rig.submit(session, answer(&call_id, "green", None)).await.is_err());
    rig.submit(session, answer(&call_id, "blue", None)).await.unwrap();
    let (outcome, _) = end_of(&mut watching, run).await;
    assert_eq!(outcome.status, Status::Done);
    assert!(rig.sent(1).last().unwrap().1.contains("\"answer\":\"blue\""), "{:?}", rig.sent(1));
}

#[tokio::test]
async fn a_question_of_the_model_with_nobody_there_is_answered_at_once() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::calls([("ask_user", json!({ "question": "Which colour?" }))]));
    rig.fake.push(Reply::text("I chose one."));
    let session = rig.create();
    let (outcome, events) = rig.ask(session, "Paint it").await;
    assert_eq!(outcome.status, Status::NeedsApproval);
    let card = events.iter().find_map(|event| match &event.body {
        EventBody::ToolResult { card, .. } => card.clone(),
        _ => None,
    });
    let card = card.unwrap();
    assert!(card.cause.contains("it needs a person's answer"), "{}", card.cause);
    let steps = card.steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(steps.contains("decide it yourself") && steps.contains("on a terminal"), "{steps}");
    assert!(!steps.contains("allow_commands"), "{steps}");
}
