//! A conversation that was saved in the middle of a session and goes on from there.

use candor_agent::Conversation;
use candor_protocol::{Event, Part, Role, RunId};
use candor_testkit::Rng;

use crate::conversation::{Of, answer, compacted, end, events, result, start, user};

/// How many random logs are tried.
const LOGS: u64 = 40;
/// How many events each has.
const EVENTS: usize = 40;
const RUNS: usize = 4;

/// Events as they may come, crashes included: in any order that a process which died could leave behind.
fn random_log(rng: &mut Rng) -> Vec<Event> {
    let runs: [RunId; RUNS] = std::array::from_fn(|_| RunId::now());
    let ids = ["a", "b", "c"];
    let body = |rng: &mut Rng| match rng.below(9) {
        0 | 1 => user(&format!("said {}", rng.below(100))),
        2 => start(),
        3 => answer("an answer", &[]),
        4 => answer("", &ids[..rng.between(1, 3)]),
        5 | 6 => result(ids[rng.below(ids.len())]),
        7 => compacted(rng.below(4) as u64, &format!("summary {}", rng.below(100))),
        _ => end(),
    };
    let of = |_| -> Of { (rng.below(RUNS), body(rng)) };
    let bodies = (0..EVENTS).map(of).collect();
    events(&runs, bodies)
}

fn told(mut conversation: Conversation, events: &[Event]) -> Conversation {
    for event in events {
        conversation.event(event);
    }
    conversation
}

#[test]
fn whoever_goes_on_from_a_saved_conversation_gets_the_same() {
    for seed in 0..LOGS {
        let events = random_log(&mut Rng::new(seed));
        let whole = told(Conversation::default(), &events);
        for split in 0..=events.len() {
            let first = told(Conversation::default(), &events[..split]);
            let saved = serde_json::to_string(&first).unwrap();
            let read: Conversation = serde_json::from_str(&saved).unwrap();
            assert_eq!(read, first, "seed {seed}, split {split}");
            assert_eq!(told(read, &events[split..]), whole, "seed {seed}, split {split}");
        }
    }
}

#[test]
fn whatever_was_interrupted_every_call_has_one_result_in_the_message_after_it() {
    for seed in 0..LOGS {
        let log = random_log(&mut Rng::new(seed));
        let uncut: Vec<_> = log.into_iter().filter(|event| !is_compaction(event)).collect();
        let mut conversation = told(Conversation::default(), &uncut);
        conversation.begin(RunId::now());
        let messages = conversation.messages();
        for (at, message) in messages.iter().enumerate() {
            let calls: Vec<_> = message.calls().map(|call| call.call_id.as_str()).collect();
            let next = messages.get(at + 1).filter(|next| next.role == Role::Tool);
            let mut results: Vec<_> = next.into_iter().flat_map(|next| &next.parts).map(id).collect();
            results.sort_unstable();
            if message.role == Role::Assistant {
                assert_eq!(calls, results, "seed {seed}, message {at}");
            } else {
                assert_eq!(results, Vec::<&str>::new(), "seed {seed}, message {at}");
            }
        }
    }
}

fn is_compaction(event: &Event) -> bool {
    matches!(event.body, candor_protocol::EventBody::Compacted { .. })
}

fn id(part: &Part) -> &str {
    match part {
        Part::ToolResult(result) => &result.call_id,
        other => panic!("{other:?} is no result"),
    }
}
