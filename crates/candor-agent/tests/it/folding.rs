//! Whatever happens in a run, what the model is sent is what the stored events tell, then and after a restart.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use candor_agent::Conversation;
use candor_llm::{Answer, BoxFuture, Delta, Error, Provider, Request};
use candor_protocol::{EventBody, Message, Part, Role, StopReason, ToolCall, Usage};
use candor_testkit::Rng;
use serde_json::json;

use crate::conversation::{end, start, user};
use crate::rig::{Rig, Told};
use crate::talk::summary;

/// How many random sessions are tried.
const SESSIONS: u64 = 30;
/// How many runs each has.
const RUNS: usize = 4;
const WINDOW_TOKENS: u64 = 2_000;

/// Answers at random, is interrupted at random, and holds what it is sent against what was told.
struct Chance {
    rng: Mutex<Rng>,
    told: Arc<Told>,
    /// What was told before the run.
    before: Conversation,
    checked: Arc<AtomicUsize>,
}

impl Provider for Chance {
    fn name(&self) -> &'static str {
        "chance"
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        _: &'a mut (dyn FnMut(Delta<'_>) + Send),
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        let rng = &mut *self.rng.lock().unwrap();
        let is_summary = request.tools.is_empty();
        if !is_summary {
            let told = self.told.after(self.before.clone());
            let (sent, told) = (said(&request.messages), said(told.messages()));
            let differs = sent.iter().zip(&told).find(|(sent, told)| sent != told);
            assert_eq!((sent.len(), differs), (told.len(), None));
            self.checked.fetch_add(1, Ordering::Relaxed);
        }
        if rng.one_in(3) {
            self.told.steer(&format!("meanwhile {}", rng.below(1_000)));
        }
        let answer = if is_summary { summarised(rng) } else { answered(rng) };
        Box::pin(async { answer })
    }
}

fn summarised(rng: &mut Rng) -> Result<Answer, Error> {
    match rng.below(4) {
        0 => Err(Error::ContextTooLong { message: String::new() }),
        1 => Ok(answer(vec![Part::text("No.")], StopReason::Refusal, 10)),
        _ => Ok(answer(vec![Part::text(summary("</summary> a goal"))], StopReason::EndTurn, 10)),
    }
}

fn answered(rng: &mut Rng) -> Result<Answer, Error> {
    let counted = rng.below(2_500) as u64;
    match rng.below(6) {
        0 => Err(Error::ContextTooLong { message: String::new() }),
        1 => Ok(answer(vec![Part::text("That is all.")], StopReason::EndTurn, counted)),
        2 => Ok(answer(vec![Part::text("A moment.")], StopReason::Pause, counted)),
        _ => {
            let calls = (0..rng.between(1, 3)).map(|at| call(rng, at)).collect();
            Ok(answer(calls, StopReason::ToolUse, counted))
        }
    }
}

fn answer(parts: Vec<Part>, stop: StopReason, input_tokens: u64) -> Answer {
    Answer { parts, stop, usage: Usage::new(input_tokens, 10), model: None }
}

/// The ids are the same in every answer, as some servers give them.
fn call(rng: &mut Rng, at: usize) -> Part {
    let path = format!("{}.txt", rng.below(5));
    let (tool_name, args) = match rng.below(2) {
        0 => ("file_read", json!({ "path": path })),
        _ => ("file_write", json!({ "path": path, "content": "text ".repeat(rng.below(300)) })),
    };
    let tool_name = tool_name.to_owned();
    Part::ToolCall(ToolCall { call_id: format!("call_{at}"), tool_name, args, malformed: None, opaque: None })
}

fn said(messages: &[Message]) -> Vec<(Role, &[Part])> {
    messages.iter().map(|message| (message.role, message.parts.as_slice())).collect()
}

#[tokio::test]
async fn what_the_model_is_sent_is_what_the_events_tell() {
    let (checked, mut compactions, mut steered) = (Arc::new(AtomicUsize::new(0)), 0, 0);
    for seed in 0..SESSIONS {
        let mut rng = Rng::new(seed);
        let mut conversation = Conversation::default();
        for run in 0..RUNS {
            let mut rig = Rig::new(WINDOW_TOKENS, 200);
            rig.limits.turns = 12;
            for body in [user(&format!("question {run}: {}", "and? ".repeat(rng.below(400)))), start()] {
                conversation.event(&rig.told.event(body));
            }
            rig.models[0].provider = Arc::new(Chance {
                rng: Mutex::new(Rng::new(rng.next_u64())),
                told: Arc::clone(&rig.told),
                before: conversation.clone(),
                checked: Arc::clone(&checked),
            });
            if rng.one_in(4) {
                rig.compact(conversation.clone()).await;
            } else {
                rig.answer(conversation.clone()).await;
            }
            compactions += rig.records().len();
            let accepted = |body: &EventBody| matches!(body, EventBody::MessageAccepted { .. });
            steered += rig.events().iter().filter(|event| accepted(&event.body)).count();
            conversation = rig.told.after(conversation);
            conversation.event(&rig.told.event(end()));
        }
    }
    let checked = checked.load(Ordering::Relaxed);
    assert!(checked > 200 && compactions > 100 && steered > 100, "{checked} {compactions} {steered}");
}
