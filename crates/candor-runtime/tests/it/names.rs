//! What sessions are called.

use candor_protocol::{Body, EventBody, Moment, NamedBy, Origin};
use candor_runtime::{Naming, NewSession, Titles};
use candor_testkit::Reply;

use crate::rig::{On, Rig, end_of, held, kinds, on_both, reached, until};

fn later() -> NewSession {
    NewSession { origin: Origin::Repl, naming: Naming::Later, instructions: None }
}

async fn by_model(on: On) -> Rig {
    Rig::on_with(on, |setup| setup.titles = Titles::ByModel).await
}

fn is_renamed(body: &EventBody) -> bool {
    matches!(body, EventBody::SessionRenamed { .. })
}

on_both! {
    async fn s18_1_a_session_is_new_at_first_and_s18_2_titled_by_the_model_after_its_first_run(on) {
        let rig = by_model(on).await;
        let session = rig.runtime.create(later()).unwrap();
        let mut watching = rig.watch(session, 0).await;
        let (reply, gate) = held("It is a list of fruit.");
        rig.fake.push(reply);
        let run = rig.say(session, "What is in fruit.txt?").await;
        reached(&gate).await;
        let name = async || rig.runtime.query().session(session).await.unwrap().unwrap().name;
        assert_eq!(name().await, "New Session");
        rig.fake.push(Reply::text("\"Fruit list question.\"").usage(20, 4));
        gate.open();
        end_of(&mut watching, run).await;
        let renamed = until(&mut watching, is_renamed).await;
        let EventBody::SessionRenamed { name: title, by, usage, .. } = renamed.body else { panic!() };
        assert_eq!((title.as_str(), by), ("Fruit list question", NamedBy::Model));
        assert_eq!(usage.unwrap().total_tokens, 24, "what it took is told");
        assert_eq!(name().await, "Fruit list question");
    }

    async fn s18_4_without_a_title_the_first_words_have_to_do(on) {
        let rig = by_model(on).await;
        let session = rig.runtime.create(later()).unwrap();
        let mut watching = rig.watch(session, 0).await;
        rig.fake.push(Reply::text("Yes."));
        rig.fake.push(Reply::status(500));
        rig.fake.push(Reply::status(500));
        let long = "Please look at the orchard file and tell me whether any of the pears are ripe by now";
        let run = rig.say(session, long).await;
        end_of(&mut watching, run).await;
        let renamed = until(&mut watching, is_renamed).await;
        let EventBody::SessionRenamed { name, by, .. } = renamed.body else { panic!() };
        assert_eq!(name, "Please look at the orchard file and tell me whether any of...");
        assert_eq!(by, NamedBy::Words);
    }

    async fn s18_5_a_name_that_the_user_gave_is_not_replaced(on) {
        let rig = by_model(on).await;
        let session = rig.runtime.create(later()).unwrap();
        let mut watching = rig.watch(session, 0).await;
        rig.fake.push(Reply::text("Yes."));
        let (title, gate) = held("A title by the model");
        rig.fake.push(title);
        let run = rig.say(session, "hello").await;
        end_of(&mut watching, run).await;
        reached(&gate).await;
        rig.submit(session, Body::Rename("Mine".to_owned())).await.unwrap();
        gate.open();
        rig.fake.push(Reply::text("Again."));
        rig.ask(session, "again").await;
        rig.runtime.close().await;
        let events = rig.stored(session).await;
        let names: Vec<&EventBody> = events.iter().map(|event| &event.body).filter(|body| is_renamed(body)).collect();
        let [EventBody::SessionRenamed { name, by: NamedBy::User, .. }] = names.as_slice() else { panic!("{names:?}") };
        assert_eq!(name, "Mine");
    }

    async fn s18_6_a_scheduled_session_is_named_after_its_job_and_time_and_s7_7_tagged_with_both(on) {
        let rig = Rig::on(on).await;
        let at = Moment::from_millis(1_739_268_000_000);
        let naming = Naming::Job { job: "nightly".to_owned(), at };
        let new = NewSession { origin: Origin::Cron, naming, instructions: None };
        let session = rig.runtime.create(new).unwrap();
        rig.fake.push(Reply::text("done"));
        rig.ask(session, "run").await;
        let summary = rig.runtime.query().session(session).await.unwrap().unwrap();
        assert_eq!((summary.name.as_str(), summary.source.as_str()), ("[cron] nightly — 2025-02-11 10:00", "cron"));
        let EventBody::SessionCreated { job, .. } = &rig.stored(session).await[0].body else { panic!() };
        assert_eq!(job.as_deref(), Some("nightly"));
    }

    async fn s18_8_a_rename_is_an_event_and_s18_9_a_title_delays_no_answer(on) {
        let rig = by_model(on).await;
        let session = rig.runtime.create(later()).unwrap();
        let mut watching = rig.watch(session, 0).await;
        rig.fake.push(Reply::text("one"));
        let (title, gate) = held("Two greetings");
        rig.fake.push(title);
        let run = rig.say(session, "hello").await;
        end_of(&mut watching, run).await;
        reached(&gate).await;
        // The title is still thought about; a second message is answered all the same.
        rig.fake.push(Reply::text("two"));
        let run = rig.say(session, "hello again").await;
        let (_, events) = end_of(&mut watching, run).await;
        assert!(!kinds(&events).contains(&"session_renamed".to_owned()));
        gate.open();
        let renamed = until(&mut watching, is_renamed).await;
        assert!(matches!(renamed.body, EventBody::SessionRenamed { name, .. } if name == "Two greetings"));
    }

    async fn at_the_end_of_the_program_a_title_is_not_waited_for_long(on) {
        let rig = by_model(on).await;
        let session = rig.runtime.create(later()).unwrap();
        let mut watching = rig.watch(session, 0).await;
        rig.fake.push(Reply::text("one"));
        let (title, gate) = held("Never told");
        rig.fake.push(title);
        let run = rig.say(session, "hello there").await;
        end_of(&mut watching, run).await;
        reached(&gate).await;
        rig.runtime.close().await;
        let summary = rig.runtime.query().session(session).await.unwrap().unwrap();
        assert_eq!(summary.name, "hello there");
    }

    async fn a_title_that_comes_while_another_writes_is_thought_of_again(on) {
        let rig = by_model(on).await;
        let other = rig.store().await;
        let session = rig.runtime.create(later()).unwrap();
        let mut watching = rig.watch(session, 0).await;
        rig.fake.push(Reply::text("one"));
        let (title, gate) = held("Never told");
        rig.fake.push(title);
        let run = rig.say(session, "hello").await;
        end_of(&mut watching, run).await;
        reached(&gate).await;
        let theirs = loop {
            if let Some(lease) = other.lease(session).await.unwrap() {
                break lease;
            }
        };
        gate.open();
        rig.runtime.close().await;
        drop(theirs);
        rig.fake.push(Reply::text("two"));
        rig.fake.push(Reply::text("A greeting"));
        rig.say(session, "hello again").await;
        let renamed = until(&mut watching, is_renamed).await;
        assert!(matches!(renamed.body, EventBody::SessionRenamed { name, .. } if name == "A greeting"));
    }

    async fn a_run_that_failed_is_named_without_asking_the_model(on) {
        let rig = by_model(on).await;
        let session = rig.runtime.create(later()).unwrap();
        let mut watching = rig.watch(session, 0).await;
        rig.fake.push(Reply::status(401));
        let run = rig.say(session, "hello there").await;
        end_of(&mut watching, run).await;
        let renamed = until(&mut watching, is_renamed).await;
        assert!(matches!(renamed.body, EventBody::SessionRenamed { name, by: NamedBy::Words, .. } if name == "hello there"));
        assert_eq!(rig.fake.requests().len(), 1);
    }

    async fn names_are_masked_and_in_one_line(on) {
        let rig = Rig::on_with(on, |setup| setup.secrets = ["correct-horse-battery".to_owned()].into()).await;
        let session = rig.create();
        rig.fake.push(Reply::text("one"));
        rig.ask(session, "hello").await;
        rig.submit(session, Body::Rename("a\nb\tcorrect-horse-battery\u{1b}[2J".to_owned())).await.unwrap();
        let summary = rig.runtime.query().session(session).await.unwrap().unwrap();
        assert_eq!(summary.name, "a b [REDACTED] [2J");
        let refused = rig.submit(session, Body::Rename(" \n ".to_owned())).await.unwrap_err();
        assert_eq!(refused.code, candor_protocol::Code::UsageInvalidValue);
    }
}
