//! What a process that died left behind, and what the next one makes of it.

use candor_protocol::{Code, EventBody, Status};
use candor_testkit::Reply;

use crate::events::check_sound;
use crate::rig::{On, Rig, kinds, on_both};
use crate::story::Story;

on_both! {
    async fn an_open_run_is_closed_as_interrupted_and_its_calls_may_have_run(on) {
        let rig = Rig::on(on).await;
        let story = Story::new().accepted("do two things").started().calling(&["one", "two"]);
        let story = story.tool_started("one").tool_started("two").result("one");
        story.left_in(&rig.store().await).await;
        let before = rig.stored(story.session).await.len();
        let rig = rig.reopen().await;
        let events = rig.stored(story.session).await;
        let added = &events[before..];
        assert_eq!(kinds(added), ["tool_result", "error", "run_end"]);
        assert!(added.iter().all(|event| event.run_id == Some(story.run)));
        let EventBody::ToolResult { call_id, result, is_error, card, .. } = &added[0].body else { panic!() };
        assert_eq!((call_id.as_str(), *is_error), ("two", true));
        assert!(result.contains("interrupted") && result.contains("may have run"), "{result}");
        assert_eq!(card.as_ref().unwrap().code, Code::ToolInterrupted.as_str());
        let EventBody::RunEnd(outcome) = &added[2].body else { panic!() };
        assert_eq!((outcome.status, outcome.turns, outcome.tool_calls), (Status::Failed, 1, 2));
        assert_eq!(outcome.usage.total_tokens, 12);
        assert_eq!(outcome.card.as_ref().unwrap().code, Code::RunInterrupted.as_str());
        let summary = rig.runtime.query().session(story.session).await.unwrap().unwrap();
        assert_eq!(summary.status, Some(Status::Failed));
    }

    async fn the_next_request_after_an_interrupted_run_is_accepted(on) {
        let rig = Rig::on(on).await;
        let story = Story::new().accepted("do two things").started().calling(&["one", "two"]).tool_started("one");
        story.left_in(&rig.store().await).await;
        let rig = rig.reopen().await;
        // The fake refuses a call without its result.
        rig.fake.push(Reply::text("I will look first."));
        let (outcome, _) = rig.ask(story.session, "go on").await;
        assert_eq!(outcome.status, Status::Done);
        let roles: Vec<String> = rig.sent(0).into_iter().map(|(role, _)| role).collect();
        assert_eq!(roles, ["user", "assistant", "tool", "tool", "user"]);
        check_sound(&rig.stored(story.session).await);
    }

    async fn a_run_of_a_living_process_is_left_alone(on) {
        let rig = Rig::on(on).await;
        let other = rig.store().await;
        let story = Story::new().accepted("wait").started();
        let lease = story.held_in(&other).await;
        let rig = rig.reopen().await;
        assert_eq!(rig.stored(story.session).await.len(), 3, "nothing was added");
        let refused = rig.submit(story.session, candor_protocol::Body::Say(vec![])).await.unwrap_err();
        assert_eq!(refused.code, Code::SessionBusy);
        // It dies.
        drop(lease);
        rig.fake.push(Reply::text("here I am"));
        let (outcome, _) = rig.ask(story.session, "go on").await;
        assert_eq!(outcome.status, Status::Done);
        let ends = rig.stored(story.session).await;
        let ends = ends.iter().filter(|event| matches!(event.body, EventBody::RunEnd(_))).count();
        assert_eq!(ends, 2, "the dead one's, and ours");
    }

    async fn a_message_whose_run_never_began_is_answered_with_the_next(on) {
        let rig = Rig::on(on).await;
        let story = Story::new().accepted("first");
        story.left_in(&rig.store().await).await;
        let rig = rig.reopen().await;
        assert_eq!(rig.stored(story.session).await.len(), 2, "no run is open");
        rig.fake.push(Reply::text("both"));
        rig.ask(story.session, "second").await;
        let said: Vec<String> = rig.sent(0).into_iter().map(|(_, text)| text).collect();
        assert_eq!(said, ["first", "second"]);
    }

    async fn recovery_is_done_once_however_often_one_starts(on) {
        let rig = Rig::on(on).await;
        let story = Story::new().accepted("a").started().calling(&["one"]);
        story.left_in(&rig.store().await).await;
        let rig = rig.reopen().await.reopen().await.reopen().await;
        let kinds = kinds(&rig.stored(story.session).await);
        let ends = kinds.iter().filter(|kind| *kind == "run_end").count();
        let results = kinds.iter().filter(|kind| *kind == "tool_result").count();
        assert_eq!((ends, results), (1, 1), "{kinds:?}");
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_read_keeps_no_other_from_being_used_postgres() {
    let rig = Rig::on(On::Postgres).await;
    let (broken, whole) = (Story::new().accepted("a").started(), Story::new().accepted("b").started());
    let store = rig.store().await;
    broken.left_in(&store).await;
    rig.meddle("UPDATE events SET body = '{' WHERE type = 'run_start'");
    whole.left_in(&store).await;
    let rig = rig.reopen().await;
    assert_eq!(kinds(&rig.stored(whole.session).await).last().unwrap(), "run_end");
    let refused = rig.submit(broken.session, candor_protocol::Body::Say(vec![])).await.unwrap_err();
    assert_eq!(refused.code, Code::StoreServer);
}
