//! Sessions, known and unknown, one and many.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Body, Code, EventBody, Origin, Part, SessionId, Status, Submission};
use candor_runtime::{NewSession, Runtime};
use candor_store::Filter;
use candor_testkit::{Home, Reply};
use serde_json::json;

use crate::events::check_sound;
use crate::rig::{Rig, end_of, held, location, new_session, reached, scripted, setup, within};

#[tokio::test]
async fn a_session_without_a_message_leaves_nothing_behind() {
    let rig = Rig::new().await;
    let session = rig.create();
    let _watching = rig.watch(session, 0).await;
    let all = Filter { workspace: None, children: true, limit: 10, offset: 0 };
    let rig = rig.reopen().await;
    assert_eq!(rig.runtime.query().sessions(&all).await.unwrap(), []);
    rig.fake.push(Reply::text("Hello."));
    let other = rig.create();
    assert_eq!(rig.ask(other, "Hello").await.0.status, Status::Done);
    assert_eq!(rig.runtime.query().sessions(&all).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_unknown_session_is_a_card() {
    let rig = Rig::new().await;
    let nobody = SessionId::now();
    let refused = rig.submit(nobody, Body::Stop(None)).await.unwrap_err();
    assert_eq!((refused.code, refused.fact("session")), (Code::SessionUnknown, Some(&*nobody.to_string())));
    let refused = rig.runtime.subscribe(nobody, 0).await.err().unwrap();
    assert_eq!(refused.code, Code::SessionUnknown);
}

#[tokio::test]
async fn a_session_goes_on_in_another_runtime_with_its_own_instructions() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::text("One."));
    let instructions = Some("Answer in one word.".to_owned());
    let new = NewSession {
        origin: Origin::Cli,
        naming: candor_runtime::Naming::Words("n".to_owned()),
        instructions,
    };
    let session = rig.runtime.create(new).unwrap();
    rig.ask(session, "First").await;
    let rig = rig.reopen().await;
    rig.fake.push(Reply::text("Two."));
    rig.ask(session, "Second").await;
    let texts: Vec<_> = rig.sent(1).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["First", "One.", "Second"]);
    for request in rig.fake.requests() {
        assert!(request.system().is_some_and(|prompt| prompt.contains("Answer in one word.")));
    }
    check_sound(&rig.stored(session).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_sessions_run_at_once_and_keep_to_themselves() {
    let rig = Arc::new(Rig::new().await);
    rig.fake.repeat(Reply::text("Yes."));
    let tasks: Vec<_> = (0..12)
        .map(|number| {
            let rig = Arc::clone(&rig);
            tokio::spawn(async move {
                let session = rig.create();
                for round in 0..3 {
                    let (outcome, _) = rig.ask(session, &format!("{number}.{round}")).await;
                    assert_eq!(outcome.status, Status::Done);
                }
                session
            })
        })
        .collect();
    for task in tasks {
        let stored = rig.stored(task.await.unwrap()).await;
        check_sound(&stored);
        assert_eq!(stored.len(), 1 + 3 * 4);
    }
}

/// Whoever comes first starts the session's actor, and only that one.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_who_take_up_a_session_at_once_meet_the_same_writer() {
    let mut rig = Rig::new().await;
    rig.fake.repeat(Reply::text("Yes."));
    let session = rig.create();
    rig.ask(session, "First").await;
    for _ in 0..10 {
        let shared = Arc::new(rig.reopen().await);
        let tasks: Vec<_> = (0..8)
            .map(|number| {
                let rig = Arc::clone(&shared);
                tokio::spawn(async move { rig.ask(session, &number.to_string()).await.0.status })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), Status::Done);
        }
        check_sound(&shared.stored(session).await);
        rig = Arc::into_inner(shared).unwrap();
    }
}

#[tokio::test]
async fn a_runtime_that_is_dropped_tells_whoever_still_watches() {
    let rig = Rig::new().await;
    let (reply, gate) = held("To be finished.");
    rig.fake.push(reply);
    let session = rig.create();
    let mut watching = rig.watch(session, 0).await;
    let run = rig.say(session, "Go").await;
    reached(&gate).await;
    let Rig { runtime, fake, home: _home, .. } = rig;
    drop(runtime);
    gate.open();
    // The run comes to its end, and then there is an end to waiting.
    assert_eq!(end_of(&mut watching, run).await.0.status, Status::Done);
    within(watching.next()).await.unwrap_err();
    drop(fake);
}

/// While nothing happens the clock is stopped, and jumps over the hours.
#[tokio::test]
async fn a_session_that_nobody_needs_is_let_go_and_found_again() {
    let home = Home::new();
    let script = json!({"replies": [{"text": "Noted."}], "loop": true});
    let runtime = Runtime::open(&location(&home), setup(&home, scripted(&script))).await.unwrap();
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    // The store has one of its own.
    let before = tasks();
    let alive = || tasks() - before;
    let say = async |session, text: &str| {
        let mut watching = runtime.subscribe(session, 0).await.unwrap();
        let body = Body::Say(vec![Part::text(text)]);
        let receipt = runtime.submit(Submission { session, origin: Origin::Cli, body }).await.unwrap();
        loop {
            let event = watching.next().await.unwrap();
            if matches!(event.body, EventBody::RunEnd(_)) && event.run_id == receipt.run {
                return watching;
            }
        }
    };
    let (plain, watched, secret) = (
        runtime.create(new_session()).unwrap(),
        runtime.create(new_session()).unwrap(),
        runtime.create(new_session()).unwrap(),
    );
    drop(say(plain, "Hello").await);
    let watching = say(watched, "Hello").await;
    drop(say(secret, "DB_PASSWORD=Tr0ub4dor-and-3-more").await);
    assert_eq!(alive(), 3);
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(3 * 60 * 60)).await;
    assert_eq!(alive(), 2, "one has a reader, one keeps a secret, and one can go");
    drop(watching);
    tokio::time::sleep(Duration::from_secs(3 * 60 * 60)).await;
    assert_eq!(alive(), 1, "one keeps a secret");
    tokio::time::resume();
    drop(say(plain, "Hello again").await);
    assert_eq!(alive(), 2);
    check_sound(&runtime.query().events(plain, 0, 100).await.unwrap());
}
