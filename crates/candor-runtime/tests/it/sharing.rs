//! Two processes in one home. A second runtime with a store of its own stands for the second process.

use candor_protocol::{Body, Code, EventBody, Part, Status};
use candor_testkit::Reply;

use crate::rig::{Rig, end_of, held, kinds, on_both, reached, until, within};

on_both! {
    async fn while_one_writes_the_other_is_told_so_and_may_afterwards(on) {
        let rig = Rig::on(on).await;
        let other = rig.beside().await;
        let session = rig.create();
        let (reply, gate) = held("one");
        rig.fake.push(reply);
        let mut watching = rig.watch(session, 0).await;
        let run = rig.say(session, "first").await;
        reached(&gate).await;
        let refused = other.submit(session, Body::Say(vec![Part::text("second")])).await.unwrap_err();
        assert_eq!(refused.code, Code::SessionBusy);
        gate.open();
        end_of(&mut watching, run).await;
        rig.fake.push(Reply::text("two"));
        let (outcome, _) = other.ask(session, "second").await;
        assert_eq!(outcome.status, Status::Done);
        // And back again: what the other said is part of the conversation.
        rig.fake.push(Reply::text("three"));
        let (outcome, _) = rig.ask(session, "third").await;
        assert_eq!(outcome.status, Status::Done);
        let said: Vec<String> = rig.sent(2).into_iter().map(|(_, text)| text).collect();
        assert_eq!(said, ["first", "one", "second", "two", "third"]);
    }

    async fn who_cannot_write_can_follow(on) {
        let rig = Rig::on(on).await;
        let other = rig.beside().await;
        let session = rig.create();
        let (reply, gate) = held("one");
        rig.fake.push(reply);
        let run = rig.say(session, "first").await;
        reached(&gate).await;
        let mut following = other.watch(session, 0).await;
        let begun = until(&mut following, |body| matches!(body, EventBody::RunStart { .. })).await;
        assert_eq!(begun.run_id, Some(run));
        gate.open();
        let (outcome, events) = end_of(&mut following, run).await;
        assert_eq!(outcome.status, Status::Done);
        assert_eq!(kinds(&events), ["message_complete", "run_end"]);
    }

    async fn a_reader_here_misses_nothing_that_was_written_elsewhere(on) {
        let rig = Rig::on(on).await;
        let other = rig.beside().await;
        let session = rig.create();
        rig.fake.push(Reply::text("one"));
        let mut watching = rig.watch(session, 0).await;
        let run = rig.say(session, "first").await;
        end_of(&mut watching, run).await;
        rig.fake.push(Reply::text("two"));
        other.ask(session, "second").await;
        rig.fake.push(Reply::text("three"));
        let run = rig.say(session, "third").await;
        let (_, events) = end_of(&mut watching, run).await;
        let seqs: Vec<u64> = events.iter().filter(|event| event.body.is_durable()).map(|event| event.seq).collect();
        let first = seqs[0];
        assert_eq!(seqs, (first..first + seqs.len() as u64).collect::<Vec<_>>(), "no gap");
        assert_eq!(kinds(&events).iter().filter(|kind| *kind == "run_end").count(), 2);
    }

    async fn a_reader_of_a_session_that_is_deleted_is_told(on) {
        let rig = Rig::on(on).await;
        let other = rig.beside().await;
        let session = rig.create();
        rig.fake.push(Reply::text("one"));
        let mut watching = rig.watch(session, 0).await;
        let run = rig.say(session, "first").await;
        end_of(&mut watching, run).await;
        while other.runtime.delete(session).await.is_err() {}
        assert_eq!(within(watching.next()).await.unwrap_err().code, Code::SessionUnknown);
    }

    async fn a_name_given_elsewhere_counts(on) {
        let rig = Rig::on(on).await;
        let other = rig.beside().await;
        let session = rig.create();
        rig.fake.push(Reply::text("one"));
        rig.ask(session, "first").await;
        other.submit(session, Body::Rename("Better".to_owned())).await.unwrap();
        let summary = rig.runtime.query().session(session).await.unwrap().unwrap();
        assert_eq!(summary.name, "Better");
    }
}
