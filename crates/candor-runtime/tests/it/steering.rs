//! Messages for a run that goes on.

use candor_protocol::{Body, EventBody, Status};
use candor_testkit::Reply;
use serde_json::{Value, json};

use crate::events::check_sound;
use crate::rig::{Rig, end_of, held, is_run_start, is_tool_start, reached, until};

/// A command that waits for a file called `go`.
fn wait_for_go() -> Reply {
    Reply::calls([("shell_exec", json!({"command": "until [ -e go ]; do sleep 0.01; done; echo went"}))])
}

/// Each request begins with the one before it, so that a provider's cache hits.
#[track_caller]
fn check_only_added_to(rig: &Rig) {
    let requests = rig.fake.requests();
    let messages = |at: usize| requests[at].body["messages"].as_array().unwrap();
    for at in 1..requests.len() {
        let (before, after): (&Vec<Value>, &Vec<Value>) = (messages(at - 1), messages(at));
        assert!(after.starts_with(before), "request {at}:\n{after:#?}\ndoes not go on from\n{before:#?}");
    }
    let refused: Vec<_> = requests.iter().filter_map(|request| request.refused.clone()).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

fn roles(sent: &[(String, String)]) -> Vec<&str> {
    sent.iter().map(|(role, _)| role.as_str()).collect()
}

#[tokio::test]
async fn what_is_said_while_a_tool_runs_comes_after_its_result_and_before_the_next_answer() {
    let rig = Rig::new().await;
    rig.fake.push(wait_for_go());
    rig.fake.push(Reply::text("In French, then."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Wait for it").await;
    until(&mut watching, is_tool_start).await;
    assert_eq!(rig.steer(session, "In French, please").await.run, None);
    rig.home.write_in_workspace("go", "");
    end_of(&mut watching, run).await;
    let sent = rig.sent(1);
    assert_eq!(roles(&sent), ["user", "assistant", "tool", "user"]);
    assert_eq!(sent[3].1, "In French, please");
    rig.fake.push(Reply::text("De rien."));
    rig.ask(session, "Thanks").await;
    check_only_added_to(&rig);
}

#[tokio::test]
async fn what_is_said_during_the_last_answer_causes_another_turn() {
    let rig = Rig::new().await;
    let (reply, gate) = held("A long story, told slowly.");
    rig.fake.push(reply);
    rig.fake.push(Reply::text("In short: no."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Tell me").await;
    reached(&gate).await;
    rig.steer(session, "Be brief").await;
    gate.open();
    let (outcome, _) = end_of(&mut watching, run).await;
    assert_eq!((outcome.status, outcome.turns), (Status::Done, 2));
    assert_eq!(roles(&rig.sent(1)), ["user", "assistant", "user"]);
    rig.fake.push(Reply::text("You are welcome."));
    rig.ask(session, "Thanks").await;
    check_only_added_to(&rig);
}

#[tokio::test]
async fn without_a_run_it_is_a_message_like_any_other() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::text("Hello."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.steer(session, "Hello?").await.run.unwrap();
    assert_eq!(end_of(&mut watching, run).await.0.status, Status::Done);
}

#[tokio::test]
async fn what_a_stopped_run_did_not_hear_the_next_one_hears_once() {
    let rig = Rig::new().await;
    let (reply, gate) = held("Something nobody wants.");
    rig.fake.push(reply);
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Go").await;
    reached(&gate).await;
    rig.steer(session, "Not like that").await;
    rig.submit(session, Body::Stop(None)).await.unwrap();
    assert_eq!(end_of(&mut watching, run).await.0.status, Status::Stopped);
    gate.open();
    rig.fake.push(Reply::text("Like this."));
    rig.ask(session, "Again").await;
    let said: Vec<String> =
        rig.sent(1).into_iter().filter(|(role, _)| role == "user").map(|(_, text)| text).collect();
    assert_eq!(said.join("|").matches("Not like that").count(), 1, "{said:?}");
    assert!(said.last().is_some_and(|last| last.ends_with("Again")), "{said:?}");
}

/// A message that arrives while a run reads its history is neither missed nor heard twice.
#[tokio::test]
async fn what_is_said_at_the_very_beginning_is_heard_once() {
    for _ in 0..20 {
        let rig = Rig::new().await;
        rig.fake.repeat(Reply::text("Yes."));
        let session = rig.create();
        let mut watching = rig.watch(session, 0).await;
        // Both are on their way before the session's actor has run at all.
        let steer = rig.submit(session, Body::Steer(vec![candor_protocol::Part::text("and this")]));
        let (run, steered) = tokio::join!(rig.say(session, "First this"), steer);
        end_of(&mut watching, steered.unwrap().run.unwrap_or(run)).await;
        let last = rig.fake.requests().len() - 1;
        let said = format!("{:?}", rig.sent(last));
        assert_eq!((said.matches("First this").count(), said.matches("and this").count()), (1, 1), "{said}");
    }
}

#[tokio::test]
async fn a_message_during_a_run_waits_and_gets_a_run_of_its_own() {
    let rig = Rig::new().await;
    rig.fake.push(wait_for_go());
    rig.fake.push(Reply::text("One."));
    rig.fake.push(Reply::text("Two."));
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let first = rig.say(session, "First").await;
    until(&mut watching, is_tool_start).await;
    let second = rig.say(session, "Second").await;
    assert_ne!(first, second);
    rig.home.write_in_workspace("go", "");
    end_of(&mut watching, first).await;
    let start = until(&mut watching, is_run_start).await;
    assert_eq!(start.run_id, Some(second));
    end_of(&mut watching, second).await;
    assert_eq!(roles(&rig.sent(1)), ["user", "assistant", "tool"]);
    let sent = rig.sent(2);
    assert_eq!(roles(&sent), ["user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(sent[4].1, "Second");
    check_only_added_to(&rig);
    let stored = rig.stored(session).await;
    check_sound(&stored);
    let accepted = |event: &&candor_protocol::Event| matches!(event.body, EventBody::MessageAccepted { .. });
    let runs: Vec<_> = stored.iter().filter(accepted).map(|event| event.run_id).collect();
    assert_eq!(runs, [Some(first), Some(second)]);
}
