//! Long sessions: they go on without being read as a whole.

use candor_protocol::{Body, EventBody, Status};
use candor_testkit::Reply;
use serde_json::Value;

use crate::rig::{On, Rig, end_of, kinds, on_both};

/// More events than are read again.
const RUNS: usize = 80;

async fn long(rig: &Rig) -> candor_protocol::SessionId {
    rig.fake.repeat(Reply::text("yes"));
    let session = rig.create();
    for run in 0..RUNS {
        rig.ask(session, &format!("message {run}")).await;
    }
    session
}

on_both! {
    async fn s7_10_messages_sent_at_once_are_answered_one_after_the_other(on) {
        let rig = Rig::on(on).await;
        rig.fake.repeat(Reply::text("yes"));
        let session = rig.create();
        let mut watching = rig.watch(session, 0).await;
        let said = ["one", "two", "three"].map(|text| rig.say(session, text));
        let runs = futures_util::future::join_all(said).await;
        for run in &runs {
            end_of(&mut watching, *run).await;
        }
        let mut open = None;
        for event in rig.stored(session).await {
            match event.body {
                EventBody::RunStart { .. } => assert_eq!(open.replace(event.run_id), None, "one at a time"),
                EventBody::RunEnd(_) => assert_eq!(open.take(), Some(event.run_id)),
                EventBody::MessageComplete { .. } => assert_eq!(open, Some(event.run_id)),
                _ => {}
            }
        }
        assert_eq!(rig.fake.requests().len(), 3);
    }

    async fn s7_12_content_is_always_a_list_of_parts(on) {
        let rig = Rig::on(on).await;
        rig.fake.push(Reply::calls([("file_read", serde_json::json!({"path": "none.txt"}))]));
        rig.fake.push(Reply::text("It is not there."));
        let session = rig.create();
        rig.ask(session, "look").await;
        let events = serde_json::to_value(rig.stored(session).await).unwrap();
        let contents: Vec<&Value> =
            events.as_array().unwrap().iter().filter_map(|event| event.get("content")).collect();
        assert_eq!(contents.len(), 3, "a message and two answers");
        for content in contents {
            let parts = content.as_array().unwrap();
            assert!(parts.iter().all(|part| part["type"].is_string()), "{content}");
        }
    }

    async fn a_long_session_goes_on_from_where_it_was_saved(on) {
        let rig = Rig::on(on).await;
        let session = long(&rig).await;
        let store = rig.store().await;
        let (seq, body) = store.context(session).await.unwrap().expect("it was saved");
        assert!(seq > 256 && body.contains("message 50"));
        // What is saved is what is used.
        store.save_context(session, seq, &body.replace("message 50", "MESSAGE FIFTY")).await.unwrap();
        rig.ask(session, "last").await;
        let sent = rig.sent(RUNS);
        assert_eq!(sent.len(), 2 * RUNS + 1);
        assert_eq!((sent[100].1.as_str(), sent[102].1.as_str()), ("MESSAGE FIFTY", "message 51"));
    }

    async fn a_saved_state_that_cannot_be_read_is_not_needed(on) {
        let rig = Rig::on(on).await;
        let session = long(&rig).await;
        let store = rig.store().await;
        let (seq, body) = store.context(session).await.unwrap().expect("it was saved");
        let mut other: Value = serde_json::from_str(&body).unwrap();
        other["version"] = 999.into();
        for useless in ["", "{}", &other.to_string().replace("message 50", "wrong")] {
            store.save_context(session, seq, useless).await.unwrap();
            let asked = rig.fake.requests().len();
            rig.ask(session, "last").await;
            assert_eq!(rig.sent(asked)[100].1, "message 50");
        }
        store.save_context(session, u64::MAX / 4, &body.replace("message 50", "wrong")).await.unwrap();
        let asked = rig.fake.requests().len();
        rig.ask(session, "last").await;
        assert_eq!(rig.sent(asked)[100].1, "message 50", "one that is ahead of the events");
    }

    async fn s7_3_s7_6_s7_11_compacting_adds_a_record_and_the_rest_is_told_from_there(on) {
        let rig = Rig::on_with(on, |setup| setup.compaction.keep_tokens = 20).await;
        rig.fake.repeat(Reply::text(&"an answer about pears that nobody needs to read twice. ".repeat(60)));
        let session = rig.create();
        for run in 0..6 {
            rig.ask(session, &format!("message {run}")).await;
        }
        let after = rig.runtime.query().last_seq(session).await.unwrap().unwrap();
        let mut watching = rig.watch(session, after).await;
        let run = rig.submit(session, Body::Compact).await.unwrap().run.unwrap();
        let (outcome, events) = end_of(&mut watching, run).await;
        assert_eq!(outcome.status, Status::Done);
        let durable = crate::rig::durable(&events);
        assert_eq!(kinds(&durable), ["run_start", "compacted", "run_end"]);
        let EventBody::Compacted { summary, removed_messages, .. } = &durable[1].body else { panic!() };
        assert!(summary.contains("message 0") && *removed_messages > 2);
        let asked = rig.fake.requests().len();
        rig.ask(session, "and now").await;
        let sent = rig.sent(asked);
        assert!(sent[0].1.contains("<summary>") && sent[0].1.contains("message 0"), "{:?}", sent[0]);
        assert_eq!(sent.last().unwrap().1, "and now");
        assert!(sent.len() < 8);
        // Everything is still there to be read.
        let said = rig.stored(session).await;
        assert_eq!(said.iter().filter(|event| matches!(event.body, EventBody::MessageAccepted { .. })).count(), 7);
    }
}

#[tokio::test]
async fn where_no_state_can_be_read_or_saved_everything_is_read_postgres() {
    let rig = Rig::on(On::Postgres).await;
    let session = long(&rig).await;
    rig.meddle("DROP TABLE contexts");
    let (outcome, _) = rig.ask(session, "last").await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(rig.sent(RUNS)[100].1, "message 50");
}
