//! Models that say that a request is too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use candor_llm::{Answer, BoxFuture, Delta, Error, Provider, Request};
use candor_protocol::{Message, Part, Role, Status, StopReason, SummarisedBy, ToolCall, Usage};
use candor_testkit::{Dialect, Reply};
use serde_json::json;

use crate::rig::Rig;
use crate::talk::{long, read, said, summary, user};

fn too_long() -> Reply {
    Reply::error("overflow", "")
}

#[tokio::test]
async fn it_shrinks_again_and_goes_on() {
    let rig = Rig::new(20_000, 4_000);
    let mut messages = Vec::new();
    for at in 0..8 {
        messages.push(user(&format!("Rule {at}: keep it.")));
        messages.extend(read(&at.to_string(), &format!("{at}.rs"), 4_000));
        messages.push(said("Read."));
    }
    messages.push(user("Which rules are there?"));
    rig.fake.extend([too_long(), Reply::text(&summary("rules"))]);
    rig.fake.extend([too_long(), too_long(), too_long(), Reply::text("Eight.")]);
    let outcome = rig.answer(messages.clone()).await;
    assert_eq!((outcome.status, outcome.turns), (Status::Done, 1));
    let records = rig.records();
    let by: Vec<_> = records.iter().map(|record| record.by).collect();
    assert_eq!(by, [SummarisedBy::Model, SummarisedBy::Rules, SummarisedBy::Rules, SummarisedBy::Rules]);
    let sizes: Vec<usize> = rig.fake.requests().iter().map(|seen| seen.body_bytes).collect();
    assert!(sizes[2] < sizes[0] && sizes[2..].is_sorted_by(|a, b| a > b), "{sizes:?}");
    let after = rig.after(messages);
    assert_eq!(after.messages().last().map(Message::plain_text).as_deref(), Some("Eight."));
    let sent = rig.fake.requests().pop().unwrap().user_texts();
    let told: Vec<_> =
        after.messages().iter().filter(|m| m.role == Role::User).map(Message::plain_text).collect();
    assert_eq!(sent, told, "what was sent is what the events tell");
    rig.check_sound();
}

#[tokio::test]
async fn a_result_larger_than_the_window_does_not_end_the_run() {
    let rig = Rig::new(20_000, 4_000);
    rig.fake.push(Reply::calls([("shell_exec", json!({"command": "yes abcdefg | head -c 400000"}))]));
    rig.fake.extend([too_long(), Reply::text("It says abcdefg.")]);
    let outcome = rig.answer(vec![user("What does it say? Answer in one line.")]).await;
    assert_eq!((outcome.status, outcome.turns), (Status::Done, 2));
    let sent = rig.fake.requests().pop().unwrap().user_texts();
    assert_eq!(sent.len(), 1, "nothing is left but the summary");
    for kept in ["What does it say? Answer in one line.", "shell_exec(", "abcdefg"] {
        assert!(sent[0].contains(kept), "{kept}\n{}", sent[0]);
    }
    rig.check_sound();
}

#[tokio::test]
async fn a_message_larger_than_the_window_keeps_its_beginning_and_its_end() {
    let rig = Rig::new(2_000, 500);
    rig.fake.extend([too_long(), Reply::text("Yes.")]);
    let pasted = format!("Is this right? {} Only say yes or no.", "blah ".repeat(4_000));
    assert_eq!(rig.answer(vec![user("Be brief."), user(&pasted)]).await.status, Status::Done);
    let text = rig.record().summary.text;
    for kept in ["Be brief.", "Is this right?", "Only say yes or no.", "characters left out here"] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
}

#[tokio::test]
async fn a_model_that_is_never_content_ends_the_run_with_its_card() {
    let rig = Rig::new(20_000, 100);
    rig.fake.repeat(too_long());
    let outcome = rig.answer(long()).await;
    assert_eq!(outcome.status, Status::AbortedConstraint);
    assert_eq!(outcome.card.unwrap().code, "PROVIDER_CONTEXT_TOO_LONG");
    let requests = rig.fake.requests().len();
    assert!((3..=12).contains(&requests), "{requests}");
    rig.check_sound();
}

#[tokio::test]
async fn the_next_overflow_begins_with_the_model_again() {
    let rig = Rig::new(20_000, 10);
    rig.fake.extend([too_long(), Reply::text(&summary("x"))]);
    rig.fake.push(Reply::calls([("shell_exec", json!({"command": "head -c 9000 /dev/zero | tr '\\0' x"}))]));
    rig.fake.push(Reply::calls([("shell_exec", json!({"command": "echo and"}))]));
    rig.fake.extend([too_long(), Reply::text(&summary("y")), Reply::text("Done.")]);
    assert_eq!(rig.answer(long()).await.status, Status::Done);
    let by: Vec<_> = rig.records().iter().map(|record| record.by).collect();
    assert_eq!(by, [SummarisedBy::Model, SummarisedBy::Model]);
    rig.check_sound();
}

#[tokio::test]
async fn a_thousand_short_messages_do_not_end_the_run() {
    let rig = Rig::new(10_000, 100);
    let rules = (0..1_000).map(|at| user(&format!("Rule {at}: keep it in mind, whatever happens.")));
    let messages: Vec<Message> = rules.chain([said("I do."), user("Go on.")]).collect();
    rig.fake.extend([too_long(), Reply::text("Done.")]);
    assert_eq!(rig.answer(messages).await.status, Status::Done);
    let text = rig.record().summary.text;
    for kept in ["Rule 0: keep", "[… ", "Rule 999: keep", "[User]: Go on."] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
    assert!(text.len() < 10_000, "{}", text.len());
}

/// A model with a small window that nobody knows of. It writes a file in every turn, and no summary that could be used.
#[derive(Default)]
struct Small {
    answers: AtomicUsize,
}

impl Small {
    const BYTES_MAX: usize = 16_000;
    const TURNS: usize = 6;
}

impl Provider for Small {
    fn name(&self) -> &'static str {
        "small"
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        _: &'a mut (dyn FnMut(Delta<'_>) + Send),
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(async {
            if serde_json::to_vec(&request.messages).unwrap().len() > Self::BYTES_MAX {
                return Err(Error::ContextTooLong { message: String::new() });
            }
            let answers = if request.tools.is_empty() {
                Self::TURNS
            } else {
                self.answers.fetch_add(1, Ordering::Relaxed)
            };
            let part = if answers >= Self::TURNS {
                Part::text("Done.")
            } else {
                let args = json!({ "path": "a.txt", "content": "line ".repeat(1_500) });
                Part::ToolCall(ToolCall {
                    call_id: answers.to_string(),
                    tool_name: "file_write".to_owned(),
                    args,
                    malformed: None,
                    opaque: None,
                })
            };
            Ok(Answer { parts: vec![part], stop: StopReason::EndTurn, usage: Usage::default(), model: None })
        })
    }
}

#[tokio::test]
async fn a_window_that_is_smaller_than_anybody_knows_is_found() {
    let picture = Part::Image { media_type: "image/png".to_owned(), data: "A".repeat(9_000) };
    let pictures = (0..6).map(|_| Message::new(Role::User, vec![picture.clone()]));
    let talk = (0..200).flat_map(|at| [user(&format!("Question {at}")), said(&"so ".repeat(200))]);
    let reads = (0..20).flat_map(|at| read(&format!("r{at}"), "a.rs", 9_000));
    let conversations: [Vec<Message>; 4] = [
        vec![user(&"word ".repeat(300_000))],
        pictures.chain([user("What is this?")]).collect(),
        talk.chain([user("And now?")]).collect(),
        [user("Read it all.")].into_iter().chain(reads).collect(),
    ];
    for (at, messages) in conversations.into_iter().enumerate() {
        let mut rig = Rig::new(0, 20_000);
        rig.models[0].context_window = None;
        rig.models[0].provider = Arc::new(Small::default());
        let outcome = rig.answer(messages).await;
        assert_eq!((outcome.status, outcome.turns), (Status::Done, 7), "{at}: {:?}", outcome.card);
    }
}

#[tokio::test]
async fn signed_thoughts_stay_with_the_calls_they_led_to() {
    for dialect in [Dialect::Anthropic, Dialect::OpenaiResponses] {
        let rig = Rig::speaking(dialect, 20_000, 10);
        let thinks = |at: usize| {
            let call = Reply::calls([("shell_exec", json!({ "command": format!("echo {at}") }))]);
            call.and_reasoning(&format!("I think {at}."), "c2lnbmVk")
        };
        rig.fake.extend([thinks(1), thinks(2), too_long(), Reply::text(&summary("x")), Reply::text("Done.")]);
        assert_eq!(rig.answer(long()).await.status, Status::Done);
        let last = rig.fake.requests().pop().unwrap().body.to_string();
        assert!(last.contains("c2lnbmVk") && last.contains("echo 2"), "{dialect:?}: {last}");
        assert!(!last.contains("echo 1"), "{dialect:?}: what went, went whole\n{last}");
        rig.check_sound();
    }
}
