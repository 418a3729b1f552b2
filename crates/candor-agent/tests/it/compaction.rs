//! Runs that shorten the conversation, on request and before the window is full.

use std::time::Duration;

use candor_agent::Price;
use candor_llm::retry::Policy;
use candor_protocol::{
    Event, EventBody, Message, Origin, Part, RunId, Status, SummarisedBy, Usage, VerdictStatus,
};
use candor_testkit::{Fault, Gate, Reply};
use serde_json::json;

use crate::conversation::kept_summary;
use crate::rig::Rig;
use crate::talk::{long, said, summary, user};

#[tokio::test]
async fn s7_6_compaction_appends_a_record() {
    let rig = Rig::new(10_000, 10);
    rig.fake.push(Reply::text(&summary("the tests")).usage(700, 60));
    let outcome = rig.compact(long()).await;
    assert_eq!((outcome.status, outcome.verdict.status), (Status::Done, VerdictStatus::NotApplicable));
    assert!(outcome.verdict.evidence[0].summary.contains("shorten"), "{:?}", outcome.verdict);
    assert_eq!((outcome.usage, outcome.turns), (Usage::new(700, 60), 0));
    let record = rig.record();
    assert_eq!((record.removed, record.by), (7, SummarisedBy::Model));
    assert!(record.tokens_before > 2_000, "{}", record.tokens_before);
    assert!(record.summary.text.contains("<summary>\n## Goal\nthe tests\n"), "{}", record.summary.text);
    assert_eq!(rig.statuses(), ["Shortening the conversation…"]);
    let said = |event: &EventBody| {
        matches!(event, EventBody::StreamDelta { .. } | EventBody::MessageComplete { .. })
    };
    assert!(!rig.events().iter().any(|event| said(&event.body)), "a summary is no answer");
}

#[tokio::test]
async fn s7_11_the_context_after_a_compaction_is_the_summary_and_what_was_kept() {
    let rig = Rig::new(2_000, 10);
    rig.fake.push(Reply::text(&summary("the tests")));
    rig.fake.push(Reply::text("They pass."));
    let messages = long();
    let outcome = rig.answer(messages.clone()).await;
    assert_eq!((outcome.status, outcome.turns, outcome.usage), (Status::Done, 1, Usage::new(50, 30)));
    let record = rig.record();
    let kept = &messages[usize::try_from(record.removed).unwrap()..];
    let after = rig.after(messages.clone());
    assert_eq!(after.messages()[0].plain_text(), record.summary.text);
    assert_eq!(&after.messages()[1..=kept.len()], kept);
    assert_eq!(kept_summary(&after), serde_json::to_value(&record.summary).unwrap());
    let texts: Vec<String> = kept.iter().map(Message::plain_text).collect();
    let sent: Vec<String> = rig.fake.requests()[1].user_texts();
    assert_eq!(sent, [vec![record.summary.text], texts[1..].to_vec()].concat());
    assert_eq!(texts[0], "The lexer is repaired.");
    rig.check_sound();
}

#[tokio::test]
async fn a_conversation_that_fits_is_left_alone() {
    let rig = Rig::new(10_000, 10);
    rig.fake.push(Reply::text("They pass."));
    rig.answer(long()).await;
    assert_eq!(rig.records(), []);
}

#[tokio::test]
async fn where_it_is_turned_off_only_the_models_word_shortens() {
    let mut rig = Rig::new(2_000, 10);
    rig.compaction.enabled = false;
    rig.fake.extend([Reply::error("overflow", ""), Reply::text(&summary("x")), Reply::text("They pass.")]);
    assert_eq!(rig.answer(long()).await.status, Status::Done);
    assert_eq!(rig.record().by, SummarisedBy::Model);
    assert_eq!(rig.fake.requests()[0].user_texts().len(), 3, "nothing was shortened before");
}

#[tokio::test]
async fn what_the_provider_counted_is_believed() {
    for (input_tokens, compactions) in [(9_950, 1), (9_000, 0)] {
        let usage = Some(Usage::new(input_tokens, 100));
        let counted = Message { usage, ..said("four") };
        let messages = vec![user("one"), said(&"two ".repeat(600)), user("three"), counted, user("five")];
        let rig = Rig::new(10_000, 2);
        rig.fake.repeat(Reply::text("six"));
        rig.answer(messages).await;
        assert_eq!(rig.records().len(), compactions, "{input_tokens}");
    }
}

#[tokio::test]
async fn a_summary_that_would_free_next_to_nothing_is_not_written_ahead_of_time() {
    let counted = Message { usage: Some(Usage::new(9_950, 100)), ..said("four") };
    let rig = Rig::new(10_000, 2);
    rig.fake.push(Reply::text("six"));
    rig.answer(vec![user("one"), said("two"), user("three"), counted, user("five")]).await;
    assert_eq!(rig.fake.requests().len(), 1, "no summary was asked for");
}

#[tokio::test]
async fn what_was_counted_before_a_summary_no_longer_counts() {
    let rig = Rig::new(4_000, 20);
    let mut messages = long();
    messages[7].usage = Some(Usage::new(3_990, 100));
    rig.fake.push(Reply::text(&summary(&"the tests ".repeat(100))));
    rig.compact(messages.clone()).await;
    assert_eq!(rig.record().tokens_before, 4_095);
    let (mut after, run) = (rig.after(messages), Some(RunId::now()));
    let asked = EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text("Really?")] };
    for body in [asked, EventBody::RunStart { model: String::new(), message_count: 0 }] {
        after.event(&Event { body, run_id: run, ..rig.events().remove(0) });
    }
    assert!(after.messages().iter().any(|message| message.usage.is_some()), "the answer was kept");
    let again = Rig::new(4_000, 2);
    again.fake.push(Reply::text("Yes."));
    assert_eq!(again.answer(after).await.status, Status::Done);
    let requests = again.fake.requests().len();
    assert_eq!(requests, 1, "the count of a kept answer is about messages that are gone");
}

#[tokio::test]
async fn a_short_conversation_is_not_compacted() {
    let rig = Rig::new(10_000, 5_000);
    let outcome = rig.compact(vec![user("Hi"), said("Hello")]).await;
    assert_eq!((outcome.status, outcome.usage), (Status::Done, Usage::default()));
    assert_eq!(rig.records(), []);
    assert_eq!(rig.statuses(), ["There is nothing in the conversation that could be shortened."]);
    assert_eq!(rig.fake.requests().len(), 0);
}

#[tokio::test]
async fn a_stop_ends_the_run_without_a_summary() {
    let rig = Rig::new(10_000, 10);
    let gate = Gate::new();
    rig.fake.push(Reply::text(&summary("x")).gate(&gate));
    let cancel = rig.cancel.clone();
    let reached = gate.clone();
    let stopping = tokio::task::spawn_blocking(move || {
        reached.wait_reached();
        cancel.cancel();
    });
    let outcome = rig.compact(long()).await;
    stopping.await.unwrap();
    assert_eq!(outcome.status, Status::Stopped);
    assert_eq!(rig.records(), []);
}

#[tokio::test]
async fn when_the_time_is_over_the_rules_write_the_summary() {
    let mut rig = Rig::new(10_000, 10);
    rig.limits.time = Some(Duration::from_millis(50));
    rig.fake.push(Reply::text(&summary("x")).gate(&Gate::new()));
    let outcome = rig.compact(long()).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(rig.record().by, SummarisedBy::Rules);
}

#[tokio::test]
async fn a_summary_that_takes_the_last_of_the_money_is_not_followed_by_a_request() {
    let mut rig = Rig::new(2_000, 10);
    "gpt-4o".clone_into(&mut rig.models[0].name);
    rig.models[0].price = Price::Listed;
    rig.limits.cost_usd = Some(0.01);
    rig.fake.push(Reply::text(&summary("x")).usage(1_000_000, 100));
    rig.fake.push(Reply::text("They pass."));
    let outcome = rig.answer(long()).await;
    assert_eq!(outcome.status, Status::AbortedConstraint);
    assert_eq!(outcome.card.unwrap().code, "RUN_COST_SPENT");
    assert_eq!(rig.fake.requests().len(), 1);
    assert_eq!(rig.records().len(), 1, "what was paid for is kept");
}

#[tokio::test]
async fn a_conversation_that_stays_too_long_is_not_summarised_for_every_turn() {
    let mut worked_on = long();
    worked_on.insert(0, user(&"Mind the tabs. ".repeat(300)));
    let only_words = vec![user(&"Mind the tabs. ".repeat(300)), said("I do."), user("Go on.")];
    for (mut messages, by_rules) in [(worked_on, 1), (only_words, 0)] {
        let mut rig = Rig::new(10_000, 2);
        rig.limits.turns = 6;
        let call = Reply::calls([("shell_exec", json!({ "command": "true" }))]);
        rig.fake.repeat(call.usage(9_990, 20));
        let last_answer = messages.len() - 2;
        messages[last_answer].usage = Some(Usage::new(9_990, 20));
        rig.answer(messages).await;
        assert_eq!(rig.records().len(), by_rules);
        assert_eq!(rig.fake.requests().len(), 6 + 1, "six answers, and one summary was asked for");
    }
}

#[tokio::test]
async fn a_model_that_could_not_read_what_the_user_said_writes_no_summary() {
    let rig = Rig::new(1_200, 10);
    rig.fake.push(Reply::text(&summary("x")));
    rig.compact(long()).await;
    let record = rig.record();
    assert_eq!(record.by, SummarisedBy::Rules);
    assert!(record.summary.text.contains("[User]: Then repair the lexer."), "{}", record.summary.text);
    assert_eq!(rig.fake.requests().len(), 0);
}

#[tokio::test]
async fn a_summary_that_is_tried_again_takes_back_nothing_that_was_shown() {
    let mut rig = Rig::new(10_000, 10);
    rig.policy = Policy { max_retries: 1, base_delay: Duration::ZERO, ..Policy::default() };
    rig.fake.extend([Reply::text(&summary("x")).fault(Fault::CutAfterDeltas(5)), Reply::text(&summary("x"))]);
    rig.compact(long()).await;
    assert_eq!(rig.fake.requests().len(), 2);
    let discards = |event: &Event| matches!(event.body, EventBody::Status { discard: true, .. });
    assert!(!rig.events().iter().any(discards), "{:?}", rig.statuses());
}
