//! A store that fails, a second writer, and defects of our own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use candor_llm::{Answer, BoxFuture, Delta, Error, Provider, Request};
use candor_protocol::{Body, Code, Event, EventBody, Moment, Part, Status, StopReason, Usage};
use candor_testkit::{Home, Reply};
use serde_json::json;

use crate::events::check_sound;
use crate::rig::{Rig, answers, database, end_of, held, model, reached, until, within};

/// Takes the database away, and gives it back.
struct Taken {
    from: std::path::PathBuf,
    to: std::path::PathBuf,
}

impl Taken {
    fn away(home: &Home) -> Self {
        let (from, to) = (database(home), home.tmp().join("candor.db"));
        std::fs::rename(&from, &to).unwrap();
        Self { from, to }
    }

    fn give_back(self) {
        std::fs::rename(self.to, self.from).unwrap();
    }
}

#[tokio::test]
async fn a_store_that_fails_under_an_answer_ends_the_run_and_everyone_is_told() {
    let rig = Rig::new().await;
    let (reply, gate) = held("An answer that cannot be kept.");
    rig.fake.push(reply);
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    rig.say(session, "First").await;
    reached(&gate).await;
    let taken = Taken::away(&rig.home);
    gate.open();
    let told = loop {
        match within(watching.next()).await {
            Ok(event) => {
                assert!(!matches!(event.body, EventBody::MessageComplete { .. } | EventBody::RunEnd(_)));
            }
            Err(failure) => break failure,
        }
    };
    assert_eq!(told.code, Code::StoreUnavailable);
    let refused = rig.submit(session, Body::Say(vec![Part::text("Lost")])).await.unwrap_err();
    assert_eq!(refused.code, Code::StoreUnavailable);
    taken.give_back();
    rig.fake.push(Reply::text("Here again."));
    let (outcome, events) = rig.ask(session, "Second").await;
    assert_eq!((outcome.status, answers(&events)), (Status::Done, vec!["Here again.".to_owned()]));
    let said = format!("{:?}", rig.sent(1));
    assert!(said.contains("First") && said.contains("Second") && !said.contains("Lost"), "{said}");
}

#[tokio::test]
async fn a_message_that_cannot_be_stored_is_not_acknowledged() {
    let rig = Rig::new().await;
    rig.fake.repeat(Reply::text("Yes."));
    let session = rig.create();
    rig.ask(session, "First").await;
    let mut watching = rig.watch(session, 5).await;
    let taken = Taken::away(&rig.home);
    let refused = rig.submit(session, Body::Say(vec![Part::text("Lost")])).await.unwrap_err();
    assert_eq!(refused.code, Code::StoreUnavailable);
    assert_eq!(within(watching.next()).await.unwrap_err().code, Code::StoreUnavailable);
    taken.give_back();
    assert_eq!(rig.ask(session, "Second").await.0.status, Status::Done);
    let stored = rig.stored(session).await;
    check_sound(&stored);
    assert_eq!(rig.fake.requests().len(), 2, "a message that was not taken must not be answered");
}

#[tokio::test]
async fn a_tool_does_not_run_when_its_call_cannot_be_stored() {
    let rig = Rig::new().await;
    let gate = candor_testkit::Gate::new();
    let call = ("shell_exec", json!({"command": "touch ran"}));
    rig.fake.push(Reply::calls([call]).and_text("I will do it.").gate(&gate));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    rig.say(session, "Do it").await;
    reached(&gate).await;
    let taken = Taken::away(&rig.home);
    gate.open();
    while within(watching.next()).await.is_ok() {}
    assert!(!rig.home.workspace().join("ran").exists());
    taken.give_back();
}

/// The tool looks for its own call in the database. The answer is so long that storing it takes longer than a start.
#[tokio::test]
async fn a_call_is_stored_before_its_tool_starts() {
    let rig = Rig::new().await;
    let beside = database(&rig.home).with_extension("db-wal");
    let command = format!("grep -qa look-for-this-call '{}' && touch stored; touch ran", beside.display());
    let long = "All of this comes first. ".repeat(100_000);
    rig.fake.push(Reply::text(&long).deltas(1 << 20).and_call("shell_exec", json!({ "command": command })));
    rig.fake.push(Reply::text("Looked."));
    let session = rig.create();
    rig.ask(session, "Look").await;
    let there = |name: &str| rig.home.workspace().join(name).exists();
    assert_eq!((there("ran"), there("stored")), (true, true));
}

#[tokio::test]
async fn a_store_that_fails_under_a_tool_leaves_a_session_that_can_go_on() {
    let rig = Rig::new().await;
    let (from, to) = (database(&rig.home), rig.home.tmp().join("candor.db"));
    let command = format!("mv '{}' '{}'", from.display(), to.display());
    rig.fake.push(Reply::calls([("shell_exec", json!({ "command": command }))]));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    rig.say(session, "Do it").await;
    while within(watching.next()).await.is_ok() {}
    Taken { from, to }.give_back();
    // The run that was dropped may have asked already.
    rig.fake.repeat(Reply::text("It may have run."));
    assert_eq!(rig.ask(session, "What happened?").await.0.status, Status::Done);
    let requests = rig.fake.requests();
    assert_eq!(requests.last().and_then(|request| request.refused.clone()), None);
}

#[tokio::test]
async fn a_second_writer_is_noticed_and_the_session_goes_on_after_it() {
    let rig = Rig::new().await;
    let session = rig.create();
    let (reply, gate) = held("Yes.");
    rig.fake.push(reply);
    let mut watching = rig.watch(session, 0).await;
    rig.say(session, "First").await;
    reached(&gate).await;
    until(&mut watching, |body| matches!(body, EventBody::RunStart { .. })).await;
    // One that does not ask whether the session is its to write.
    let other = rig.store().await;
    let seq = other.last_seq(session).await.unwrap().unwrap() + 1;
    let body = EventBody::SessionRenamed {
        name: "renamed".to_owned(),
        by: candor_protocol::NamedBy::User,
        model: None,
        usage: None,
    };
    other.append(&[Event { seq, session_id: session, run_id: None, at: Moment::now(), body }]).await.unwrap();
    gate.open();
    let told = loop {
        if let Err(failure) = within(watching.next()).await {
            break failure;
        }
    };
    assert_eq!(told.code, Code::SessionBusy);
    rig.fake.push(Reply::text("Yes."));
    assert_eq!(rig.ask(session, "Second").await.0.status, Status::Done);
    check_sound(&rig.stored(session).await);
}

/// A provider that meets a defect of its own the first time.
struct Defective {
    met: AtomicBool,
}

impl Provider for Defective {
    fn name(&self) -> &'static str {
        "defective"
    }

    fn ask<'a>(
        &'a self,
        _request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta<'_>) + Send),
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(async {
            deltas(Delta::Text("I was about to"));
            assert!(self.met.swap(true, Ordering::SeqCst), "a defect of the provider");
            let (parts, stop) = (vec![Part::text("Better.")], StopReason::EndTurn);
            Ok(Answer { parts, stop, usage: Usage::default(), model: None })
        })
    }
}

#[tokio::test]
async fn a_panic_ends_its_run_once_and_leaves_the_session_usable() {
    let provider = Arc::new(Defective { met: AtomicBool::new(false) });
    let rig = Rig::with(|setup| setup.models = vec![model(provider)]).await;
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Go").await;
    let (outcome, _) = end_of(&mut watching, run).await;
    assert_eq!(outcome.status, Status::Failed);
    let card = outcome.card.unwrap();
    assert_eq!(card.code, "INTERNAL_PANIC");
    assert!(card.cause.contains("a defect of the provider"), "{}", card.cause);
    let (outcome, events) = rig.ask(session, "Again").await;
    assert_eq!((outcome.status, answers(&events)), (Status::Done, vec!["Better.".to_owned()]));
    check_sound(&rig.stored(session).await);
}
