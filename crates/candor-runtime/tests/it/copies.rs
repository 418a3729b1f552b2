//! Sessions that come from others, and sessions that go.

use std::io::Cursor;
use std::time::Duration;

use candor_protocol::{Body, Code, Event, EventBody, Forked, Moment, Origin, Part, SessionId};
use candor_runtime::{Ids, Naming, NewSession, Retention};
use candor_store::{Filter, Search};
use candor_testkit::Reply;

use crate::events::check_sound;
use crate::rig::{On, Rig, held, kinds, on_both, reached, within};

/// A session of two runs.
async fn told(rig: &Rig) -> SessionId {
    rig.fake.push(Reply::text("one"));
    rig.fake.push(Reply::text("two"));
    let session = rig.create();
    rig.ask(session, "first").await;
    rig.ask(session, "second").await;
    session
}

fn lines(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect()
}

async fn import(
    rig: &Rig,
    text: &str,
    ids: Ids,
) -> Result<candor_runtime::Imported, candor_protocol::Failure> {
    rig.runtime.import(&mut Cursor::new(text.to_owned()), "export.jsonl", ids).await
}

async fn names(rig: &Rig) -> Vec<String> {
    let filter = Filter { workspace: None, children: true, limit: 1000, offset: 0 };
    rig.runtime.query().sessions(&filter).await.unwrap().into_iter().map(|session| session.name).collect()
}

#[track_caller]
fn check_refused(failure: &candor_protocol::Failure, line: &str, reason: &str) {
    assert_eq!(failure.code, Code::ImportInvalid);
    assert_eq!(failure.fact("line"), Some(line));
    let given = failure.fact("reason").unwrap();
    assert!(given.contains(reason), "{given}");
}

on_both! {
    async fn a_fork_has_the_same_past_and_its_own_future(on) {
        let rig = Rig::on(on).await;
        let session = told(&rig).await;
        let fork = rig.runtime.fork(session, None).await.unwrap();
        let (ours, theirs) = (rig.stored(session).await, rig.stored(fork).await);
        assert_eq!(theirs.len(), ours.len() + 1, "and the name");
        assert_eq!(kinds(&theirs)[..ours.len()], kinds(&ours));
        let EventBody::SessionCreated { forked_from, .. } = &theirs[0].body else { panic!() };
        assert_eq!(*forked_from, Some(Forked { session_id: session, seq: ours.len() as u64 }));
        rig.fake.push(Reply::text("three"));
        rig.ask(fork, "third").await;
        let said: Vec<String> = rig.sent(2).into_iter().map(|(_, text)| text).collect();
        assert_eq!(said, ["first", "one", "second", "two", "third"]);
        assert_eq!(rig.stored(session).await, ours, "the first one is as it was");
        check_sound(&rig.stored(fork).await);
        assert!(names(&rig).await.contains(&"a session (fork)".to_owned()));
    }

    async fn a_fork_in_the_middle_ends_with_a_whole_run(on) {
        let rig = Rig::on(on).await;
        let session = told(&rig).await;
        let ours = rig.stored(session).await;
        let first_end = ours.iter().find(|event| matches!(event.body, EventBody::RunEnd(_))).unwrap().seq;
        let fork = rig.runtime.fork(session, Some(first_end + 2)).await.unwrap();
        assert_eq!(rig.stored(fork).await.len() as u64, first_end + 1, "up to the first end, and the name");
        rig.fake.push(Reply::text("other"));
        rig.ask(fork, "another second").await;
        let said: Vec<String> = rig.sent(2).into_iter().map(|(_, text)| text).collect();
        assert_eq!(said, ["first", "one", "another second"]);
    }

    async fn what_a_fork_copied_is_paid_for_once(on) {
        let rig = Rig::on(on).await;
        let session = told(&rig).await;
        let total = async || {
            let rows = rig.runtime.query().usage(candor_store::Grouping::Model, None).await.unwrap();
            rows.iter().map(|row| row.usage.total_tokens).sum::<u64>()
        };
        let before = total().await;
        rig.runtime.fork(session, None).await.unwrap();
        assert_eq!(total().await, before);
        assert!(before > 0);
    }

    async fn a_session_is_the_same_after_export_and_import(on) {
        let rig = Rig::on(on).await;
        let session = told(&rig).await;
        let events = rig.stored(session).await;
        let text = lines(&events);
        let there = import(&rig, &text, Ids::Kept).await.unwrap_err();
        assert_eq!(there.code, Code::SessionExists);
        rig.runtime.delete(session).await.unwrap();
        assert!(rig.stored(session).await.is_empty());
        let imported = import(&rig, &text, Ids::Kept).await.unwrap();
        assert_eq!((imported.session, imported.events), (session, events.len() as u64));
        assert_eq!(rig.stored(session).await, events);
        let again = import(&rig, &text, Ids::New).await.unwrap();
        assert_ne!(again.session, session);
        rig.fake.push(Reply::text("three"));
        rig.ask(again.session, "third").await;
        let said: Vec<String> = rig.sent(2).into_iter().map(|(_, text)| text).collect();
        assert_eq!(said, ["first", "one", "second", "two", "third"]);
    }

    async fn a_broken_import_leaves_nothing(on) {
        let rig = Rig::on(on).await;
        let session = told(&rig).await;
        let events = rig.stored(session).await;
        rig.runtime.delete(session).await.unwrap();
        let text = lines(&events);
        let whole: Vec<&str> = text.lines().collect();
        let with = |at: usize, line: &str| {
            let mut lines = whole.clone();
            lines[at] = line;
            lines.join("\n")
        };
        check_refused(&import(&rig, "", Ids::Kept).await.unwrap_err(), "1", "empty");
        check_refused(&import(&rig, &with(3, "{"), Ids::Kept).await.unwrap_err(), "4", "no JSON");
        check_refused(&import(&rig, &with(3, "[1]"), Ids::Kept).await.unwrap_err(), "4", "no event");
        check_refused(&import(&rig, &with(3, whole[1]), Ids::Kept).await.unwrap_err(), "4", "number");
        check_refused(&import(&rig, &with(3, whole[0]), Ids::Kept).await.unwrap_err(), "4", "begins");
        check_refused(&import(&rig, &whole[1..].join("\n"), Ids::Kept).await.unwrap_err(), "1", "begins");
        let other = whole[3].replace(&session.to_string(), &SessionId::now().to_string());
        check_refused(&import(&rig, &with(3, &other), Ids::Kept).await.unwrap_err(), "4", "another session");
        let torn = &text[..text.len() - 20];
        let failure = import(&rig, torn, Ids::Kept).await.unwrap_err();
        check_refused(&failure, &whole.len().to_string(), "no JSON");
        assert!(names(&rig).await.is_empty(), "nothing of all that is there");
        assert!(rig.runtime.query().last_seq(session).await.unwrap().is_none());
        import(&rig, &text, Ids::Kept).await.unwrap();
    }

    async fn what_is_imported_is_masked(on) {
        let rig = Rig::on_with(on, |setup| setup.secrets = ["correct-horse-battery".to_owned()].into()).await;
        let session = told(&rig).await;
        let text = lines(&rig.stored(session).await).replace("\"first\"", "\"the word is correct-horse-battery\"");
        assert!(text.contains("correct-horse-battery"));
        let imported = import(&rig, &text, Ids::New).await.unwrap();
        let stored = lines(&rig.stored(imported.session).await);
        assert!(stored.contains("the word is [REDACTED]") && !stored.contains("correct-horse"), "{stored}");
    }

    async fn a_session_that_is_written_is_not_deleted(on) {
        let rig = Rig::on(on).await;
        let session = rig.create();
        let (reply, gate) = held("one");
        rig.fake.push(reply);
        let mut watching = rig.watch(session, 0).await;
        let run = rig.say(session, "first").await;
        reached(&gate).await;
        assert_eq!(rig.runtime.delete(session).await.unwrap_err().code, Code::SessionBusy);
        gate.open();
        crate::rig::end_of(&mut watching, run).await;
        rig.runtime.close().await;
        rig.runtime.delete(session).await.unwrap();
        assert_eq!(rig.runtime.delete(session).await.unwrap_err().code, Code::SessionUnknown);
        let gone = rig.submit(session, Body::Say(vec![Part::text("more")])).await.unwrap_err();
        assert_eq!(gone.code, Code::SessionUnknown);
    }

    async fn what_was_said_is_found_by_its_words(on) {
        let rig = Rig::on(on).await;
        rig.fake.push(Reply::text("The pear tree is in the orchard."));
        let session = rig.create();
        rig.ask(session, "Where is the pear?").await;
        let find = async |text: &str| {
            let search = Search { text: text.to_owned(), workspace: None, limit: 10 };
            rig.runtime.search(&search).await.unwrap()
        };
        let hits = find("PEAR orch").await;
        assert_eq!(hits.len(), 1);
        assert_eq!((hits[0].session, hits[0].role), (session, candor_protocol::Role::Assistant));
        assert_eq!(find("pear").await.len(), 2);
        assert!(find("plum").await.is_empty());
        rig.runtime.close().await;
        rig.runtime.delete(session).await.unwrap();
        assert!(find("pear").await.is_empty());
    }

    async fn only_sessions_of_the_same_kind_make_room_for_a_new_one(on) {
        let keep = Retention { sessions: Some(2), age: None };
        let rig = Rig::on_with(on, |setup| setup.retention = keep).await;
        rig.fake.repeat(Reply::text("yes"));
        let begin = async |origin: Origin, name: &str| {
            let naming = Naming::Words(name.to_owned());
            let session = rig.runtime.create(NewSession { origin, naming, instructions: None }).unwrap();
            rig.ask(session, name).await;
        };
        begin(Origin::Cron, "job 1").await;
        begin(Origin::Cli, "person 1").await;
        begin(Origin::Cron, "job 2").await;
        begin(Origin::Repl, "person 2").await;
        begin(Origin::Websocket, "person 3").await;
        let settled = async {
            while names(&rig).await != ["person 3", "person 2", "job 2", "job 1"] {
                tokio::task::yield_now().await;
            }
        };
        within(settled).await;
    }

    async fn what_is_too_old_goes_with_the_next_new_session(on) {
        let keep = Retention { sessions: None, age: Some(Duration::from_secs(86_400)) };
        let rig = Rig::on_with(on, |setup| setup.retention = keep).await;
        rig.fake.repeat(Reply::text("yes"));
        let old = told_long_ago(&rig).await;
        let lately = Moment::from_millis(Moment::now().as_millis() - 2 * 86_400_000);
        let story = crate::story::Story::new().accepted("not long ago").at(lately);
        story.left_in(&rig.store().await).await;
        let recent = rig.create();
        rig.ask(recent, "hello").await;
        let settled = async {
            while rig.runtime.query().last_seq(old).await.unwrap().is_some() {
                tokio::task::yield_now().await;
            }
        };
        within(settled).await;
        assert!(rig.runtime.query().last_seq(recent).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn what_a_broken_import_had_stored_is_removed_at_once_postgres() {
    let rig = Rig::on(On::Postgres).await;
    let mut events = Vec::new();
    let source = Rig::new().await;
    let session = told(&source).await;
    let first = source.stored(session).await;
    events.extend(first.iter().take(2).cloned());
    events.extend((3..=1200).map(|seq| Event { seq, ..first[1].clone() }));
    let text = lines(&events) + "{";
    check_refused(&import(&rig, &text, Ids::Kept).await.unwrap_err(), "1201", "no JSON");
    assert_eq!(rig.meddle("SELECT COUNT(*) FROM events"), "0");
}

async fn told_long_ago(rig: &Rig) -> SessionId {
    let story = crate::story::Story::new().accepted("long ago").at(Moment::from_millis(1_700_000_000_000));
    story.left_in(&rig.store().await).await;
    story.session
}
